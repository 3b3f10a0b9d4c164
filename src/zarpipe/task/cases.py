"""The argument cases that are resolved."""

from __future__ import annotations

CASES = ("NOM", "ACC", "DAT")

# Labels of tokens: the cases in their order, then NONE.
NONE_LABEL = len(CASES)
LABELS = len(CASES) + 1

"""The argument cases that are resolved."""

from __future__ import annotations

CASES = ("NOM", "ACC", "DAT")

"""Characters that steer a terminal or turn the direction of text, which no output may carry raw."""

from __future__ import annotations

import re

# C0 and C1 controls (ESC, U+009B), separators of lines and paragraphs, and what sets the direction of text.
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Return a text with every steering character as its code in angle brackets: ESC becomes ``<U+001B>``."""
    return STEERING.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)

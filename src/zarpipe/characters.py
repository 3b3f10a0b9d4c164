"""Characters that a person cannot see, or that a terminal would obey."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_UNDECODED = re.compile("[\ud800-\udfff]")
# What a spreadsheet computes; a signed number may be.
_FORMULA = re.compile(r"[=@\t\r]|[-+](?!\Z|[\d.]+\Z)")
# Control, direction and other formatting characters, undecoded bytes, characters that separate lines.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def escaped(text: str) -> str:
    """Return a text that can be written anywhere: a name's bytes that are not UTF-8 become escapes."""
    return _UNDECODED.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", text)


def printable(text: str, encoding: str = "utf-8", keep: str = "") -> str:
    """Return a text that can be seen: every other character is written as ``<U+202E>``.

    Args:
        text: any text.
        encoding: what a terminal takes; characters that it lacks are written so too.
        keep: control characters that stay, such as the line feed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in keep or _is_seen(character, encoding) else f"<U+{ord(character):04X}>"
        for character in text
    )


def is_unseen(character: str) -> bool:
    """Tell whether a person cannot see a character: it steers a terminal, turns the text or ends its line."""
    return unicodedata.category(character) in _UNSEEN


def fits(text: str, encoding: str) -> bool:
    """Tell whether an encoding has all characters of a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def plain_cell(value: Any) -> Any:
    """Return the value of a cell of a CSV, in which no spreadsheet takes a text for a formula: ``'=cmd``."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _is_seen(character: str, encoding: str) -> bool:
    return not is_unseen(character) and fits(character, encoding)

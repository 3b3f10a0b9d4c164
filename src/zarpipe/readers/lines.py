"""What the line formats of NTC and KNP share: the end of a document, and the line with a sentence's name."""

from __future__ import annotations

import re

from zarpipe.errors import FileProblem

_S_ID = re.compile(r"# S-ID: ?(\S*)")


def document_lines(text: str) -> list[str]:
    """Return the lines of a document without the blank ones at its end."""
    lines = text.split("\n")
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    return lines


def sentence_id(comment: str, number: int, open_since: int | None, path: str) -> str | None:
    """Return the identifier that a comment line gives to the next sentence; None if it is another comment.

    Args:
        comment: the line, which begins with ``#``.
        number: its number in the file.
        open_since: line where the sentence begins that is not closed yet, if any.
        path: file, for messages.

    Raises:
        FileProblem: an S-ID line without identifier, or inside a sentence.
    """
    match = _S_ID.match(comment)
    if match is None:
        return None
    if open_since is not None:
        raise FileProblem(
            path,
            number,
            f"found a new S-ID inside the sentence that begins at line {open_since}; expected EOS before it",
        )
    if not match[1]:
        raise FileProblem(path, number, "found an S-ID line without identifier; expected # S-ID:NAME")
    return match[1]


def refuse_unclosed(open_since: int | None, last_line: int, path: str) -> None:
    """Raise FileProblem if a sentence is still open at the end of its document."""
    if open_since is not None:
        raise FileProblem(
            path,
            open_since,
            f"this sentence is not closed: the document ends at line {last_line} without EOS; "
            "add the missing lines",
        )

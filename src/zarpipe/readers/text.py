"""From bytes to lines of text: the encoding is found out, and what a reader cannot handle is refused."""

from __future__ import annotations

import codecs
import re

from zarpipe.errors import FileProblem

# euc_jis_2004 adds the row of circled numbers and units (①, ㌔) that newspapers use.
ENCODINGS = ("utf-8", "euc_jp", "euc_jis_2004")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Characters that separate lines elsewhere, or nothing that a corpus can mean.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")

_LINE_ENDS = ("\x85", "\u2028", "\u2029")
_NOT_CONTROL = bytes(byte for byte in range(256) if not _CONTROL.match(chr(byte)) or byte == 0x85)


def decode(content: bytes, path: str, first_line: int = 1) -> str:
    """Decode a document in UTF-8 or EUC-JP, whichever its bytes are.

    Args:
        content: the document's bytes.
        path: file, for messages.
        first_line: line of the file at which ``content`` begins.

    Raises:
        FileProblem: byte-order mark, carriage return, control character, or bytes that are neither UTF-8 nor
            EUC-JP throughout.
    """
    if content.startswith(_MARKS):
        raise FileProblem(
            path,
            first_line,
            "found a byte-order mark at the beginning of the file; expected plain UTF-8 or EUC-JP text. "
            "Save the file without BOM",
        )
    if (position := content.find(b"\r")) >= 0:
        raise FileProblem(
            path,
            first_line + content.count(b"\n", 0, position),
            "found a carriage return (Windows line end, CRLF); expected lines that end in LF alone. "
            "Convert the file, for example with dos2unix",
        )
    text = _decoded(content, path, first_line)
    # Nearly always there is none, which these find out several times as fast as the search.
    suspicious = content.translate(None, _NOT_CONTROL) or any(mark in text for mark in _LINE_ENDS)
    if suspicious and (match := _CONTROL.search(text)):
        raise FileProblem(
            path,
            first_line + text.count("\n", 0, match.start()),
            f"found the control character U+{ord(match[0]):04X}; expected text. Remove it",
        )
    return text


def _decoded(content: bytes, path: str, first_line: int) -> str:
    for encoding in ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise _undecodable(content, path, first_line)


def _undecodable(content: bytes, path: str, first_line: int) -> FileProblem:
    """Say at which line the encoding that fits longest breaks, and whether two encodings are mixed."""
    lines = content.split(b"\n")
    fitting = [frozenset(name for name in ENCODINGS if _fits(line, name)) for line in lines]
    for number, names in enumerate(fitting):
        if not names:
            return FileProblem(
                path,
                first_line + number,
                f"found bytes that are neither UTF-8 nor EUC-JP ({_sample(lines[number])}); "
                "expected one of these encodings. Repair the line or convert the file",
            )
    utf8 = next((number for number, names in enumerate(fitting) if "euc_jis_2004" not in names), None)
    euc = next((number for number, names in enumerate(fitting) if "utf-8" not in names), None)
    if utf8 is not None and euc is not None:
        first, second = sorted([(utf8, "UTF-8"), (euc, "EUC-JP")])
        return FileProblem(
            path,
            first_line + second[0],
            f"found {second[1]}, but line {first_line + first[0]} is {first[1]} (mixed encodings); "
            "expected one encoding in the whole file. Convert the file to UTF-8",
        )
    return FileProblem(
        path,
        first_line,
        "found bytes that are neither UTF-8 nor EUC-JP throughout; convert the file to UTF-8",
    )


def _fits(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _sample(line: bytes) -> str:
    """Return the bytes around the first undecodable one, in hexadecimal."""
    position = 0
    for encoding in ENCODINGS:
        try:
            line.decode(encoding)
        except UnicodeDecodeError as error:
            position = max(position, error.start)
    return " ".join(f"{byte:02X}" for byte in line[position : position + 4])

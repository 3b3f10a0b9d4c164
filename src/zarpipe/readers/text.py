"""From bytes to lines of text: the encoding is found out, and what a reader cannot handle is refused.

A document is UTF-8 or EUC-JP throughout. EUC-JP is JIS X 0208 and 0212 with three extensions that files carry
without saying so:

* row 13 (①, ㌔, ㈱), which newspapers use; Windows and JIS X 0213 agree on it;
* rows 89 to 92 as Windows writes them (CP51932): the 374 kanji and signs of IBM, such as 髙 and 﨑;
* rows 83 and 84 of the three-byte plane as Unix systems write the same characters (eucJP-ms).

JIS X 0213 has other characters in these rows. A file that also uses its remaining rows is EUC-JIS-2004. It is
refused, because nothing in a single character tells the two apart.
"""

from __future__ import annotations

import codecs
import functools
import re
from collections.abc import Mapping

from zarpipe.errors import FileProblem

_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Characters that separate lines elsewhere, or nothing that a corpus can mean.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")

_LINE_ENDS = ("\x85", "\u2028", "\u2029")
_NOT_CONTROL = bytes(byte for byte in range(256) if not _CONTROL.match(chr(byte)) or byte == 0x85)

# Each encoding by the name that Python gives it, and the treatment of bytes that it does not know.
_UTF_8 = ("utf-8", "strict")
_EUC_JP = ("euc_jp", "strict")
EXTENDED_EUC_JP = ("euc_jp", "zarpipe.euc_jp_extensions")
_ENCODINGS = (_UTF_8, _EUC_JP, EXTENDED_EUC_JP)

_ROW_13 = 13
_WINDOWS_ROWS = range(89, 93)
_CELLS = range(1, 95)
# Where eucJP-ms has what JIS X 0212 lacks: from the bytes 8F F3 F3 on, in the order of code page 932.
_EUC_JP_MS_FIRST = (83, 83)
_IBM_FIRST_BYTES = (0xFA, 0xFB, 0xFC)
_SECOND_BYTES = (*range(0x40, 0x7F), *range(0x80, 0xFD))
# Signs for which eucJP-ms has another place, and one for which it has a second.
_ELSEWHERE, _TWICE = "\uffe2\uffe4", "\u2116"

_ISO_2022_JP = re.compile(rb"\x1b(?:\$[@B]|\$\([@BDOPQ]|\(I)")


def decode(content: bytes, path: str, first_line: int = 1) -> str:
    """Decode a document in UTF-8 or EUC-JP, whichever its bytes, from ``first_line`` of a file on, are.

    Raises:
        FileProblem: byte-order mark, carriage return, control character, or bytes that are neither UTF-8 nor
            EUC-JP throughout; another encoding is named where it is known.
    """
    if content.startswith(codecs.BOM_UTF8):
        found = "found a byte-order mark at the beginning of the file"
        expected = "expected plain UTF-8 or EUC-JP text. Save the file without BOM"
        raise FileProblem(path, first_line, f"{found}; {expected}")
    if (problem := misleading_encoding(content, path, first_line)) is not None:
        raise problem
    if (position := content.find(b"\r")) >= 0:
        found = "found a carriage return (Windows line end, CRLF); expected lines that end in LF alone"
        line = first_line + content.count(b"\n", 0, position)
        raise FileProblem(path, line, f"{found}. Convert the file, for example with dos2unix")
    decoded = (_known(content, *encoding) for encoding in _ENCODINGS)
    text = next((text for text in decoded if text is not None), None)
    if text is None:
        raise _shift_jis_text(content, path, first_line) or _undecodable(content, path, first_line)
    # Nearly always there is none, which these find out several times as fast as the search.
    suspicious = content.translate(None, _NOT_CONTROL) or any(mark in text for mark in _LINE_ENDS)
    if suspicious and (match := _CONTROL.search(text)):
        line = first_line + text.count("\n", 0, match.start())
        message = f"found the control character U+{ord(match[0]):04X}; expected text. Remove it"
        raise _shift_jis_text(content, path, first_line) or FileProblem(path, line, message)
    return text


def misleading_encoding(content: bytes, path: str, first_line: int) -> FileProblem | None:
    """Return the problem of text in ISO-2022-JP or UTF-16, which may read as other text; None for others."""
    if content.startswith(_UTF_16_MARKS):
        return _named(path, first_line, "UTF-16", "UTF-16")
    if match := _ISO_2022_JP.search(content):
        line = first_line + content.count(b"\n", 0, match.start())
        return _named(path, line, "ISO-2022-JP (JIS)", "ISO-2022-JP")
    if _is_utf_16(content):
        return _named(path, first_line, "UTF-16", "UTF-16LE" if content[1:2] == b"\x00" else "UTF-16BE")
    return None


def _extension(error: UnicodeError) -> tuple[str, int]:
    """Decode what the codec euc_jp does not know: the extensions named at the top of this module."""
    if isinstance(error, UnicodeDecodeError):
        for length in (2, 3):
            end = error.start + length
            if (character := _extensions().get(error.object[error.start : end])) is not None:
                return character, end
    raise error


codecs.register_error(EXTENDED_EUC_JP[1], _extension)


@functools.cache
def _extensions() -> Mapping[bytes, str]:
    """Return the characters of the extensions by their bytes."""
    found: dict[bytes, str] = {}
    for row in (_ROW_13, *_WINDOWS_ROWS):
        for cell in _CELLS:
            character = _known(_shift_jis(row, cell), "cp932")
            if character is None and row == _ROW_13:
                character = _known(_euc(row, cell), "euc_jis_2004")
            if character is not None:
                found[_euc(row, cell)] = character
    row, cell = _EUC_JP_MS_FIRST
    for place, character in enumerate(_euc_jp_ms(), (row - 1) * len(_CELLS) + cell - 1):
        found[b"\x8f" + _euc(place // len(_CELLS) + 1, place % len(_CELLS) + 1)] = character
    return found


def _euc_jp_ms() -> list[str]:
    """Return the 106 characters of IBM that eucJP-ms adds, in order (glibc's EUC-JP-MS has the same)."""
    codes = (bytes([first, second]) for first in _IBM_FIRST_BYTES for second in _SECOND_BYTES)
    of_ibm = [character for code in codes if (character := _known(code, "cp932")) is not None]
    return [
        character
        for character in of_ibm
        if character == _TWICE or not (character in _ELSEWHERE or character.encode("euc_jp", "ignore"))
    ]


def _known(code: bytes, encoding: str, errors: str = "strict") -> str | None:
    try:
        return code.decode(encoding, errors)
    except UnicodeDecodeError:
        return None


def _euc(row: int, cell: int) -> bytes:
    return bytes([0xA0 + row, 0xA0 + cell])


def _shift_jis(row: int, cell: int) -> bytes:
    """Return the bytes that Shift_JIS gives to a row and cell: two rows share a first byte."""
    first = 0x81 + (row - 1) // 2
    second = 0x3F + cell if row % 2 else 0x9E + cell
    # The first bytes of half-width katakana (A0 to DF) and the byte 7F are left out.
    return bytes([first + 0x40 * (first > 0x9F), second + (row % 2 and second >= 0x7F)])


def _shift_jis_text(content: bytes, path: str, first_line: int) -> FileProblem | None:
    """Name Shift_JIS, if that is the encoding of a document that is neither UTF-8 nor EUC-JP."""
    if not _is_shift_jis(content):
        return None
    position = next(place for place, byte in enumerate(content) if byte >= 0x80)
    return _named(path, first_line + content.count(b"\n", 0, position), "Shift_JIS", "CP932")


def _named(path: str, line: int, name: str, command: str) -> FileProblem:
    way_out = f"Convert the file: iconv -f {command} -t UTF-8"
    return FileProblem(path, line, f"found {name} text; expected UTF-8 or EUC-JP. {way_out}")


def _is_utf_16(content: bytes) -> bool:
    """Tell UTF-16 without a byte-order mark: its blanks, digits and line ends have a zero byte each."""
    return content.count(b"\x00") * 16 > len(content) and (b"\n\x00" in content or b"\x00\n" in content)


def _is_shift_jis(content: bytes) -> bool:
    """Tell whether Shift_JIS reads the bytes as Japanese.

    It reads most EUC-JP too, but as half-width katakana.
    """
    text = _known(content, "cp932")
    if text is None:
        return False
    half_width = sum("\uff61" <= character <= "\uff9f" for character in text)
    return sum("\u3041" <= character <= "\u9fff" for character in text) > half_width


def _undecodable(content: bytes, path: str, first_line: int) -> FileProblem:
    """Say at which line the encoding that fits longest breaks, and whether two encodings are mixed."""
    lines = content.split(b"\n")
    fitting = [frozenset(one for one in _ENCODINGS if _known(line, *one) is not None) for line in lines]
    for number, encodings in enumerate(fitting):
        if not encodings:
            return FileProblem(path, first_line + number, _broken(lines[number], content))
    # Each line is one of the two, and they are not the same: else the document would have been decoded.
    utf8 = next(number for number, names in enumerate(fitting) if EXTENDED_EUC_JP not in names)
    euc = next(number for number, names in enumerate(fitting) if _UTF_8 not in names)
    first, second = sorted([(utf8, "UTF-8"), (euc, "EUC-JP")])
    found = f"found {second[1]}, but line {first_line + first[0]} is {first[1]} (mixed encodings)"
    expected = "expected one encoding in the whole file. Convert the file to UTF-8"
    return FileProblem(path, first_line + second[0], f"{found}; {expected}")


def _broken(line: bytes, content: bytes) -> str:
    """Say which bytes of a line cannot be read, and whether the document may be EUC-JIS-2004."""
    way_out = "Repair the line or convert the file"
    if _known(content, "euc_jis_2004") is not None:
        way_out = "If the file is EUC-JIS-2004, convert it: iconv -f EUC-JISX0213 -t UTF-8"
    found = f"found bytes that are neither UTF-8 nor EUC-JP ({_sample(line)})"
    return f"{found}; expected one of these encodings. {way_out}"


def _sample(line: bytes) -> str:
    """Return the bytes around the first undecodable one, in hexadecimal."""
    position = 0
    for encoding in _ENCODINGS:
        try:
            line.decode(*encoding)
        except UnicodeDecodeError as error:
            position = max(position, error.start)
    return " ".join(f"{byte:02X}" for byte in line[position : position + 4])

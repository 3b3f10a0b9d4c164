"""Encodings: every character of the extensions of EUC-JP, and files in encodings that are not read."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from zarpipe.errors import FileProblem
from zarpipe.readers.text import decode

# The extensions of IBM as code page 932 keeps them in its rows ED and EE, which CP51932 writes in rows 89 to 92:
# 360 kanji, ⅰ to ⅹ, and the four signs ￢ ￤ ＇ ＂.
SECOND_BYTES = [*range(0x40, 0x7F), *range(0x80, 0xFD)]
IBM = [
    character
    for first in (0xED, 0xEE)
    for second in SECOND_BYTES
    if (character := bytes([first, second]).decode("cp932", "ignore"))
]
# Names in which these kanji are met, as CP51932 and as eucJP-ms.
NAMES = {
    "\u9ad9橋": (b"\xfc\xe2\xb6\xb6", b"\x8f\xf4\xfb\xb6\xb6"),
    "山\ufa11": (b"\xbb\xb3\xf9\xf5", b"\xbb\xb3\x8f\xf4\xbd"),
    "\u5fb7永": (b"\xf9\xfe\xb1\xca", b"\x8f\xf4\xbe\xb1\xca"),
    "\ufa26筑": (b"\xfb\xfb\xc3\xde", b"\x8f\xf4\xed\xc3\xde"),
    "\ufa2d見": (b"\xfc\xec\xb8\xab", b"\x8f\xf4\xfd\xb8\xab"),
}


def refused(content: bytes, first_line: int = 1) -> str:
    with pytest.raises(FileProblem) as problem:
        decode(content, "a.ntc", first_line)
    return str(problem.value)


@pytest.mark.parametrize("name", NAMES)
def test_names_with_extension_kanji(name):
    for content in NAMES[name]:
        assert decode(content, "a.ntc") == name


def test_all_374_extension_characters_of_windows():
    assert len(IBM) == 374
    decoded = []
    for code in [bytes([0xA0 + row, 0xA0 + cell]) for row in range(89, 93) for cell in range(1, 95)]:
        try:
            decoded.append(decode(b"\xa4\xa2" + code, "a.ntc")[1:])
        except FileProblem:
            # Between the kanji and the signs two cells are empty.
            assert code in (b"\xfc\xef", b"\xfc\xf0")
    assert decoded == IBM


def test_the_rows_of_euc_jp_ms():
    plane = [bytes([0x8F, 0xF3, cell]) for cell in range(0xF3, 0xFF)]
    plane += [bytes([0x8F, 0xF4, cell]) for cell in range(0xA1, 0xFF)]
    decoded = [decode(code, "a.ntc") for code in plane]
    assert decoded[:20] == list("ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ")
    assert decoded[20:27] == ["＇", "＂", "㈱", "№", "℡", "\u70bb", "\u4efc"]
    assert decoded[-4:] == ["\u9ad9", "\u9b72", "\ufa2d", "\u9ed1"]
    iconv = shutil.which("iconv")
    if iconv is None:
        pytest.skip("there is no iconv to compare with")
    command = [iconv, "-f", "EUC-JP-MS", "-t", "UTF-8"]
    expected = subprocess.run(command, input=b"".join(plane), capture_output=True, check=False)
    if expected.returncode == 0:
        assert "".join(decoded) == expected.stdout.decode()


def test_jis_x_0212_and_row_13():
    assert decode("丂侄".encode("euc_jp"), "a.ntc") == "丂侄"
    assert decode(bytes.fromhex("ada1adb4adc0adc1adb5addfade2adeaade4"), "a.ntc") == "①⑳㍉㌔Ⅰ㍻№㈱℡"


SENTENCE = "係員が荷札を貼った。\n"


@pytest.mark.parametrize(
    ("encoding", "name", "command"),
    [
        ("iso2022_jp", "ISO-2022-JP", "iconv -f ISO-2022-JP -t UTF-8"),
        ("iso2022_jp_3", "ISO-2022-JP", "iconv -f ISO-2022-JP -t UTF-8"),
        ("cp932", "Shift_JIS", "iconv -f CP932 -t UTF-8"),
        ("utf-16", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
        ("utf-16-le", "UTF-16", "iconv -f UTF-16LE -t UTF-8"),
        ("utf-16-be", "UTF-16", "iconv -f UTF-16BE -t UTF-8"),
    ],
)
def test_other_encodings_are_named(encoding, name, command):
    content = ("# S-ID:a-1 1 2 3\n" * 3 + SENTENCE + "EOS\n").encode(encoding)
    message = refused(content, first_line=7)
    assert f"found {name}" in message
    assert command in message
    assert "Remove" not in message
    assert message.startswith("a.ntc:7:" if name == "UTF-16" else "a.ntc:10:")


# Among them a broken EUC-JP file, which is not taken for Shift_JIS, and a character that users define.
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\x1bc\n", "a.ntc:2: found the control character U+001B"),
        (b"a\nb\x00c\n", "a.ntc:2: found the control character U+0000"),
        ("係員".encode("euc_jp")[:3] + b"\n", "neither UTF-8 nor EUC-JP (B0)"),
        (
            (SENTENCE * 5).encode("euc_jp").replace("荷".encode("euc_jp"), b"\xb2", 1),
            "neither UTF-8 nor EUC-JP",
        ),
        (b"\xfd\xa1\n", "a.ntc:1: found bytes that are neither UTF-8 nor EUC-JP (FD A1)"),
        ((SENTENCE.replace("\n", "\r\n") * 3).encode("utf-16-le"), "found UTF-16"),
    ],
)
def test_what_is_no_text_is_refused(content, message):
    assert message in refused(content)


@pytest.mark.parametrize("character", ["俱", "𠮟", "ゔ", "か゚", "é"])
def test_the_rest_of_jis_x_0213_is_refused_with_line_and_bytes(character):
    code = character.encode("euc_jis_2004")
    message = refused(f"EOS\n{SENTENCE}".encode("euc_jp") + code + b"\n")
    assert message.startswith("a.ntc:3: found bytes that are neither UTF-8 nor EUC-JP (")
    assert f"({' '.join(f'{byte:02X}' for byte in code)})" in message
    assert "iconv -f EUC-JISX0213 -t UTF-8" in message

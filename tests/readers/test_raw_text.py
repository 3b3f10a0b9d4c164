"""Raw text: sentences by rule, lines of streams, and their places."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.errors import ZarpipeError
from zarpipe.readers.raw_text import LONGEST_SENTENCE, lines, sentence_spans

TEXTS = st.text(st.sampled_from("男は。！?!．1a「」（）『』\n\r\u2028 　、"), max_size=60)


def sentences(text):
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("男は訴えられた。無罪になった。", ["男は訴えられた。", "無罪になった。"]),
        ("句点のない文", ["句点のない文"]),
        ("一行目\n二行目\r\n三行目", ["一行目", "二行目", "三行目"]),
        ("本当！？　うそ！！帰る", ["本当！？", "うそ！！", "帰る"]),
        ("「行くよ。」と言った。", ["「行くよ。」と言った。"]),
        ("「行くよ。」男は帰った。", ["「行くよ。」", "男は帰った。"]),
        ("「行く。帰る。」と言った。", ["「行く。帰る。」と言った。"]),
        ("『「あ。」い。』う。", ["『「あ。」い。』う。"]),
        ("彼は「そうだ。」", ["彼は「そうだ。」"]),
        ("（笑。閉じない。", ["（笑。", "閉じない。"]),
        ("「（あ。い」う。", ["「（あ。い」う。"]),
        ("帰った。」男は", ["帰った。」", "男は"]),
        ("Yahoo!ニュースを見た!本当?", ["Yahoo!ニュースを見た!", "本当?"]),
        ("Ｙａｈｏｏ！ニュースを見た！本当？", ["Ｙａｈｏｏ！ニュースを見た！", "本当？"]),
        ("３０００！男は", ["３０００！", "男は"]),
        ("円周率は３．１４だ．そう", ["円周率は３．１４だ．", "そう"]),
        ("Ａ．Ｂ．ヤングのＰＣ．男は", ["Ａ．Ｂ．ヤングのＰＣ．", "男は"]),
        ("http://a.jp/?p=1&b=?q を見た?はい", ["http://a.jp/?p=1&b=?q を見た?", "はい"]),
        ("ﾊﾝｶｸ｡ｶﾅ", ["ﾊﾝｶｸ｡", "ｶﾅ"]),
        ("", []),
        (" 　\n\n", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert sentences(text) == expected


@given(TEXTS)
def test_nothing_but_blanks_is_left_out(text):
    end = 0
    for span in sentence_spans(text):
        assert not text[end : span.start].strip()
        sentence = text[span.start : span.end]
        assert sentence == sentence.strip() != ""
        assert "\n" not in sentence
        end = span.end
    assert not text[end:].strip()


def test_what_never_ends_is_cut_behind_commas_with_every_character_kept():
    assert list(map(len, sentences("あ" * 2500))) == [LONGEST_SENTENCE, LONGEST_SENTENCE, 500]
    text = "男は、" * 1000
    assert "".join(sentences(text)) == text
    assert all(one.endswith("、") for one in sentences(text))
    assert sentences("男" * LONGEST_SENTENCE + "。")[0] == "男" * LONGEST_SENTENCE


def test_brackets_cost_no_more_than_their_number():
    for text in ("（" * 50_000 + "」" * 50_000 + "。", "「」" * 50_000 + "。"):
        assert len(sentences(text)) == len(text) // LONGEST_SENTENCE + 1


class Pieces:
    """A stream that gives its bytes in these pieces."""

    def __init__(self, pieces):
        self._pieces = iter(pieces)

    def read1(self, _, /):
        return next(self._pieces, b"")


@given(TEXTS, st.sampled_from(["utf-8", "euc-jp", "shift_jis"]), st.integers(1, 7))
def test_lines_are_the_text_however_it_comes(text, encoding, size):
    text = text.replace("\u2028", "")  # in UTF-8 alone
    content = text.encode({"shift_jis": "cp932"}.get(encoding, encoding))
    pieces = [content[start : start + size] for start in range(0, len(content), size)]
    read = [line for come in lines(Pieces(pieces), encoding, "-") for line in come]
    assert "".join(line.text for line in read) == text
    for line in read:
        assert text[line.start :].startswith(line.text)
        assert line.text.count("\n") == line.text.endswith("\n")


def test_a_line_does_not_wait_for_the_next():
    came = lines(Pieces(["男は\n女".encode(), "も\n".encode()]), "utf-8", "-")
    assert [line.text for line in next(came)] == ["男は\n"]


def test_a_byte_order_mark_is_no_character():
    (line,) = next(lines(io.BytesIO("\ufeff男\n".encode()), "utf-8", "-"))
    assert line == ("男\n", 0)


@pytest.mark.parametrize(
    ("encoding", "named"), [("iso2022_jp", "ISO-2022-JP"), ("utf-16", "UTF-16"), ("utf-16-be", "UTF-16BE")]
)
def test_what_reads_as_other_text_is_named(encoding, named):
    stream = io.BytesIO("男は走った。\n女も。\n\n".encode(encoding))
    with pytest.raises(ZarpipeError, match=rf"book.txt:1: found .*iconv -f {named}"):
        list(lines(stream, "utf-8", "book.txt"))


def test_a_line_without_end_is_refused_before_it_fills_the_memory():
    endless = Pieces(b"\0" * (1 << 20) for _ in range(1 << 12))
    with pytest.raises(ZarpipeError, match="-:1: found a line of more than 16 MiB"):
        list(lines(endless, "utf-8", "-"))


def test_bytes_of_another_encoding_are_named_with_their_place():
    stream = io.BytesIO("男は\n".encode() + b"ab\xe3\x81\xff\n")
    with pytest.raises(ZarpipeError, match=r"book.txt:2: .*UTF-8 \(byte 10: E3 81 FF\).*--encoding euc-jp"):
        list(lines(stream, "utf-8", "book.txt"))

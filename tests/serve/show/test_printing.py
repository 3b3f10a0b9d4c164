"""`zarpipe show` and pages: terminals of other encodings, and characters that a terminal would obey."""

import io
import os
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tiny_corpora import write_corpus

from zarpipe.characters import escaped, printable
from zarpipe.cli import main
from zarpipe.serve.show.printing import printable_sentence
from zarpipe.serve.show.sentences import Shown, ShownPredicate
from zarpipe.serve.show.terminal import print_sentences
from zarpipe.task.documents import Sentence, Token

TOKENS = ["\u9ad9橋", "が", "caf\u00e9", "A B", "\U0001f600", "を", "食べた"]


def show(corpus, encoding):
    """Run the command with a terminal of this encoding; return what it wrote."""
    run = subprocess.run(
        [sys.executable, "-m", "zarpipe", "show", str(corpus)],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert run.stderr == b""
    assert run.returncode == 0
    return run.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["euc_jp", "cp932", "iso2022_jp", "euc_jis_2004"])
def test_a_japanese_terminal_shows_what_it_can(tmp_path, encoding):
    text = show(write_corpus(tmp_path / "a.parquet", [TOKENS]), encoding)
    for shown in ("橋", "食べた", "<U+1F600>", "─┐", "A␣B" if encoding == "euc_jis_2004" else "A_B"):
        assert shown in text
    assert ("caf<U+00E9>" in text) == (encoding in ("cp932", "iso2022_jp"))
    assert ("\u9ad9橋" in text) == (encoding in ("cp932",))
    assert "?" not in text


def test_a_terminal_without_japanese_shows_the_code_points(tmp_path):
    text = show(write_corpus(tmp_path / "a.parquet", [TOKENS]), "latin-1")
    assert "<U+304C>" in text
    assert "café" in text


@given(st.text())
def test_only_seen_characters_are_left(text):
    shown = printable(text)
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.binary())
def test_every_name_of_a_file_can_be_written(name):
    escaped(name.decode("utf-8", "surrogateescape")).encode("utf-8")


@given(st.text(), st.sampled_from(["ascii", "euc_jp", "cp932", "latin-1"]))
def test_every_text_fits_the_encoding(text, encoding):
    printable(text, encoding).encode(encoding)


def sentence(sent_id, doc_id, *tokens):
    words = [Token(token, token, "", "*") for token in tokens]
    return Sentence(sent_id, 0, words, [0, 1], [1, -1], [], doc_id)


def test_names_and_replacements_are_made_visible_too():
    predicate = ShownPredicate(0, "a\x1b", [], masked={0: "東\u202e", 1: None})
    shown = printable_sentence(Shown(sentence("s\u202e", "d\x9b", "食べた", "x"), [predicate]))
    assert (shown.sentence.doc_id, shown.sentence.sent_id) == ("d<U+009B>", "s<U+202E>")
    assert shown.predicates[0].alt == "a<U+001B>"
    assert shown.predicates[0].masked == {0: "東<U+202E>", 1: None}


def test_columns_stay_aligned_where_a_character_is_replaced():
    shown = Shown(sentence("s", "d", "\u9ad9橋が", "食べた"), [])
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="euc_jp"), width=200)
    print_sentences([shown], console)
    console.file.seek(0)
    _, first, second, *_ = console.file.read().split("\n")
    # The bunsetsu of 12 columns ends two columns left of the one of 6, which has 8 columns before it.
    assert first.startswith("  0  <U+9AD9>橋が─┐")
    assert second == f"  1  {8 * ' '}食べた"


def test_messages_write_no_control_characters(tmp_path, capsys):
    corpus = write_corpus(tmp_path / "a.parquet", [["東", "食べた"]])
    assert main(["show", str(corpus), "d-\x1b]0;x\x07"]) == 1
    assert "\x1b" not in capsys.readouterr().err
    assert main(["show", str(tmp_path / "\x1b[2J\u202e.parquet")]) == 1
    message = capsys.readouterr().err
    assert "<U+001B>[2J<U+202E>.parquet" in message

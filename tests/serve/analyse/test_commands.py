"""`zarpipe analyse` from text to each format, with small random taggers: places, round trips, bad input."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from exported import rows_of_conllu
from made_bundle import make_bundle
from rhoknp import Document

from zarpipe.cli import main
from zarpipe.serve.analyse import commands, sources

TEXT = "男は訴えられたが、無罪になった。女は帰った。"


@pytest.fixture(scope="module")
def mlm(tiny_mlm):
    return tiny_mlm("bert-ja")


@pytest.fixture(scope="module")
def bundle(mlm, tmp_path_factory):
    return make_bundle(tmp_path_factory.mktemp("bundle") / "b", mlm)


@pytest.fixture
def analyse(bundle, mlm, capfdbinary):
    """Runs the command; returns its status, what it wrote, and what it said."""

    def run(*words, folder=bundle):
        status = main(["analyse", *map(str, words), "--bundle", str(folder), "--mlm", str(mlm)])
        sys.stdout.flush()
        written, said = capfdbinary.readouterr()
        return status, written.decode(), said.decode()

    return run


@pytest.fixture
def read(analyse):
    """Runs the command; returns the sentences as JSON."""

    def run(*words):
        status, written, said = analyse(*words, "--format", "json")
        assert status == 0, said
        return [json.loads(line) for line in written.splitlines()]

    return run


def test_json_has_the_places_of_words_in_the_input(read):
    first, second = read(TEXT)
    assert list(first) == ["doc_id", "sent_id", "text", "start", "end", "tagset", "tokens", "predicates"]
    assert list(first["tokens"][0]) == ["surface", "lemma", "pos", "pos_sub", "start", "end", "bunsetsu"]
    assert list(first["predicates"][0]) == ["token", "surface", "start", "end", "probability", "arguments"]
    argument = first["predicates"][0]["arguments"][0]
    assert list(argument) == ["case", "token", "surface", "start", "end", "probability"]
    assert (first["text"], first["start"], first["end"]) == (TEXT[:16], 0, 16)
    assert (second["sent_id"], second["start"], second["end"]) == ("text-2", 16, 22)
    for sentence in (first, second):
        assert "".join(token["surface"] for token in sentence["tokens"]) == sentence["text"]
        places = [*sentence["tokens"], *sentence["predicates"]]
        places += [one for predicate in sentence["predicates"] for one in predicate["arguments"]]
        assert all(TEXT[one["start"] : one["end"]] == one["surface"] for one in places)
        assert sentence["predicates"]
        for predicate in sentence["predicates"]:
            # With thresholds of 0 every case has its most probable token.
            assert [one["case"] for one in predicate["arguments"]] == ["NOM", "ACC", "DAT"]
            assert all(0 < one["probability"] < 1 for one in predicate["arguments"])
            assert predicate["probability"] >= 0.5


def test_rhoknp_reads_the_knp_output(analyse, read):
    document = Document.from_knp(analyse(TEXT, "--format", "knp")[1])
    assert document.text == TEXT
    for sentence, expected in zip(document.sentences, read(TEXT), strict=True):
        assert len(sentence.phrases) == expected["tokens"][-1]["bunsetsu"] + 1
        found = {
            (phrase.morphemes[0].global_index, relation.type, relation.target)
            for phrase in sentence.base_phrases
            for relation in phrase.rel_tags
        }
        assert len(found) == sum(len(predicate["arguments"]) for predicate in expected["predicates"])


def test_conllu_is_read_back_and_says_of_no_argument_that_it_is_omitted(analyse, read, knp_file):
    for words in ([TEXT], [knp_file, "--gold-predicates"]):
        text = analyse(*words, "--format", "conllu")[1]
        assert ("UNKNOWN" in text) == (words == [TEXT])
        assert "\n6.1\t" not in text
        for row, one in zip(rows_of_conllu(text), read(*words), strict=True):
            assert row["sent_id"] == one["sent_id"]
            assert row["tokens"] == [token["surface"] for token in one["tokens"]]
            assert row["bunsetsu"] == [token["bunsetsu"] for token in one["tokens"]]
            assert list(map(places, row["predicates"])) == list(map(places, one["predicates"]))


def places(predicate):
    return predicate["token"], [(one["case"], one["token"]) for one in predicate["arguments"]]


def test_a_reader_that_goes_away_ends_it_silently(bundle, mlm, tmp_path):
    file = tmp_path / "book.txt"
    file.write_text("男は走った。\n" * 400, encoding="utf-8")
    words = ["analyse", file, "--bundle", bundle, "--mlm", mlm, "--format", "json"]
    with subprocess.Popen(
        [sys.executable, "-m", "zarpipe", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert json.loads(process.stdout.readline())["text"] == "男は走った。"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_the_page_needs_nothing_else_and_escapes(analyse, tmp_path):
    page = tmp_path / "page.html"
    assert analyse("<b>男</b>は走った。", "--format", "html", "--output", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "<b>男" not in text
    assert "&lt;" in text
    assert "src=" not in text
    assert 'data-predicate="' in text
    for told in ("masking-all-0.5, seeds 1, 2, on tiny", "threshold 0.50", "<summary>why?", "<td>NOM</td>"):
        assert told in text
    assert text.rstrip().endswith("</html>")


def test_the_terminal_marks_the_predicate_without_colour_and_its_text_can_be_kept(analyse, tmp_path):
    written = analyse("男は走った。")[1]
    assert "【" in written
    assert "\x1b" not in written
    assert "  NOM  " in written
    assert analyse("男は走った。", "--output", tmp_path / "a.txt")[0] == 0
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == written


def test_explained_cases_have_their_candidates_thresholds_and_votes(analyse):
    written = analyse("男は走った。", "--explain")[1]
    assert re.search(r"\? NOM from 0\.00: \S+/\d 0\.\d\d \(\d\), .*; none \(0\)", written)
    predicate = json.loads(analyse("男は走った。", "--explain", "--format", "json")[1])["predicates"][0]
    for case, argument in zip(predicate["considered"], predicate["arguments"], strict=True):
        first, *_ = case["candidates"]
        assert all(first[key] == argument[key] for key in ("token", "surface", "start", "end", "probability"))
        assert case["none"] + sum(one["votes"] for one in case["candidates"]) == 2


def test_a_file_and_standard_input_are_read_alike(read, tmp_path, monkeypatch):
    content = "男は走った。\r\n\r\n　女も。走った\n"
    file = tmp_path / "book.txt"
    file.write_bytes(content.encode())
    of_file = read(file)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    of_stream = read("-")
    assert [one["text"] for one in of_file] == ["男は走った。", "女も。", "走った"]
    assert [one["start"] for one in of_file] == [0, 11, 14]
    assert [one["sent_id"] for one in of_file] == ["book-1", "book-2", "book-3"]
    same = ("text", "start", "tokens", "predicates")
    for one, other in zip(of_stream, of_file, strict=True):
        assert [one[key] for key in same] == [other[key] for key in same]


@pytest.mark.parametrize(
    ("name", "codec", "text"), [("euc-jp", "euc_jp", "男は走った。"), ("shift_jis", "cp932", "①男は走った。")]
)
def test_other_encodings(read, tmp_path, name, codec, text):
    file = tmp_path / "book.txt"
    file.write_bytes(f"{text}\n".encode(codec))
    assert text in [one["text"] for one in read(file, "--encoding", name)]


def test_interactive_answers_line_by_line(analyse, monkeypatch):
    typed = iter(["男は走った。", "", "女も。"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed, None) or (_ for _ in ()).throw(EOFError))
    status, written, _ = analyse("--interactive")
    assert status == 0
    assert "走っ" in written


def test_broken_bytes_at_the_prompt_are_told(analyse, monkeypatch):
    typed = b"\xe7\x94\n" + "男は走った。\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))
    status, written, said = analyse("--interactive")
    assert status == 0
    assert "走っ" in written
    assert "found bytes that are not UTF-8; type the line again" in said


def test_one_tagger_or_all(read):
    options = ([], ["--ensemble"], ["--seed", "1"], ["--seed", "2"])
    both, ensemble, *each = (read(TEXT, *more) for more in options)
    assert both == ensemble
    probabilities = [[one["probability"] for one in found[0]["predicates"][0]["arguments"]] for found in each]
    assert probabilities[0] != probabilities[1]


KNP = """\
# S-ID:a-1
* 1D
+ 1D
男 おとこ 男 名詞 6 普通名詞 1 * 0 * 0
は は は 助詞 9 副助詞 2 * 0 * 0
* -1D
+ -1D <rel type="ガ" target="男" sid="a-1" id="0"/>
走った はしった 走る 動詞 2 * 0 子音動詞ラ行 10 タ形 10
EOS
# S-ID:a-2
* -1D
+ -1D
眠い ねむい 眠い 形容詞 3 * 0 イ形容詞アウオ段 18 基本形 2
EOS
"""


@pytest.fixture
def knp_file(tmp_path):
    (tmp_path / "a.knp").write_text(KNP, encoding="utf-8")
    return tmp_path / "a.knp"


def test_annotated_input_keeps_its_words_bunsetsu_and_heads(analyse, knp_file):
    status, written, said = analyse(knp_file, "--format", "json", "--gold-predicates")
    assert status == 0
    assert "trained on words of unidic, this text is in words of juman" in said
    first, second = map(json.loads, written.splitlines())
    assert [token["surface"] for token in first["tokens"]] == ["男", "は", "走った"]
    assert [token["bunsetsu"] for token in first["tokens"]] == [0, 0, 1]
    assert [(one["token"], one["probability"]) for one in first["predicates"]] == [(2, None)]
    assert (second["start"], second["predicates"]) == (5, [])
    document = Document.from_knp(analyse(knp_file, "--format", "knp")[1])
    assert [phrase.parent_index for phrase in document.sentences[0].phrases] == [1, -1]


def test_output_of_cabocha_without_annotation(read, tmp_path):
    file = tmp_path / "a.cabocha"
    rows = ["* 0 1D 0/1 0.0", "男\t名詞,一般,*,*,*,*,男,オトコ,オトコ", "は\t助詞,係助詞,*,*,*,*,は,ハ,ワ"]
    rows += ["* 1 -1D 0/0 0.0", "走る\t動詞,自立,*,*,五段・ラ行,基本形,走る,ハシル,ハシル", "EOS"]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert [token["surface"] for token in read(file)[0]["tokens"]] == ["男", "は", "走る"]


CHARACTERS = {
    "one": "犬",
    "emoji": "😀が走った🏃\u200d♀️。",
    "astral": "𠮷野家で𩸽を食べた。",
    "half": "ｱﾒﾘｶﾍ行ｯﾀ｡",
    "as long as a name may be": "あ" * 85,
    "longer than that (cases/64)": "あ" * 86,
}
CHARACTERS |= {"control": "男\x07は\x1b[31m走った。", "nul": "男\0は", "long Latin": "a" * 400}
CHARACTERS |= {"slash": "彼は/彼女は走った。3.5秒だ"}


@pytest.mark.parametrize("text", CHARACTERS.values(), ids=CHARACTERS)
def test_any_characters_are_analysed_and_nothing_steers_the_terminal(analyse, read, text):
    assert "".join(one["text"] for one in read(text)) == text
    assert "\x1b" not in analyse(text)[1]
    assert analyse(text, "--format", "conllu")[0] == 0


def test_a_line_without_a_full_stop_is_not_skipped(read, tmp_path):
    file = tmp_path / "long.txt"
    file.write_text("男は女が本を読んだと" * 100, encoding="utf-8")
    (sentence,) = read(file)
    assert sentence["end"] == 1000
    assert len(sentence["tokens"]) > 512
    assert sentence["predicates"][-1]["token"] > 512


def test_compressed_files(read, tmp_path):
    (tmp_path / "book.txt.gz").write_bytes(gzip.compress("男は走った。".encode()))
    (tmp_path / "parsed.gz").write_bytes(gzip.compress(KNP.encode()))
    (book,) = read(tmp_path / "book.txt.gz")
    assert (book["sent_id"], book["text"]) == ("book-1", "男は走った。")
    first, _ = read(tmp_path / "parsed.gz")
    assert (first["sent_id"], first["tagset"]) == ("a-1", "juman")


CASES = Path(__file__).parents[2] / "cases/78-knp-output-of-raw-text"


@pytest.mark.parametrize("file", sorted(CASES.glob("*.*")), ids=lambda file: file.name)
def test_output_of_parsers_is_told_from_raw_text_in_files_and_standard_input(analyse, file, monkeypatch):
    if file.name == "case.md":
        return
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    for source in (file, "-"):
        status, written, said = analyse(source, "--format", "json")
        if file.stem in ("plain", "comment", "bullets", "heading"):
            assert status == 0, said
            texts = [json.loads(line)["text"] for line in written.splitlines()]
            assert texts[-1] == ("* 5Gの電波が届いた。" if file.stem == "bullets" else "男は走った。")
        else:
            assert (status, written) == (1, "")
            assert "for raw text: --input text" in said


def test_a_pipe_is_answered_line_by_line_and_one_of_knp_is_read_as_such(read, monkeypatch):
    class Pipe(io.BytesIO):
        def read1(self, size):
            return super().read(min(size, 7))

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe(KNP.encode())))
    first, second = read("-", "--gold-predicates")
    assert [(one["sent_id"], one["doc_id"]) for one in (first, second)] == [("a-1", "text"), ("a-2", "text")]
    lines = Pipe("男は\n".encode() * 3)
    stream = sources.BegunStream(lines)
    assert stream.kind == "text"
    assert lines.tell() == 7


def test_a_name_with_blanks_suits_every_format_and_blanks_are_no_sentence(analyse, tmp_path):
    file = tmp_path / 'My "new" book.txt'
    file.write_text("男は走った。", encoding="utf-8")
    status, written, said = analyse(file, "--format", "knp")
    assert status == 0, said
    assert written.startswith("# S-ID:My__new__book-1\n")
    status, written, said = analyse("　 \n", "--format", "json")
    assert (status, written) == (0, "")
    assert "found no sentence" in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([""], "found an empty text"),
        (["nofile.txt"], "nofile.txt: no such file; expected a file that is there, or a Japanese text"),
        (["/no/such"], "no such file"),
        (["本.txt"], "本.txt: no such file"),
        (["../本/一章"], "no such file"),
        (["/"], "is a folder"),
        (["男\udce3は"], "found bytes that are not UTF-8"),
        ([], "found nothing to analyse"),
        (["男は", "--interactive"], "--interactive beside a text"),
        (["--interactive", "--format", "html"], "--interactive: answers in the terminal"),
        (["男は", "--gold-predicates"], "are for files"),
        (["bullet.txt"], "for raw text: --input text"),
        (
            ["utf-16.txt"],
            "utf-16.txt:1: found UTF-16 text; expected UTF-8 or EUC-JP. Convert the file: iconv",
        ),
        (["/" + "x" * 256], "File name too long; check this path"),
        (["男は", "--explain", "--format", "knp"], "--explain: found with --format knp"),
        (["男は", "--threads", "0"], "--threads: found '0'"),
        (["男は", "--seed", "3"], "found 3; expected one of the bundle's: 1, 2"),
        (["sjis.txt"], "sjis.txt:1: found bytes that are not UTF-8 (byte 1:"),
        (["broken.gz"], "expected a whole gzip file"),
        (["pipe"], "found a pipe"),
        (["sjis.txt", "--gold-predicates"], "sjis.txt is raw text, which has none"),
    ],
)
def test_bad_input_is_one_line(analyse, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sjis.txt").write_bytes("男は".encode("cp932"))
    (tmp_path / "utf-16.txt").write_bytes("男は".encode("utf-16"))
    (tmp_path / "bullet.txt").write_text("* 5G <電波>", encoding="utf-8")
    (tmp_path / "broken.gz").write_bytes(b"no gzip")
    os.mkfifo(tmp_path / "pipe")
    status, written, said = analyse(*words)
    assert (status, written) == (1, "")
    assert expected in said
    assert said.count("\n") == 1


def test_bundles_that_cannot_be_used(analyse, mlm, tmp_path):
    without = make_bundle(tmp_path / "without", mlm, segmenter=False)
    assert "does not find predicates" in analyse("男は", folder=without)[2]
    gold = make_bundle(tmp_path / "gold", mlm, tokens="gold")
    status, _, said = analyse("男は", folder=gold)
    assert status == 0
    assert "corpus.tokens: unidic" in said
    manifest = gold / "bundle.json"
    manifest.write_text(manifest.read_text().replace('"format": "2"', '"format": "99"'))
    assert "found a bundle of format '99'" in analyse("男は", folder=gold)[2]
    assert "no such folder" in analyse("男は", folder=tmp_path / "nothing")[2]
    assert main(["analyse", "男は", "--bundle", str(without)]) == 1


def test_long_work_says_how_far_it_is(analyse, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "_SECONDS_BETWEEN_LINES", 0.0)
    said = analyse(TEXT, "--output", tmp_path / "a.txt")[2]
    assert "INFO 1 sentences, " in said
    assert "INFO 2 sentences, " in said
    assert "sentences, " not in analyse(TEXT)[2]

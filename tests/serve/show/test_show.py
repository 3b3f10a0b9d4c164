"""Showing sentences: alignment, colours off in files, predictions, variants, escaping."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len
from rich.console import Console
from tiny_corpora import row, write_rows

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.variant import Replacements, write_variant
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.serve.show.html import sentence_html, write_html
from zarpipe.serve.show.sentences import Shown, ShownPredicate, read_shown, tree_connectors
from zarpipe.serve.show.terminal import pad, print_sentences, sentence_lines, tree_lines, visible
from zarpipe.task.documents import Sentence

RAW = Path(__file__).parents[2] / "golden" / "reader" / "raw"
SENTENCE = "950112005-003"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    convert(RAW, folder, reading("ntc"))
    return folder / "dev.parquet"


def printed(corpus: Path, *arguments, **options) -> str:
    text = io.StringIO()
    print_sentences(read_shown(corpus, *arguments, **options), Console(file=text, width=40))
    return text.getvalue()


def test_tree_with_full_width_characters(corpus):
    lines = printed(corpus, SENTENCE).splitlines()
    assert lines[0] == "# 950112005-003  (950112-0002-950112005)"
    assert lines[1:7] == [
        "  0  静かに─────────┐",
        "  1    缶詰は─────┐ │",
        "  2      吉川が───┤ │",
        "  3        昨夜に─┤ │",
        "  4  毛布掃除して、─┤",
        "  5        向かった。",
    ]
    assert "ACC  gold 缶詰/1 ZAR, 毛布/7 DEP" in "\n".join(lines)
    assert "\n".join(lines).count(" 【向かった】 。") == 1  # known without colours
    assert "\x1b" not in "\n".join(lines)


def test_every_bunsetsu_ends_in_its_own_column(corpus):
    """Bunsetsu i ends two columns right of bunsetsu i - 1, whatever the widths of its characters."""
    for sentence, _ in read_shown(corpus):
        ends = []
        for number, line in enumerate(tree_lines(sentence)):
            phrase = "".join(visible(sentence.tokens[token]) for token in sentence.phrases[number])
            ends.append(cell_len(line.plain[: line.plain.rindex(phrase) + len(phrase)]))
        assert ends == [ends[0] + 2 * number for number in range(len(ends))]


def test_connectors_of_a_small_tree_and_widths():
    assert tree_connectors([2, 2, 3, -1]) == [["line", "corner", ""], ["tee", ""], ["corner"], []]
    assert tree_connectors([2, 3, -1, -1]) == [["line", "corner", ""], ["cross", "corner"], ["down"], []]
    assert pad("毛布a", 8) == "毛布a   "
    assert visible("Red Moon") == "Red␣Moon"


@pytest.fixture
def predictions(tmp_path) -> Path:
    path = tmp_path / "predictions.parquet"
    decisions = [
        {"sent_id": SENTENCE, "predicate": 11, "case": "NOM", "token": 3, "probability": 0.75},
        {"sent_id": SENTENCE, "predicate": 11, "case": "ACC", "token": 5, "probability": 0.5},
    ]
    pq.write_table(pa.Table.from_pylist(decisions), path)
    return path


def test_predictions_beside_gold_and_each_alone(corpus, predictions):
    text = printed(corpus, SENTENCE, predictions)
    assert "predicted 吉川/3 0.75 right" in text
    assert "predicted 昨夜/5 0.50 wrong" in text
    assert "gold 缶詰/1 ZAR, 毛布/7 DEP" in text
    assert "predicted" not in printed(corpus, SENTENCE, predictions, only="gold")
    text = printed(corpus, SENTENCE, predictions, only="predicted")
    assert "gold" not in text
    assert "昨夜/5 0.50\n" in text


def test_masks_and_replacements_of_a_variant(corpus, tmp_path):
    path, found = tmp_path / "v.parquet", (np.array([11]), np.array([0, 2]), np.array([1, 12]))
    write_variant(path, [SENTENCE], *found, "")
    text = printed(corpus, SENTENCE, variant=path)
    assert "[MASK](缶詰) は" in text
    assert text.count("[MASK]") == 2
    replacements = Replacements(np.array([7, 8]), ["本", "!"], np.array([0.5, 0.5], np.float32))
    write_variant(path, [SENTENCE], *found, "", replacements)
    assert "本(缶詰) は" in printed(corpus, SENTENCE, variant=path)


STEERING = "\x1b[2J\x9b31m\u202e\u2066\x07\n\r"


def test_characters_that_steer_a_terminal_are_shown_as_codes(tmp_path):
    """In every text of a corpus, whichever way it is shown."""
    row = made(f"s{STEERING}", 3) | {"doc_id": f"d{STEERING}", "tokens": [f"語{STEERING}", "を", "見る"]}
    row["predicates"][0] |= {"alt": f"passive{STEERING}", "token": 0}
    write_rows(tmp_path / "dev.parquet", [row])
    variant = tmp_path / "v.parquet"
    texts = Replacements(np.array([7]), [f"本{STEERING}"], np.array([0.5], np.float32))
    write_variant(variant, [row["sent_id"]], np.array([0]), np.array([0, 1]), np.array([1]), "", texts)
    shown = printed(tmp_path / "dev.parquet", variant=variant)
    write_html(read_shown(tmp_path / "dev.parquet", variant=variant), tmp_path / "page.html", "title")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (shown, page.partition("<section")[2]):
        assert not set(STEERING.replace("\n", "").replace("[2J", "").replace("31m", "")) & set(text)
        assert "U+001B" in text
        assert "U+009B" in text
        assert "U+202E" in text
    assert len(shown.splitlines()) == 1 + 3 + 1 + 1 + 1  # no line of a token's own


def made(sent_id: str, length: int, predicates: tuple[int, ...] = (0,)) -> dict:
    """A sentence in which every token is a bunsetsu that depends on the next."""
    found = {token: [("NOM", length - 1)] for token in predicates}
    return row(sent_id, [f"語{number}" for number in range(length)], found)


def test_a_very_long_sentence_is_shown_in_lines_that_can_be_read(tmp_path):
    length = 5_000
    row = made("long", length, (100, length // 2))
    path = write_rows(tmp_path / "dev.parquet", [row])
    lines = printed(path).splitlines()
    write_html(read_shown(path), tmp_path / "page.html", "title")
    assert lines[1:4] == ["    0  語0  -> 1", "    1  語1  -> 2", "    2  語2  -> 3"]
    assert max(map(len, lines)) < 1000
    marked = [line for line in lines if line.startswith("  * ")]
    assert marked[0].startswith("  * … 語85 ")
    assert " 語99 【語100】 語101 " in marked[0]
    assert marked[0].endswith(
        f" 語115 … 語{length - 16} " + " ".join(f"語{n}" for n in range(length - 15, length)) + " "
    )
    assert len(lines) == 1 + length + 2 * 2 + 1
    assert (tmp_path / "page.html").stat().st_size < 200 * length


class Counted(list):
    """Counts how often its items are asked for."""

    asked = 0

    def __getitem__(self, place):
        Counted.asked += 1
        return super().__getitem__(place)


def counted(row: dict) -> Shown:
    """The sentence of a row, which counts how often a word is looked at."""
    sentence = Sentence.of_row(row)
    gold = [ShownPredicate(one.token, None, one.arguments) for one in sentence.predicates]
    return Shown(sentence._replace(words=Counted(sentence.words)), gold)


def asked_for(length: int) -> int:
    """How often a token is looked at to write a sentence in which every other token is a predicate."""
    row = made("long", length, tuple(range(0, length - 1, 2)))
    shown = counted(row)
    before = Counted.asked
    assert sum(1 for _ in sentence_lines(shown)) == 1 + length + 2 * len(shown.predicates)
    sentence_html(shown)
    return Counted.asked - before


def test_the_work_for_a_long_sentence_grows_as_its_length():
    assert asked_for(4_000) < 2.1 * asked_for(2_000)


def test_lines_come_before_the_whole_sentence_is_written():
    sentence = counted(made("long", 2_000, ()))
    before = Counted.asked
    assert [line.plain for line in itertools.islice(sentence_lines(sentence), 2)][1] == "    0  語0  -> 1"
    assert Counted.asked - before == 1


def test_what_does_not_belong_together_is_refused(corpus, predictions, tmp_path):
    write_variant(tmp_path / "v.parquet", [SENTENCE], np.array([11]), np.array([0, 1]), np.array([99]), "")
    rows = [made(f"a{number // 10}-{number % 10}", 3) for number in range(25_000)]
    write_rows(tmp_path / "large.parquet", rows)
    for path, options, message in (
        (corpus, {"variant": tmp_path / "v.parquet"}, "name the token 99; expected one from 0 to"),
        (corpus.with_name("train.parquet"), {"predictions": predictions}, f"'{SENTENCE}' is not in"),
        (
            corpus,
            {"sent_id": "950112005-03"},
            "there is no sentence '950112005-03'; its document has 950112005-001 to 950112005-.*; "
            f"similar ones: .*{SENTENCE}",
        ),
        (
            corpus,
            {"sent_id": "950112-0002-950112005"},
            "is a document, which has 950112005-001 to 950112005-0",
        ),
        # Sentences of a document are suggested however late they stand.
        (tmp_path / "large.parquet", {"sent_id": "a2400-11"}, "a2400-0 to a2400-9; similar ones: a2400-"),
    ):
        with pytest.raises(ZarpipeError, match=message):
            printed(path, **options)


def test_page_is_self_contained_and_escaped(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    text = (RAW / "950112-0002-950112005.ntc").read_bytes().decode("euc_jp")
    text = text.replace("缶詰", "<script>alert(1)</script>&\"'")
    (folder / "950112-0002-950112005.ntc").write_text(text, encoding="utf-8")
    convert(folder, tmp_path, reading("ntc"))
    write_html(read_shown(tmp_path / "dev.parquet"), tmp_path / "page.html", "a < b")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#x27;" in page
    assert "<title>a &lt; b</title>" in page
    assert "http" not in page
    assert "src=" not in page


def test_commands(corpus, predictions, tmp_path, capsys):
    assert main(["show", str(corpus), SENTENCE]) == 0
    assert "\x1b[" not in capsys.readouterr().out
    page = tmp_path / "page.html"
    options = ["--predictions", str(predictions), "--html", str(page), "--limit", "3"]
    assert main(["show", str(corpus), *options]) == 0
    assert page.read_text(encoding="utf-8").count("<section") == 3
    assert main(["show", str(tmp_path / "nothing.parquet")]) == 1
    assert "no such file" in capsys.readouterr().err

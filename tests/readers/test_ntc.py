"""The golden reader cases in both forms, and the reader's branches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zarpipe.errors import FileProblem
from zarpipe.readers.ntc import parse_annotation, read
from zarpipe.readers.reading import Place, reading
from zarpipe.readers.text import decode
from zarpipe.task.documents import Document, Predicate

READER = Path(__file__).parents[1] / "golden" / "reader"
EXPECTED: dict[str, Any] = json.loads((READER / "expected.json").read_text(encoding="utf-8"))
ENDINGS = {"raw": "ntc", "tab": "txt"}


GOLDEN = [(form, name) for name, expected in EXPECTED.items() for form in expected["formats"]]


def read_golden(form: str, name: str, own_bunsetsu: str = "drop_case") -> Document:
    path = READER / form / f"{name}.{ENDINGS[form]}"
    return read(decode(path.read_bytes(), str(path)), Place(str(path), name), reading("ntc", own_bunsetsu))


@pytest.mark.parametrize(("form", "name"), GOLDEN)
def test_golden_document(form, name):
    document = read_golden(form, name)
    expected = EXPECTED[name]["sentences"]
    assert len(document.sentences) == len(expected)
    for sentence, wanted in zip(document.sentences, expected, strict=True):
        assert sentence.tokens == wanted["tokens"]
        assert sentence.lemmas == wanted["base"]
        assert sentence.pos == wanted["pos"]
        assert sentence.pos_sub == [text.split("-")[1] for text in wanted["pos_full"]]
        assert sentence.bunsetsu == wanted["bunsetsu"]
        assert sentence.heads == wanted["heads"]
        if form == "raw":
            assert sentence.sent_id == wanted["sid"]
        assert [predicate.token for predicate in sentence.predicates] == [
            predicate["index"] for predicate in wanted["predicates"]
        ]
        for predicate, wanted_predicate in zip(sentence.predicates, wanted["predicates"], strict=True):
            assert predicate.alt == wanted_predicate["alt"]
            cases = wanted_predicate["cases"]
            assert by_case(predicate) == {case: (one["type"], one["mentions"]) for case, one in cases.items()}
    # The other reading of D1: only the mention in the own bunsetsu is dropped.
    for sentence, wanted in zip(read_golden(form, name, "drop_mention").sentences, expected, strict=True):
        for predicate, wanted_predicate in zip(sentence.predicates, wanted["predicates"], strict=True):
            for case, value in wanted_predicate["cases"].items():
                mentions = value.get("other_mentions", value["mentions"])
                assert by_case(predicate)[case][1] == mentions


def by_case(predicate: Predicate) -> dict[str, tuple[str, list[int]]]:
    """Return the golden files' view: the argument's category and its mentions."""
    cases: dict[str, tuple[str, list[int]]] = {case: ("null", []) for case in ("NOM", "ACC", "DAT")}
    for case, token, relation, _ in predicate.arguments:
        category, mentions = cases[case]
        kind = "dep" if relation == "DEP" or category == "dep" else "zero"
        cases[case] = (kind, [*mentions, token])
    return cases


@pytest.mark.parametrize(
    ("text", "separator", "ids", "cases"),
    [
        ('id="8"&&alt="active" ga="5" o="6" type="pred"', " ", (8,), (("NOM", 5), ("ACC", 6))),
        ('id="6" && id="7"', " ", (6, 7), ()),
        ('ga="exo1"/o="exog"/ni="exo2"/type="pred"', "/", (), ()),
    ],
)
def test_ids_and_cases_of_an_annotation(text, separator, ids, cases):
    annotation = parse_annotation(text, separator)
    assert (annotation.ids, annotation.cases) == (ids, cases)


LINES = """# S-ID:950103001-001 KNP:96/10/27
* 0 1D
社員 しゃいん * 名詞 普通名詞 * * id="1"
が が * 助詞 格助詞 * * _
* 1 -1D
運んだ はこんだ 運ぶ 動詞 * 子音動詞バ行 タ形 alt="active"/ga="1"/type="pred"
EOS
"""


def read_ntc(text: str) -> Document:
    return read(text, Place("a.ntc", "950103-0001-950103001"), reading("ntc"))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("EOS\n", "", 1, "not closed"),
        (LINES.split("\n", 1)[1], "EOS\n", 1, "empty sentence"),
        ("* 0 1D\n", "", 2, "before any bunsetsu line"),
        ("* 1 -1D", "* 2 -1D", 5, "found bunsetsu number 2; expected 1"),
        ("* 0 1D", "* 0 7D", 2, "head 7"),
        ("* 0 1D", "* 0 0D", 2, "its own head"),
        ("* 1 -1D", "* 1 0D", 5, "circle (1 -> 0 -> 1)"),
        ("* 0 1D", "* 0 1X", 2, "expected a bunsetsu line"),
        ("が が * 助詞", "が が 助詞", 4, "found 7 columns"),
        ('id="1"', "id=1", 3, 'expected key="value"'),
        ('id="1"', 'id="x"', 3, 'found id="x"; expected a number'),
        ('ga="1"', 'ga="exo9"', 6, "exo1, exo2 or exog"),
        ('ga="1"', 'wo="1"', 6, "unknown case 'wo'"),
        ('type="pred"', 'type="pred"/type="pred"', 6, "given twice"),
        ("が が * 助詞 格助詞 * * _\n", "\nが が * 助詞 格助詞 * * _\n", 4, "empty line inside"),
        ("* 1 -1D", "# S-ID:950103001-002\n* 1 -1D", 5, "new S-ID inside the sentence"),
        ("* 1 -1D\n", "* 1 -1D\n* 2 -1D\n", 5, "no morpheme"),
    ],
)
def test_malformed_line_is_named(old, new, line, message):
    with pytest.raises(FileProblem) as caught:
        read_ntc(LINES.replace(old, new))
    assert caught.value.line == line
    assert message in caught.value.message


def test_reserved_characters_are_morphemes_when_they_have_all_columns():
    text = LINES.replace(
        "が が * 助詞 格助詞 * * _\n",
        "# # * 特殊 記号 * * _\n* * * 特殊 記号 * * _\nEOS EOS * 名詞 普通名詞 * * _\n",
    )
    assert read_ntc(text).sentences[0].tokens == ["社員", "#", "*", "EOS", "運んだ"]


def test_running_numbers_where_there_is_no_sentence_id():
    text = LINES.split("\n", 1)[1]
    names = [f"950103-0001-950103001-00{number}" for number in (1, 2)]
    assert [sentence.sent_id for sentence in read_ntc(text + text).sentences] == names


def test_id_that_no_token_carries_is_remarked_and_not_labelled():
    document = read_ntc(LINES.replace('ga="1"', 'ga="9"'))
    assert document.sentences[0].predicates == [Predicate(4 - 2, "active", [])]
    assert [(remark.kind, remark.line) for remark in document.remarks] == [("id that names nothing", 6)]

"""What the measurement from gold words to raw text counts, by hand."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def raw_text():
    spec = importlib.util.spec_from_file_location("raw_text", BENCHMARKS / "raw_text.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def argument(case, token, relation):
    return {"case": case, "token": token, "relation": relation}


# Two sentences of one document: 男は|走っ|た and 本を|読む, whose NOM 男 has a second mention.
ROWS = [
    {
        "doc_id": "d",
        "tokens": ["男", "は", "走っ", "た"],
        "predicates": [{"token": 2, "arguments": [argument("NOM", 0, "DEP")]}],
    },
    {
        "doc_id": "d",
        "tokens": ["彼", "彼女", "本", "読む"],
        "predicates": [
            {
                "token": 3,
                "arguments": [
                    argument("NOM", 0, "ZAR"),
                    argument("NOM", 1, "ZAR"),
                    argument("ACC", 2, "DEP"),
                ],
            }
        ],
    },
]


def test_words_are_compared_by_their_characters(raw_text):
    gold, relations = raw_text.gold_of(ROWS)
    run, read = ("d", 2, 4), ("d", 9, 11)
    assert gold.predicates == {run, read}
    assert gold.arguments[read, "NOM"] == {("d", 5, 6), ("d", 6, 8)}
    # One sentence too short; 走っ and another word are predicates; of 読む the second mention is found and a
    # case that it does not have; the ACC of 読む is missing, and so is the NOM of 走っ.
    found = raw_text.Analysis(
        {run, read, ("d", 4, 5)},
        {(read, "NOM"): {("d", 6, 8)}, (read, "DAT"): {("d", 8, 9)}, (("d", 4, 5), "NOM"): {("d", 0, 1)}},
        {("d", 0, 4), ("d", 5, 11)},
    )
    row = raw_text.compared(found, gold, relations)
    assert row == pytest.approx(
        {
            "precision": 100 / 3,
            "recall": 100 / 3,
            "f1": 100 / 3,
            "dep_recall": 0,
            "zar_recall": 100,
            "predicate_f1": 80,
            "sentences": 50,
        }
    )

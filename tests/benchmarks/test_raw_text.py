"""What the measurement from gold words to raw text counts, by hand."""

import pytest
from scripts import script

raw_text = script("benchmarks/raw_text.py")


def argument(case, token, relation):
    return {"case": case, "token": token, "relation": relation}


# Two sentences of one document: 男は|走っ|た and 本を|読む, whose NOM 男 has a second mention.
RAN = [{"token": 2, "arguments": [argument("NOM", 0, "DEP")]}]
READ = [argument("NOM", 0, "ZAR"), argument("NOM", 1, "ZAR"), argument("ACC", 2, "DEP")]
ROWS = [
    {"doc_id": "d", "tokens": ["男", "は", "走っ", "た"], "predicates": RAN},
    {"doc_id": "d", "tokens": ["彼", "彼女", "本", "読む"], "predicates": [{"token": 3, "arguments": READ}]},
]


def test_words_are_compared_by_their_characters():
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
    third = dict.fromkeys(("precision", "recall", "f1"), 100 / 3)
    others = {"dep_recall": 0, "zar_recall": 100, "predicate_f1": 80, "sentences": 50}
    assert row == pytest.approx(third | others)

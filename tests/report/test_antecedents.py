"""antecedents.csv: hand-made decisions about original and refilled sentences."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from antecedents_files import ACQUITTED, BOOK, DOCUMENTS, MAN, NONE, Files

from zarpipe.report.antecedents import CELLS
from zarpipe.report.figures import antecedents


@pytest.fixture
def files(made):
    """Both seeds find both arguments everywhere; seed 2 takes the book for the man in the last document.

    The refilled sentences have another word for the man and the old one for the book. Seed 1 loses the man in two
    documents, moves him to the book in one, and finds a new accusative in one; seed 2 changes nothing.
    """
    written = Files(made)
    found = [[MAN, NONE, ACQUITTED] for _ in range(DOCUMENTS)]
    other = [*found[:-1], [BOOK, NONE, ACQUITTED]]
    for name in ("train", written.unchanged):
        written.decide(name, 1, found)
        written.decide(name, 2, other)
    after = [list(row) for row in found]
    after[0][0] = after[1][0] = NONE
    after[2][0] = BOOK
    after[3][1] = BOOK
    written.decide(written.refilled, 1, after)
    written.decide(written.refilled, 2, other)
    written.variant({MAN: "女", BOOK: "本"})
    return written


def row_of(rows, relation="ALL", distance="all", antecedent="all"):
    cell = {"relation": relation, "distance": distance, "antecedent": antecedent}
    (row,) = [row for row in rows if cell.items() <= row.items()]
    return row


def test_shares_by_relation_distance_and_word(files):
    rows = antecedents.build(files.study).rows
    assert len(rows) == len(CELLS)
    assert {(row["policy"], row["alpha"], row["seeds"]) for row in rows} == {("noun", "0.5", 2)}
    every = row_of(rows)
    # 16 arguments of each seed, 3 of 32 changed, 1 more found; 31 are right: the book is no argument.
    assert every["arguments"] == 16
    shares = {"changed": 3 / 32, "moved": 1 / 32, "lost": 2 / 32, "gained": 1 / 32, "right_changed": 3 / 31}
    shares |= {"masked": 2 / 8, "replaced": 1 / 8}
    assert {name: every[f"{name}_percent"] / 100 for name in shares} == pytest.approx(shares)
    zar, dep = row_of(rows, "ZAR"), row_of(rows, "DEP")
    assert (zar["arguments"], zar["changed_percent"]) == (7.5 + 0.5, pytest.approx(100 * 3 / 16))
    assert (dep["arguments"], dep["changed_percent"], dep["ci_low"]) == (8, 0, None)
    assert zar["ci_low"] < zar["changed_percent"] < zar["ci_high"]
    # The man is four bunsetsu away, the book three, the acquittal one; the new accusative is the book.
    assert row_of(rows, "ZAR", "3 or 4")["arguments"] == 8
    assert row_of(rows, "ZAR", "1")["arguments"] == 0
    assert row_of(rows, "ZAR", "1")["changed_percent"] is None
    assert row_of(rows, "DEP", "1")["arguments"] == 8
    # Only the man has another word: 15 of the 16 zero arguments of both seeds.
    assert row_of(rows, "ZAR", antecedent="replaced")["arguments"] == 7.5
    assert row_of(rows, "ZAR", antecedent="kept")["changed_percent"] == 0


def test_the_control_is_zero_and_seeds_differ_on_equal_words(files):
    rows = antecedents.build(files.study).rows
    assert {row["control_percent"] for row in rows if row["arguments"] and row["antecedent"] == "all"} == {0}
    # Seed 1 against 2, and 2 against 1: one of 16 each.
    assert row_of(rows)["seeds_percent"] == pytest.approx(100 * 2 / 32)
    assert row_of(rows, antecedent="kept")["seeds_percent"] is None


def test_one_seed_has_no_other_to_be_compared_with(made):
    written = Files(made, seeds=(1,))
    found = [[MAN, NONE, ACQUITTED]] * DOCUMENTS
    for name in ("train", written.unchanged, written.refilled):
        written.decide(name, 1, found)
    written.variant({MAN: "女"})
    rows = antecedents.build(written.study).rows
    assert {row["seeds_percent"] for row in rows} == {None}
    assert {row["changed_percent"] for row in rows} <= {0, None}


def test_files_of_the_figure(files, read_csv):
    path = files.made.report("antecedents")
    rows = read_csv(path)
    assert len(rows) == len(CELLS)
    assert float(row_of(rows, "ZAR")["changed_percent"]) == 100 * 3 / 16
    for ending in (".json", ".svg", ".pdf"):
        assert path.with_suffix(ending).stat().st_size > 500


def test_decisions_of_another_corpus_are_refused(files, capsys):
    table = pq.read_table(files.made.path("held_out", files.refilled, 1))
    foreign = table.set_column(0, "sent_id", pa.array(["other"] * len(table)))
    pq.write_table(foreign, files.made.path("held_out", files.refilled, 1))
    files.made.report("antecedents", status=1)
    error = capsys.readouterr().err
    assert "found 'other'; expected a sentence of the corpus" in error
    assert "Traceback" not in error

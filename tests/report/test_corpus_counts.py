"""Tables 1 and 2 against the golden counts."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from zarpipe.readers.convert import convert, reading
from zarpipe.report.corpus_counts import count_arguments, count_pos, write_table1, write_table2
from zarpipe.task.relations import ARGUMENT_RELATIONS

READER = Path(__file__).parents[1] / "golden" / "reader"
STATS = json.loads((READER / "stats.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=["raw", "tab"])
def converted(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    convert(READER / request.param, folder, reading("ntc"))
    return request.param, folder


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_golden_counts(converted, split):
    form, folder = converted
    expected = STATS[form][split]
    counts = count_arguments(folder / f"{split}.parquet")
    assert {
        relation.name: {case: counts.arguments[relation, case] for case in ("NOM", "ACC", "DAT")}
        for relation in ARGUMENT_RELATIONS
    } == expected["counts"]
    for name in ("documents", "sentences", "predicates", "tokens"):
        assert getattr(counts, name) == expected[name]
    pos = count_pos(folder / f"{split}.parquet")
    assert {name: pos[name] for name in expected["pos_tokens_per_instance"]} == expected[
        "pos_tokens_per_instance"
    ]


def test_pos_sets_are_complements(converted):
    _, folder = converted
    counts = count_pos(folder / "train.parquet")
    for name in ("noun", "verb", "particle", "symbol"):
        assert counts[name] + counts[f"all_but_{name}"] == counts["all"]


def test_tables_with_published_numbers_say_that_they_differ(converted, tmp_path):
    _, folder = converted
    assert "differs from the paper in 18 of 18" in write_table1(folder, tmp_path / "1.csv", published=True)
    assert "differs from the paper in 5 of 5" in write_table2(folder, tmp_path / "2.csv", published=True)
    with (tmp_path / "1.csv").open(encoding="utf-8") as stream:
        first = next(csv.DictReader(stream))
    assert first["split"] == "train"
    assert first["relation"] == "dep"
    assert int(first["nom_published"]) == 36877
    assert int(first["nom_difference"]) == int(first["nom"]) - 36877


def test_tables_of_another_corpus_have_no_published_columns(converted, tmp_path):
    _, folder = converted
    assert write_table1(folder, tmp_path / "1.csv", published=False) is None
    assert write_table2(folder, tmp_path / "2.csv", published=False) is None
    assert "published" not in (tmp_path / "1.csv").read_text(encoding="utf-8")
    assert (tmp_path / "2.csv").read_text(encoding="utf-8").splitlines()[0] == "pos_set,tokens,ratio_percent"


def test_the_papers_own_numbers_match(monkeypatch, converted, tmp_path):
    """With the printed numbers equal to the counts, the verdict is a match."""
    _, folder = converted
    counts = {split: count_arguments(folder / f"{split}.parquet") for split in ("train", "dev", "test")}
    rows = [
        {"split": split, "relation": relation.name.lower()}
        | {case: str(counts[split].arguments[relation, case]) for case in ("NOM", "ACC", "DAT")}
        for split in counts
        for relation in ARGUMENT_RELATIONS
    ]
    monkeypatch.setattr("zarpipe.report.corpus_counts.published_rows", lambda _table: rows)
    assert write_table1(folder, tmp_path / "1.csv", published=True).startswith(
        "Table 1: the corpus matches the paper"
    )

"""Tables 1 and 2 against the golden counts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from report.conftest import read_csv

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus_writer import read_removed
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.report.corpus_counts import count_arguments, count_pos, removed_lines
from zarpipe.report.tables.table1 import arguments_table
from zarpipe.report.tables.table2 import tokens_table
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
    of_sets = expected["pos_tokens_per_instance"]
    assert {name: pos[name] for name in of_sets} == of_sets
    for name in ("noun", "verb", "particle", "symbol"):
        assert pos[name] + pos[f"all_but_{name}"] == pos["all"]


def counted(folder: Path, *options: str) -> dict[int, list[dict[str, str]]]:
    """Run ``zarpipe count`` and return the rows of Tables 1 and 2."""
    outputs = {number: folder / f"table{number}.csv" for number in (1, 2)}
    paths = [f"--output-table{number}={path}" for number, path in outputs.items()]
    assert main(["count", str(folder), *paths, *options]) == 0
    return {number: read_csv(path) for number, path in outputs.items()}


def test_tables_with_published_numbers_say_that_they_differ(converted, capsys):
    _, folder = converted
    first = counted(folder, "--published")[1][0]
    said = capsys.readouterr().out
    assert "Table 1: the corpus differs from the paper in 18 of 18" in said
    assert "Table 2: the corpus differs from the paper in 5 of 5" in said
    assert (first["split"], first["relation"]) == ("train", "dep")
    assert int(first["nom_published"]) == 36877
    assert int(first["nom_difference"]) == int(first["nom"]) - 36877


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_annotated_argument_is_labelled_or_removed(converted, split):
    """The annotated ones are counted in the text, which the readers' rules do not see."""
    form, folder = converted
    counts = count_arguments(folder / f"{split}.parquet")
    removed = read_removed(folder / f"{split}.parquet")
    names = set(pq.read_table(folder / f"{split}.parquet", columns=["doc_id"])["doc_id"].to_pylist())
    files = [file for file in (READER / form).iterdir() if file.stem in names]
    parts = [_annotation(line).split("&&") for file in files for line in _text(file).splitlines()]
    predicates = [[part for part in annotation if 'type="pred"' in part] for annotation in parts]
    annotations = [found[0] for found in predicates if len(found) == 1]
    for case, name in (("NOM", "ga"), ("ACC", "o"), ("DAT", "ni")):
        annotated = sum(bool(re.search(rf'(?:^|[/ ]){name}="', text)) for text in annotations)
        labelled = sum(counts.arguments[relation, case] for relation in ARGUMENT_RELATIONS)
        assert labelled + sum(count for (other, _), count in removed.items() if other == case) == annotated


def _annotation(line: str) -> str:
    return "".join(line.split("\t")[3:4]) if "\t" in line else line.split(" ")[-1]


def _text(file: Path) -> str:
    content = file.read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("euc_jp")


def test_damaged_numbers_of_removed_arguments_are_refused(converted, tmp_path):
    _, folder = converted
    schema = pq.read_schema(folder / "train.parquet")
    writer = pq.ParquetWriter(tmp_path / "train.parquet", schema)
    writer.add_key_value_metadata({"zarpipe.removed": '{"outside the text": 3}'})
    writer.close()
    with pytest.raises(ZarpipeError, match=r"train.parquet: found .* in the metadata zarpipe.removed"):
        removed_lines(tmp_path)


def test_tables_of_another_corpus_have_no_published_columns(converted, capsys):
    _, folder = converted
    tables = arguments_table(folder, published=True), tokens_table(folder, published=True, definitions={})
    papers = [["nom", "acc", "dat"], ["tokens", "ratio_percent"]]
    assert [list(table.paper_columns) for table in tables] == papers
    rows = counted(folder)
    assert "paper" not in capsys.readouterr().out
    assert not any("published" in name for name in rows[1][0])
    assert list(rows[2][0]) == ["pos_set", "tokens", "ratio_percent"]


def test_the_papers_own_numbers_match(monkeypatch, converted):
    """With the printed numbers equal to the counts, the verdict is a match."""
    _, folder = converted
    counts = {split: count_arguments(folder / f"{split}.parquet") for split in ("train", "dev", "test")}
    rows = [
        {"split": split, "relation": relation.name.lower()}
        | {case: str(counts[split].arguments[relation, case]) for case in ("NOM", "ACC", "DAT")}
        for split in counts
        for relation in ARGUMENT_RELATIONS
    ]
    monkeypatch.setattr("zarpipe.report.tables.table1.published_rows", lambda _table: rows)
    remark = arguments_table(folder, published=True).remark
    assert remark == "Table 1: the corpus matches the paper (all 18 numbers are equal)"

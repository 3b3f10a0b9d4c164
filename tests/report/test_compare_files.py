"""Another system's decisions against a recipe of a study."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.task.cases import CASE_NAMES


@pytest.fixture
def study(made):
    """A study whose baseline has three models on test, and its gold arguments as rows of decisions."""
    made.configure(training={"seeds": [1, 2, 3]})
    made.corpus("test", 40)
    made.runs({"baseline": 0.5}, "test")
    return made


@pytest.fixture
def gold(study):
    corpus = study.path("corpus", "test")
    instances, names = read_instances(corpus), read_corpus(corpus, ["sent_id"])["sent_id"].to_pylist()
    return [
        {
            "sent_id": names[instances.sentence[number]],
            "predicate": int(instances.predicate[number]),
            "case": CASE_NAMES[case],
            "token": int(token),
        }
        for number in range(len(instances))
        for token, case in np.argwhere(instances.gold[slice(*instances.offsets[number : number + 2])])
    ]


def write(path: Path, rows) -> Path:
    """Write decisions as CSV or JSON lines, by the file's ending."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".csv":
            writer = csv.DictWriter(stream, ["sent_id", "predicate", "case", "token"])
            writer.writeheader()
            writer.writerows(rows)
        else:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def compare(study, *arguments, recipe="baseline"):
    output = study.folder.parent / "c.csv"
    options = ["--recipe", recipe, "--permutations", "200", "--output", str(output)]
    return main(["compare", str(study.folder), *map(str, arguments), *options])


def test_a_file_has_the_f1_of_its_arguments(study, gold, tmp_path, read_csv):
    """Of g gold arguments k are found and nothing else: F1 is 2k / (k + g)."""
    half = gold[: len(gold) // 2]
    files = {"all.csv": gold, "half.jsonl": half, "none.csv": []}
    assert compare(study, *(write(tmp_path / name, rows) for name, rows in files.items())) == 0
    rows = {Path(row["file"]).name: row for row in read_csv(tmp_path / "c.csv") if row["category"] == "ALL"}
    assert float(rows["all.csv"]["f1"]) == 100
    assert float(rows["half.jsonl"]["f1"]) == pytest.approx(200 * len(half) / (len(half) + len(gold)))
    assert float(rows["none.csv"]["f1"]) == 0
    assert all(1 / 201 <= float(row["p_value"]) <= float(row["p_holm"]) <= 1 for row in rows.values())
    assert {row["seeds"] for row in rows.values()} == {"3"}
    for row in rows.values():
        assert float(row["difference"]) == pytest.approx(float(row["f1"]) - float(row["other_f1"]))


def test_a_recipes_f1_is_that_of_its_scores(study, gold, tmp_path, read_csv):
    """The mean over its seeds, as `zarpipe evaluate` gives it."""
    assert compare(study, write(tmp_path / "all.csv", gold)) == 0
    scores = [json.loads(study.path("scores", "baseline", seed, "test").read_text()) for seed in (1, 2, 3)]
    for row in read_csv(tmp_path / "c.csv"):
        expected = np.mean([100 * of_seed[row["category"]]["ALL"]["f1"] for of_seed in scores])
        assert float(row["other_f1"]) == pytest.approx(expected)


def test_the_same_decisions_do_not_differ(made, tmp_path, read_csv):
    """In all three formats; one model against itself: difference 0, p = 1."""
    made.configure(training={"seeds": [1]})
    made.corpus("dev", 40)
    made.run("baseline", 1, "dev", 0.5)
    own = made.path("decisions", "baseline", 1, "dev")
    rows = pq.read_table(own).select(["sent_id", "predicate", "case", "token"]).to_pylist()
    files = [own, write(tmp_path / "own.csv", rows), write(tmp_path / "own.jsonl", rows)]
    assert compare(made, *files, "--split", "dev") == 0
    found = read_csv(tmp_path / "c.csv")
    assert len(found) == 3 * 3
    for row in found:
        assert [float(row[name]) for name in ("difference", "p_value", "p_holm")] == [0, 1, 1]
        assert row["ci_low"] == row["ci_high"] == ""  # where nothing varies, there is no interval


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["there.csv", "nowhere.csv"],
            "nowhere.csv: no such file or folder; expected a results folder, or f",
        ),
        (["there.csv", "--recipe", "baselin"], "baselin: not a recipe of the study in"),
        (["there.csv", "--recipe", "baseline2x"], "has decided nothing on test; on test there are baseline"),
        (["there.csv", "--split", "dev"], "baseline has decided nothing on dev"),
        (["wrong.csv"], "wrong.csv:2: column 'sent_id': found 'dev-1'"),
    ],
)
def test_what_is_not_there_is_named(study, gold, tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "there.csv", gold)
    write(tmp_path / "wrong.csv", [gold[0] | {"sent_id": "dev-1"}])
    given = arguments if "--recipe" in arguments else [*arguments, "--recipe", "baseline"]
    assert main(["compare", str(study.folder), *given]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_files_need_a_recipe_and_folders_have_none(study, gold, tmp_path, capsys):
    assert main(["compare", str(study.folder), str(write(tmp_path / "a.csv", gold))]) == 1
    assert "--recipe: found nothing" in capsys.readouterr().err
    assert compare(study, study.folder) == 1
    assert "--recipe: found with two results folders" in capsys.readouterr().err
    assert main(["compare", *[str(study.folder)] * 3]) == 1
    assert "found more than one OTHER" in capsys.readouterr().err

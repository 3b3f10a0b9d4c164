"""`zarpipe evaluate` on the cases behind real bug reports, and on files that do not fit."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main
from zarpipe.formats.corpus import read_corpus

CASES_FOLDER = Path(__file__).parents[1] / "cases"
NOTHING = CASES_FOLDER / "21-eval-nothing-to-divide"
FOREIGN = CASES_FOLDER / "22-eval-foreign-rows"
EXPECTED = json.loads((NOTHING / "expected.json").read_text(encoding="utf-8"))
BAD_ROWS = json.loads((FOREIGN / "rows.json").read_text(encoding="utf-8"))
COLUMN_OF = {
    "unknown-sentence": "sent_id",
    "predicate-is-no-predicate": "predicate",
    "token-out-of-range": "token",
    "negative-token": "token",
    "unknown-case": "case",
    "nan-probability": "probability",
    "probability-above-one": "probability",
    "null-sentence": "sent_id",
    "null-token": "token",
}


def evaluate(corpus, predictions, output):
    return main(
        ["evaluate", "--corpus", str(corpus), "--predictions", str(predictions), "--output", str(output)]
    )


@pytest.mark.parametrize("names", sorted(EXPECTED))
def test_nothing_to_divide(names, tmp_path):
    corpus, predictions = names.split(" + ")
    output = tmp_path / "scores.json"
    assert evaluate(NOTHING / f"{corpus}.parquet", NOTHING / f"{predictions}.parquet", output) == 0
    result = json.loads(output.read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name))
    for category, of_cases in EXPECTED[names].items():
        for case, measures in of_cases.items():
            assert result[category][case] == pytest.approx(measures, abs=1e-5), (category, case)


@pytest.mark.parametrize("name", sorted(BAD_ROWS))
def test_foreign_rows_are_refused(name, tmp_path, capsys):
    predictions = FOREIGN / f"{name}.parquet"
    assert evaluate(FOREIGN / "gold.parquet", predictions, tmp_path / "scores.json") == 1
    message = capsys.readouterr().err
    assert f"{predictions}: row 6, column '{COLUMN_OF[name]}': found " in message
    assert "; expected " in message
    assert message.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_missing_column_is_refused(tmp_path, capsys):
    predictions = FOREIGN / "without-probability-column.parquet"
    assert evaluate(FOREIGN / "gold.parquet", predictions, tmp_path / "scores.json") == 1
    assert "column 'probability' is missing" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_whole_floats_are_accepted_as_integers(tmp_path):
    predictions = FOREIGN / "predicate-as-float.parquet"
    assert evaluate(FOREIGN / "gold.parquet", predictions, tmp_path / "scores.json") == 0
    result = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert {key: result["ALL"]["ALL"][key] for key in ("tp", "fp", "fn")} == {"tp": 5, "fp": 1, "fn": 2}


def test_broken_numbers_are_refused(tmp_path, capsys):
    path = tmp_path / "half.parquet"
    rows = {
        "sent_id": ["zz-1-1"],
        "predicate": [4.5],
        "case": ["NOM"],
        "token": [0],
        "probability": [0.5],
    }
    pq.write_table(pa.table(rows), path)
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "scores.json") == 1
    assert "column 'predicate' has type double" in capsys.readouterr().err


def test_second_argument_of_one_case_is_refused(tmp_path, capsys):
    path = tmp_path / "twice.parquet"
    rows = {
        "sent_id": ["zz-1-1"] * 3,
        "predicate": [4] * 3,
        "case": ["NOM", "ACC", "NOM"],
        "token": [0, 2, 2],
        "probability": [0.5] * 3,
    }
    pq.write_table(pa.table(rows), path)
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "scores.json") == 1
    assert "row 2, column 'case': found a second argument of the predicate and case of row 0" in (
        capsys.readouterr().err
    )


def test_a_token_with_two_cases_counts_for_both(tmp_path):
    """Every annotated argument, as decisions, scores 1.0 (the label row alone would lose one)."""
    table = read_corpus(FOREIGN / "gold.parquet")
    sentences = table.to_pylist()
    sentences[0]["predicates"][0]["arguments"].append({"case": "DAT", "token": 0, "relation": "DEP"})
    corpus = tmp_path / "corpus.parquet"
    pq.write_table(pa.Table.from_pylist(sentences, schema=table.schema), corpus)
    rows = {}
    for sentence in sentences:
        for predicate in sentence["predicates"]:
            for argument in predicate["arguments"]:
                key = (sentence["sent_id"], predicate["token"], argument["case"])
                rows[key] = argument["token"]
    columns = [list(column) for column in zip(*rows, strict=True)]
    predictions = tmp_path / "perfect.parquet"
    names = ["sent_id", "predicate", "case", "token", "probability"]
    values = [*columns, list(rows.values()), [1.0] * len(rows)]
    pq.write_table(pa.table(dict(zip(names, values, strict=True))), predictions)
    assert evaluate(corpus, predictions, tmp_path / "scores.json") == 0
    result = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert result["ALL"]["ALL"]["f1"] == 1.0
    assert result["ALL"]["DAT"]["tp"] == 2


def test_one_output_for_each_prediction(tmp_path, capsys):
    predictions = [str(FOREIGN / "predicate-as-float.parquet")] * 2
    arguments = ["--corpus", str(FOREIGN / "gold.parquet"), "--predictions", *predictions]
    assert main(["evaluate", *arguments, "--output", str(tmp_path / "one.json")]) == 1
    assert "--output: found 1 files; expected one for each of the 2 predictions" in capsys.readouterr().err


def test_evaluation_does_not_import_torch():
    code = (
        "import sys, zarpipe.evaluate.evaluation, zarpipe.evaluate.commands; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

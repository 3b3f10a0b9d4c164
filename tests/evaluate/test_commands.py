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
    assert f"{predictions}: row 7, column '{COLUMN_OF[name]}': found " in message
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


PREDICTIONS = ["sent_id", "predicate", "case", "token", "probability"]


def write_predictions(path, *rows):
    pq.write_table(pa.table([list(column) for column in zip(*rows, strict=True)], PREDICTIONS), path)
    return path


BAD_ROW = {
    "column 'predicate' has type double": [("zz-1-1", 4.5, "NOM", 0, 0.5)],
    "row 3, column 'case': found a second argument of the predicate and case of row 1; expected at most one row "
    "per predicate and case (sentence 'zz-1-1')": [
        ("zz-1-1", 4, case, token, 0.5) for case, token in (("NOM", 0), ("ACC", 2), ("NOM", 2))
    ],
}


@pytest.mark.parametrize(("message", "rows"), BAD_ROW.items())
def test_rows_that_cannot_be_scored_are_refused(tmp_path, capsys, message, rows):
    path = write_predictions(tmp_path / "bad.parquet", *rows)
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "scores.json") == 1
    assert message in capsys.readouterr().err


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
    predictions = write_predictions(
        tmp_path / "perfect.parquet", *((*key, token, 1.0) for key, token in rows.items())
    )
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


RIGHT = [("zz-1-1", 4, "NOM", 0), ("zz-1-1", 4, "ACC", 2)]


def parquet_scores(tmp_path, rows):
    path = write_predictions(tmp_path / "same.parquet", *((*row, 1.0) for row in rows))
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "same.json") == 0
    return json.loads((tmp_path / "same.json").read_text(encoding="utf-8"))


TEXTS = {
    "plain.csv": "sent_id,predicate,case,token\nzz-1-1,4,NOM,0\nzz-1-1,4,ACC,2\n",
    "order.csv": '\ufefftoken,case,remark,sent_id,predicate\r\n0,NOM,,zz-1-1,4\r\n\r\n2,ACC,"a,b",zz-1-1,4.0\r\n',
    "probability.csv": "sent_id,predicate,case,token,probability\nzz-1-1,4,NOM,0,0.5\nzz-1-1,4,ACC,2,1\n",
    "plain.jsonl": "".join(
        json.dumps({"sent_id": sent_id, "predicate": predicate, "case": case, "token": token}) + "\n"
        for sent_id, predicate, case, token in RIGHT
    ),
    "blank.JSONL": '{"token": 0.0, "case": "NOM", "sent_id": "zz-1-1", "predicate": 4, "probability": 0.25}\n\n'
    '{"token": 2, "case": "ACC", "sent_id": "zz-1-1", "predicate": 4, "probability": 1}',
}


@pytest.mark.parametrize("name", TEXTS)
def test_csv_and_json_lines_score_as_the_same_parquet(name, tmp_path):
    (tmp_path / name).write_text(TEXTS[name], encoding="utf-8", newline="")
    assert evaluate(FOREIGN / "gold.parquet", tmp_path / name, tmp_path / "scores.json") == 0
    result = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert result == parquet_scores(tmp_path, RIGHT)
    assert result["ALL"]["ALL"]["tp"] == 2


HEADER = "sent_id,predicate,case,token"
BAD_CSV = {
    HEADER + "\nzz-1-1,4,NOM,0\nzz-9-9,4,NOM,0\n": ":3: column 'sent_id': found 'zz-9-9'; expected a sent",
    HEADER + "\nzz-1-1,4,INS,0\n": ":2: column 'case': found 'INS'; expected NOM, ACC, DAT (sentence 'zz",
    HEADER + "\nzz-1-1,x,NOM,0\n": ":2: column 'predicate': found 'x'; expected a whole number",
    HEADER + "\nzz-1-1,4,NOM,0.5\n": ":2: column 'token': found '0.5'; expected a whole number",
    HEADER + "\nzz-1-1,4,NOM,\n": ":2: column 'token': found nothing (null); expected sent_id, pred",
    HEADER + "\nzz-1-1,4,NOM,0,1\n": ":2: found more values than the 4 columns of the first line",
    "sent_id,case\nzz-1-1,NOM\n": ":1: found 0 columns 'predicate' in the first line; expected sent_id",
    "": ":1: found 0 columns 'sent_id' in the first line; expected sent_id, predicate, case, token",
    HEADER + ",token\nzz-1-1,4,NOM,0,1\n": ":1: found 2 columns 'token' in the first line",
    HEADER + "\n\nzz-1-1,4,NOM,0\nzz-1-1,4,NOM,2\n": ":4: column 'case': found a second argument of the ",
    HEADER + ",probability\nzz-1-1,4,NOM,0,1.5\n": ":2: column 'probability': found 1.5; expected a number",
    HEADER + ",probability\nzz-1-1,4,NOM,0,nan\n": ":2: column 'probability': found nan; expected a number",
    HEADER + '\nzz-1-1,4,"NOM,0\n': ":2: not valid CSV (unexpected end of data)",
    HEADER + "\nzz-1-1,4,NOM,99999999999999999999\n": ":2: column 'token': found '9999",
}
BAD_JSON_LINES = {
    '{"sent_id": "zz-1-1"\n': ":1: not valid JSON",
    '{"sent_id": "zz-1-1", "token": 0, "token": 1}\n': ":1: not valid JSON (found the key 'token' twice)",
    "[1]\n": ":1: found list; expected one JSON object a line",
    '{"sent_id": 1, "predicate": 4, "case": "NOM", "token": 0}\n': ":1: column 'sent_id': found 1; expected text",
    '{"sent_id": "zz-1-1", "predicate": true, "case": "NOM", "token": 0}': ":1: column 'predicate': found True",
    '{"sent_id": "zz-1-1", "predicate": 4, "case": "NOM", "token": 1e999}': ":1: column 'token': found inf",
    '{"sent_id": "zz-1-1", "predicate": 4, "case": "NOM"}': ":1: column 'token': found no such column",
}


@pytest.mark.parametrize(
    ("ending", "text", "message"),
    [("csv", *bad) for bad in BAD_CSV.items()] + [("jsonl", *bad) for bad in BAD_JSON_LINES.items()],
)
def test_wrong_lines_of_texts_are_named(ending, text, message, tmp_path, capsys):
    path = tmp_path / f"bad.{ending}"
    path.write_text(text, encoding="utf-8")
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "scores.json") == 1
    told = capsys.readouterr().err
    assert f"{path}{message}" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "scores.json").exists()


def test_text_in_another_encoding_is_named(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_bytes(f"{HEADER}\n日本,4,NOM,0\n".encode("euc_jp"))
    assert evaluate(FOREIGN / "gold.parquet", path, tmp_path / "scores.json") == 1
    assert f"{path}:2: not UTF-8" in capsys.readouterr().err


def test_no_decisions_at_all_are_scored(tmp_path):
    (tmp_path / "none.csv").write_text(HEADER + "\n", encoding="utf-8")
    (tmp_path / "none.jsonl").write_text("", encoding="utf-8")
    for name in ("none.csv", "none.jsonl"):
        assert evaluate(FOREIGN / "gold.parquet", tmp_path / name, tmp_path / "scores.json") == 0


@pytest.mark.parametrize("name", ["none.parquet", "none.csv", "none.jsonl", "none"])
def test_a_file_that_is_not_there_is_said_to_be_missing(name, tmp_path, capsys):
    assert evaluate(FOREIGN / "gold.parquet", tmp_path / name, tmp_path / "scores.json") == 1
    assert f"{tmp_path / name}: no such file; expected a file of decided arguments" in capsys.readouterr().err
    (tmp_path / name).mkdir()
    assert evaluate(FOREIGN / "gold.parquet", tmp_path / name, tmp_path / "scores.json") == 1
    assert "found a folder" in capsys.readouterr().err

"""The whole DAG on a tiny sample: what it makes, and what it refuses."""

import csv
from pathlib import Path

import pytest

TINY = str(Path(__file__).parent / "tiny.yaml")
TABLE = "results/table4.csv"


def with_overlay(tmp_path, text):
    """Arguments that run the tiny study with an overlay on top."""
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(text, encoding="utf-8")
    return (TABLE, "--configfile", TINY, str(overlay))


def test_table4_has_one_row_per_method(finished):
    with (finished.folder / TABLE).open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["method", "alpha", "zar_f1", "dep_f1", "all_f1", "all_f1_sd", "seeds"]
    assert [(row["method"], row["alpha"]) for row in rows] == [
        ("baseline", ""),
        ("baseline2x", ""),
        ("cda", "0.5"),
        ("masking", "0.5"),
    ]
    assert all(row["seeds"] == "2" for row in rows)
    assert all(0 <= float(row[name]) <= 100 for row in rows for name in ("zar_f1", "dep_f1", "all_f1"))


def test_table4_is_readable_and_every_run_is_listed(finished):
    page = (finished.folder / "results/table4.md").read_text(encoding="utf-8")
    assert page.count("\n| ") == 5
    with (finished.folder / "results/table4_runs.csv").open(encoding="utf-8") as stream:
        runs = list(csv.DictReader(stream))
    assert [(run["recipe"], run["seed"]) for run in runs[:2]] == [("baseline", "1"), ("baseline", "2")]
    assert len(runs) == 4 * 2


def test_a_second_call_finds_nothing_to_do(finished):
    assert (finished.folder / "results/logs/show/table4.log").is_file()
    assert "Nothing to be done" in finished.run(TABLE, "--configfile", TINY)


def test_a_wrong_key_stops_with_its_name_and_no_traceback(finished, tmp_path):
    text = finished.run("--dry-run", *with_overlay(tmp_path, "tagger: {size: 9}"), check=False)
    assert "unknown key 'tagger.size'" in text
    assert "overlay.yaml:1" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("mlm: {path: /nowhere}", "mlm.path: found '/nowhere', where nothing is"),
        ("corpus: {path: /nowhere}", "corpus.path: found '/nowhere', where nothing is"),
        ("corpus: {split: ids}", "corpus.ids: found nothing (null)"),
    ],
)
def test_what_is_not_there_is_said_before_anything_runs(finished, tmp_path, change, said):
    text = finished.run("--dry-run", *with_overlay(tmp_path, change), check=False)
    assert said in text
    assert "Job stats" not in text


def test_the_paper_grid_is_planned_whole(make_workflow, tmp_path, tiny_mlm):
    workflow = make_workflow()
    corpus = tmp_path / "NTC_1.5/dat/ntc/knp"
    corpus.mkdir(parents=True)
    (corpus / "950101-0002-950101008.ntc").write_text("")
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(f"corpus: {{path: {tmp_path / 'NTC_1.5'}}}\nmlm: {{path: {tiny_mlm('bert-ja')}}}\n")
    planned = workflow.planned(
        "results/ntc/table4.csv", "--configfile", "workflow/configs/ntc.yaml", str(overlay)
    )
    assert planned["train"] == 10 * (2 + 6 + 6)
    assert planned["encode_variant"] == 12
    assert planned["convert"] == planned["report"] == planned["show_table4"] == 1


@pytest.mark.parametrize("method", ["conda", "apptainer"])
def test_another_software_environment_is_refused_in_one_line(make_workflow, method):
    """zarpipe is not in any that Snakemake could make; without this the jobs would fail one by one."""
    text = make_workflow().run("--sdm", method, "--dry-run", TABLE, "--configfile", TINY, check=False)
    assert "--sdm: zarpipe runs where it is installed; leave this option out" in text
    assert "Job stats" not in text
    assert "Traceback" not in text

"""Two results folders side by side."""

import shutil

import pytest

from zarpipe.cli import main
from zarpipe.report.significance import with_holm


@pytest.fixture
def pair(made):
    """A and B: the same corpora and baseline; masking is better in B."""
    made.configure(augmentation={"alphas": [0.5], "pos_sets": ["all", "noun"]}, training={"seeds": [1, 2, 3]})
    made.corpus("dev", 60)
    made.corpus("test", 60, seed=1)
    for seed in (1, 2):
        made.run("baseline", seed, "dev", 0.5)
        made.run("masking-all-0.5", seed, "dev", 0.5)
    other = made.copy("other")
    other.runs({"masking-all-0.5": 0.9}, "dev")
    other.run("masking-noun-0.5", 1, "dev", 0.9)
    return made, other


def compare(pair, tmp_path, *options):
    a, b = (str(made.folder) for made in pair)
    return main(["compare", a, b, "--output", str(tmp_path / "c.csv"), "--permutations", "200", *options])


def test_common_recipes_and_seeds_are_compared(pair, tmp_path, read_csv, capsys):
    assert compare(pair, tmp_path) == 0
    rows = read_csv(tmp_path / "c.csv")
    assert [(row["split"], row["recipe"], row["category"]) for row in rows] == [
        ("dev", recipe, category)
        for recipe in ("baseline", "masking-all-0.5")
        for category in ("ZAR", "DEP", "ALL")
    ]
    assert {row["seeds"] for row in rows} == {"2"}
    assert [float(row["difference"]) for row in rows[:3]] == [0.0, 0.0, 0.0]
    assert rows[0]["p_value"] == "1.0"
    assert float(rows[5]["difference"]) > 5
    assert float(rows[5]["p_value"]) == pytest.approx(1 / 201)
    assert float(rows[5]["difference"]) == pytest.approx(float(rows[5]["f1"]) - float(rows[5]["other_f1"]))
    printed = capsys.readouterr().out
    assert "| dev | masking-all-0.5 | ALL |" in printed


def test_differences_on_different_corpora_are_not_tested(pair, tmp_path, read_csv):
    pair[1].corpus("dev", 60, seed=9)
    pair[1].runs({"baseline": 0.5, "masking-all-0.5": 0.9}, "dev")
    assert compare(pair, tmp_path) == 0
    rows = read_csv(tmp_path / "c.csv")
    assert {row["p_value"] for row in rows} == {""}
    assert float(rows[5]["difference"]) > 5
    assert "dev sets of A and B differ" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_a_corpus_that_is_not_there_is_named(pair, tmp_path, read_csv):
    missing = pair[1].path("corpus", "dev")
    missing.unlink()
    assert compare(pair, tmp_path) == 0
    assert {row["p_value"] for row in read_csv(tmp_path / "c.csv")} == {""}
    assert f"not tested: there is no {missing}" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_scores_do_where_predictions_were_deleted(pair, tmp_path, read_csv):
    pair[0].path("decisions", "masking-all-0.5", 1, "dev").unlink()
    assert compare(pair, tmp_path) == 0
    assert [row["p_value"] == "" for row in read_csv(tmp_path / "c.csv")] == [False] * 3 + [True] * 3


def test_folders_without_common_scores_are_refused(pair, made, tmp_path, capsys):
    assert main(["compare", str(made.folder), str(tmp_path)]) == 1
    assert f"{tmp_path}/study.json: no such file" in capsys.readouterr().err
    shutil.rmtree(made.folder / "jobs/evaluate")
    assert compare(pair, tmp_path) == 1
    assert "found no scores of the same recipe and seed" in capsys.readouterr().err


def test_untested_rows_are_no_part_of_the_family():
    rows = with_holm([{"p_value": 0.03}, {"p_value": None}, {"p_value": 0.02}])
    assert [row["p_holm"] for row in rows] == [pytest.approx(0.04), None, pytest.approx(0.04)]

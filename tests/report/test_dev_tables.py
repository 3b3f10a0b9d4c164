"""Tables 4, 5 and 7 from scores with known results."""

import pytest

from zarpipe.cli import main
from zarpipe.config import CdaConfig
from zarpipe.report.dev_tables import TABLE4, TABLE5, TABLE7, write_dev_table
from zarpipe.study.grid import table4_methods, table5_methods, table7_methods

TABLE4_COLUMNS = ["method", "alpha", "zar_f1", "dep_f1", "all_f1", "all_f1_sd", "seeds"]


def write(study, table, methods, seeds=(1, 2), published=False):
    output = study.folder.path / f"{table.name}.csv"
    write_dev_table(table, study.folder, methods, seeds, output, published)
    return output


@pytest.fixture
def table4(study):
    """Masking is best at 0.5 by ZAR, although 0.1 is better by ALL; CDA's alphas are equally good."""
    for seed, shift in ((1, 0.0), (2, 0.02)):
        study.scores("baseline", seed, 0.60 + shift, 0.90, 0.80 + shift)
        study.scores("baseline2x", seed, 0.59, 0.90, 0.80)
        for alpha in ("0.1", "0.5"):
            study.scores(f"cda-all-{alpha}-multi-argmax", seed, 0.61, 0.90, 0.80)
        study.scores("masking-all-0.1", seed, 0.60, 0.95, 0.85)
        study.scores("masking-all-0.5", seed, 0.65 - shift, 0.91, 0.81)
    return table4_methods(["0.5", "0.1"], CdaConfig())


def test_table4_has_the_columns_that_others_rely_on(study, table4, read_csv):
    rows = read_csv(write(study, TABLE4, table4))
    assert list(rows[0]) == TABLE4_COLUMNS
    assert list(rows[0].values()) == ["baseline", "", "61.00", "90.00", "81.00", "1.41", "2"]
    assert list(rows[3].values()) == ["masking", "0.5", "64.00", "91.00", "81.00", "0.00", "2"]


def test_among_equally_good_alphas_the_lowest_is_taken(study, table4, read_csv):
    assert read_csv(write(study, TABLE4, table4))[2]["alpha"] == "0.1"


def test_the_deviation_of_a_single_seed_is_unknown(study, table4, read_csv):
    rows = read_csv(write(study, TABLE4, table4, seeds=[1]))
    assert rows[0]["all_f1_sd"] == ""
    assert rows[0]["seeds"] == "1"


def test_published_numbers_stand_beside_ours(study, table4, read_csv):
    rows = read_csv(write(study, TABLE4, table4, published=True))
    assert list(rows[0])[7:] == [f"published_{name}" for name in TABLE4_COLUMNS[2:6]]
    assert [row["published_zar_f1"] for row in rows] == ["64.08", "63.55", "64.30", "64.89"]
    page = (study.folder.path / "table4.md").read_text(encoding="utf-8")
    assert "**64.89**" in page
    assert "ZAR F1 (paper)" in page


def test_every_single_run_is_listed_in_full_precision(study, table4, read_csv):
    write(study, TABLE4, table4)
    runs = read_csv(study.folder.path / "table4_runs.csv")
    assert len(runs) == 6 * 2
    assert runs[-1]["recipe"] == "masking-all-0.5"
    assert runs[-1]["alpha"] == "0.5"
    assert runs[-1]["seed"] == "2"
    assert float(runs[-1]["zar_f1"]) == pytest.approx(63.0)


def test_table5_chooses_an_alpha_for_each_pos_set(study, read_csv):
    for recipe, zar in (("baseline", 0.6), ("masking-noun-0.1", 0.7), ("masking-noun-1.0", 0.5)):
        study.scores(recipe, 1, zar + 0.00123)
    output = write(study, TABLE5, table5_methods(["0.1", "1.0"], ["noun"]), seeds=[1], published=True)
    rows = read_csv(output)
    assert [(row["pos_set"], row["alpha"], row["zar_f1_display"]) for row in rows] == [
        ("baseline", "", "60.12"),
        ("noun", "0.1", "70.12"),
    ]
    assert float(rows[1]["zar_f1"]) == pytest.approx(70.123)
    assert rows[1]["published_zar_f1_display"] == "64.62"
    assert [run["pos_set"] for run in read_csv(output.with_name("table5_runs.csv"))] == [
        "baseline",
        "noun",
        "noun",
    ]


def test_table7_compares_the_four_ways(study, read_csv):
    methods = table7_methods(["0.5"])
    for place, recipes in enumerate(methods.values()):
        study.scores(recipes[0], 1, 0.5 + place / 100)
    rows = read_csv(write(study, TABLE7, methods, seeds=[1], published=True))
    assert [(row["fill"], row["pick"], row["published_zar_f1_display"]) for row in rows] == [
        ("single", "argmax", "63.59"),
        ("single", "sample", "63.58"),
        ("multi", "argmax", "64.47"),
        ("multi", "sample", "63.18"),
    ]


@pytest.mark.usefixtures("table4")
def test_a_missing_or_foreign_scores_file_is_named(study, capsys):
    arguments = ["report", "table4", "--results", str(study.folder.path), "--alphas", "0.1", "0.5"]
    arguments += ["--seeds", "1", "2", "--output", str(study.folder.path / "table4.csv")]
    path = study.folder.scores("masking-all-0.5", 2, "dev")
    path.write_text("{}")
    assert main(arguments) == 1
    assert f"{path}: not a scores file: 'ZAR' is missing" in capsys.readouterr().err
    path.unlink()
    assert main(arguments) == 1
    assert f"{path}: cannot read this file" in capsys.readouterr().err
    assert not (study.folder.path / "table4.csv").exists()

"""Tables 4, 5, 7 and of architectures from scores with known results."""

import pytest

from zarpipe.report.table import read_table
from zarpipe.study.grid import recipes_in

TABLE4_COLUMNS = ["method", "alpha", "zar_f1", "dep_f1", "all_f1", "all_f1_sd", "seeds"]


def configure(made, alphas, seeds=(1, 2), published=False, **more):
    augmentation = {"alphas": list(alphas), **more.pop("augmentation", {})}
    training, report = {"seeds": list(seeds)}, {"published": published}
    made.configure(augmentation=augmentation, training=training, report=report, **more)
    return made


@pytest.fixture
def table4(made):
    """Masking is best at 0.5 by ZAR, although 0.1 is better by ALL; CDA's alphas are equally good."""
    for seed, shift in ((1, 0.0), (2, 0.02)):
        made.scores("baseline", seed, 0.60 + shift, 0.90, 0.80 + shift)
        made.scores("baseline2x", seed, 0.59, 0.90, 0.80)
        for alpha in ("0.1", "0.5"):
            made.scores(f"cda-all-{alpha}-multi-argmax", seed, 0.61, 0.90, 0.80)
        made.scores("masking-all-0.1", seed, 0.60, 0.95, 0.85)
        made.scores("masking-all-0.5", seed, 0.65 - shift, 0.91, 0.81)
    return configure(made, [0.5, 0.1])


def test_table4_has_the_columns_that_others_rely_on(table4, read_csv):
    rows = read_csv(table4.report("table4"))
    assert list(rows[0]) == TABLE4_COLUMNS
    assert list(rows[0].values()) == ["baseline", "", "61.00", "90.00", "81.00", "1.41", "2"]
    assert list(rows[3].values()) == ["masking", "0.5", "64.00", "91.00", "81.00", "0.00", "2"]
    assert rows[2]["alpha"] == "0.1"  # of equally good ones the lowest


def test_without_a_choice_of_alpha_nothing_is_nested(table4):
    """Not in the cells, the note or the page; and the card has the method that the table has in bold."""
    for alphas, some in (([0.5, 0.1], True), ([0.1], False)):
        configure(table4, alphas).corpus("dev", 9)
        recipes = [recipe.name for recipe in recipes_in(table4.study.grid.table4())]
        table4.runs(dict.fromkeys(recipes, 0.5) | {"baseline2x": 0.9}, "dev")
        table = read_table(table4.report("table4").with_suffix(".json"))
        assert all((row["nested_zar_f1"] is not None) == some for row in table.rows)
        assert ("nested" in table.note) == some
        page = table4.report("index", "index.html").read_text(encoding="utf-8")
        assert ("with SD, SE, nested" in page) == some
        card = page.split("Best method on dev")[1].split("dots")[0]
        assert "baseline2x: ±0.00 against baseline2x" in card
        assert "No augmented recipe has more." in card


def test_the_deviation_of_a_single_seed_is_unknown(table4, read_csv):
    first, *_ = read_csv(configure(table4, [0.5, 0.1], seeds=[1]).report("table4"))
    assert (first["all_f1_sd"], first["seeds"]) == ("", "1")


def test_published_numbers_stand_beside_ours(table4, read_csv):
    output = configure(table4, [0.5, 0.1], published=True).report("table4")
    rows = read_csv(output)
    assert list(rows[0])[7:] == [f"published_{name}" for name in TABLE4_COLUMNS[2:6]]
    assert [row["published_zar_f1"] for row in rows] == ["64.08", "63.55", "64.30", "64.89"]
    page = output.with_suffix(".md").read_text(encoding="utf-8")
    assert "**64.89**" in page
    assert "ZAR F1 (paper)" in page
    papers = {column.paper_for: column.name for column in read_table(output.with_suffix(".json")).columns}
    assert papers == {"": "seeds"} | {name: f"published_{name}" for name in TABLE4_COLUMNS[2:6]}


def test_every_single_run_is_listed_and_the_json_says_which_recipe_stands_in_each_row(table4, read_csv):
    table = read_table(table4.report("table4").with_suffix(".json"))
    runs = read_csv(table4.output("table4_runs.csv"))
    assert len(runs) == 6 * 2
    assert list(runs[-1].values())[:5] == ["masking", "masking-all-0.5", "all", "0.5", "2"]
    assert float(runs[-1]["zar_f1"]) == pytest.approx(63.0)
    recipes = ["baseline", "baseline2x", "cda-all-0.1-multi-argmax", "masking-all-0.5"]
    assert [row["recipe"] for row in table.rows] == recipes


def test_table5_chooses_an_alpha_for_each_pos_set(made, read_csv):
    configure(made, [0.1, 1.0], seeds=[1], published=True, augmentation={"pos_sets": ["noun"]})
    for recipe, zar in (("baseline", 0.6), ("masking-noun-0.1", 0.7), ("masking-noun-1.0", 0.5)):
        made.scores(recipe, 1, zar + 0.00123)
    rows = read_csv(made.report("table5"))
    assert [(row["pos_set"], row["alpha"], row["zar_f1_display"]) for row in rows] == [
        ("baseline", "", "60.12"),
        ("noun", "0.1", "70.12"),
    ]
    assert float(rows[1]["zar_f1"]) == pytest.approx(70.123)
    assert rows[1]["published_zar_f1_display"] == "64.62"
    runs = read_csv(made.output("table5_runs.csv"))
    assert [run["pos_set"] for run in runs] == ["baseline", "noun", "noun"]


def test_a_set_of_ones_own_has_empty_cells_of_the_paper(made, read_csv):
    own = {"augmentation": {"pos_sets": ["adverb"]}, "pos_sets": {"adverb": ["副詞"]}}
    configure(made, [0.5], seeds=[1], published=True, **own)
    made.scores("baseline", 1, 0.6)
    made.scores("masking-adverb-0.5", 1, 0.7)
    baseline, adverb = read_csv(made.report("table5"))
    assert baseline["published_zar_f1_display"] == "64.08"
    assert (adverb["pos_set"], adverb["zar_f1_display"]) == ("adverb", "70.00")
    assert {adverb[name] for name in adverb if name.startswith("published_")} == {""}


def test_table7_compares_the_four_ways(made, read_csv):
    configure(made, [0.5], seeds=[1], published=True)
    for number, (recipe,) in enumerate(made.study.grid.table7().values()):
        made.scores(recipe.name, 1, 0.5 + number / 100)
    rows = read_csv(made.report("table7"))
    assert [(row["fill"], row["pick"], row["published_zar_f1_display"]) for row in rows] == [
        ("single", "argmax", "63.59"),
        ("single", "sample", "63.58"),
        ("multi", "argmax", "64.47"),
        ("multi", "sample", "63.18"),
    ]
    assert [row["zar_f1_display"] for row in rows] == ["50.00", "51.00", "52.00", "53.00"]


def test_architectures_stand_beside_the_usual_one(made, read_csv):
    compare = ["linear", {"pooling": "mean"}]
    study = configure(made, [0.5], seeds=[1], tagger={"compare": compare}).study
    rows = study.grid.table4() | study.grid.architectures()
    for number, (recipe,) in enumerate(rows.values()):
        made.scores(recipe.name, 1, 0.5 + number / 100)
    rows = read_csv(made.report("architectures"))
    methods = ["baseline", "baseline2x", "cda", "masking"]
    kinds = [("bigru", "last", "first"), ("linear", "last", "first"), ("bigru", "last", "mean")]
    assert [(row["architecture"], row["layers"], row["pooling"], row["method"]) for row in rows] == [
        (*kind, method) for kind in kinds for method in methods
    ]
    assert [row["zar_f1_display"] for row in rows] == [f"{50 + number}.00" for number in range(12)]
    assert read_csv(made.output("architectures_runs.csv"))[-1]["recipe"] == "masking-all-0.5-last-meanpool"


def test_a_missing_or_foreign_scores_file_is_named(table4, capsys):
    path = table4.path("scores", "masking-all-0.5", 2, "dev")
    path.write_text("{}")
    table4.report("table4", status=1)
    assert f"{path}: not a scores file: 'ALL' is missing" in capsys.readouterr().err
    path.unlink()
    output = table4.report("table4", status=1)
    assert f"{path}: cannot read this file" in capsys.readouterr().err
    assert not output.exists()


def test_a_folder_that_does_not_say_what_it_is_is_named(made, capsys):
    made.output("study.json").unlink()
    made.report("table4", status=1)
    assert "study.json: no such file; expected the results folder of a study" in capsys.readouterr().err

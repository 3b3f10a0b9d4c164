"""Table 6 and significance.csv: single models and ensembles on the test set."""

import itertools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from tiny_corpora import row as corpus_row
from tiny_corpora import write_rows

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.files import write_json
from zarpipe.report.systems import Systems
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.scores import scores

GOLDEN = Path(__file__).parents[1] / "golden" / "evaluation"
CHOSEN = {"cda": "cda-all-0.5-multi-argmax", "masking": "masking-all_but_verb-0.5"}
METHODS = {"baseline": "baseline", "baseline2x": "baseline2x", **CHOSEN}


def golden_sentence(number, golden, start, end):
    """An instance of the golden cases as a sentence of its own."""
    bunsetsu = golden["bunsetsu"][start:end].tolist()
    heads = dict(zip(bunsetsu, golden["head_of_bunsetsu"][start:end].tolist(), strict=True))
    of_bunsetsu = [heads.get(place, -1) for place in range(max(bunsetsu) + 1)]
    arguments = [
        (CASE_NAMES[label], token)
        for token, label in enumerate(golden["labels"][start:end].tolist())
        if label < 3
    ]
    predicates = {int(golden["predicate"][number]): arguments}
    return corpus_row(str(number), ["語"] * (end - start), predicates, bunsetsu, of_bunsetsu, "golden")


@pytest.mark.parametrize("name", ["ensemble_small", "ensemble_medium"])
def test_ensembles_score_as_the_golden_cases(name, made):
    golden = np.load(GOLDEN / f"{name}.npz")
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    offsets = np.concatenate([[0], np.cumsum(golden["lengths"])])
    rows = [
        golden_sentence(number, golden, offsets[number], offsets[number + 1])
        for number in range(len(golden["lengths"]))
    ]
    seeds = range(1, len(golden["probs"]) + 1)
    for split in ("dev", "test"):
        write_rows(made.path("corpus", split), rows)
        for seed, probabilities in zip(seeds, golden["probs"], strict=True):
            made.write_probabilities("baseline", seed, split, probabilities, offsets)
    study = made.configure(training={"seeds": list(seeds)})
    found = scores(Systems(study).ensemble("baseline").sum(axis=(0, 1)))
    for category, case in itertools.product(("ALL", "DEP", "ZAR"), (*CASE_NAMES, "ALL")):
        of_golden = expected["split"][category][case]
        assert {part: found[category][case][part] for part in of_golden.keys() & {"tp", "fp", "fn"}} == {
            part: of_golden[part] for part in ("tp", "fp", "fn")
        }, (category, case)


@pytest.fixture
def tested(made):
    """Four recipes with two seeds each; masking finds more than the baselines."""
    made.configure(training={"seeds": [1, 2]}, report={"permutations": 500})
    made.corpus("dev", 60, seed=1)
    made.corpus("test", 60, seed=2)
    skills = {"baseline": 0.5, "baseline2x": 0.5, "chosen-cda": 0.5, "chosen-masking": 0.8}
    made.runs(skills, "dev", "test")
    choose(made, CHOSEN)
    return made


def choose(made, chosen):
    write_json(made.output("chosen.json"), {name: {"recipe": recipe} for name, recipe in chosen.items()})


def test_table6_has_single_models_and_ensembles(tested, read_csv):
    rows = read_csv(tested.report("table6"))
    assert [(row["setting"], row["method"], row["recipe"]) for row in rows] == [
        (setting, method, recipe) for setting in ("single", "ensemble") for method, recipe in METHODS.items()
    ]
    assert [row["all_f1_sd"] == "" for row in rows] == [False] * 4 + [True] * 4
    of_seeds = [
        json.loads(tested.path("scores", "chosen-masking", seed, "test").read_text())["ZAR"]["NOM"]["f1"]
        for seed in (1, 2)
    ]
    assert float(rows[3]["zar_nom"]) == pytest.approx(100 * np.mean(of_seeds))


def test_table6_has_the_rows_of_the_paper_when_asked(tested, read_csv):
    tested.configure(training={"seeds": [1, 2]}, report={"published": True})
    rows = read_csv(tested.report("table6"))
    published = [row for row in rows if row["source"] == "published"]
    names = ["Matsubayashi and Inui (2018)", "Omori and Komachi (2019)", "baseline", "cda"]
    names.append("masking-all_but_verb")
    assert [row["method"] for row in published if row["setting"] == "single"] == names
    assert published[0]["zar_f1_display"] == "55.55"
    assert published[0]["zar_dat_display"] == "23"
    assert published[5]["all_f1_sd"] == ""
    assert len(rows) == 8 + 8


PAIRS = [("masking", "baseline2x"), ("cda", "baseline2x"), ("masking", "cda")]
PAIRS += [("masking", "baseline"), ("cda", "baseline"), ("baseline2x", "baseline")]


def test_every_pair_is_tested(tested, read_csv):
    """Masking against CDA is clear: twenty documents, and two seeds that agree."""
    rows = read_csv(tested.report("significance"))
    assert [(row["setting"], row["recipe"], row["other_recipe"], row["category"]) for row in rows] == [
        (setting, METHODS[one], METHODS[other], category)
        for setting in ("single", "ensemble")
        for one, other in PAIRS
        for category in ("ALL", "DEP", "ZAR")
    ]
    table6 = {(row["setting"], row["recipe"]): row for row in read_csv(tested.report("table6"))}
    for row in rows:
        low, middle, high = (float(row[name]) for name in ("ci_low", "difference", "ci_high"))
        assert low < middle < high
        assert middle == pytest.approx(float(row["f1"]) - float(row["other_f1"]))
        for f1, recipe in (("f1", row["recipe"]), ("other_f1", row["other_recipe"])):
            of_table6 = table6[row["setting"], recipe][f"{row['category'].lower()}_f1"]
            assert float(row[f1]) == pytest.approx(float(of_table6))
        assert float(row["p_value"]) <= float(row["p_holm"]) <= 1
        assert (row["instances"], row["documents"], row["permutations"]) == ("120", "20", "500")
    clear = rows[6]
    assert (clear["recipe"], clear["other_recipe"]) == (CHOSEN["masking"], CHOSEN["cda"])
    assert float(clear["p_value"]) == pytest.approx(1 / 501)
    assert float(clear["p_holm"]) == pytest.approx(18 / 501)
    assert clear["seed_pairs_won"] == "100.0"


def test_equal_systems_have_no_interval(tested, read_csv):
    for seed in (1, 2):
        for kind, split in itertools.product(("decisions", "probabilities", "scores"), ("dev", "test")):
            source = tested.path(kind, "baseline", seed, split)
            shutil.copy(source, tested.path(kind, "baseline2x", seed, split))
    rows = [row for row in read_csv(tested.report("significance")) if row["recipe"] == "baseline2x"]
    assert {(row["p_value"], row["p_holm"], row["ci_low"], row["ci_high"]) for row in rows} == {
        ("1.0", "1.0", "", "")
    }
    assert [row["seed_pairs_won"] for row in rows] == ["50.0"] * 6


def test_five_documents_have_no_interval(tested, read_csv):
    """A split of 15 sentences is five documents, whatever its number of instances."""
    tested.corpus("test", 15, seed=2)
    skills = dict.fromkeys(("baseline", "baseline2x", "chosen-cda"), 0.1) | {"chosen-masking": 0.9}
    tested.runs(skills, "test")
    for row in read_csv(tested.report("significance")):
        assert (row["documents"], row["ci_low"], row["ci_high"]) == ("5", "", "")
        assert float(row["p_value"]) > 0.03


def test_probabilities_of_another_corpus_are_refused(tested):
    tested.corpus("test", 59, seed=2)
    with pytest.raises(ZarpipeError, match=r"seed1.probabilities.h5: made from another corpus .*found 120"):
        Systems(tested.study).ensemble("baseline")


@pytest.fixture
def with_named(tested):
    """Beside them three recipes with names, of which `same` chose what masking chose."""
    recipes = {
        "three": {"use": "masking", "draws": 3, "alpha": 0.5},
        "dropped": {"perturb": {"use": "drop", "probability": 0.1}},
        "same": {"use": "masking", "policy": "all_but_verb", "alpha": 0.5},
    }
    tested.configure(training={"seeds": [1, 2]}, report={"permutations": 500}, recipes=recipes)
    skills = {"baseline4x": 0.5, "chosen-three": 0.8, "chosen-dropped": 0.5, "chosen-same": 0.8}
    tested.runs(skills, "dev", "test")
    choose(tested, CHOSEN | NAMED)
    return tested


NAMED = {"three": "masking-all-0.5-draws3", "dropped": "drop-0.1", "same": CHOSEN["masking"]}
WITH_NAMED = {name: name for name in ("baseline", "baseline2x", "baseline4x")} | CHOSEN | NAMED


def test_named_recipes_stand_in_table6_by_their_names(with_named, read_csv):
    rows = read_csv(with_named.report("table6"))
    assert [(row["method"], row["recipe"]) for row in rows] == 2 * [
        (method, recipe) for method, recipe in WITH_NAMED.items()
    ]
    runs = read_csv(with_named.output("table6_runs.csv"))
    assert [run["seed"] for run in runs if run["method"] == "three"] == ["1", "2"]


def test_named_recipes_are_tested_in_every_pair(with_named, read_csv):
    """Seven systems are 21 pairs; a name of a recipe that masking chose as well is no system of its own."""
    rows = read_csv(with_named.report("significance"))
    single = [row for row in rows if row["setting"] == "single"]
    pairs = list(dict.fromkeys((row["recipe"], row["other_recipe"]) for row in single))
    assert len(pairs) == 21 == len({frozenset(pair) for pair in pairs})
    assert len(single) == 3 * 21 == len(rows) / 2
    three, masking, cda = NAMED["three"], CHOSEN["masking"], CHOSEN["cda"]
    fair = [(masking, "baseline2x"), (cda, "baseline2x"), (three, "baseline4x"), ("drop-0.1", "baseline2x")]
    assert pairs[:4] == fair
    assert {(three, masking), (three, cda), (three, "baseline"), ("drop-0.1", three)} <= set(pairs)
    clear = single[3 * pairs.index((three, cda))]
    assert float(clear["p_value"]) == pytest.approx(1 / 501)
    assert float(clear["p_holm"]) == pytest.approx(63 / 501)


def test_figures_page_and_plan_have_named_recipes(with_named, read_csv, capsys):
    """Their variance components, marks in both figures, and the comparison with as many updates in words."""
    with_named.report("significance")
    rows = read_csv(with_named.report("variance"))
    means = [row["recipe"] for row in rows if not row["other_recipe"] and row["category"] == "ZAR"]
    assert means == [recipe for name, recipe in WITH_NAMED.items() if name != "same"]
    assert len(rows) == 3 * (7 + 21)
    for name in ("significance", "variance"):
        svg = with_named.output(f"{name}.svg").read_text(encoding="utf-8")
        assert "masking, all, α 0.5, 3 draws" in svg
        assert "dropped tokens, 0.1" in svg
    with_named.report("table6")
    page = with_named.report("index", "index.html").read_text(encoding="utf-8")
    tests = re.search(r'<table class="tests">(.*?)</table>', page, re.DOTALL)[1]
    assert tests.count("<tr>") == 1 + 2 * 3 * 4
    assert "masking, all, α 0.5, 3 draws</td><td>baseline4x" in tests
    assert "3 draws</td><td>baseline2x" not in tests
    assert re.search(r"(\d+|None) of 24 comparisons with as many updates (is|are) told apart", page)
    assert "Two seeds tell little" in page
    with_named.show()
    assert main(["plan", "--detect", "1", "--results", str(with_named.folder)]) == 0
    assert "masking, all, α 0.5, 3 draws against baseline4x" in capsys.readouterr().out

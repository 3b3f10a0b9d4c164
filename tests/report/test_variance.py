"""Variance components of a study, their figures, and the study that would find a difference."""

import json
import re
from pathlib import Path

import pytest

from zarpipe.cli import main
from zarpipe.config.encoding import TokenEncoding
from zarpipe.files import write_json
from zarpipe.report.names import spoken
from zarpipe.report.planning import Costs, recorded_costs
from zarpipe.report.table import read_table
from zarpipe.study.recipe import BASELINE_TWICE, Recipe, Variant, cda, masking
from zarpipe.task.statistics.components import Components


@pytest.fixture
def table(whole_study):
    return read_table(whole_study.output("variance.json"))


def test_every_system_and_difference_has_the_standard_error_of_its_components(table):
    assert len({(row["recipe"], row["other_recipe"]) for row in table.rows}) == 4 + 6
    assert len(table.rows) == 3 * (4 + 6)
    assert {row["seeds"] for row in table.rows} == {3}
    for row in table.rows:
        parts = [row[name] / 100**2 for name in ("seed", "document", "rest")]
        components = Components(*parts, row["documents"], row["seeds"])
        variance = components.variance(row["documents"], row["seeds"])
        assert row["standard_error"] == pytest.approx(100 * variance**0.5)
        assert (row["detectable"] is None) == (row["other_recipe"] is None)


def test_differences_are_those_of_the_tests(table, whole_study):
    tests = read_table(whole_study.output("significance.json")).rows

    def by_pair(rows, name):
        return {(row["category"], row["recipe"], row["other_recipe"]): row[name] for row in rows}

    found = by_pair([row for row in table.rows if row["other_recipe"]], "f1")
    single = by_pair([row for row in tests if row["setting"] == "single"], "difference")
    assert found == pytest.approx(single)


@pytest.mark.parametrize("name", ["variance", "significance"])
def test_the_figure_is_drawn_twice_the_same(whole_study, name):
    svg = whole_study.output(f"{name}.svg")
    before = svg.read_bytes()
    assert whole_study.output(f"{name}.pdf").read_bytes().startswith(b"%PDF")
    whole_study.report(name)
    assert svg.read_bytes() == before


MIXED = {"architecture": "linear", "states": TokenEncoding(layers="mix", pooling="mean")}
DRAWN = {"draws": 4, "per_epoch": True, "copies": 1, "variant_copies": 2, "stages": "masked_first"}


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        (BASELINE_TWICE, "baseline2x"),
        (masking("all_but_particle", "0.5"), "masking, all but particles, α 0.5"),
        (masking("all_but_verb_symbol", "0.5"), "masking, all but verbs and symbols, α 0.5"),
        (masking("my_own", "0.5"), "masking, my own, α 0.5"),
        (
            Recipe(variant=Variant(method="masking", policy="near", alpha="0.3")),
            "masking, policy near, α 0.3",
        ),
        (cda("all", "0.5", "multi", "argmax"), "CDA, all, α 0.5, all masks at once, most probable word"),
        (
            masking("verb", "0.5").model_copy(update=MIXED),
            "masking, verbs, α 0.5, linear, mix, mean of subwords",
        ),
        (
            masking("all", "0.5").model_copy(update=DRAWN),
            "masking, all, α 0.5, 4 draws, one draw an epoch, ratio 1:2, masked first",
        ),
        (Recipe(perturb={"use": "drop", "probability": 0.1}), "dropped tokens, 0.1"),
    ],
)
def test_recipes_have_names_for_people(recipe, name):
    assert spoken(recipe) == name


def plan(whole_study, capsys, *arguments, show=True):
    if show:
        whole_study.show()
    status = main(["plan", "--detect", *arguments, "--results", str(whole_study.folder)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_large_difference_needs_less_and_seeds_cannot_make_up_for_documents(whole_study, capsys):
    def documents(points):
        status, said, _ = plan(whole_study, capsys, points, "--category", "ALL")
        assert status == 0
        (of_masking, *_) = re.findall(
            r"with 100 seeds: about ([\d,]+) test documents, ([\d,]+) (?:to|and)", said
        )
        number, low = (int(one.replace(",", "")) for one in of_masking)
        assert low <= number
        return number

    assert documents("4") > documents("8")
    _, said, _ = plan(whole_study, capsys, "0.1")
    assert "more seeds alone can never do it" in said
    assert "masking, " in said
    assert (
        said.count("against baseline2x, ZAR F1 on test: 3 seeds and 20 documents find a difference of") == 2
    )
    assert len(re.findall(r"with a power of 0.8 \(95 % interval [\d.]+ to [\d.]+\)", said)) == 2


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            {"seed": None, "document": None, "rest": None},
            "fewer than 6 of 20 documents move the difference, so",
        ),
        ({"seed": None, "rest": None, "seeds": 1}, "one seed does not tell how much seeds differ"),
    ],
)
def test_nothing_is_planned_from_what_cannot_be_estimated(whole_study, capsys, cells, said, table):
    """Case 80: one test document is no reason to find a difference of 0.00 points."""
    whole_study.show()
    shown = whole_study.folder / "variance.json"
    rows = [dict(row) | cells for row in table.rows]
    write_json(shown, json.loads(shown.read_text(encoding="utf-8")) | {"rows": rows})
    status, found, _ = plan(whole_study, capsys, "0.5", show=False)
    assert status == 0
    assert found.count(f"nothing can be planned: {said}") == 2
    assert "with 5 seeds" not in found


def test_the_cost_is_that_of_the_recorded_times(whole_study):
    """A seed of two recipes took 20 and 40 s to train; the three seeds took 6 s to decide each set."""
    jobs, recipe = whole_study.study.jobs, whole_study.study.recipe
    seconds = {jobs.train(recipe("baseline"), 1): 20, jobs.train(recipe("masking-all-0.5"), 1): 40}
    seconds |= {jobs.predict(recipe("baseline"), split): 6 for split in ("dev", "test")}
    for job, taken in seconds.items():
        said = {"rule": job.rule, "name": job.name, "key": job.key, "files": {}}
        write_json(job.path(), said | {"seconds": taken})
    costs = recorded_costs(whole_study.study)
    for job in seconds:
        Path(job.path()).unlink()
    assert costs == Costs(seed=30 + 6 / 3, test=2)
    assert costs.hours(recipes=2, seeds=10, test_sets=4) == pytest.approx(2 * 10 * (32 + 2 * 4) / 3600)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["much"], "--detect: found 'much'; expected a difference in points of F1"),
        (["0"], "--detect: found '0'"),
        (["0.5", "--power", "1"], "--power: found '1'; expected a probability"),
        (["0.5"], "variance.json: no such file; expected a finished study"),
    ],
)
def test_what_cannot_be_planned_is_said(made, capsys, arguments, said):
    status, _, error = plan(made, capsys, *arguments)
    assert status == 1
    assert said in error

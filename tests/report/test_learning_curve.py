"""F1 against the number of training documents: the numbers, and what may be said of them."""

import json
import re

import numpy as np
import pytest

from zarpipe.report.documents_worth import Curves, told_apart
from zarpipe.report.table import two_digits

# F1 (percent) of the baseline with as many updates on 10, 20, 40 and 80 documents.
SIZES = [10, 20, 40, 80]
RISING = [40, 50, 56, 60]
SPREAD = np.linspace(-1, 1, 201)[:, None]  # 95 % of it lies within ±0.95


def curves(method, baseline=RISING, spread=0.4, **changes):
    """Curves of which the draws of the method, but not of the baseline, spread evenly."""
    f1, other = np.array(method) / 100, np.array(baseline) / 100
    given = {
        "category": "ZAR",
        "sizes": SIZES[: len(method)],
        "method": "masking",
        "f1": f1,
        "drawn": f1 + spread / 100 * SPREAD,
        "baseline": other,
        "baseline_drawn": np.tile(other, (len(SPREAD), 1)),
        "documents": 100,
        "units": [3] * len(method),
    }
    (found,) = told_apart([Curves(**given | changes)])
    return found


def test_a_gain_is_told_in_documents():
    """At 10 documents F1 45 is half way to that of 20, on the logarithm: 14.1; 44.62 to 45.38 are around it."""
    worth = curves([45, 55, 58, 61]).worth(0)
    assert worth.more == pytest.approx(10 * 2**0.5 - 10)
    assert worth.more_interval == pytest.approx((10 * 2**0.462 - 10, 10 * 2**0.538 - 10), abs=1e-3)
    assert worth.verdict == (
        "At 10 documents, masking is worth about 4 more documents (95 % interval 4 to 5): +5.00 points of ZAR "
        "F1 (95 % interval +4.62 to +5.38) against the baseline with as many updates."
    )


def test_an_interval_that_leaves_the_curve_says_so():
    worth = curves([45, 55, 59.8, 61], spread=1).worth(2)
    assert worth.more == pytest.approx(40 * 2**0.95 - 40)
    assert worth.more_interval == (pytest.approx(40 * 2**0.7125 - 40, abs=0.1), np.inf)
    assert re.search(r"about 37 more documents \(95 % interval 2[56] to more than 40\)", worth.verdict)


FALLING = {"baseline": [40, 50, 49, 60]}


@pytest.mark.parametrize(
    ("given", "place", "said"),
    [
        (curves([45, 55, 62, 64]), 2, "that is worth more than the 40 further documents of this curve (95 %"),
        # Masking has the baseline's 60 on 40 to 80 documents: between 58 and 62, half way.
        (curves([45, 55, 58, 62]), 3, f"it has with about {round(40 * 2**0.5)} documents already (95 % int"),
        (curves([45, 59, 58, 62]), 3, "; how many more documents that is worth is not known"),
        (curves([45], baseline=[40]), 0, "many more documents that is worth is not known: the curve ends"),
        (curves([40.1, 50, 56, 60]), 0, "is not told apart from nothing: +0.10 points of ZAR F1 (95 % int"),
        (curves([38, 48, 54, 58]), 0, "masking does harm: −2.00 points"),
        (curves([45, 55, 58, 61], **FALLING), 0, "does not rise throughout from there on, so that no number"),
        (curves([45, 55, 58, 61], documents=9), 0, "(9 evaluated documents; 10 are needed), so nothing is"),
        (curves([45, 55, 58, 61], units=[2] * 4), 0, "(2 subsets, or seeds on all documents; 3 are needed"),
    ],
)
def test_what_cannot_be_told_has_no_number(given, place, said):
    worth = given.worth(place)
    assert worth.more is None
    assert said in worth.verdict
    assert ("already" in said) == ("already" in worth.verdict)


def test_all_verdicts_of_a_figure_share_the_level():
    """201 draws, of which three lie beyond zero: p = 0.04, which no family of two stands."""
    one = curves([40 + 0.39, 50, 56, 60])
    assert one.p_value(0) == pytest.approx(2 * 4 / 202)
    assert "not told apart from nothing, corrected for the other sentences: +0.39" in one.worth(0).verdict
    (alone,) = told_apart([curves([40 + 0.39], baseline=[40])])
    assert "helps: +0.39" in alone.worth(0).verdict


def test_estimated_numbers_are_rounded_and_not_cut():
    assert [two_digits(number) for number in (4.68, 4.53, 37.3, 2755)] == ["5", "5", "37", "2,800"]


def test_a_curve_is_read_from_its_highest_point_on():
    assert curves([45, 55, 58, 61], **FALLING).worth(2).more is not None
    assert curves([40.1, 50, 56, 60]).worth(0).interval == pytest.approx((-0.0028, 0.0048))


@pytest.fixture(scope="module")
def made_curve(make_study):
    """Baselines and augmentation of known skill on 4, 10 and 20 documents, three subsets, two seeds."""
    made = make_study("curve")
    study = made.configure(
        augmentation={"alphas": [0.3, 0.5, 0.7], "pos_sets": ["all"]},
        training={"seeds": [1, 2, 3]},
        learning_curve={"fractions": [1, 0.2, 0.5], "masking_alpha": 0.7},
        report={"permutations": 1000},
    )
    made.corpus("train", 60)
    made.corpus("dev", 180, 1)
    gain = {"baseline": 0, "baseline2x": 0.02, "cda": 0.02, "masking": 0.14}
    for method, line in study.grid.learning_curve().items():
        for fraction, recipes in line.items():
            skill = 0.25 + 0.45 * float(fraction) ** 0.5 + gain[method]
            made.runs({recipe.name: skill for recipe in recipes}, "dev")
    made.report("learning_curve")
    return made


def test_the_table_has_each_method_at_each_size(made_curve, read_csv):
    rows = read_csv(made_curve.output("learning_curve.csv"))
    assert [row["category"] for row in rows] == ["ZAR"] * 12 + ["ALL"] * 12
    of_masking = [row for row in rows if (row["method"], row["category"]) == ("masking", "ZAR")]
    names = ("fraction", "documents", "alpha", "trainings", "subsets")
    assert [tuple(row[name] for name in names) for row in of_masking] == [
        ("0.2", "4", "0.7", "9", "3"),
        ("0.5", "10", "0.7", "9", "3"),
        ("1.0", "20", "0.7", "3", "1"),
    ]
    assert {row["alpha"] for row in rows if row["method"] == "cda"} == {"0.5"}
    for row in rows:
        assert float(row["ci_low"]) < float(row["f1"]) < float(row["ci_high"])
        assert (row["difference"] == "") == row["method"].startswith("baseline")
        assert (row["verdict"] == "") == row["method"].startswith("baseline")


def test_the_numbers_are_means_of_the_runs(made_curve, read_csv):
    runs = read_csv(made_curve.output("learning_curve_runs.csv"))
    assert len(runs) == 4 * (3 + 3 + 1) * 3
    for row in read_csv(made_curve.output("learning_curve.csv")):
        column = f"{row['category'].lower()}_f1"
        point = row["method"], row["fraction"]
        of_point = [float(run[column]) for run in runs if (run["method"], run["fraction"]) == point]
        assert float(row["f1"]) == pytest.approx(np.mean(of_point))
        assert float(row["f1_sd"]) == pytest.approx(np.std(of_point, ddof=1))
        assert float(row["f1_se"]) == pytest.approx(np.std(of_point, ddof=1) / len(of_point) ** 0.5)
        assert len(of_point) == int(row["trainings"])
    whole = [run for run in runs if run["fraction"] == "1.0"]
    assert {run["subset_seed"] for run in whole} == {""}
    recipes = {"baseline", "baseline2x", "cda-all-0.5-multi-argmax", "masking-all-0.7"}
    assert {run["recipe"] for run in whole} == recipes


def test_a_strong_gain_is_found_and_none_where_there_is_none(made_curve, read_csv):
    """By how it was made, masking at 4 documents is as good as the baseline at about 11 (of 20)."""
    rows = read_csv(made_curve.output("learning_curve.csv"))
    of_all = [row for row in rows if row["category"] == "ALL"]
    (masking,) = [row for row in of_all if (row["method"], row["fraction"]) == ("masking", "0.2")]
    assert float(masking["difference_low"]) > 0
    assert float(masking["more_low"]) < 7 < float(masking["more_high"] or "inf")
    assert "masking is worth about" in masking["verdict"] or "worth more than" in masking["verdict"]
    of_cda = [row for row in of_all if row["method"] == "cda"]
    assert sum("not told apart from nothing" in row["verdict"] for row in of_cda) >= 2


def test_the_figure_names_its_lines(made_curve):
    output = made_curve.output("learning_curve.csv")
    # Matplotlib writes each text as a comment before its outlines.
    shown = set(re.findall(r"<!-- (.*?) -->", output.with_suffix(".svg").read_text(encoding="utf-8")))
    assert {"baseline", "baseline2x", "cda", "masking", "training documents"} <= shown


def test_the_page_says_the_sentences_and_has_the_figure(made_curve):
    page = made_curve.report("index", "index.html").read_text(encoding="utf-8")
    assert '<section id="learning_curve"' in page
    assert "data:image/svg+xml;base64," in page
    table = json.loads(made_curve.output("learning_curve.json").read_text(encoding="utf-8"))
    told = [row for row in table["rows"] if row["verdict"]]
    assert len(told) == 12
    shown = re.findall(r"<li>(At .*?)</li>", page)
    assert sorted(shown) == sorted(row["verdict"] for row in told if row["told_apart"] == "yes")
    assert "masking" in shown[0]
    others = re.findall(r"<li>Not told apart from the baseline with as many updates: (.*?)</li>", page)
    assert sum(len(re.findall(r"\d+", one)) for one in others) == 12 - len(shown)

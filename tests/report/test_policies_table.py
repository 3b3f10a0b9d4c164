"""policies.csv and its figure: each policy at each alpha, paired to masking of all tokens."""

import re

import pytest

from zarpipe.formats.variant import read_variant, write_variant
from zarpipe.study.grid import recipes_in

SKILLS = {"all": 0.5, "near": 0.9, "verb": 0.5, "": 0.5}


@pytest.fixture
def study(made, request):
    made.configure(
        policies={"near": {"use": "distance"}},
        augmentation={"policies": ["all", "near", "verb"], "pos_sets": ["all"], "alphas": [0.25, 0.5]}
        | {"match": getattr(request, "param", None)},
        training={"seeds": [1, 2]},
        report={"permutations": 200},
    )
    made.corpus("train", 3, 1)
    made.corpus("dev", 60, 2)
    for recipe in recipes_in(made.study.grid.policies()):
        made.runs({recipe.name: SKILLS[recipe.masks]}, "dev")
        if recipe.variant:
            made.variant(recipe)
    return made


def test_every_policy_stands_at_every_alpha_beside_all(study, read_csv):
    rows = read_csv(study.report("policies"))
    # Of 8 tokens an instance the fixture masks 2 at alpha 0.25, 4 at 0.5, and two fewer for verb.
    assert [(row["policy"], row["alpha"], row["masked_percent_display"]) for row in rows] == [
        ("baseline", "", "0.00"),
        ("baseline2x", "", "0.00"),
        ("all", "0.25", "25.00"),
        ("all", "0.5", "50.00"),
        ("near", "0.25", "25.00"),
        ("near", "0.5", "50.00"),
        ("verb", "0.25", "0.00"),
        ("verb", "0.5", "25.00"),
    ]
    f1 = {(row["policy"], row["alpha"]): float(row["zar_f1"]) for row in rows}
    for row in rows:
        assert float(row["zar_f1_low"]) < float(row["zar_f1"]) < float(row["zar_f1_high"])
        if row["policy"] in ("near", "verb"):
            difference = f1[row["policy"], row["alpha"]] - f1["all", row["alpha"]]
            assert float(row["difference"]) == pytest.approx(difference)
            assert float(row["ci_low"]) < difference < float(row["ci_high"])
            assert 0 < float(row["p_value"]) <= 1
        else:
            assert row["difference"] == row["p_value"] == ""
    assert "own_alpha" not in rows[0]
    runs = read_csv(study.output("policies_runs.csv"))
    assert {run["recipe"] for run in runs} >= {"masking-near-0.25", "masking-near-0.5"}
    assert {run["pos_set"] for run in runs if run["policy"] == "near"} == {""}


def test_the_figure_has_every_policy_and_stands_on_the_page(study):
    study.report("policies")
    svg = study.output("policies.svg").read_text(encoding="utf-8")
    assert study.output("policies.pdf").read_bytes().startswith(b"%PDF")
    assert len(re.findall(r'id="line2d_', svg)) > 5
    study.report("index", "index.html")
    page = study.output("index.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="policies"') :]
    assert 'src="data:image/svg+xml;base64,' in section[: section.index("</section>")]
    assert ">near<" in section[: section.index("</section>")]


@pytest.mark.parametrize("study", ["share"], indirect=True)
def test_at_equal_shares_the_table_has_the_alpha_that_was_found(study, read_csv):
    (near,) = [recipe for recipe in study.study.grid.recipes() if recipe.name == "masking-near-0.25-share"]
    path = study.path("variant", near.variant)
    read = read_variant(path)
    names, settings = ["s"] * len(read), {**read.settings, "own_alpha": 1.375}
    write_variant(path, names, [0] * len(read), read.offsets, read.masked, read.corpus, settings=settings)
    rows = read_csv(study.report("policies"))
    found = {(row["policy"], row["alpha"]): row["own_alpha"] for row in rows}
    assert found["near", "0.25"] == "1.375"
    assert found["all", "0.25"] == found["baseline", ""] == ""

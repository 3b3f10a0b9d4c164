"""Figure 3 and the learning curves."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_instances
from zarpipe.formats.history import read_history
from zarpipe.formats.variant import write_variant
from zarpipe.report.figures import learning_curves
from zarpipe.report.table import read_table
from zarpipe.study.grid import recipes_in


def texts(svg):
    """What a figure says: matplotlib writes each text as a comment before its outlines."""
    return re.findall(r"<!-- (.*?) -->", svg.read_text(encoding="utf-8"))


def configure(made, seeds=(1, 2)):
    augmentation = {"alphas": [1.0, 0.5], "pos_sets": ["all", "noun", "all_but_verb"]}
    return made.configure(augmentation=augmentation, training={"seeds": list(seeds)})


@pytest.fixture
def scored(made):
    """Ten sentences of 8 tokens with two predicates: 160 tokens; 2 or 4 of them masked in each instance."""
    study = configure(made)
    made.corpus("train", 10)
    instances = len(read_instances(made.path("corpus", "train")))
    for recipe in recipes_in(study.grid.figure3()):
        for seed in (1, 2):
            made.scores(recipe.name, seed, 0.60 + 0.01 * seed)
        if recipe.variant:
            masked = 2 if recipe.alpha == "0.5" else 4
            offsets = np.arange(instances + 1) * masked
            tokens = np.tile(np.arange(masked), instances)
            path, names = made.path("variant", recipe.variant), ["s"] * instances
            write_variant(path, names, np.full(instances, 6), offsets, tokens, "")
    return made


def test_shares_are_counted_from_the_variants(scored, read_csv):
    output = scored.report("figure3")
    rows = read_csv(output)
    assert [(row["pos_set"], row["alpha"], row["masked_tokens"], row["masked_percent"]) for row in rows] == [
        ("baseline", "", "0", "0.0"),
        ("all", "0.5", "40", "25.0"),
        ("all", "1.0", "80", "50.0"),
        ("all_but_verb", "0.5", "40", "25.0"),
        ("all_but_verb", "1.0", "80", "50.0"),
    ]
    assert float(rows[1]["zar_f1"]) == pytest.approx(61.5)
    assert float(rows[1]["zar_f1_se"]) == pytest.approx(0.5)  # SD of 61 and 62 is 0.7071, over the root of 2
    assert rows[1]["zar_f1_display"] == "61.50 ±0.50"
    table = read_table(output.with_suffix(".json"))
    names = ["pos_set", "alpha", "masked_tokens", "masked_percent", "zar_f1", "zar_f1_se", "seeds"]
    assert [column.name for column in table.columns] == names
    assert table.rows[1]["masked_percent"] == 25.0


def test_own_pos_sets_have_lines_and_with_one_alpha_there_is_no_chart(scored):
    own = {
        "augmentation": {"alphas": [0.5], "pos_sets": ["adverb", "all", "noun"]},
        "pos_sets": {"adverb": ["副詞"]},
    }
    study = scored.configure(**own, training={"seeds": [1, 2]})
    assert list(study.grid.figure3()) == ["baseline", "all", "adverb"]
    only = scored.configure(augmentation={"alphas": [0.5], "pos_sets": ["noun"]}, training={"seeds": [1, 2]})
    assert list(only.grid.figure3()) == ["baseline", "noun"]
    scored.configure(augmentation={"alphas": [0.5], "pos_sets": ["all"]}, training={"seeds": [1, 2]})
    scored.report("figure3")
    page = scored.report("index", "index.html").read_text(encoding="utf-8")
    assert 'id="figure3-chart"' not in page
    assert "This study has one α" in page


def test_the_figure_names_its_lines_and_labels_its_points(scored):
    svg = scored.report("figure3").with_suffix(".svg")
    assert {"baseline", "all", "all but verb"} <= set(texts(svg))
    labels = set(re.findall(r'<g id="([a-z_]+-[01]\.\d+)">', svg.read_text(encoding="utf-8")))
    assert labels == {"all-0.5", "all-1.0", "all_but_verb-0.5", "all_but_verb-1.0"}
    assert "<text" not in svg.read_text(encoding="utf-8")  # outlines: no font needed


def test_equal_numbers_give_equal_bytes(scored):
    output = scored.report("figure3")
    endings = (".svg", ".pdf", ".csv")
    first = [output.with_suffix(ending).read_bytes() for ending in endings]
    scored.report("figure3")
    assert [output.with_suffix(ending).read_bytes() for ending in endings] == first
    assert b"/FontFile2" in first[1]  # TrueType embedded
    assert b"dc:date" not in first[0]


def test_a_single_seed_has_no_standard_error(scored, read_csv):
    configure(scored, seeds=[1])
    assert {row["zar_f1_se"] for row in read_csv(scored.report("figure3"))} == {""}


def test_a_variant_of_another_corpus_is_refused(scored, capsys):
    scored.corpus("train", 11)
    scored.report("figure3", status=1)
    assert "variant.parquet: has 20 instances, expected the 22" in capsys.readouterr().err


def curves(made, recipe, status=0):
    output = made.output("curves.svg")
    arguments = ["--results", str(made.folder), "--recipe", recipe, "--output", str(output)]
    assert main(["report", "learning-curves", *arguments]) == status
    return output


@pytest.mark.parametrize("recipe", ["baseline", "masking-all-0.5", "chosen-cda"])
def test_learning_curves_show_every_seed(made, recipe):
    configure(made)
    for seed in (1, 2):
        made.tagger(recipe, seed)
    output = curves(made, recipe)
    assert {recipe, "seed1", "seed2", "epoch"} <= set(texts(output))
    assert output.with_suffix(".pdf").is_file()


def test_another_recipe_is_refused_with_the_nearest_name(made, capsys):
    configure(made)
    curves(made, "masking-all-0.4", status=1)
    said = capsys.readouterr().err
    assert "masking-all-0.4: not a recipe of the study" in said
    assert "did you mean 'masking-all-0.5'?" in said


def test_learning_curves_depend_on_their_own_trainings(made):
    study = configure(made)
    job = learning_curves.job(study, study.recipe("masking-all-0.5"))
    assert job.name == "learning_curves/masking-all-0.5"
    assert [read.id for read in job.reads] == ["train/masking-all-0.5/seed1", "train/masking-all-0.5/seed2"]
    assert [read.id for read in learning_curves.job(study, "chosen-cda").reads] == ["report/choose"]


def test_histories_are_read_in_percent_and_foreign_ones_named(made, tmp_path):
    made.tagger("baseline", 1, epochs=2)
    history = read_history(made.path("history", "baseline", 1))
    assert (history.epochs, history.loss, history.dev_f1) == ([1, 2], [10.0, 5.0], [10.0, 20.0])
    path = tmp_path / "history.csv"
    path.write_text("epoch,loss\n1,2\n")
    with pytest.raises(ZarpipeError, match=r"history.csv: not a training history .*dev_f1"):
        read_history(path)


# As physicists set it for their papers, and as notebooks set it for themselves.
USER_SETTINGS = """
text.usetex: True
savefig.bbox: tight
lines.linewidth: 4
path.sketch: 1, 100, 2
backend: Qt5Agg
font.size: 30
"""


def test_figures_do_not_read_the_users_settings(made, tmp_path):
    configure(made)
    for seed in (1, 2):
        made.tagger("baseline2x", seed)
    command = [sys.executable, "-m", "zarpipe", "report", "learning-curves", "--results", str(made.folder)]
    command += ["--recipe", "baseline2x", "--output"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "MATPLOTLIB"))}
    subprocess.run([*command, str(tmp_path / "plain.svg")], env=plain, check=True)
    (tmp_path / "matplotlibrc").write_text(USER_SETTINGS)
    changed = plain | {"MPLBACKEND": "module://matplotlib_inline_that_is_not_there.backend_inline"}
    subprocess.run([*command, str(tmp_path / "other.svg")], env=changed, cwd=tmp_path, check=True)
    for ending in (".svg", ".pdf"):
        found = [(tmp_path / name).with_suffix(ending).read_bytes() for name in ("plain", "other")]
        assert found[0] == found[1]

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
from zarpipe.formats.variant import write_variant
from zarpipe.report.figure3 import write_figure3
from zarpipe.report.learning_curves import read_history
from zarpipe.study.grid import figure3_methods

METHODS = figure3_methods(["1.0", "0.5"], ["all", "noun", "all_but_verb"])


def texts(svg):
    """What a figure says: matplotlib writes each text as a comment before its outlines."""
    return re.findall(r"<!-- (.*?) -->", svg.read_text(encoding="utf-8"))


@pytest.fixture
def scored(study):
    """Ten sentences of 8 tokens with two predicates: 160 tokens; 2 or 4 of them masked in each instance."""
    study.corpus("train", 10)
    instances = len(read_instances(study.folder.corpus("train")))
    for recipes in METHODS.values():
        for recipe in recipes:
            for seed in (1, 2):
                study.scores(recipe, seed, 0.60 + 0.01 * seed)
            if recipe != "baseline":
                masked = 2 if recipe.endswith("0.5") else 4
                offsets = np.arange(instances + 1) * masked
                tokens = np.tile(np.arange(masked), instances)
                names = ["s"] * instances
                write_variant(
                    study.folder.variant(recipe), names, np.full(instances, 6), offsets, tokens, "corpus"
                )
    return study


def draw(study):
    output = study.folder.path / "figure3.csv"
    write_figure3(study.folder, METHODS, [1, 2], output)
    return output


def test_shares_are_counted_from_the_variants(scored, read_csv):
    rows = read_csv(draw(scored))
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


def test_the_figure_names_its_lines_and_labels_its_points(scored):
    svg = draw(scored).with_suffix(".svg")
    assert {"baseline", "all", "all but verb"} <= set(texts(svg))
    labels = set(re.findall(r'<g id="([a-z_]+-[01]\.\d+)">', svg.read_text(encoding="utf-8")))
    assert labels == {"all-0.5", "all-1.0", "all_but_verb-0.5", "all_but_verb-1.0"}
    assert "<text" not in svg.read_text(encoding="utf-8")  # outlines: no font needed


def test_equal_numbers_give_equal_bytes(scored):
    output = draw(scored)
    endings = (".svg", ".pdf", ".csv")
    first = [output.with_suffix(ending).read_bytes() for ending in endings]
    draw(scored)
    assert [output.with_suffix(ending).read_bytes() for ending in endings] == first
    assert b"/FontFile2" in first[1]  # TrueType embedded
    assert b"dc:date" not in first[0]


def test_a_single_seed_has_no_standard_error(scored, read_csv):
    output = scored.folder.path / "figure3.csv"
    write_figure3(scored.folder, METHODS, [1], output)
    assert {row["zar_f1_se"] for row in read_csv(output)} == {""}


def test_a_variant_of_another_corpus_is_refused(scored):
    scored.corpus("train", 11)
    with pytest.raises(ZarpipeError, match=r"masking-all-0.5.parquet: has 20 instances, expected the 22"):
        draw(scored)


def test_learning_curves_show_every_seed(study):
    folders = []
    for seed in (1, 2):
        study.tagger("baseline", seed)
        folders.append(str(study.folder.tagger("baseline", seed)))
    output = study.folder.path / "curves.svg"
    assert main(["report", "learning-curves", *folders, "--output", str(output)]) == 0
    assert {"baseline", "seed1", "seed2", "epoch"} <= set(texts(output))
    assert output.with_suffix(".pdf").is_file()


def test_histories_are_read_in_percent(study):
    study.tagger("baseline", 1, epochs=2)
    history = read_history(study.folder.tagger("baseline", 1) / "history.csv")
    assert (history.epochs, history.loss, history.dev_f1) == ([1, 2], [10.0, 5.0], [10.0, 20.0])


def test_a_foreign_history_is_named(tmp_path):
    path = tmp_path / "history.csv"
    path.write_text("epoch,loss\n1,2\n")
    with pytest.raises(ZarpipeError, match=r"history.csv: not a training history .*dev_f1"):
        read_history(path)


# As physicists set it for their papers, and as notebooks set it for themselves.
USER_SETTINGS = """
text.usetex: True
axes.formatter.use_locale: True
savefig.bbox: tight
savefig.transparent: True
lines.linewidth: 4
figure.dpi: 300
path.sketch: 1, 100, 2
backend: Qt5Agg
font.size: 30
"""


@pytest.mark.parametrize(
    "setting", ["backend of a notebook", "file named", "file in the folder", "file of the user"]
)
def test_figures_do_not_read_the_users_settings(setting, study, tmp_path):
    study.tagger("baseline2x", 1, epochs=4)
    command = [sys.executable, "-m", "zarpipe", "report", "learning-curves"]
    command += [str(study.folder.tagger("baseline2x", 1)), "--output"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MPL", "MATPLOTLIB"))
    }
    subprocess.run([*command, str(tmp_path / "plain.svg")], env=environment, check=True)
    place = tmp_path / ("matplotlibrc" if setting == "file in the folder" else "config/matplotlibrc")
    place.parent.mkdir(exist_ok=True)
    place.write_text("" if setting == "backend of a notebook" else USER_SETTINGS)
    changed = {
        "backend of a notebook": {
            "MPLBACKEND": "module://matplotlib_inline_that_is_not_there.backend_inline"
        },
        "file named": {"MATPLOTLIBRC": str(place)},
        "file in the folder": {},
        "file of the user": {"MPLCONFIGDIR": str(place.parent)},
    }
    environment |= changed[setting]
    subprocess.run([*command, str(tmp_path / "other.svg")], env=environment, cwd=tmp_path, check=True)
    for ending in (".svg", ".pdf"):
        plain, other = ((tmp_path / name).with_suffix(ending).read_bytes() for name in ("plain", "other"))
        assert plain == other

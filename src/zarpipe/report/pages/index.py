"""results/index.html: the whole study on one page, to be opened first and sent to a colleague."""

from __future__ import annotations

import csv
import importlib.metadata
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zarpipe import __version__
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.formats.history import read_history
from zarpipe.report.folder import ResultsFolder
from zarpipe.report.pages import write_page
from zarpipe.report.shown_tables import ShownCell, ShownTable, read_shown_table
from zarpipe.study.grid import BASELINE, FIGURE3_POS_SETS

SIGNIFICANT = 0.05
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "h5py", "pyarrow", "snakemake")
_TABLES = ("table1", "table2", "table3", "table4", "table5", "table6", "table7", "significance")
# Dev tables -> the columns that name a row.
_DEV_TABLES = {"table4": ("method",), "table5": ("pos_set",), "table7": ("fill", "pick")}
_CONTENTS = {
    "table4": "Methods",
    "table5": "Parts of speech",
    "figure3": "How much masking",
    "table6": "Test set",
    "significance": "Significance",
    "table7": "CDA",
    "learning": "Learning curves",
    "table1": "Corpus",
    "table2": "Tokens",
    "table3": "Hyper-parameters",
    "settings": "Configuration",
}
_FIGURE3_HEADINGS = ("POS set", "α", "Masked tokens", "Masked (%)", "ZAR F1", "Standard error", "Seeds")
_OTHER_FILES = {
    "figure3.svg": "Figure 3 to print",
    "figure3.pdf": "the same as PDF, fonts embedded",
    "chosen.json": "the recipes that went on to the test set, and the candidates",
    "examples.html": "examples of masked and replaced sentences",
}

Row = dict[str, str]


def write_index(folder: ResultsFolder, config: Config, output: Path) -> None:
    """Write the page from the files of a results folder; what is not there yet is left out.

    Args:
        folder: results folder with tables as CSV and Markdown, ``figure3.csv``, training histories and the
            MLM's manifest.
        config: the configuration that made it, to be shown.
        output: the page; its links are relative to its own folder, which should be the results folder.

    Raises:
        ZarpipeError: a file is damaged.
    """
    tables = {
        name: read_shown_table(path) for name in _TABLES if (path := folder.path / f"{name}.md").is_file()
    }
    rows = {name: _rows(folder.path / f"{name}.csv") for name in (*_TABLES, "figure3")}
    curves = _curves(folder, rows, config.training.seeds)
    has = {*tables, *(name for name, there in (("figure3", rows["figure3"]), ("learning", curves)) if there)}
    write_page(
        output,
        "index.html",
        version=__version__,
        title="Data augmentation for Japanese zero anaphora resolution",
        setting=_setting(config, rows["table1"]),
        contents=[(name, label) for name, label in _CONTENTS.items() if name in has | {"settings"}],
        tables=tables,
        files={name: _files(folder.path, name) for name in (*tables, "figure3")},
        glance=_glance(rows),
        figure3=_figure3(rows["figure3"]) if rows["figure3"] else None,
        figure3_table=_figure3_table(rows["figure3"]),
        significance=[in_words(row) for row in rows["significance"]],
        curves=curves,
        # The page of examples is written beside this one, perhaps later.
        has_examples=(output.parent / "examples.html").is_file(),
        versions=_versions(folder),
        configuration=_configuration(config),
        other_files={name: what for name, what in _OTHER_FILES.items() if (folder.path / name).is_file()},
    )


def _rows(path: Path) -> list[Row]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _files(folder: Path, name: str) -> list[str]:
    names = [f"{name}{ending}" for ending in (".csv", ".md", ".tex", "_runs.csv", ".svg", ".pdf")]
    return [found for found in names if (folder / found).is_file()]


def _setting(config: Config, table1: list[Row]) -> str:
    """Say in one sentence what was run on what."""
    corpus = (
        config.corpus.path
        or "a small corpus that zarpipe makes itself, so the numbers say nothing about Japanese"
    )
    kind = {"ntc": "NAIST Text Corpus format", "knp": "KNP format"}[config.corpus.format]
    sentences = {row["split"]: row["sentences"] for row in table1}
    counts = ", ".join(f"{count} {split}" for split, count in sentences.items())
    mlm = config.mlm.path or "a small model that zarpipe pretrains itself"
    seeds = len(config.training.seeds)
    return (
        f"Corpus: {corpus} ({kind}{f'; sentences: {counts}' if counts else ''}). MLM: {mlm}. "
        f"{seeds} random seed{'s' if seeds > 1 else ''}."
    )


def _glance(rows: Mapping[str, list[Row]]) -> list[dict[str, str]]:
    """Return the few numbers that a reader wants first."""
    cards = []
    for table, key, what in (
        ("table4", "method", "Best method on dev"),
        ("table5", "pos_set", "Best masked POS set on dev"),
    ):
        baseline = [row for row in rows[table] if row[key] == BASELINE]
        others = [row for row in rows[table] if row[key] != BASELINE]
        if baseline and others:
            best = max(others, key=lambda row: float(row["zar_f1"]))
            name = best[key] + (f", α = {best['alpha']}" if best["alpha"] else "")
            cards.append(_card(what, best, baseline[0], name))
    for setting in ("single", "ensemble"):
        of_setting = {
            row["method"]: row
            for row in rows["table6"]
            if (row["setting"], row["source"]) == (setting, "ours")
        }
        if {BASELINE, "masking"} <= set(of_setting):
            masking = of_setting["masking"]
            what = "Test set, single models" if setting == "single" else "Test set, ensemble"
            cards.append(_card(what, masking, of_setting[BASELINE], masking["recipe"]))
    return cards


def _card(what: str, row: Row, baseline: Row, name: str) -> dict[str, str]:
    zar_f1 = float(row["zar_f1"])
    difference = zar_f1 - float(baseline["zar_f1"])
    detail = f"{name}: {_signed(difference)} against the baseline"
    return {"what": what, "value": f"{zar_f1:.2f}", "unit": "ZAR F1", "detail": detail}


def _signed(difference: float) -> str:
    """Write a difference with its sign; a true minus, and none for what is shown as zero."""
    text = f"{difference:+.2f}".replace("-", "−")
    return "±0.00" if text in ("+0.00", "−0.00") else text


def _figure3(rows: list[Row]) -> dict[str, Any]:
    """Return the figure's points, by line, in percent."""
    baseline = next(row for row in rows if row["pos_set"] == BASELINE)
    names = [name for name in FIGURE3_POS_SETS if any(row["pos_set"] == name for row in rows)]
    return {
        "baseline": _point(baseline, "baseline"),
        "lines": [
            {
                "name": name,
                "title": name.replace("_", " "),
                "style": place,
                "points": [_point(row, name.replace("_", " ")) for row in rows if row["pos_set"] == name],
            }
            for place, name in enumerate(names)
        ],
    }


def _point(row: Row, title: str) -> dict[str, Any]:
    error = float(row["zar_f1_se"] or 0)
    spread = f" ± {error:.2f} (standard error, {row['seeds']} seeds)" if row["zar_f1_se"] else " (1 seed)"
    tip = (
        f"{title}{', α = ' + row['alpha'] if row['alpha'] else ''}\nZAR F1 {float(row['zar_f1']):.2f}{spread}"
    )
    if row["alpha"]:
        tip += f"\n{float(row['masked_percent']):.1f} % of tokens masked ({row['masked_tokens']})"
    return {
        "x": round(float(row["masked_percent"]), 4),
        "y": round(float(row["zar_f1"]), 4),
        "se": round(error, 4),
        "label": row["alpha"],
        "tip": tip,
    }


def _figure3_table(rows: list[Row]) -> ShownTable:
    cells = [
        [
            ShownCell(text)
            for text in (
                row["pos_set"],
                row["alpha"],
                row["masked_tokens"],
                f"{float(row['masked_percent']):.2f}",
                f"{float(row['zar_f1']):.2f}",
                f"{float(row['zar_f1_se']):.2f}" if row["zar_f1_se"] else "",
                row["seeds"],
            )
        ]
        for row in rows
    ]
    return ShownTable("Figure 3 in numbers", list(_FIGURE3_HEADINGS), cells, "ZAR F1 on the development set.")


def in_words(row: Row) -> dict[str, Any]:
    """Say what a test found."""
    p = float(row["p_value"])
    difference = float(row["difference"])
    who = "the ensemble" if row["setting"] == "ensemble" else "single models"
    category = {"ALL": "all arguments (ALL)", "ZAR": "zero arguments (ZAR)"}.get(
        row["category"], row["category"]
    )
    text = (
        f"{category[0].upper()}{category[1:]}, {who}: {row['recipe']} has {float(row['f1']):.2f} F1, "
        f"{row['other_recipe']} {float(row['other_f1']):.2f}; a difference of {_signed(difference)} points "
        f"(95 % confidence interval {_signed(float(row['ci_low']))} to {_signed(float(row['ci_high']))}, "
        f"p = {p:.4f})."
    )
    significant = p < SIGNIFICANT
    better = f"{row['recipe'] if difference > 0 else row['other_recipe']} is better"
    verdict = f"Significant: {better}." if significant else "Not significant: this could well be chance."
    return {"text": text, "significant": significant, "verdict": verdict}


def _curves(folder: ResultsFolder, rows: Mapping[str, list[Row]], seeds: list[int]) -> list[dict[str, Any]]:
    """Return the trainings of the recipes that stand in the dev tables, F1 in percent."""
    recipes = dict.fromkeys(
        recipe
        for table, keys in _DEV_TABLES.items()
        for recipe in _recipes(rows[table], _rows(folder.path / f"{table}_runs.csv"), keys)
    )
    curves = []
    for recipe in recipes:
        paths = [folder.tagger(recipe, seed) / "history.csv" for seed in seeds]
        histories = [read_history(path) for path in paths if path.is_file()]
        if histories:
            lines = [
                {
                    "f1": [round(f1, 2) for f1 in one.dev_f1],
                    "loss": [float(f"{loss:.4g}") for loss in one.loss],
                }
                for one in histories
            ]
            curves.append({"name": recipe, "seeds": lines})
    return curves


def _recipes(table: list[Row], runs: list[Row], keys: tuple[str, ...]) -> list[str]:
    """Find the recipe of each row of a dev table among its single runs."""
    by_row = {(*(run[key] for key in keys), run["alpha"]): run["recipe"] for run in runs}
    found = (by_row.get((*(row[key] for key in keys), row["alpha"])) for row in table)
    return [recipe for recipe in found if recipe]


def _versions(folder: ResultsFolder) -> dict[str, str]:
    versions = {"zarpipe": __version__, "Python": platform.python_version()}
    for name in LIBRARIES:
        versions[name] = importlib.metadata.version(name)
    manifest = folder.mlm_manifest()
    if manifest.is_file():
        read = read_json(manifest)
        if not isinstance(read, dict):
            raise ZarpipeError(f"{manifest}: not a manifest; make it again with `zarpipe describe-mlm`")
        versions |= {
            f"MLM {key}": str(value) for key, value in read.items() if isinstance(value, (str, int, float))
        }
    return versions


def _configuration(config: Config) -> dict[str, dict[str, str]]:
    """Return every key as text, by section; what stands at the top level comes first."""
    values = config.model_dump(mode="json")
    top = {key: _text(value) for key, value in values.items() if not isinstance(value, dict)}
    sections = {key: dict(_flat(value)) for key, value in values.items() if isinstance(value, dict)}
    return {"top level": top, **sections}


def _flat(section: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in section.items():
        found += (
            _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, _text(value))]
        )
    return found


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)

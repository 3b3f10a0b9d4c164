"""index.html: the whole study on one page, to be opened first and sent to a colleague."""

from __future__ import annotations

import base64
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import __version__
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.report.figures import antecedents, figure3, learning_curve
from zarpipe.report.pages import antecedents_sheet, examples
from zarpipe.report.table import Cell, CellRow, Table, read_table, shown_rows, with_ending
from zarpipe.report.tables import (
    TABLES,
    Output,
    files,
    significance,
    table1,
    table4,
    table5,
    table6,
    wanted_tables,
)
from zarpipe.report.tables import job as table_job
from zarpipe.study.digests import code_digest, package_files_digest
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import BASELINE, BASELINE_TWICE, Recipe
from zarpipe.study.specs import dumped, versions
from zarpipe.task.statistics.comparison import MIN_DOCUMENTS

if TYPE_CHECKING:
    from zarpipe.study.study import Input, Study

NAME = "index"
KIND = "page"
TITLE = "Data augmentation for Japanese zero anaphora resolution"
SHOWS = "All tables and figures"
CAPTION = """\
The whole study on one page: sortable tables, Figure 3, learning curves, the significance in words,
configuration and versions. It needs no network and no other file.
"""
ENDINGS = (".html",)
SIGNIFICANT = 0.05
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "h5py", "pyarrow", "snakemake")
# How a section is shown if not as a table: name -> template in templates/sections.
_SECTIONS = {
    antecedents.NAME: "antecedents.html",
    figure3.NAME: "figure3.html",
    learning_curve.NAME: "learning_curve.html",
    significance.NAME: "significance.html",
}
# What others are compared with at a glance: the one with as many updates, where a table has it.
_BASELINES = (BASELINE_TWICE.name, BASELINE.name)
# What is compared with a baseline at a glance: the table -> (what it says, columns that name a row).
_AT_A_GLANCE = {
    table4.NAME: ("Best method on dev", "method"),
    table5.NAME: ("Best masked POS set on dev", "pos_set"),
}
_CATEGORIES = {
    "ALL": "All arguments (ALL)",
    "DEP": "Arguments in a direct dependency (DEP)",
    "ZAR": "Zero arguments (ZAR)",
}
_FORMATS = {"ntc": "NAIST Text Corpus format", "knp": "KNP format"}
_OTHER_FILES = {
    "figure3.svg": "Figure 3 to print",
    "figure3.pdf": "the same as PDF, fonts embedded",
    "chosen.json": "the recipes that went on to the test set, and the candidates",
    "examples.html": "examples of masked and replaced sentences",
    "antecedents-sheet.html": "refilled sentences, for a person to judge whether the antecedent changed",
}


def inputs(study: Study) -> list[Input]:
    """Return the files that the page reads or leads to."""
    from zarpipe.study.study import Input  # loads more than the commands need

    return [
        *(
            Input(path, table_job(module, study))
            for module in wanted_tables(study).values()
            for path in files(module, study)
        ),
        *study.histories(_shown_recipes(study)),
        study.chosen(),
        Input(study.layout.examples(), examples.job(study)),
        *(Input(path, antecedents_sheet.job(study)) for path in _sheet(study)),
        study.mlm()[0],
    ]


def spec(study: Study) -> dict[str, Any]:
    """Return what the page depends on besides its inputs: it shows the whole configuration."""
    return {
        "configuration": dumped(study.config, "results"),
        "words": {name: [module.CONTENTS, guide(module)] for name, module in wanted_tables(study).items()},
        "code": code_digest(__name__),
        "templates": package_files_digest("report/templates"),
        "libraries": versions(*LIBRARIES),
    }


def job(study: Study) -> Job:
    """Return the job that writes the page."""
    return Job(NAME, spec(study), [read.job for read in inputs(study)])


def write_index(study: Study, output: Path) -> None:
    """Write the page from the files of a results folder; what is not there yet is left out.

    Args:
        study: the study, with tables as JSON, training histories and the MLM's manifest.
        output: the page; its links are relative to its own folder, which should be the results folder.

    Raises:
        ZarpipeError: a file is damaged.
    """
    from zarpipe.report.pages.page import write_page  # loads jinja2

    folder = Path(study.layout.results)
    tables = {
        name: read_table(path)
        for name in wanted_tables(study)
        if (path := Path(study.layout.table(name, ".json"))).is_file()
    }
    curves = _curves(study, tables)
    sections = [_section(TABLES[name], table, folder) for name, table in tables.items()]
    contents = [(section["name"], section["contents"]) for section in sections]
    contents += [("learning", "Trainings by epoch")] if curves else []
    write_page(
        output,
        "index.html",
        version=__version__,
        title=TITLE,
        setting=_setting(study.config, tables.get(table1.NAME)),
        contents=[*contents, ("settings", "Configuration")],
        sections=sections,
        glance=_glance(tables),
        curves=curves,
        # The page of examples is written beside this one, perhaps later.
        has_examples=with_ending(output.with_name(examples.NAME), ".html").is_file(),
        versions=_versions(study),
        configuration=_configuration(study.config),
        other_files={name: what for name, what in _OTHER_FILES.items() if (folder / name).is_file()},
    )


def guide(module: Output) -> str:
    """Return what the page says above a table: how to read it, else its caption."""
    return str(getattr(module, "GUIDE", module.CAPTION)).strip()


def _section(module: Output, table: Table, folder: Path) -> dict[str, Any]:
    """Return what the template shows of a table or figure."""
    names = [f"{module.NAME}{ending}" for ending in module.ENDINGS]
    section = {
        "name": module.NAME,
        "template": f"sections/{_SECTIONS.get(module.NAME, 'table.html')}",
        "contents": module.CONTENTS,
        "guide": guide(module),
        "title": module.TITLE,
        "table": table,
        "rows": shown_rows(table),
        "files": [name for name in names if (folder / name).is_file()],
    }
    if module.NAME == figure3.NAME:
        section["chart"] = _chart(table)
    if module.NAME == antecedents.NAME:
        section["words"] = antecedents.in_words(table)
        section["picture"] = _picture(folder / f"{module.NAME}.svg")
        section["rows"] = shown_rows(replace(table, rows=antecedents.main_rows(table.rows)))
    if module.NAME == learning_curve.NAME:
        section["verdicts"] = learning_curve.verdicts(table)
        section["picture"] = _picture(folder / f"{module.NAME}.svg")
    if module.NAME == significance.NAME:
        section["tests"] = [in_words(row) for row in _fair(table.rows)]
    return section


def _picture(path: Path) -> str:
    """Return a figure as text that stands in the page itself; empty while there is none."""
    return base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""


def _fair(rows: Sequence[CellRow]) -> list[CellRow]:
    """Return the comparisons with the baseline that has as many updates; all others stand in the table."""
    return [row for row in rows if row["other_recipe"] == BASELINE_TWICE.name]


def _setting(config: Config, counts: Table | None) -> str:
    """Say in one sentence what was run on what."""
    corpus = (
        config.corpus.path
        or "a small corpus that zarpipe makes itself, so the numbers say nothing about Japanese"
    )
    kind = _FORMATS.get(config.corpus.format, f"format {config.corpus.format}")
    sentences = {row["split"]: row["sentences"] for row in counts.rows} if counts else {}
    counted = ", ".join(f"{count} {split}" for split, count in sentences.items())
    mlm = config.mlm.path or "a small model that zarpipe pretrains itself"
    seeds = len(config.training.seeds)
    return (
        f"Corpus: {corpus} ({kind}{f'; sentences: {counted}' if counted else ''}). MLM: {mlm}. "
        f"{seeds} random seed{'s' if seeds > 1 else ''}."
    )


def _glance(tables: Mapping[str, Table]) -> list[dict[str, str]]:
    """Return the few numbers that a reader wants first."""
    cards = []
    for name, (what, key) in _AT_A_GLANCE.items():
        rows = {row["recipe"]: row for row in tables[name].rows} if name in tables else {}
        baselines = [rows.pop(name, None) for name in _BASELINES]
        baseline = next(filter(None, baselines), None)
        if baseline and rows:
            best = max(rows.values(), key=lambda row: _number(row["zar_f1"]))
            alpha = f", α = {best['alpha']}" if best["alpha"] else ""
            cards.append(_card(what, best, baseline, f"{best[key]}{alpha}"))
    for setting, what in (("single", "Test set, single models"), ("ensemble", "Test set, ensemble")):
        rows = _ours(tables.get(table6.NAME), setting)
        baseline = next((rows[name] for name in _BASELINES if name in rows), None)
        if baseline and "masking" in rows:
            masking = rows["masking"]
            cards.append(_card(what, masking, baseline, str(masking["recipe"])))
    return cards


def _ours(table: Table | None, setting: str) -> dict[Cell, CellRow]:
    """Return our rows of a setting of Table 6 by method."""
    rows = table.rows if table else ()
    return {row["method"]: row for row in rows if (row["setting"], row["source"]) == (setting, "ours")}


def _card(what: str, row: CellRow, baseline: CellRow, name: str) -> dict[str, str]:
    zar_f1 = _number(row["zar_f1"])
    difference = zar_f1 - _number(baseline["zar_f1"])
    detail = f"{name}: {_signed(difference)} against {baseline['recipe']}"
    return {"what": what, "value": f"{zar_f1:.2f}", "unit": "ZAR F1", "detail": detail}


def _number(cell: Cell) -> float:
    return float(cell or 0)


def _signed(difference: float) -> str:
    """Write a difference with its sign; a true minus, and none for what is shown as zero."""
    text = f"{difference:+.2f}".replace("-", "−")
    return "±0.00" if text in ("+0.00", "−0.00") else text


def _chart(table: Table) -> dict[str, Any]:
    """Return Figure 3's points, by line, in percent."""
    lines: dict[Cell, list[CellRow]] = {}
    for row in table.rows:
        lines.setdefault(row["pos_set"], []).append(row)
    (baseline,) = lines.pop(BASELINE.name)
    return {
        "baseline": _point(baseline),
        "lines": [
            {
                "name": name,
                "title": _title(name),
                "style": number,
                "points": [_point(row) for row in rows],
            }
            for number, (name, rows) in enumerate(lines.items())
        ],
    }


def _point(row: CellRow) -> dict[str, Any]:
    zar_f1, error, percent = (_number(row[name]) for name in ("zar_f1", "zar_f1_se", "masked_percent"))
    spread = f" ± {error:.2f} (standard error, {row['seeds']} seeds)"
    alpha = f", α = {row['alpha']}" if row["alpha"] else ""
    lines = [
        f"{_title(row['pos_set'])}{alpha}",
        f"ZAR F1 {zar_f1:.2f}{' (1 seed)' if row['zar_f1_se'] is None else spread}",
    ]
    if row["alpha"]:
        lines.append(f"{percent:.1f} % of tokens masked ({row['masked_tokens']})")
    return {
        "x": round(percent, 4),
        "y": round(zar_f1, 4),
        "se": round(error, 4),
        "label": row["alpha"],
        "tip": "\n".join(lines),
    }


def _title(pos_set: Cell) -> str:
    return str(pos_set).replace("_", " ")


def in_words(row: CellRow) -> dict[str, Any]:
    """Say what a test found, and no more: its correction for all tests decides, and a wide interval shows."""
    who = "the ensemble" if row["setting"] == "ensemble" else "single models"
    category = str(row["category"])
    text = (
        f"{_CATEGORIES.get(category, category)}, {who}: {row['recipe']} has {_number(row['f1']):.2f} F1, "
        f"{row['other_recipe']} {_number(row['other_f1']):.2f}; a difference of "
        f"{_signed(_number(row['difference']))} points ({_chance(row)})."
    )
    significant = _number(row["p_holm"]) <= SIGNIFICANT
    return {"text": text, "significant": significant, "verdict": _verdict(row, significant)}


def _chance(row: CellRow) -> str:
    """Say how likely chance is; at the resolution of the permutations p is only known to be at most that."""
    limit = 1 / (1 + _number(row["permutations"]))
    p = _number(row["p_value"])
    said = f"p ≤ {limit:.1g}" if p <= limit * (1 + 1e-9) else f"p = {p:.4f}"
    return f"{said}; corrected for the other tests, {_number(row['p_holm']):.4f}"


def _verdict(row: CellRow, significant: bool) -> str:
    documents = int(_number(row["documents"]))
    if documents < MIN_DOCUMENTS:
        return f"Too few documents for a test: {documents}, at least {MIN_DOCUMENTS} are needed."
    if row["ci_low"] is None:
        return "The documents do not differ, so there is no interval."
    interval = f"{_signed(_number(row['ci_low']))} to {_signed(_number(row['ci_high']))}"
    if not significant:
        return f"Not told apart from {row['other_recipe']}: {interval}."
    better, other = row["recipe"], row["other_recipe"]
    if _number(row["difference"]) < 0:
        better, other = other, better
    return f"{better} is better than {other}: {interval}."


def _curves(study: Study, tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return the trainings of the recipes that stand in the tables, F1 in percent."""
    from zarpipe.formats.history import read_history

    in_tables = {row.get("recipe") for table in tables.values() for row in table.rows}
    curves = []
    for recipe in _shown_recipes(study):
        paths = [Path(study.layout.history(recipe.name, seed)) for seed in study.seeds]
        histories = [read_history(path) for path in paths if path.is_file()]
        if recipe.name in in_tables and histories:
            curves.append({"name": recipe.name, "seeds": [_curve(one.dev_f1, one.loss) for one in histories]})
    return curves


def _sheet(study: Study) -> list[str]:
    """Return the files of the sheet that the page leads to, if the study has one."""
    return antecedents_sheet.files(study) if antecedents_sheet.wanted(study) else []


def _shown_recipes(study: Study) -> list[Recipe]:
    """Return the recipes whose trainings the page may show; what has not seen a fold only measures."""
    folds = study.grid.fold_taggers()
    return [recipe for recipe in study.grid.recipes() if recipe not in folds]


def _curve(dev_f1: Sequence[float], loss: Sequence[float]) -> dict[str, list[float]]:
    return {"f1": [round(value, 2) for value in dev_f1], "loss": [float(f"{value:.4g}") for value in loss]}


def _versions(study: Study) -> dict[str, str]:
    found = {"zarpipe": __version__, "Python": platform.python_version(), **versions(*LIBRARIES)}
    manifest = Path(study.layout.mlm_manifest())
    if manifest.is_file():
        read = read_json(manifest)
        if not isinstance(read, dict):
            raise ZarpipeError(f"{manifest}: not a manifest; make it again with `zarpipe describe-mlm`")
        found |= {
            f"MLM {key}": str(value) for key, value in read.items() if isinstance(value, (str, int, float))
        }
    return found


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

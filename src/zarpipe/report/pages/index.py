"""index.html: the whole study on one page, to be opened first and sent to a colleague."""

from __future__ import annotations

import base64
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import __version__, seals
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.report.figures import antecedents, figure3, learning_curve
from zarpipe.report.names import spoken_names, spoken_pos_set, with_spoken_names
from zarpipe.report.pages import antecedents_sheet, examples
from zarpipe.report.pages.facts import facts
from zarpipe.report.pages.glance import glance
from zarpipe.report.pages.words import in_words, number, shown_p, signed, verdict
from zarpipe.report.significance import fair_comparisons
from zarpipe.report.table import (
    Cell,
    CellRow,
    Column,
    ShownCell,
    Table,
    constant_columns,
    constant_sentences,
    full_csv,
    latex,
    read_table,
    shown_rows,
    with_ending,
)
from zarpipe.report.tables import (
    TABLES,
    Output,
    files,
    policies,
    significance,
    table1,
    variance,
    wanted_tables,
)
from zarpipe.report.tables import job as table_job
from zarpipe.study.digests import code_digest, package_files_digest
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import BASELINE, Recipe
from zarpipe.study.specs import dumped, versions

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
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy", "h5py", "pyarrow", "snakemake")
# How a section is shown if not as a table: name -> template in templates/sections.
_SECTIONS = {
    antecedents.NAME: "antecedents.html",
    figure3.NAME: "figure3.html",
    learning_curve.NAME: "learning_curve.html",
    policies.NAME: "policies.html",
    significance.NAME: "significance.html",
    variance.NAME: "variance.html",
}
# Columns that divide the rows, behind those that name them.
_ASPECTS = ("setting", "source", "category")
_OTHER_FILES = {
    "significance.svg": "all differences with their intervals, to print",
    "significance.pdf": "the same as PDF, fonts embedded",
    "variance.svg": "variance components to print",
    "variance.pdf": "the same as PDF, fonts embedded",
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
    names = spoken_names(study)
    sections = [_section(TABLES[name], table, study) for name, table in tables.items()]
    contents = [(section["name"], section["contents"]) for section in sections]
    contents += [("learning", "Trainings by epoch")] if curves else []
    write_page(
        output,
        "index.html",
        version=__version__,
        title=TITLE,
        facts=facts(study, tables.get(table1.NAME), [folder / f"{name}.json" for name in tables]),
        contents=[*contents, ("settings", "Configuration")],
        sections=sections,
        glance=glance(tables, names),
        curves=curves,
        # The page of examples is written beside this one, perhaps later.
        has_examples=with_ending(output.with_name(examples.NAME), ".html").is_file(),
        versions=_versions(study),
        configuration=_configuration(study.config),
        other_files={name: what for name, what in _OTHER_FILES.items() if _is_there(folder / name)},
    )


def guide(module: Output) -> str:
    """Return what the page says above a table: how to read it, else its caption."""
    return str(getattr(module, "GUIDE", module.CAPTION)).strip()


def _is_there(file: Path) -> bool:
    """Tell whether there is a file to link to, sound as far as its seal tells."""
    seals.check(file)
    return file.is_file()


def _section(module: Output, table: Table, study: Study) -> dict[str, Any]:
    """Return what the template shows of a table or figure."""
    folder, names = Path(study.layout.results), spoken_names(study)
    if module.NAME == antecedents.NAME:  # the file has many more
        table = replace(table, rows=antecedents.main_rows(table.rows))
    files_of_module = [f"{module.NAME}{ending}" for ending in module.ENDINGS]
    constant = constant_columns(table)
    section = {
        "name": module.NAME,
        "template": f"sections/{_SECTIONS.get(module.NAME, 'table.html')}",
        "contents": module.CONTENTS,
        "guide": guide(module),
        "title": module.TITLE,
        "table": table,
        "columns": _page_columns([column for column in table.own_columns if column not in constant]),
        "constant": constant_sentences(table, constant),
        "rows": [
            _shown_cells(row, shown, names, study.config.report.permutations)
            for row, shown in zip(table.rows, shown_rows(table), strict=True)
        ],
        "texts": {"CSV": full_csv(table), "LaTeX": latex(table)},
        "files": [name for name in files_of_module if _is_there(folder / name)],
    }
    if module.NAME == figure3.NAME:
        section["chart"] = _chart(table)
    if module.NAME == antecedents.NAME:
        section["words"] = antecedents.in_words(table)
    if module.NAME in (antecedents.NAME, learning_curve.NAME, policies.NAME, variance.NAME):
        section["picture"] = _picture(folder / f"{module.NAME}.svg")
    if module.NAME == learning_curve.NAME:
        section["verdicts"] = learning_curve.verdicts(table)
    if module.NAME == significance.NAME:
        section["tests"] = [in_words(with_spoken_names(row, names)) for row in _fair(table.rows, study)]
        section["forest"] = _forest(table, names)
    return section


def _page_columns(columns: Sequence[Column]) -> list[Column]:
    """Put first what a row is about: the first column stays in sight when the others scroll."""
    return sorted(columns, key=lambda column: column.has_numbers + (column.name in _ASPECTS) / 2)


def _shown_cells(
    row: CellRow, shown: Mapping[str, ShownCell], names: Mapping[str, str], permutations: int
) -> dict[str, ShownCell]:
    """Return the cells as the page shows them: recipes by their names for people, p as far as it is known."""
    cells = dict(shown)
    for key in ("recipe", "other_recipe"):
        if key in cells:
            cells[key] = ShownCell(names.get(cells[key].text, cells[key].text), cells[key].best)
    if "pos_set" in cells:
        cells["pos_set"] = ShownCell(spoken_pos_set(cells["pos_set"].text), best=False)
    if row.get("p_value") is not None:
        for key in ("p_value", "p_holm"):
            if key in cells:
                cells[key] = ShownCell(shown_p({"permutations": permutations, **row}, key), best=False)
    return cells


def _picture(path: Path) -> str:
    """Return a figure as text that stands in the page itself; empty while there is none."""
    return base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""


def _fair(rows: Sequence[CellRow], study: Study) -> list[CellRow]:
    """Return the comparisons with the baseline that has as many updates; all others stand in the table."""
    fair = fair_comparisons(study)
    return [row for row in rows if (row["recipe"], row["other_recipe"]) in fair]


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
    zar_f1, error, percent = (number(row[name]) for name in ("zar_f1", "zar_f1_se", "masked_percent"))
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


def _forest(table: Table, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what the forest plot shows: a line per difference, and all that is known of it."""
    return [_difference(with_spoken_names(row, names)) for row in table.rows]


def _difference(row: CellRow) -> dict[str, Any]:
    label = f"{row['recipe']} − {row['other_recipe']}"
    ends = [None if row[name] is None else round(number(row[name]), 4) for name in ("ci_low", "ci_high")]
    setting = "ensembles" if row["setting"] == "ensemble" else "single models"
    lines = [
        f"{row['category']}, {setting}",
        label,
        f"{signed(number(row['difference']))} points of F1. {verdict(row)}",
        f"p {_with_sign(shown_p(row, 'p_value'))}, corrected {_with_sign(shown_p(row, 'p_holm'))}",
    ]
    return {
        "category": row["category"],
        "setting": setting,
        "label": label,
        "difference": round(number(row["difference"]), 4),
        "low": ends[0],
        "high": ends[1],
        "tip": "\n".join(lines),
    }


def _with_sign(p: str) -> str:
    return p if p.startswith("≤") else f"= {p}"


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
        seals.check(manifest)
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

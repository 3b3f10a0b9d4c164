"""index.html: the whole study on one page, to be opened first and sent to a colleague."""

from __future__ import annotations

import base64
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zarpipe import __version__, job_folders
from zarpipe.config import Config
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json
from zarpipe.report.names import spoken_names, spoken_pos_set
from zarpipe.report.pages import antecedents_sheet, examples
from zarpipe.report.pages.facts import facts
from zarpipe.report.pages.glance import glance
from zarpipe.report.pages.words import shown_p
from zarpipe.report.table import (
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
)
from zarpipe.report.tables import TABLES, Output, files, is_wanted, kind, wanted_tables
from zarpipe.report.tables import job as table_job
from zarpipe.study.code import code_digest, package_files_digest
from zarpipe.study.recipe import Recipe
from zarpipe.study.stages import dumped, versions
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
# Columns that divide the rows, behind those that name them.
_ASPECTS = ("setting", "source", "category")
# What no section links to.
_OTHER_FILES = {
    "chosen.json": "the recipes that went on to the test set, and the candidates",
    "examples.html": "examples of masked and replaced sentences",
    "antecedents-sheet.html": "refilled sentences, for a person to judge whether the antecedent changed",
}


def inputs(study: Study) -> list[Input]:
    """Return the files that the page reads or leads to."""
    return [
        *(
            Input(made.path(file), made)
            for module in wanted_tables(study).values()
            for made in [table_job(module, study)]
            for file in files(module)
        ),
        *study.histories(_shown_recipes(study)),
        study.chosen(),
        *(Input(made.path(), made) for made in (table_job(page, study) for page in _pages(study))),
        study.mlm(),
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


def write_index(study: Study, output: Path) -> None:
    """Write the page from the files of a results folder; what is not there yet is left out."""
    from zarpipe.report.pages.page import write_page  # loads jinja2

    made = _made(study)
    tables = {
        name: read_table(made[f"{name}.json"])
        for name in wanted_tables(study)
        if made[f"{name}.json"].is_file()
    }
    curves = _curves(study, tables)
    names = spoken_names(study)
    sections = [_section(TABLES.load(name), table, study, made) for name, table in tables.items()]
    contents = [(section["name"], section["contents"]) for section in sections]
    contents += [("learning", "Trainings by epoch")] if curves else []
    write_page(
        output,
        "index.html",
        version=__version__,
        title=TITLE,
        facts=facts(study, tables.get("table1"), [made[f"{name}.json"] for name in tables]),
        contents=[*contents, ("settings", "Configuration")],
        sections=sections,
        glance=glance(tables, names),
        curves=curves,
        has_examples=made["examples.html"].is_file(),
        versions=_versions(study),
        configuration=_configuration(study.config),
        other_files={name: what for name, what in _OTHER_FILES.items() if _is_there(made.get(name))},
    )


def guide(module: Output) -> str:
    """Return what the page says above a table: how to read it, else its caption."""
    return str(getattr(module, "GUIDE", module.CAPTION)).strip()


def _made(study: Study) -> dict[str, Path]:
    """Return where the files that people find beside the page were made, by their names."""
    found = {"chosen.json": Path(study.chosen().path)}
    for module in [*wanted_tables(study).values(), *_pages(study)]:
        job = table_job(module, study)
        found |= {file: Path(job.path(file)) for file in files(module)}
    return found


def _is_there(file: Path | None) -> bool:
    """Tell whether there is a file to link to, which must be what its job wrote."""
    return file is not None and (job_folders.check(file) or file.is_file())


def _section(module: Output, table: Table, study: Study, made: Mapping[str, Path]) -> dict[str, Any]:
    """Return what the template shows of a table or figure."""
    names = spoken_names(study)
    template = getattr(module, "TEMPLATE", "figure.html" if ".svg" in module.ENDINGS else "table.html")
    more = module.section(study, table) if hasattr(module, "section") else {}
    table = more.pop("table", table)
    constant = constant_columns(table)
    return {
        "name": module.NAME,
        "kind": kind(module),
        "template": f"sections/{template}",
        "contents": module.CONTENTS,
        "guide": guide(module),
        "title": module.TITLE,
        "table": table,
        "columns": _page_columns([column for column in table.own_columns if column not in constant]),
        "constant": constant_sentences(table, constant),
        "details": _details(table),
        "rows": [
            _shown_cells(row, shown, names, study.config.report.permutations)
            for row, shown in zip(table.rows, shown_rows(table), strict=True)
        ],
        "texts": {"CSV": full_csv(table), "LaTeX": latex(table)},
        "files": [file for file in files(module) if _is_there(made[file])],
        "picture": _picture(made.get(f"{module.NAME}.svg")),
        "words": {},
        "words_note": "",
        **more,
    }


def _details(table: Table) -> list[str]:
    """Return what more is known of some number than the table shows at first."""
    columns = [column for of_number in table.details.values() for column in of_number]
    known = [column.detail for column in columns if any(row[column.name] is not None for row in table.rows)]
    return list(dict.fromkeys(known))


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


def _picture(path: Path | None) -> str:
    """Return a figure as text that stands in the page itself; empty while there is none."""
    return base64.b64encode(path.read_bytes()).decode() if path is not None and path.is_file() else ""


def _curves(study: Study, tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Return the trainings of the recipes that stand in the tables, F1 in percent."""
    from zarpipe.formats.history import read_history

    in_tables = {row.get("recipe") for table in tables.values() for row in table.rows}
    curves = []
    for recipe in _shown_recipes(study):
        paths = [Path(study.history_of(recipe.name, seed).path) for seed in study.seeds]
        histories = [read_history(path) for path in paths if path.is_file()]
        if recipe.name in in_tables and histories:
            curves.append({"name": recipe.name, "seeds": [_curve(one.dev_f1, one.loss) for one in histories]})
    return curves


def _pages(study: Study) -> list[Any]:
    """Return the modules of the pages that this one leads to."""
    return [page for page in (examples, antecedents_sheet) if is_wanted(page, study)]


def _shown_recipes(study: Study) -> list[Recipe]:
    """Return the recipes whose trainings the page may show; what has not seen a fold only measures."""
    folds = study.grid.fold_taggers()
    return [recipe for recipe in study.grid.recipes() if recipe not in folds]


def _curve(dev_f1: Sequence[float], loss: Sequence[float]) -> dict[str, list[float]]:
    return {"f1": [round(value, 2) for value in dev_f1], "loss": [float(f"{value:.4g}") for value in loss]}


def _versions(study: Study) -> dict[str, str]:
    found = {"zarpipe": __version__, "Python": platform.python_version(), **versions(*LIBRARIES)}
    manifest = Path(study.mlm().path)
    if manifest.is_file():
        job_folders.check(manifest)
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

"""antecedents-sheet.html: refilled sentences that a person judges, without saying what the meter says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.files import write_text
from zarpipe.report.figures.antecedents import read_of_meter
from zarpipe.report.table import Row, csv_text, with_ending
from zarpipe.study.code import code_digest, package_files_digest
from zarpipe.study.study import Input, Study
from zarpipe.task.cases import case_named

if TYPE_CHECKING:
    from zarpipe.report.sheet import Item

NAME = "antecedents-sheet"
KIND = "page"
TITLE = "Did the antecedent change?"
SHOWS = "Sheet: did the antecedent change?"
CAPTION = """\
Sentences as they are, and with other words that the masked language model chose, for a person to judge
whether the antecedent changed. The page does not say what the taggers decided.
"""
KEY_ENDING = "-key.csv"
ENDINGS = (".html", ".csv", KEY_ENDING)
SWITCH = "antecedents.policies"
ANSWERS = {
    "same": "the same: the word in its place is still that argument",
    "changed": "changed: it is another word, or none",
    "unclear": "cannot be told",
}


def inputs(study: Study) -> list[Input]:
    """Return the files that the page reads."""
    return read_of_meter(study)


def spec(study: Study) -> dict[str, Any]:
    """Return what the page depends on besides its inputs."""
    chosen = study.config.antecedents
    return {
        "policies": chosen.policies,
        "items": chosen.sheet_items,
        "seed": chosen.sheet_seed,
        "code": code_digest(__name__),
        "templates": package_files_digest("report/templates"),
    }


def write_sheet(study: Study, output: Path) -> None:
    """Draw the items and write the page, the sheet as CSV, and the key to both."""
    from zarpipe.report.pages.page import write_page  # loads jinja2
    from zarpipe.report.sheet import choose_items  # loads pyarrow

    items = choose_items(study)
    # The key first: a sheet without its key would be judged for nothing.
    write_text(with_ending(output, KEY_ENDING), csv_text([_key(item) for item in items] or [_NO_ITEM]))
    # Spreadsheets need the mark to read Japanese.
    write_text(with_ending(output, ".csv"), "\ufeff" + csv_text([_row(item) for item in items] or [_NO_ROW]))
    write_page(
        output,
        "sheet.html",
        version=__version__,
        title=TITLE,
        sheet=items[0].item.partition("-")[0] if items else "",
        items=[_shown(item) for item in items],
        answers=ANSWERS,
    )


def _key(item: Item) -> Row:
    cells = {name: getattr(item, name) for name in _KEY_COLUMNS}
    return cells | {"changed": "changed" if item.changed else "same"}


def _row(item: Item) -> Row:
    """Return an item as a row of the sheet: 【predicate】, ≪argument≫."""
    return {
        "item": item.item,
        "case": f"{item.case} ({case_named(item.case).gloss})",
        "predicate": item.tokens[item.predicate],
        "argument": item.tokens[item.argument],
        "original": _marked(item.tokens, item),
        "refilled": _marked(item.refilled, item),
        "answer": "",
    }


def _marked(tokens: Sequence[str], item: Item) -> str:
    marks = {item.predicate: "【{}】", item.argument: "≪{}≫"}
    return "".join(marks.get(place, "{}").format(token) for place, token in enumerate(tokens))


def _shown(item: Item) -> dict[str, Any]:
    return {
        "item": item.item,
        "case": item.case,
        "gloss": case_named(item.case).gloss,
        "predicate": printable(item.tokens[item.predicate]),
        "argument": printable(item.tokens[item.argument]),
        "sentences": [
            {"name": name, "tokens": [_token(item, place, text) for place, text in enumerate(tokens)]}
            for name, tokens in (("As written", item.tokens), ("With other words", item.refilled))
        ],
    }


def _token(item: Item, place: int, text: str) -> dict[str, Any]:
    kind = "predicate" if place == item.predicate else "argument" if place == item.argument else ""
    return {"text": printable(text), "kind": kind, "new": text != item.tokens[place]}


_KEY_COLUMNS = (
    *("item", "sent_id", "predicate", "case", "argument"),
    *("policy", "alpha", "relation", "changed", "stands_for"),
)
_NO_ITEM: Row = dict.fromkeys(_KEY_COLUMNS)
_NO_ROW: Row = dict.fromkeys(("item", "case", "predicate", "argument", "original", "refilled", "answer"))

"""The few numbers that a reader wants first, with the fair comparison, and a dot for every seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zarpipe.report.pages.words import signed, verdict
from zarpipe.report.table import Cell, CellRow, Table, number_of
from zarpipe.report.tables import significance, table4, table5, table6
from zarpipe.study.recipe import BASELINE, BASELINE_TWICE

# What others are compared with at a glance: the one with as many updates, where a table has it.
_BASELINES = (BASELINE_TWICE.name, BASELINE.name)
# Tables of dev -> what the best row of the table is.
_ON_DEV = {table4.NAME: "Best method on dev", table5.NAME: "Best POS set on dev"}
_ON_TEST = {"single": "Test set, single models", "ensemble": "Test set, ensemble"}


def glance(tables: Mapping[str, Table], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the cards: first the test set, on which nothing was chosen."""
    cards = []
    for setting, what in _ON_TEST.items():
        rows = _ours(tables.get(table6.NAME), setting)
        baseline = next((rows[name] for name in _BASELINES if name in rows), None)
        if baseline and "masking" in rows:
            runs = tables[table6.NAME].runs if setting == "single" else ()
            card = _card(what, rows["masking"], baseline, names, runs)
            card["verdict"] = _tested(tables, setting, rows["masking"], baseline)
            cards.append(card)
    for name, what in _ON_DEV.items():
        of_table = tables[name].rows if name in tables else ()
        baseline = _dev_baseline(tables)
        if baseline and of_table:
            best = max(of_table, key=lambda row: number_of(row["zar_f1"]))  # what the table has in bold
            runs = [run for table in _ON_DEV if table in tables for run in tables[table].runs]
            card = _card(what, best, baseline, names, runs)
            card["verdict"] = _on_dev(tables, best, baseline)
            cards.append(card)
    return cards


def _dev_baseline(tables: Mapping[str, Table]) -> CellRow | None:
    """Return the fairest baseline that a table of dev has."""
    rows = {row["recipe"]: row for name in _ON_DEV if name in tables for row in tables[name].rows}
    return next((rows[name] for name in _BASELINES if name in rows), None)


def _ours(table: Table | None, setting: str) -> dict[Cell, CellRow]:
    """Return our rows of a setting of Table 6 by method."""
    rows = table.rows if table else ()
    return {row["method"]: row for row in rows if (row["setting"], row["source"]) == (setting, "ours")}


def _card(
    what: str, row: CellRow, baseline: CellRow, names: Mapping[str, str], runs: Sequence[CellRow]
) -> dict[str, Any]:
    zar_f1, deviation = number_of(row["zar_f1"]), row.get("zar_f1_sd")
    difference = zar_f1 - number_of(baseline["zar_f1"])
    recipe = str(row["recipe"])
    return {
        "what": what,
        "value": f"{zar_f1:.2f}",
        "unit": "ZAR F1" if deviation is None else f"ZAR F1, SD {number_of(deviation):.2f}",
        "detail": f"{names.get(recipe, recipe)}: {signed(difference)} against {baseline['recipe']}",
        "dots": _dots([baseline, row] if row["recipe"] != baseline["recipe"] else [row], runs, names),
    }


def _tested(tables: Mapping[str, Table], setting: str, row: CellRow, baseline: CellRow) -> str:
    """Return what the test of the two systems says."""
    asked = (setting, "ZAR", row["recipe"], baseline["recipe"])
    for test in tables[significance.NAME].rows if significance.NAME in tables else ():
        if tuple(test[name] for name in ("setting", "category", "recipe", "other_recipe")) == asked:
            return verdict(test)
    return ""


def _on_dev(tables: Mapping[str, Table], best: CellRow, baseline: CellRow) -> str:
    """Say of the best on dev how much is the choosing, and what the test set says of the same recipe."""
    if best["recipe"] in _BASELINES:
        return "No augmented recipe has more."
    tested = _tested(tables, "single", best, baseline)
    said = f"On the test set: {tested}" if tested else "Not tested: it may be chance."
    return f"{_nested(best, baseline)} {said}".strip()


def _nested(row: CellRow, baseline: CellRow) -> str:
    """Return what is left of the difference when it is chosen and scored on different documents."""
    if row.get("nested_zar_f1") is None or baseline.get("nested_zar_f1") is None:
        return ""
    difference = number_of(row["nested_zar_f1"]) - number_of(baseline["nested_zar_f1"])
    return f"{signed(difference)} with α chosen on one half of the documents and scored on the other."


def _dots(rows: Sequence[CellRow], runs: Sequence[CellRow], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return each system's single seeds: their F1, and where they stand between all of them, in percent."""
    # A recipe may stand in several rows.
    distinct = {(run["recipe"], run["seed"]): run for run in runs}
    of_systems = [
        (str(row["recipe"]), [run for run in distinct.values() if run["recipe"] == row["recipe"]])
        for row in rows
    ]
    values = [number_of(run["zar_f1"]) for _, found in of_systems for run in found]
    if not values:
        return []
    low, span = min(values), (max(values) - min(values)) or 1.0
    return [
        {
            "name": names.get(recipe, recipe),
            "seeds": [
                {
                    "at": round(100 * (number_of(run["zar_f1"]) - low) / span, 1),
                    "tip": f"seed {run['seed']}: ZAR F1 {number_of(run['zar_f1']):.2f}",
                }
                for run in found
            ],
        }
        for recipe, found in of_systems
    ]

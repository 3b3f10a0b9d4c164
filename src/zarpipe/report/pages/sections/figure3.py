"""Figure 3 as a chart whose points can be asked for their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarpipe.report.table import Cell, CellRow, Table, number_of
from zarpipe.study.recipe import BASELINE

if TYPE_CHECKING:
    from zarpipe.study.study import Study

TEMPLATE = "figure3.html"


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return the points, by line, in percent."""
    lines: dict[Cell, list[CellRow]] = {}
    for row in table.rows:
        lines.setdefault(row["pos_set"], []).append(row)
    (baseline,) = lines.pop(BASELINE.name)
    shown = [
        {"name": name, "title": _title(name), "style": number, "points": list(map(_point, rows))}
        for number, (name, rows) in enumerate(lines.items())
    ]
    return {"chart": {"baseline": _point(baseline), "lines": shown}}


def _point(row: CellRow) -> dict[str, Any]:
    zar_f1, error, percent = (number_of(row[name]) for name in ("zar_f1", "zar_f1_se", "masked_percent"))
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

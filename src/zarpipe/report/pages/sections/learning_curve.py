"""F1 against the number of documents: the figure, and what augmentation is worth, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zarpipe.report.figures.learning_curve import CATEGORIES
from zarpipe.report.table import Table

if TYPE_CHECKING:
    from zarpipe.study.study import Study

TEMPLATE = "figure.html"


def section(study: Study, table: Table) -> dict[str, Any]:  # noqa: ARG001 (called as all are)
    """Return what can be said of masking and CDA, by category and size, masking first."""
    said = sorted((row for row in table.rows if row["verdict"]), key=lambda row: row["method"] != "masking")
    of_categories = {
        f"{category} F1": [str(row["verdict"]) for row in said if row["category"] == category]
        for category in CATEGORIES
    }
    return {"words": of_categories}

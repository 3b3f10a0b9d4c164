"""Table 4 of the paper: baseline, baseline with doubled data, CDA and masking on dev."""

from __future__ import annotations

import csv
import importlib.resources
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zarpipe.files import write_text
from zarpipe.report.scores import RecipeScores, best_recipe, read_recipe
from zarpipe.study import BASELINE, BASELINE_TWICE, parse_variant

SCORE_COLUMNS = ("zar_f1", "dep_f1", "all_f1", "all_f1_sd")
_TITLES = {
    "method": "Method",
    "alpha": "alpha",
    "zar_f1": "ZAR F1",
    "dep_f1": "DEP F1",
    "all_f1": "ALL F1",
    "all_f1_sd": "SD of ALL",
    "seeds": "Seeds",
}


@dataclass(frozen=True)
class Row:
    """One row of the table: a method with its best recipe on dev."""

    method: str
    scores: RecipeScores

    @property
    def alpha(self) -> str:
        """Masking probability of the recipe; empty for the baselines."""
        return recipe_alpha(self.scores.recipe)

    def cells(self) -> dict[str, str]:
        """Return the row as text: F1 in percent with two decimals, an unknown deviation empty."""
        numbers = {name: _two_decimals(getattr(self.scores, name)) for name in SCORE_COLUMNS}
        return {"method": self.method, "alpha": self.alpha, **numbers, "seeds": str(len(self.scores.runs))}


def write_table4(
    scores: Path, methods: Mapping[str, Sequence[str]], seeds: Sequence[int], output: Path, published: bool
) -> None:
    """Choose the best recipe of each method on dev and write the table, a page to read and all single runs.

    Args:
        scores: folder with ``{recipe}/seed{n}/dev.json``.
        methods: recipes of each method, in the order of the rows; ascending alphas.
        seeds: the seeds that were run.
        output: ``table4.csv``; ``table4.md`` and ``table4_runs.csv`` are written beside it.
        published: put the paper's numbers beside ours.

    Raises:
        ZarpipeError: a scores file is missing or damaged.
    """
    read = {
        method: [read_recipe(scores, recipe, seeds, "dev") for recipe in recipes]
        for method, recipes in methods.items()
    }
    rows = [Row(method, best_recipe(candidates)).cells() for method, candidates in read.items()]
    if published:
        rows = [row | _published(row["method"]) for row in rows]
    write_text(output.with_name(f"{output.stem}_runs.csv"), _csv(_single_runs(read)))
    write_text(output.with_suffix(".md"), _page(rows, len(seeds)))
    write_text(output, _csv(rows))


def recipe_alpha(recipe: str) -> str:
    """Return the masking probability of a recipe; empty for the baselines."""
    return "" if recipe in (BASELINE, BASELINE_TWICE) else parse_variant(recipe).alpha


def _recipe_pos_set(recipe: str) -> str:
    return "" if recipe in (BASELINE, BASELINE_TWICE) else parse_variant(recipe).pos_set


def _single_runs(read: Mapping[str, Sequence[RecipeScores]]) -> list[dict[str, str]]:
    return [
        {
            "method": method,
            "recipe": run.recipe,
            "pos_set": _recipe_pos_set(run.recipe),
            "alpha": recipe_alpha(run.recipe),
            "seed": str(run.seed),
            "zar_f1": _two_decimals(run.zar_f1),
            "dep_f1": _two_decimals(run.dep_f1),
            "all_f1": _two_decimals(run.all_f1),
        }
        for method, candidates in read.items()
        for recipe in candidates
        for run in recipe.runs
    ]


def _published(method: str) -> dict[str, str]:
    """Return the paper's numbers of a method, as printed, under ``published_*``."""
    source = importlib.resources.files("zarpipe.report") / "published" / "table4_augmentation_dev.csv"
    for row in csv.DictReader(io.StringIO(source.read_text(encoding="utf-8"))):
        if row["method"] == method:
            return {f"published_{name}": row[name] for name in SCORE_COLUMNS}
    raise KeyError(method)


def _page(rows: Sequence[Mapping[str, str]], seeds: int) -> str:
    """Write the table in Markdown, the best F1 of each column in bold."""
    names = list(rows[0])
    best = {name: max(float(row[name]) for row in rows) for name in names if name.endswith("_f1")}
    titles = [_TITLES.get(name.removeprefix("published_"), name) for name in names]
    titles = [
        f"{title} (paper)" if name.startswith("published_") else title
        for name, title in zip(names, titles, strict=True)
    ]
    lines = ["# Table 4: augmentation methods, F1 on the development set", ""]
    lines += ["| " + " | ".join(titles) + " |"]
    lines += ["|" + "|".join(" --- " if name in ("method", "alpha") else " ---: " for name in names) + "|"]
    for row in rows:
        cells = [
            f"**{row[name]}**" if name in best and float(row[name]) == best[name] else row[name]
            for name in names
        ]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"Mean over {seeds} seed{'s' if seeds > 1 else ''}, in percent; SD is the sample standard deviation "
        "of ALL F1 over seeds. For CDA and masking, alpha is the one with the best mean ZAR F1 on the "
        "development set. Every single run: `table4_runs.csv`.",
    ]
    return "\n".join(lines) + "\n"


def _csv(rows: Sequence[Mapping[str, str]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _two_decimals(number: float) -> str:
    return "" if math.isnan(number) else f"{number:.2f}"

"""The command ``zarpipe evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from zarpipe.config.options import Argument
from zarpipe.config.values import Section


class Files(Section):
    """Decisions, and what they are scored against."""

    corpus: Annotated[Path, Argument("PARQUET")]
    """Annotated split, from `zarpipe convert`."""
    predictions: list[Annotated[Path, Argument("FILE")]]
    """One or more prediction files."""
    output: list[Annotated[Path, Argument("JSON")]]
    """One scores file per prediction file."""


def evaluate(files: Files) -> None:
    """Score decided arguments against the annotated corpus.

    Writes precision, recall and F1 for ZAR (intra-sentential zero arguments), DEP (arguments in a direct
    dependency relation) and ALL, by case and over all cases.

    A prediction file is a Parquet with one row per decided argument and the columns sent_id, predicate
    (token index, from 0), case (NOM, ACC, DAT), token (index of the argument) and probability. It may come
    from `zarpipe predict` or any other system, whose decisions may also be a CSV with a header (.csv) or JSON
    lines (.jsonl) with these columns; there the probability may be left out. A row that does not fit the
    corpus is an error; nothing is skipped.

    The gold arguments are taken as annotated: a token that is the argument of two cases counts twice.

    Example:
      zarpipe evaluate --corpus results/corpus/dev.parquet --predictions mine.parquet --output mine.json
    """
    from zarpipe.evaluate.evaluation import evaluate_files
    from zarpipe.task.relations import Relation
    from zarpipe.task.scores import ALL

    results = evaluate_files(files.corpus, files.predictions, files.output)
    categories = (Relation.ZAR.name, Relation.DEP.name, ALL)
    for path, result in zip(files.predictions, results, strict=True):
        by_category = (f"{name} F1 {100 * result[name][ALL]['f1']:.2f}" for name in categories)
        print(f"{path}: {', '.join(by_category)}")

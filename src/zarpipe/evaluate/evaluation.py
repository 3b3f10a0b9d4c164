"""Scores prediction files against a corpus: what `zarpipe evaluate` runs.

The gold arguments are taken as annotated: a token that is the argument of two cases counts for both, so that
a file with every annotated argument scores 1.0. (Training and the threshold search see one label per token,
of which the later case wins, as in the authors' code.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.predictions import Gold, read_decisions
from zarpipe.formats.scores import write_scores
from zarpipe.task.scores import Scores, count_decisions, scores


def evaluate_files(
    corpus: str | Path, predictions: Sequence[str | Path], outputs: Sequence[str | Path]
) -> list[Scores]:
    """Score each prediction file and write its scores as JSON; nothing is written if a file does not fit."""
    if len(predictions) != len(outputs):
        raise ZarpipeError(
            f"--output: found {len(outputs)} files; "
            f"expected one for each of the {len(predictions)} predictions"
        )
    gold = read_gold(corpus)
    results = [score_file(path, gold) for path in predictions]
    for output, result in zip(outputs, results, strict=True):
        write_scores(output, result)
    return results


def read_gold(corpus: str | Path) -> Gold:
    """Read what predictions are scored by. Raises ZarpipeError when the corpus is wrong."""
    table = read_corpus(corpus, ["sent_id", "tokens", "bunsetsu", "heads", "predicates"])
    return Gold.of(table)


def score_file(path: str | Path, gold: Gold) -> Scores:
    """Score one prediction file."""
    instances = gold.instances
    decided = read_decisions(path, gold)
    return scores(count_decisions(decided, instances.gold, instances.position_category, instances.offsets))

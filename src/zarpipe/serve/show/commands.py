"""The command ``zarpipe show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from zarpipe.config.options import Argument
from zarpipe.config.values import Positive, Section
from zarpipe.errors import ZarpipeError


class Shown(Section):
    """What is shown, and how."""

    corpus: Annotated[Path, Argument("FILE", positional=True)]
    """Corpus Parquet."""
    sent_id: Annotated[str, Argument("SENT_ID", positional=True)] | None = None
    """One sentence (default: all of them)."""
    predictions: Annotated[Path, Argument("PARQUET")] | None = None
    """Decisions of `zarpipe predict`."""
    only: Literal["gold", "predicted", "both"] | None = None
    """Which arguments to show when there are predictions (default: both)."""
    variant: Annotated[Path, Argument("PARQUET")] | None = None
    """Variant of `zarpipe augment`."""
    html: Annotated[Path, Argument("HTML")] | None = None
    """Write a self-contained page instead."""
    limit: Annotated[Positive, Argument("N")] | None = None
    """Show only the first N sentences."""


def show(shown: Shown) -> None:
    """Show sentences with bunsetsu tree, predicates and arguments.

    Shows sentences of a corpus Parquet: the bunsetsu tree, and for every predicate its arguments, in colour
    in a terminal or as a page for the browser. With --predictions what a tagger decided stands beside gold;
    with --variant what is masked or replaced.

    Examples:
      zarpipe show results/corpus/dev.parquet | less -R
      zarpipe show results/corpus/dev.parquet 950112005-003
      zarpipe show results/corpus/dev.parquet --predictions results/predictions/baseline/seed1/dev.parquet
      zarpipe show results/corpus/train.parquet --variant results/variants/masking-all-0.5.parquet
    """
    from zarpipe.serve.show.html import write_html
    from zarpipe.serve.show.sentences import read_shown
    from zarpipe.serve.show.terminal import print_sentences

    if shown.only and not shown.predictions:
        raise ZarpipeError("--only: found without --predictions; gold arguments are all there is to show")
    only = shown.only or "both"
    sentences = read_shown(shown.corpus, shown.sent_id, shown.predictions, shown.variant, only, shown.limit)
    if shown.html is None:
        print_sentences(sentences)
    else:
        write_html(sentences, shown.html, title=shown.corpus.name)

"""The command ``zarpipe export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from zarpipe.config.options import Argument
from zarpipe.config.values import Section
from zarpipe.serve.export.table import FORMATS

if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(FORMATS)]


class Exported(Section):
    """What is written, and where."""

    corpus: Annotated[Path, Argument("CORPUS", positional=True)]
    """Corpus Parquet of one split."""
    format: Format
    """What to write."""
    predictions: Annotated[Path, Argument("FILE")] | None = None
    """Decided arguments on this corpus (.parquet, .csv or .jsonl)."""
    output: Annotated[Path, Argument("FILE")] | None = None
    """File to write (default: standard output)."""


def export(exported: Exported) -> None:
    r"""Write a corpus, or decisions on it, as CoNLL-U, KNP or JSON.

    Writes a corpus Parquet in a format of other programs: CoNLL-U in the style of CorefUD (omitted arguments
    are empty nodes), KNP with <rel> tags, or JSON with offsets of characters, one sentence a line. With
    --predictions the decided arguments stand in the place of the gold ones. What each format holds:
    docs/export.md.

    Examples:
      zarpipe export results/corpus/dev.parquet --format conllu --output dev.conllu
      zarpipe export results/corpus/dev.parquet --format conllu \
        --predictions results/predictions/baseline/seed1/dev.parquet --output baseline.conllu
      zarpipe export results/corpus/dev.parquet --format json | head -n 1
    """
    from zarpipe.log import start_logging
    from zarpipe.serve.export.sentences import read_exported
    from zarpipe.serve.export.table import write_texts, writer

    start_logging()
    texts = writer(exported.format).write(*read_exported(exported.corpus, exported.predictions))
    write_texts(texts, exported.output)

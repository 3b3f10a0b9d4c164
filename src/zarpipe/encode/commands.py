"""The commands ``zarpipe encode`` and ``zarpipe cache``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from zarpipe.config import EncodingConfig
from zarpipe.config.options import Argument, MlmOptions, Options
from zarpipe.config.values import Name, Positive, Section
from zarpipe.errors import ZarpipeError
from zarpipe.study.extra import check_apart


class EncodedFiles(Section):
    """What is encoded, and where it goes."""

    corpus: Annotated[Path, Argument("CORPUS", positional=True)]
    """Corpus Parquet (from `zarpipe convert`)."""
    mlm: Annotated[Name, Argument("PATH")]
    """Hub name or folder of the masked language model."""
    output: Annotated[Path, Argument("FILE")]
    """HDF5 file to write (.h5)."""
    variant: Annotated[Path, Argument("FILE")] | None = None
    """Variant Parquet (from `zarpipe augment`) to encode."""
    originals: Annotated[Path, Argument("FILE")] | None = None
    """Feature file of the original sentences: sequences of the variant, or sentences, that are in it are not
    encoded again."""
    all_sentences: Annotated[bool, Argument(switch=True)] = False
    """Encode every sentence once, also those without a predicate (for `zarpipe train-segmenter`)."""
    apart_from: Annotated[list[Annotated[Path, Argument("PARQUET")]], Field(default_factory=list)]
    """Corpus Parquets of which no sentence with a predicate may stand in this one: dev and test, where it is
    more training text."""
    threads: Annotated[Positive, Argument("N")] = 1
    """CPU threads."""


class FeatureFiles(Section):
    """Files of hidden states."""

    files: Annotated[list[Path], Argument("FILE", positional=True)]
    """Feature files (.h5)."""


def encode(
    files: EncodedFiles, mlm: MlmOptions, encoding: Annotated[EncodingConfig, Options(without=("threads",))]
) -> None:
    r"""Write the hidden states of a masked language model to HDF5.

    Runs the frozen masked language model over every distinct sentence that has a predicate, or over the
    sequences of a variant that are not among the originals, and keeps the final hidden state of each token
    (float16) in one HDF5 file.

    Examples:
      zarpipe encode corpus/train.parquet --mlm models/bert --output features/train.h5
      zarpipe encode corpus/train.parquet --mlm models/bert --variant variants/masking-all-0.5.parquet \
          --originals features/train.h5 --output features/masking-all-0.5.h5
      zarpipe encode corpus/train.parquet --mlm models/bert --all-sentences \
          --originals features/train.h5 --output features/train-sentences.h5
    """
    from zarpipe.log import start_logging

    start_logging()
    if files.all_sentences and files.variant is not None:
        raise ZarpipeError("--all-sentences: found with --variant; expected one of the two")
    if files.originals is not None and files.variant is None and not files.all_sentences:
        raise ZarpipeError(
            "--originals belongs to a variant or to all sentences: give --variant or --all-sentences too"
        )
    check_apart(files.corpus, files.apart_from)
    from zarpipe.encode.encoder import encode as encode_corpus

    encode_corpus(
        files.corpus,
        mlm.at(files.mlm),
        encoding,
        files.output,
        variant=files.variant,
        originals=files.originals,
        threads=files.threads,
        all_sentences=files.all_sentences,
    )


def cache(files: FeatureFiles) -> None:
    """Print and verify feature files.

    Prints what a feature file was made from and what it holds, reads every row, and verifies the checksum of
    each block. Exit status 1 if anything is wrong.

    Example:
      zarpipe cache features/train.h5
    """
    from zarpipe.encode.cache import describe_and_verify

    for file in files.files:
        print(describe_and_verify(file))

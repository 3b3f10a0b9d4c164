"""How a command's options say how the MLM is run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.config.options import Argument, add_options, read_options
from zarpipe.config.values import Section


class ChosenDtype(Section):
    """What ``--compute-dtype auto`` stands for."""

    chosen_compute_dtype: Annotated[Path | None, Argument("JSON")] = None
    """With --compute-dtype auto: file of `zarpipe choose-compute-dtype`; without it the given corpus
    decides."""


def add_encoding_options(parser: argparse.ArgumentParser, *left_out: str) -> None:
    """Add the options that say how the MLM is run."""
    add_options(parser, EncodingConfig, exclude=("threads", *left_out))
    add_options(parser, ChosenDtype)


def read_encoding(
    arguments: argparse.Namespace, corpus: Path, mlm: MlmConfig, threads: int
) -> EncodingConfig:
    """Return how the MLM is run, with a number format instead of ``auto``.

    Raises:
        ZarpipeError: the file of the choice, or corpus or model, from which it would be made, cannot be used.
    """
    encoding = read_options(arguments, EncodingConfig)
    file = read_options(arguments, ChosenDtype).chosen_compute_dtype
    if encoding.compute_dtype != "auto" and file is None:
        return encoding
    from zarpipe.mlm.compute_dtype import with_chosen_dtype

    return with_chosen_dtype(corpus, mlm, encoding, file, threads)

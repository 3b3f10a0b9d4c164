"""Choose the number format of the MLM's computation: ``encoding.compute_dtype: auto``.

bfloat16 has the range of float32 with 8 of its 24 bits. Where a GPU or CPU has instructions for products of
such matrices, they are several times as fast. What this does to hidden states depends on the model, so both
formats are run on a sample of the corpus. The differences are set against the spread of the hidden states,
their standard deviation about each dimension's mean: what a tagger reads is how states differ. The cache's
float16 has 11 bits, so that its own rounding counts little beside.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from zarpipe import seals
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import read_json, write_json
from zarpipe.instructions import multiplies_bfloat16
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.inputs import CorpusSequences
from zarpipe.mlm.loading import FrozenMlm, compute_device, load_mlm

_log = logging.getLogger(__name__)

# Of the differences, relative to the spread: their root mean square, and the largest one (docs/speed.md).
BOUND = 0.03
LARGEST_BOUND = 0.5
# Sentences of the sample, evenly from the whole corpus.
_SAMPLE = 128


@dataclass(frozen=True)
class Choice:
    """The number format, and why.

    Attributes:
        compute_dtype: float32 or bfloat16.
        reason: one sentence.
        difference: root mean square of the differences between both formats, relative to the spread of the
            hidden states; None where bfloat16 was not tried.
        largest_difference: the largest one, relative to the same.
    """

    compute_dtype: str
    reason: str
    difference: float | None = None
    largest_difference: float | None = None


def choose_compute_dtype(corpus: Path, mlm: MlmConfig, encoding: EncodingConfig) -> Choice:
    """Choose bfloat16 where the device multiplies it fast and it changes the hidden states little enough.

    The log says what was chosen, and why.

    Args:
        corpus: corpus Parquet, whose sentences with a predicate are sampled.
        mlm: the masked language model.
        encoding: batch size and device; its number format is not used.

    Raises:
        ZarpipeError: the corpus or the model cannot be used.
    """
    choice = _choice(corpus, mlm, encoding)
    _log.info("compute_dtype: %s (%s)", choice.compute_dtype, choice.reason)
    return choice


def _choice(corpus: Path, mlm: MlmConfig, encoding: EncodingConfig) -> Choice:
    device = compute_device(encoding.model_copy(update={"compute_dtype": "float32"}))
    if not multiplies_bfloat16(device):
        return Choice("float32", f"the {_NAMES[device.type]} has no instructions for bfloat16 matrices")
    exact, rounded = (_sampled_states(corpus, mlm, encoding, name) for name in ("float32", "bfloat16"))
    return judged(exact, rounded)


def judged(exact: Tensor, rounded: Tensor) -> Choice:
    """Return what the same hidden states, [n, D] float32 each, computed in both formats, speak for."""
    spread = (exact - exact.mean(dim=0)).square().mean().sqrt().clamp(min=torch.finfo().tiny)
    differences = (rounded - exact) / spread
    root_mean_square, largest = float(differences.square().mean().sqrt()), float(differences.abs().max())
    # What is no number is over every bound.
    small = root_mean_square <= BOUND and largest <= LARGEST_BOUND
    found = f"{root_mean_square:.4f} of the hidden states' spread, the largest {largest:.2f}"
    bounds = f"{BOUND} and {LARGEST_BOUND}"
    reason = f"bfloat16 changes {len(exact)} tokens by {found}; the bounds are {bounds}"
    return Choice("bfloat16" if small else "float32", reason, *map(_plain, (root_mean_square, largest)))


def write_choice(
    corpus: Path, output: Path, mlm: MlmConfig, encoding: EncodingConfig, threads: int = 1
) -> None:
    """Write the choice for a model and a corpus as JSON. Raises ZarpipeError if they cannot be used."""
    torch.set_num_threads(threads)
    write_json(output, asdict(choose_compute_dtype(corpus, mlm, encoding)))


def with_chosen_dtype(
    corpus: Path, mlm: MlmConfig, encoding: EncodingConfig, file: Path | None = None, threads: int = 1
) -> EncodingConfig:
    """Return the same settings with a number format instead of ``auto``.

    Args:
        corpus: decides where there is no file.
        mlm: the masked language model.
        encoding: the settings.
        file: what `write_choice` wrote.
        threads: CPU threads.

    Raises:
        ZarpipeError: the file holds no choice, or is given beside a number format; or corpus or model cannot
            be used.
    """
    if encoding.compute_dtype != "auto":
        if file is not None:
            raise ZarpipeError(
                f"--chosen-compute-dtype: found with {encoding.compute_dtype}; it belongs to auto"
            )
        return encoding
    torch.set_num_threads(threads)
    if file is not None:
        chosen = read_choice(file)
        _log.info("compute_dtype: %s, as %s says", chosen, file)
    else:
        chosen = choose_compute_dtype(corpus, mlm, encoding).compute_dtype
    return encoding.model_copy(update={"compute_dtype": chosen})


def read_choice(file: Path) -> str:
    """Return the number format of a file of `write_choice`. Raises ZarpipeError if it is no such file."""
    seals.check(file)
    found: Any = read_json(file)
    chosen = found.get("compute_dtype") if isinstance(found, dict) else None
    if chosen not in ("float32", "bfloat16"):
        raise ZarpipeError(
            f"{file}: compute_dtype: found {chosen!r}, expected float32 or bfloat16; make it again with "
            "`zarpipe choose-compute-dtype`"
        )
    return str(chosen)


_NAMES = {"cpu": "CPU", "cuda": "GPU"}


@torch.inference_mode()
def _sampled_states(corpus: Path, mlm: MlmConfig, encoding: EncodingConfig, name: str) -> Tensor:
    """Return the final hidden states, [n, D] float32, of the tokens of some sentences."""
    model = load_mlm(mlm, encoding.model_copy(update={"compute_dtype": name}))
    batches = _sample(corpus, model, encoding.batch_tokens)
    states = [batches.token_states(number, model.hidden).float().cpu() for number in range(len(batches))]
    return torch.cat([*states, torch.zeros(0, model.hidden_size)])


def _sample(corpus: Path, model: FrozenMlm, batch_tokens: int) -> Batches:
    read = CorpusSequences.read(corpus, model)
    sentences = np.unique(read.instances.sentence)
    chosen = sentences[np.linspace(0, len(sentences) - 1, min(_SAMPLE, len(sentences))).astype(np.int64)]
    sources = read.sentences.take(chosen)
    long_to_short = np.argsort(-read.pieces.subwords(sources).lengths, kind="stable")
    return Batches(read.pieces.subwords(sources.take(long_to_short)), model, batch_tokens)


def _plain(value: float) -> float | None:
    """Return a number as JSON has it: None for what is no number."""
    return round(value, 6) if np.isfinite(value) else None

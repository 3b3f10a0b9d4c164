"""Section `training`: how the taggers are trained."""

from __future__ import annotations

import logging
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from zarpipe.config.values import Integer, Number, Probability, Section, Seed

_LOG = logging.getLogger(__name__)


def _each_once(seeds: list[int]) -> list[int]:
    if twice := sorted({seed for seed in seeds if seeds.count(seed) > 1}):
        _LOG.warning(
            "training.seeds: found %s more than once; one tagger is trained for each seed",
            ", ".join(map(str, twice)),
        )
    return list(dict.fromkeys(seeds))


class TrainingConfig(Section):
    """How the taggers are trained (paper, Table 3)."""

    seeds: Annotated[list[Seed], AfterValidator(_each_once), Field(min_length=1)] = list(range(1, 11))
    """Random seeds: one tagger each."""
    epochs: Annotated[Integer, Field(ge=1)] = 150
    """Upper limit of epochs."""
    batch_size: Annotated[Integer, Field(ge=1)] = 512
    """Instances of similar length per optimiser step."""
    learning_rate: Annotated[Number, Field(gt=0)] = 1e-3
    """Initial learning rate of Adam."""
    minimum_rate_fraction: Annotated[Number, Field(gt=0, le=1)] = 0.05
    """Lowest learning rate, as a fraction of the initial one; at this floor training stops instead of
    decaying."""
    decay: Annotated[Number, Field(gt=0, lt=1)] = 0.5
    """Factor of the learning rate after `patience` epochs without a better dev F1."""
    patience: Annotated[Integer, Field(ge=1)] = 4
    """Epochs without a better dev F1 before the rate decays or training stops."""
    beta1: Probability = 0.9
    """Adam's decay of the first moment."""
    beta2: Probability = 0.98
    """Adam's decay of the second moment (the authors' code uses the library default 0.999)."""
    epsilon: Annotated[Number, Field(gt=0)] = 1e-8
    """Adam's epsilon."""
    gradient_clip: Annotated[Number, Field(gt=0)] = 1.0
    """Global norm to which gradients are clipped."""
    predicate_flags: Literal["all", "target"] = "all"
    """Is-predicate flags in augmented copies. all: every predicate of the sentence (the paper). target: only
    the target predicate (the authors' code)."""
    order_seed: Integer | None = None
    """Seed of the order of batches. null: the tagger's own seed. A number: the same order for all seeds (the
    authors' code)."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""
    compute_dtype: Literal["float32", "bfloat16"] = "float32"
    """Number format of the matrix products of GRU layers that train on a CPU; states and weights are float32,
    and so are all decisions, on dev too. bfloat16: faster where the CPU has instructions for it (AMX,
    AVX512_BF16)."""

"""Section `finetuning`: how the MLM itself is trained."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from zarpipe.config.values import Integer, Number, Section


class FinetuningConfig(Section):
    """Training the masked language model itself (architecture `finetuned`); the rest is as in `training`."""

    learning_rate: Annotated[Number, Field(gt=0)] = 1e-4
    """Initial learning rate of Adam, in place of `training.learning_rate`."""
    warm_up: Annotated[Number, Field(ge=0)] = 1.0
    """Epochs at the beginning over which the learning rate rises linearly to its initial value."""
    batch_tokens: Annotated[Integer, Field(ge=64)] = 4096
    """Upper limit of subwords that go through the model at once; an optimiser step over more of them adds
    their gradients up. It decides memory, not what is learned."""
    compute_dtype: Literal["float32", "bfloat16"] = "float32"
    """Number format of the matrix products; the weights are float32. bfloat16: faster where the GPU or CPU
    has instructions for it (AMX, AVX512_BF16)."""

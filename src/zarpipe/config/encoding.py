"""Section `encoding`: how the frozen MLM is run over the sequences."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from zarpipe.config.values import Integer, Section


class EncodingConfig(Section):
    """How the frozen MLM is run over the sequences."""

    batch_tokens: Annotated[Integer, Field(ge=64)] = 2048
    """Upper limit of subwords in one batch of similar-length sequences; a GPU takes several times as many."""
    compute_dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Number format of the MLM's computation; the cache is always float16."""
    threads: Annotated[Integer, Field(ge=1)] = 4
    """CPU threads of one job that runs the MLM; several such jobs run side by side when there are cores."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""

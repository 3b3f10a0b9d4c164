"""Section `tagger`: the sequence labeller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_serializer

from zarpipe.config.encoding import Pooling, WrittenLayers
from zarpipe.config.values import Integer, Section
from zarpipe.registry import Registry

# Name of an architecture -> the module that builds its taggers (what it has to have: zarpipe.tagger.model).
ARCHITECTURES = Registry(
    "architecture",
    {
        "bigru": "zarpipe.tagger.architectures.bigru",
        "linear": "zarpipe.tagger.architectures.linear",
        "finetuned": "zarpipe.tagger.live.model",
    },
)
# Where hidden states come from -> the module whose STATES reads them (zarpipe.tagger.hidden_states).
HIDDEN_STATES = Registry(
    "source of hidden states", {"cached": "zarpipe.tagger.cached", "live": "zarpipe.tagger.live.states"}
)
# Architectures that read others than the cached ones.
READS = {"finetuned": "live"}
if TYPE_CHECKING:
    Architecture = str
else:
    Architecture = Literal[tuple(ARCHITECTURES)]


class ComparedTagger(Section):
    """A further kind of tagger; what it leaves out is the study's own."""

    architecture: Architecture | None = None
    """null: `tagger.architecture`."""
    layers: WrittenLayers | None = None
    """Which of the MLM's layers stand for a token, as `encoding.layers`, which null means."""
    pooling: Pooling | None = None
    """What stands for a token of several subwords, as `encoding.pooling`, which null means."""

    @model_serializer
    def _plain(self) -> str | dict[str, str]:
        """Return an architecture's name as it is written, and what is given of the rest."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        given = {name: str(value) for name, value in given.items() if value is not None}
        return given["architecture"] if list(given) == ["architecture"] else given


def _with_keys(value: Any) -> Any:
    if isinstance(value, (Mapping, ComparedTagger)):
        return value
    return {"architecture": value}


class TaggerConfig(Section):
    """The sequence labeller (paper, Section 3.2)."""

    architecture: Architecture = "bigru"
    """bigru: the paper's. linear: a linear layer on each token's hidden state and flags, the cheapest
    baseline. finetuned: the MLM itself, trained end to end, with the flags as added embeddings; it reads no
    features (section `finetuning`). `layers` and `hidden_size` mean nothing to the latter two."""
    layers: Annotated[Integer, Field(ge=1)] = 10
    """Unidirectional GRU layers, direction alternating (k in the paper)."""
    hidden_size: Annotated[Integer, Field(ge=1)] = 256
    """Size of each GRU layer (M in the paper)."""
    output_bias: bool = False
    """Whether the output layer has a bias. The paper's formula has none, the authors' code has one."""
    accept: Literal["reaches", "exceeds"] = "reaches"
    """When a candidate is the argument: its probability reaches the threshold (the authors' code), or exceeds
    it (the paper's word). Only a probability equal to the threshold makes a difference."""
    compare: list[
        Annotated[
            ComparedTagger, BeforeValidator(_with_keys, json_schema_input_type=Architecture | ComparedTagger)
        ]
    ] = []
    """Further kinds of taggers: the methods of Table 4 are trained with each of them too, for
    `architectures.csv` and `models.csv`. An architecture's name, or what differs from the study's own:
    `{layers: mix}`, `{architecture: linear, layers: mean 9-12, pooling: mean}`. What other layers or another
    pooling give is encoded beside the study's own, below `features/`."""

    @property
    def hidden_states(self) -> str:
        """The name in HIDDEN_STATES of what the taggers read."""
        return states_read_by(self.architecture)

    @property
    def trains_the_mlm(self) -> bool:
        """Whether the masked language model is part of the tagger."""
        return trains_the_mlm(self.architecture)


def states_read_by(architecture: str) -> str:
    """Return the name in HIDDEN_STATES of what an architecture's taggers read."""
    return READS.get(architecture, "cached")


def trains_the_mlm(architecture: str) -> bool:
    """Tell whether taggers of an architecture have a masked language model of their own, which is trained."""
    return states_read_by(architecture) == "live"

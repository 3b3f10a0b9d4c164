"""`perturb` of a recipe: what is done in training to the hidden states of its copies.

It is a built-in one with its options, or a function of the user's own::

    dropped: {perturb: {use: drop, probability: 0.1}}
    control: {use: masking, perturb: {use: noise}}
    mine:    {use: masking, perturb: {use: my_states.py:jitter, scale: 0.1}}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from zarpipe.config.policies import PolicyPart, check_use, plain_options
from zarpipe.config.values import Alpha, Number, Probability, Section, only

_BETWEEN = "expected a probability between 0 and 1, such as 0.1"
_Between = Annotated[Alpha, AfterValidator(only(lambda value: 0 < float(value) < 1, _BETWEEN))]


class Drop(Section):
    """States of random tokens are zero, never the target predicate's."""

    probability: _Between


class Cut(Section):
    """States of a span of tokens, or random dimensions, are zero, never the target predicate's."""

    over: Literal["tokens", "dimensions"] = "tokens"
    share: _Between


class Noise(Section):
    """Originals and noise that is as large as what the copies differ from them by."""

    shuffled: bool = False
    scale: Annotated[Number, Field(ge=0)] = 1.0


class Interpolate(Section):
    """Between a copy (0) and its original (1): at a fixed place, or drawn from Beta(beta, beta)."""

    fixed: Probability | None = None
    beta: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Interpolate:
        if (self.fixed is None) == (self.beta is None):
            raise ValueError("expected one of fixed and beta, such as {use: interpolate, beta: 0.5}")
        return self


# Name of a built-in perturbation -> its options.
PERTURBATIONS: dict[str, type[Section]]
PERTURBATIONS = {"drop": Drop, "cut": Cut, "noise": Noise, "interpolate": Interpolate}

NEED_COPIES = ("noise", "interpolate")
"""Those that are about what copies differ from originals by."""
_MODULE = "zarpipe.tagger.perturbations"
_FORM = "expected what it uses and the options, such as {use: drop, probability: 0.1}"


def perturbation_part(definition: Mapping[str, Any]) -> PolicyPart:
    """Return what a perturbation uses, and its options."""
    return PolicyPart(definition["use"], {name: value for name, value in definition.items() if name != "use"})


def perturbation_code(definition: Mapping[str, Any] | None) -> list[str]:
    """Return the modules that run for a perturbation."""
    return list(dict.fromkeys((_MODULE, module_of(perturbation_part(definition))))) if definition else []


def module_of(part: PolicyPart) -> str:
    """Return the module that makes a perturbation: ``perturbation(train, part)``."""
    if part.file:
        return "zarpipe.tagger.own_perturbation"
    return "zarpipe.tagger.differences" if part.use in NEED_COPIES else _MODULE


def perturbation_name(definition: Mapping[str, Any]) -> str:
    """Return what stands for a perturbation in file names: all that differs from its defaults."""
    part = perturbation_part(definition)
    if part.file:
        given = json.dumps(definition, sort_keys=True, ensure_ascii=False).encode()
        return f"{part.function}-{hashlib.sha256(given).hexdigest()[:8]}"
    defaults = {name: field.default for name, field in PERTURBATIONS[part.use].model_fields.items()}
    told = {name: value for name, value in part.options.items() if value != defaults[name]}
    words = [name if value is True else f"{name}{value}" for name, value in told.items()]
    # Names that tables had before there were others.
    return f"drop-{told['probability']}" if part.use == "drop" else "-".join([part.use, *words])


def unknown_to_live(
    perturb: Mapping[str, Any] | None, consistency: float | None, extra: Sequence[Any]
) -> Iterator[tuple[str, str, str]]:
    """Give what a tagger that trains the MLM cannot be given: key, value and problem."""
    who = "taggers that train the masked language model"
    if perturb is not None and perturb["use"] != "drop" and perturb.get("over") != "tokens":
        problem = f"{who} have no states to change before it runs; expected drop, or cut over tokens"
        yield "perturb", repr(perturb["use"]), problem
    if consistency is not None:
        yield "consistency", str(consistency), f"{who} read a batch in parts; leave it out"
    if extra:
        yield "extra", ", ".join(map(str, extra)), f"{who} read one corpus; leave it out"


def canonical_perturbation(value: Any) -> dict[str, Any]:
    """Return a perturbation in its one plain form: every option of the built-in ones is written out.

    Raises ValueError that says which option is wrong, and what is expected.
    """
    if not isinstance(value, Mapping) or "use" not in value:
        raise ValueError(_FORM)
    check_use(value["use"], ("use",), PERTURBATIONS)
    part = perturbation_part(value)
    return {"use": part.use, **plain_options(part, (), PERTURBATIONS.get(part.use))}


_SCHEMA = {"type": "object", "required": ["use"], "properties": {"use": {"type": "string"}}}
Perturbation = Annotated[dict[str, Any], BeforeValidator(canonical_perturbation), WithJsonSchema(_SCHEMA)]

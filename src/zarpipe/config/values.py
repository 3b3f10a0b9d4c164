"""Kinds of values that the configuration's sections share: what they accept and how they read it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from zarpipe.characters import escaped, is_unseen

_OWN_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TYPOGRAPHIC_QUOTES = ("“", "”", "‘", "’", "「", "＂", "＇")


def canonical_alpha(value: Any) -> str:
    """Return a masking probability as the shortest decimal text, at least one decimal (0.5, 1.0).

    Every spelling of a number gives the same text, so that it names one variant. Raises ValueError for
    anything that is not a number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("expected a number from 0 to 1, such as 0.3")
    try:
        number = float(value)
    except ValueError:
        raise ValueError("expected a number from 0 to 1, such as 0.3") from None
    if math.isnan(number) or not 0.0 <= number <= 1.0:
        raise ValueError("expected a number from 0 to 1, such as 0.3 (with a decimal point, not a comma)")
    whole, decimals = f"{number:.6f}".split(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def canonical_share(value: Any) -> str:
    """Return a share of something as `canonical_alpha` writes it. Raises ValueError for 0, and above 1."""
    try:
        share = canonical_alpha(value)
    except ValueError:
        raise ValueError("expected a number above 0 up to 1, such as 0.25") from None
    if float(share) == 0.0:
        raise ValueError("expected a number above 0 (at least 0.000001) up to 1, such as 0.25")
    return share


def only(fits: Callable[[Any], Any], message: str) -> Callable[[Any], Any]:
    """Return a check that raises ValueError, with the message, for a value that does not fit."""

    def checked(value: Any) -> Any:
        if not fits(value):
            raise ValueError(message)
        return value

    return checked


class PlainLoader(yaml.SafeLoader):
    """Reads YAML whose numbers are decimal ones: 007, 0x1f, 1_000, 1:30 and 2024-01-01 are text."""


# What other spellings a whole number has are left out, so that a name that is one can be told as written.
_DECIMAL = re.compile(
    r"-?[1-9]\d*|0|[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|nan)", re.IGNORECASE
)


def _decimal(loader: PlainLoader, node: yaml.ScalarNode) -> Any:
    if not _DECIMAL.fullmatch(node.value):
        return node.value
    return yaml.SafeLoader.yaml_constructors[node.tag](loader, node)


for _kind in ("int", "float", "timestamp"):
    PlainLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _decimal)


def _plain_name(value: Any) -> Any:
    """Return a name that is a number as the text that was written."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        raise ValueError("expected a name in text; write it in quotes")
    if isinstance(value, str) and value[:1] in _TYPOGRAPHIC_QUOTES:
        raise ValueError("the name begins with a typographic quotation mark; use ASCII quotes or none")
    if isinstance(value, str) and any(map(is_unseen, escaped(value))):
        raise ValueError("expected a name without line breaks, control characters and marks of direction")
    return value


def _plain_folder(value: str) -> str:
    """Refuse folder names that Snakemake or a command line would take for something else."""
    if value.startswith("-") or any(character in value for character in "{}*?[]\n\t,"):
        raise ValueError(
            "a results folder must not begin with a dash or contain { } [ ] * ? , a tab or a line break"
        )
    if value.startswith("~") or "://" in value:
        raise ValueError(
            "expected a folder of this machine as it is written; ~ is not replaced by the home folder, and "
            "no address is opened"
        )
    return value.rstrip("/") or value


def names_with(what: str) -> BeforeValidator:
    """Return what refuses all but a mapping of names; ``what`` each stands with, and an example, is told."""
    return BeforeValidator(
        only(lambda value: isinstance(value, Mapping), f"expected names, each with {what}")
    )


EACH_ONCE = AfterValidator(lambda values: list(dict.fromkeys(values)))
Alpha = Annotated[
    str, BeforeValidator(canonical_alpha, json_schema_input_type=Annotated[float, Field(ge=0, le=1)])
]
Share = Annotated[
    str, BeforeValidator(canonical_share, json_schema_input_type=Annotated[float, Field(gt=0, le=1)])
]
_NO_BOOL = BeforeValidator(
    only(lambda value: not isinstance(value, bool), "expected a number, not true or false")
)
Integer = Annotated[int, _NO_BOOL]
Positive = Annotated[Integer, Field(ge=1)]
Number = Annotated[float, _NO_BOOL, Field(allow_inf_nan=False)]
# Random number generators take no more.
Seed = Annotated[
    Integer,
    AfterValidator(only(lambda value: abs(value) < 2**63, "expected a whole number of at most 18 digits")),
]
NAME_SCHEMA = WithJsonSchema({"type": "string", "pattern": f"^{_OWN_NAME.pattern}$"})
_EXPECTED_NAME = "expected a name of small letters, digits and _, beginning with a letter"
OwnName = Annotated[str, AfterValidator(only(_OWN_NAME.fullmatch, _EXPECTED_NAME)), NAME_SCHEMA]
"""What a study may call something of its own."""
Name = Annotated[str, Field(min_length=1), BeforeValidator(_plain_name)]
OutputFolder = Annotated[Name, AfterValidator(_plain_folder)]
Probability = Annotated[float, _NO_BOOL, Field(ge=0, le=1)]


class Section(BaseModel):
    """A section of the configuration: unknown keys are errors, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

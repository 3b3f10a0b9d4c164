"""Command-line options made from the configuration's models, so that both always say the same.

``add_options(parser, TaggerConfig)`` gives ``--layers`` and ``--hidden-size`` with the model's types,
defaults and descriptions; ``read_options`` validates what was typed back into the model;
``command_line`` writes a model as the options of a shell command, for the workflow's rules.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.pos_sets import OwnPosSetName, PosSetDefinition
from zarpipe.errors import ZarpipeError

Model = TypeVar("Model", bound=BaseModel)


class HelpFormatter(argparse.HelpFormatter):
    """Wraps descriptions to the terminal and leaves texts of several lines (examples) as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text.strip():
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


def flag(name: str) -> str:
    """Return the option of a field: ``hidden_size`` becomes ``--hidden-size``."""
    return "--" + name.replace("_", "-")


def add_options(
    parser: argparse.ArgumentParser, model: type[BaseModel], exclude: tuple[str, ...] = ()
) -> None:
    """Add one option per scalar field of ``model``; fields named in ``exclude`` get none."""
    group = parser.add_argument_group((model.__doc__ or model.__name__).strip().rstrip("."))
    for name, field in model.model_fields.items():
        if name in exclude:
            continue
        default = field.get_default(call_default_factory=True)
        text = " ".join((field.description or "").split()).replace("%", "%%")
        shown = "" if default is None else f" (default: {default})"
        group.add_argument(
            flag(name), dest=name, default=argparse.SUPPRESS, metavar=_metavar(name, field), help=text + shown
        )


def read_options(arguments: argparse.Namespace, model: type[Model]) -> Model:
    """Build ``model`` from the parsed options. Raises ZarpipeError naming the option that is wrong."""
    given = {name: getattr(arguments, name) for name in model.model_fields if hasattr(arguments, name)}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "options"
        found = found_text(first["input"])
        raise ZarpipeError(f"{flag(name)}: found {found}; {problem_message(first)}") from error


def add_definitions(parser: argparse.ArgumentParser) -> None:
    """Add ``--define``: POS sets beside those of the paper."""
    parser.add_argument(
        "--define",
        metavar="YAML",
        help="sets of parts of speech beside those of the paper, as under pos_sets in the configuration: "
        "'adverb: [副詞]', 'content: {except: [助詞, 特殊]}', '{adverb: [副詞], prefix: [接頭辞]}'",
    )


def read_definitions(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the POS sets of ``--define`` in their plain form. Raises ZarpipeError for what is none."""
    try:
        given = yaml.safe_load(arguments.define or "{}")
        return TypeAdapter(dict[OwnPosSetName, PosSetDefinition]).validate_python(given)
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or error
        raise ZarpipeError(
            f"--define: found {arguments.define!r}, which is not valid YAML ({reason})"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(["--define", *(str(part) for part in first["loc"] if part != "[key]")])
        raise ZarpipeError(f"{key}: found {found_text(first['input'])}; {problem_message(first)}") from error


def command_line(values: dict[str, Any]) -> str:
    """Write plain values as shell options, in the given order; None leaves an option out."""
    words = []
    for name, value in values.items():
        if value is None:
            continue
        words.append(
            f"{flag(name)}={shlex.quote(str(value).lower() if isinstance(value, bool) else str(value))}"
        )
    return " ".join(words)


def _metavar(name: str, field: FieldInfo) -> str:
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    if field.annotation is bool:
        choices = ["true", "false"]
    return "{" + ",".join(choices) + "}" if choices else name.upper()

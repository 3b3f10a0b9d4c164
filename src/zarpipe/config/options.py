"""Command-line options made from typed models, so that both always say the same.

A command's model is a section of the configuration or a `Section` of the command's own:

- ``add_command(subparsers, "train", run_train, TaggerConfig, ...)`` adds a command with these options.
- ``add_options(parser, TaggerConfig)`` gives ``--layers`` and ``--hidden-size`` with the model's types,
  defaults and descriptions. A field without a default is a required option, a list takes several values, and
  `Argument` in a field's type says what --help shows for its value, or that it stands without a dash.
- ``read_options(arguments, TaggerConfig)`` validates what was typed back into the model.
- ``command_line(values)`` writes a model's values as the options of a shell command, for the rules.
"""

from __future__ import annotations

import argparse
import shlex
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.policies import Policies
from zarpipe.config.pos_sets import OwnPosSetName, PosSetDefinition
from zarpipe.errors import ZarpipeError

Model = TypeVar("Model", bound=BaseModel)


class HelpFormatter(argparse.HelpFormatter):
    """Wraps descriptions to the terminal and leaves texts of several lines (examples) as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text.strip():
            return "".join(indent + line for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


@dataclass(frozen=True)
class Argument:
    """Metadata of a field's type, ``Annotated[Path, Argument("H5")]``: how it looks on the command line.

    Attributes:
        metavar: what stands for the value in --help; empty for the field's name.
        positional: whether the value stands without the field's name before it.
    """

    metavar: str = ""
    positional: bool = False


def add_command(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], None],
    *sections: type[BaseModel],
    summary: str,
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    """Add a command, and return its parser for further options.

    Args:
        subparsers: of all commands.
        name: of the command.
        run: what it does.
        sections: models whose fields are its options, as `add_options` adds them.
        summary: its line in the list of commands.
        description: what --help says above the options.
        example: what it says below them.
    """
    parser = subparsers.add_parser(
        name, help=summary, description=description, epilog=example, formatter_class=HelpFormatter
    )
    for section in sections:
        add_options(parser, section)
    parser.set_defaults(run=run)
    return parser


def flag(name: str) -> str:
    """Return the option of a field: ``hidden_size`` becomes ``--hidden-size``."""
    return "--" + name.replace("_", "-")


def add_options(
    parser: argparse.ArgumentParser, model: type[BaseModel], exclude: tuple[str, ...] = (), prefix: str = ""
) -> None:
    """Add one option per field of ``model``; fields named in ``exclude`` get none.

    Args:
        parser: the command's.
        model: whose fields become options.
        exclude: names of fields.
        prefix: of the options' names, where two models of a command have fields of one name.
    """
    group = parser.add_argument_group((model.__doc__ or model.__name__).strip().rstrip("."))
    for name, field in model.model_fields.items():
        if name not in exclude:
            _add_option(group, prefix + name, _Field.of(prefix + name, field))


def read_options(arguments: argparse.Namespace, model: type[Model], prefix: str = "") -> Model:
    """Build ``model`` from the parsed options. Raises ZarpipeError naming the option that is wrong."""
    names = [name for name in model.model_fields if hasattr(arguments, prefix + name)]
    given = {name: getattr(arguments, prefix + name) for name in names}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        option = "options"
        if first["loc"]:
            name = str(first["loc"][0])
            option = _Field.of(prefix + name, model.model_fields[name]).option
        raise ZarpipeError(
            f"{option}: found {found_text(first['input'])}; {problem_message(first)}"
        ) from error


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
    return _read_yaml("--define", arguments.define, dict[OwnPosSetName, PosSetDefinition])


def add_policies(parser: argparse.ArgumentParser) -> None:
    """Add ``--define-policy``: what ``--policy`` may name."""
    parser.add_argument(
        "--define-policy",
        metavar="YAML",
        help="masking policies, as under policies in the configuration: 'near: {use: distance, scale: 3}', "
        "'mine: {use: my_masks.py:near_verbs}'",
    )


def read_policies(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the policies of ``--define-policy`` in plain form. Raises ZarpipeError for what is none."""
    return _read_yaml("--define-policy", arguments.define_policy, Policies)


def _read_yaml(option: str, text: str | None, expected: Any) -> dict[str, Any]:
    """Return what an option's YAML says as names and plain values."""
    try:
        read: dict[str, Any] = TypeAdapter(expected).validate_python(yaml.safe_load(text or "{}"))
    except yaml.YAMLError as error:
        reason = getattr(error, "problem", None) or error
        raise ZarpipeError(f"{option}: found {text!r}, which is not valid YAML ({reason})") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join([option, *(str(part) for part in first["loc"] if part != "[key]")])
        raise ZarpipeError(f"{key}: found {found_text(first['input'])}; {problem_message(first)}") from error
    return read


def command_line(values: Mapping[str, Any]) -> str:
    """Write plain values as shell options, in the given order; None leaves an option out."""
    words = []
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            words += [flag(name), *map(_word, value)]
        elif value is not None:
            words.append(f"{flag(name)}={_word(value)}")
    return " ".join(words)


def choices_of(annotation: Any) -> list[str]:
    """Return the texts that a field may have, when it is a Literal; else nothing."""
    if get_origin(annotation) is not Literal:
        return []
    return [choice for choice in get_args(annotation) if isinstance(choice, str)]


@dataclass(frozen=True)
class _Field:
    """A model's field as an option.

    Attributes:
        option: its name for a person.
        argument: how it looks.
        metavar: what stands for its value.
        takes_list: whether it takes several values.
        help: its description and default.
        required: whether it has no default.
    """

    option: str
    argument: Argument
    metavar: str
    takes_list: bool
    help: str
    required: bool

    @classmethod
    def of(cls, name: str, field: FieldInfo) -> _Field:
        annotation, metadata = _bare(field.annotation, list(field.metadata))
        takes_list = get_origin(annotation) is list
        if takes_list:
            annotation, more = _bare(get_args(annotation)[0], [])
            metadata = [*metadata, *more]
        argument = next((entry for entry in metadata if isinstance(entry, Argument)), Argument())
        choices = ["true", "false"] if annotation is bool else choices_of(annotation)
        metavar = "{" + ",".join(choices) + "}" if choices else argument.metavar or name.upper()
        option = metavar if argument.positional else flag(name)
        return cls(option, argument, metavar, takes_list, _help(field), field.is_required())


def _add_option(group: Any, name: str, field: _Field) -> None:
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "metavar": field.metavar, "help": field.help}
    if field.takes_list:
        settings["nargs"] = "+" if field.required or not field.argument.positional else "*"
    elif field.argument.positional and not field.required:
        settings["nargs"] = "?"
    if field.argument.positional:
        group.add_argument(name, **settings)
    else:
        group.add_argument(field.option, dest=name, required=field.required, **settings)


def _help(field: FieldInfo) -> str:
    text = " ".join((field.description or "").split())
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if default is not None:
        shown = " ".join(map(str, default)) if isinstance(default, list) else default
        text = f"{text} (default: {shown})"
    return text.replace("%", "%%")


def _bare(annotation: Any, metadata: list[Any]) -> tuple[Any, list[Any]]:
    """Return a type without None and what is said about it: ``Annotated[Path, A] | None`` is Path and [A]."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return _bare(inner, [*metadata, *more])
    if origin in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return _bare(parts[0], metadata)
    return annotation, metadata


def _word(value: Any) -> str:
    return shlex.quote(str(value).lower() if isinstance(value, bool) else str(value))

"""Commands and their options, made from typed functions and models, so that all always say the same.

A command is a function of its own name. Its docstring is its --help: a line, which the list of commands
shows too, what stands above the options, and examples. Each argument is a model, a section of the
configuration or a `Section` of the command's own, whose fields are options::

    class EncodedFiles(Section):
        corpus: Annotated[Path, Argument("CORPUS", positional=True)]
        output: Annotated[Path, Argument("FILE")]

    def encode(files: EncodedFiles, mlm: Annotated[MlmConfig, Options(without=("path",))]) -> None:

`zarpipe.cli` names the module of each command, which imports what it needs when it runs. A field without a
default is a required option, a list takes several values, and `Argument` says what --help shows for a value,
that it stands without a dash, or that the option is a switch. `command_line` writes values as the options of
a shell command, for the rules.
"""

from __future__ import annotations

import argparse
import inspect
import re
import shlex
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic.fields import FieldInfo

from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.mlm import MlmConfig
from zarpipe.config.policies import Policies
from zarpipe.config.pos_sets import PosSets
from zarpipe.config.values import PlainLoader, Section
from zarpipe.errors import ZarpipeError

Model = TypeVar("Model", bound=BaseModel)
Subparsers = Any  # argparse keeps the class of add_subparsers() private


class HelpFormatter(argparse.HelpFormatter):
    """Wraps paragraphs to the terminal and leaves those with indented lines (examples) as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (
            part if "\n " in part else textwrap.fill(part, width) for part in text.strip().split("\n\n")
        )
        return textwrap.indent("\n\n".join(paragraphs), indent)


@dataclass(frozen=True)
class Argument:
    """Metadata of a field's type, ``Annotated[Path, Argument("H5")]``: how it looks on the command line."""

    metavar: str = ""  # what stands for the value in --help; empty for the field's name
    positional: bool = False  # whether the value stands without the field's name before it
    switch: bool = False  # whether the option alone means true


@dataclass(frozen=True)
class Options:
    """Metadata of a command's argument: which fields of the model are options, and what they are called."""

    without: tuple[str, ...] = ()  # names of fields that are none
    prefix: str = ""  # of the options' names, where two models of a command have fields of one name


def add_command(subparsers: Subparsers, run: Callable[..., None], listed: bool = True) -> None:
    """Add a command that runs a function of models; ``listed``: whether the list of commands has it."""
    text = inspect.cleandoc(run.__doc__ or "").replace("%", "%%")
    description, *examples = re.split(r"\n(?=Examples?:\n)", text)
    parser: argparse.ArgumentParser = subparsers.add_parser(
        run.__name__.replace("_", "-"),
        **({"help": text.partition("\n")[0].rstrip(".")} if listed else {}),
        description=description,
        epilog="".join(examples),
        formatter_class=HelpFormatter,
    )
    hints = get_type_hints(run, include_extras=True)
    models = {name: _options(annotation) for name, annotation in hints.items() if name != "return"}
    for model, options in models.values():
        add_options(parser, model, options.without, options.prefix)

    def run_command(arguments: argparse.Namespace) -> None:
        run(
            **{
                name: read_options(arguments, one, of.prefix, of.without)
                for name, (one, of) in models.items()
            }
        )

    parser.set_defaults(run=run_command)


def _options(annotation: Any) -> tuple[Any, Options]:
    """Return the model of a command's argument, and which of its fields are options."""
    if get_origin(annotation) is not Annotated:
        return annotation, Options()
    model, *metadata = get_args(annotation)
    return model, next(entry for entry in metadata if isinstance(entry, Options))


def flag(name: str) -> str:
    """Return the option of a field: ``hidden_size`` becomes ``--hidden-size``."""
    return "--" + name.replace("_", "-")


def add_options(
    parser: argparse.ArgumentParser, model: type[BaseModel], exclude: tuple[str, ...] = (), prefix: str = ""
) -> None:
    """Add an option per field of ``model`` that is not in ``exclude``, with ``prefix`` before its name."""
    group = parser.add_argument_group((model.__doc__ or model.__name__).strip().rstrip("."))
    for name, field in model.model_fields.items():
        if name not in exclude:
            _add_option(group, prefix + name, field)


def read_options(
    arguments: argparse.Namespace, model: type[Model], prefix: str = "", exclude: tuple[str, ...] = ()
) -> Model:
    """Build ``model`` from the parsed options. Raises ZarpipeError naming the option that is wrong."""
    names = [name for name in model.model_fields if hasattr(arguments, prefix + name)]
    given = {name: getattr(arguments, prefix + name) for name in names if name not in exclude}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        option = "options"
        if first["loc"]:
            name, *keys = (part for part in first["loc"] if isinstance(part, str) and part != "[key]")
            option = ".".join([_Option.of(prefix + name, model.model_fields[name]).name, *keys])
        found = found_text(first["input"])
        raise ZarpipeError(f"{option}: found {found}; {problem_message(first)}") from error


def from_yaml(text: Any) -> Any:
    """Read the YAML of an option; nothing is an empty mapping. Raises ValueError."""
    try:
        return yaml.load(text, Loader=PlainLoader) or {}  # noqa: S506 (a SafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"not valid YAML: {getattr(error, 'problem', None) or error}") from error


class OwnPosSets(Section):
    """Sets of parts of speech"""  # noqa: D415 (a heading of --help too)

    define: Annotated[PosSets, BeforeValidator(from_yaml), Argument("YAML")] = {}
    """Sets of parts of speech beside those of the paper, as under pos_sets in the configuration:
    'adverb: [副詞]', 'content: {except: [助詞, 特殊]}', '{adverb: [副詞], prefix: [接頭辞]}'."""


class OwnPolicies(Section):
    """Masking policies"""  # noqa: D415 (a heading of --help too)

    define_policy: Annotated[Policies, BeforeValidator(from_yaml), Argument("YAML")] = {}
    """Masking policies, as under policies in the configuration: 'near: {use: distance, scale: 3}',
    'mine: {use: my_masks.py:near_verbs}'."""


MlmOptions = Annotated[MlmConfig, Options(without=("path",))]
"""How a masked language model is loaded that a command's own option names; see `MlmConfig.at`."""


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
class _Option:
    """A field as an option: its name for a person, how it looks, and whether it takes several values."""

    name: str
    argument: Argument
    metavar: str
    takes_list: bool

    @classmethod
    def of(cls, name: str, field: FieldInfo) -> _Option:
        annotation, metadata = _bare(field.annotation, list(field.metadata))
        takes_list = get_origin(annotation) is list
        if takes_list:
            annotation, more = _bare(get_args(annotation)[0], [])
            metadata = [*metadata, *more]
        argument = next((entry for entry in metadata if isinstance(entry, Argument)), Argument())
        choices = ["true", "false"] if annotation is bool else choices_of(annotation)
        metavar = argument.metavar or ("{" + ",".join(choices) + "}" if choices else name.upper())
        return cls(metavar if argument.positional else flag(name), argument, metavar, takes_list)


def _add_option(group: Any, name: str, field: FieldInfo) -> None:
    option, required = _Option.of(name, field), field.is_required()
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": _help(field, option.argument.switch)}
    if option.argument.switch:
        group.add_argument(option.name, dest=name, action="store_true", **settings)
        return
    settings["metavar"] = option.metavar
    if option.takes_list:
        settings["nargs"] = "+" if required or not option.argument.positional else "*"
    elif option.argument.positional and not required:
        settings["nargs"] = "?"
    if option.argument.positional:
        group.add_argument(name, **settings)
    else:
        group.add_argument(option.name, dest=name, required=required, **settings)


def _help(field: FieldInfo, switch: bool) -> str:
    text = " ".join((field.description or "").split())
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if default not in (None, [], {}) and not switch:
        shown = " ".join(map(str, default)) if isinstance(default, list) else _plain(default)
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
    return shlex.quote(_plain(value))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""JSON Schema and reference page of the configuration, both made from its model: ``zarpipe schema``."""

from __future__ import annotations

import argparse
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from zarpipe.config import Config
from zarpipe.config.options import HelpFormatter, choices_of
from zarpipe.files import write_text

_HEAD = """\
# Configuration

Made by `zarpipe schema` from `src/zarpipe/config/`; do not edit.

`config.yaml` in the project's root holds the embedded study. Overlays given with `--configfile` are laid on
top of it, in their order: sections are merged key by key, lists and plain values are replaced.
`--config key=value` wins over all. The defaults below are the paper's protocol and hold for keys that no file
names. A top-level key that begins with `x-` is ignored, as a place for YAML anchors.
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``schema`` to the parser."""
    parser = subparsers.add_parser(
        "schema",
        help="Write the configuration's JSON Schema and reference page",
        description="Write the JSON Schema of config.yaml (for editors that check YAML) and the page that "
        "explains every key. Both come from the same model that checks the configuration.",
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--schema", type=Path, metavar="FILE", help="JSON Schema to write")
    parser.add_argument("--page", type=Path, metavar="FILE", help="Markdown page to write")
    parser.set_defaults(run=run_schema)


def run_schema(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe schema``."""
    if arguments.schema:
        write_text(arguments.schema, schema_text())
    if arguments.page:
        write_text(arguments.page, page_text())
    if not arguments.schema and not arguments.page:
        print(schema_text(), end="")


def schema_text() -> str:
    """Return the JSON Schema (draft 2020-12) of the configuration."""
    schema = Config.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def page_text() -> str:
    """Return the reference page: one table per section, with type, default and meaning of each key."""
    return _HEAD + "".join(_sections(Config, "", "The whole study."))


def _sections(model: type[BaseModel], prefix: str, title: str) -> Iterator[str]:
    plain = {name: field for name, field in model.model_fields.items() if not _is_section(field)}
    if plain:
        heading = f"`{prefix}`" if prefix else "Top level"
        yield f"\n## {heading}\n\n{title}\n\n"
        yield "| key | allowed | default | meaning |\n| --- | --- | --- | --- |\n"
        for name, field in plain.items():
            meaning = " ".join((field.description or "").split()).replace("|", "\\|")
            default = json.dumps(field.get_default(call_default_factory=True), default=str)
            yield f"| `{name}` | {_allowed(field.annotation, field.metadata)} | `{default}` | {meaning} |\n"
    for name, field in model.model_fields.items():
        if _is_section(field):
            section = field.annotation
            path = f"{prefix}.{name}" if prefix else name
            yield from _sections(section, path, " ".join((section.__doc__ or "").split()))  # type: ignore[arg-type]


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _allowed(annotation: Any, metadata: list[Any]) -> str:
    """Describe a type in a reader's words."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return _allowed(inner, more)
    if origin in (Union, types.UnionType):
        return " or ".join(_allowed(part, []) for part in get_args(annotation))
    if choices := choices_of(annotation):
        return ", ".join(f"`{choice}`" for choice in choices)
    if origin is list:
        return "list of: " + _allowed(get_args(annotation)[0], [])
    if origin is dict:
        return "names and what they mean"
    for entry in metadata:
        if isinstance(entry, BeforeValidator) and entry.json_schema_input_type is not PydanticUndefined:
            return _allowed(entry.json_schema_input_type, [])  # what is written, not what it becomes
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"`{{{', '.join(annotation.model_fields)}}}`"
    names = {int: "whole number", float: "number", bool: "`true`, `false`", str: "text", type(None): "`null`"}
    return names.get(annotation, str(annotation)) + _bounds(metadata)


def _bounds(metadata: list[Any]) -> str:
    words = []
    for entry in metadata:
        for constraint in getattr(entry, "metadata", [entry]):
            for attribute, sign in (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<")):
                value = getattr(constraint, attribute, None)
                if isinstance(value, (int, float)):
                    words.append(f"{sign} {value}")
    return f" ({', '.join(words)})" if words else ""

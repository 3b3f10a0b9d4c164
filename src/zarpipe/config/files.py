"""Reads and merges configuration files strictly, so that nothing a user writes is lost in silence.

Snakemake reads the files too, but overwrites a repeated key, lets an empty section erase the defaults of
the section below it, and cannot say on which line a value stands.
"""

from __future__ import annotations

import os
import shlex
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from zarpipe.config import Config
from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.values import PlainLoader
from zarpipe.errors import ZarpipeError, any_of
from zarpipe.registry import did_you_mean

Path_ = tuple[str | int, ...]

_ENDINGS = (".yaml", ".yml", ".json")
# What no configuration comes near to: the longest that ships has some 100 values.
_MOST_VALUES = 20_000
_DEEPEST = 50


@dataclass
class _Merged:
    """Values of all files on top of each other, where each key stands (place, text as written), how many."""

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[Path_, tuple[str, str]] = field(default_factory=dict)
    count: int = 0


def load_config(files: Iterable[str | Path], overrides: Mapping[str, Any] | None = None) -> Config:
    """Read configuration files, later ones on top of earlier ones, then ``overrides``, into a Config.

    Sections are merged key by key; lists and plain values are replaced. Raises ZarpipeError that lists every
    problem, each with its key, what was found, what is allowed and where.
    """
    merged = _Merged()
    for file in files:
        _merge_file(merged, Path(file))
    _note(merged, overrides or {}, "--config", ())
    _overlay(merged.values, overrides or {})
    try:
        return Config.model_validate(merged.values)
    except ValidationError as error:
        lines = list(dict.fromkeys(_explain(problem, merged) for problem in error.errors()))
        raise ZarpipeError(
            "the configuration is not valid:\n" + "\n".join(f"  - {line}" for line in lines)
        ) from error


def refuse_repeated_configfiles(arguments: Sequence[str]) -> None:
    """Raise ZarpipeError for ``--configfile A --configfile B`` in ``sys.argv``: Snakemake keeps B alone."""
    count, files = _configfiles(arguments)
    if count > 1:
        raise ZarpipeError(
            f"--configfile: found {count} times, of which Snakemake keeps the last alone; expected it once "
            f"with all files after it: --configfile {shlex.join(files)}"
        )


def check_configfiles(arguments: Sequence[str]) -> None:
    """Raise ZarpipeError, by file and line, for overlays on Snakemake's command line that it cannot read."""
    refuse_repeated_configfiles(arguments)
    for name in _configfiles(arguments)[1]:
        is_there = os.path.exists(name)  # noqa: PTH110 - false for every error
        if not is_there or Path(name).suffix.lower() not in _ENDINGS:
            problem = f"expected a file that ends in {any_of(_ENDINGS)}" if is_there else "no such file"
            raise ZarpipeError(
                f"--configfile: {name}: {problem}. If it is a target, write `--` before it: the words "
                "after --configfile, up to the next option, are taken for configuration files"
            )
        if not _merge_file(_Merged(), Path(name)):
            raise ZarpipeError(
                f"{name}:1: the file holds no key; leave it out, or give it keys (`key: value`)"
            )


def _configfiles(arguments: Sequence[str]) -> tuple[int, list[str]]:
    """Return how often ``--configfile`` stands there, and the files that it names."""
    files: list[str] = []
    count, reading = 0, False
    for word in arguments:
        name, _, value = word.partition("=")
        if name in ("--configfile", "--configfiles"):
            count, reading = count + 1, True
            files += [value] if value else []
        elif word.startswith("-"):
            reading = False
        elif reading:
            files.append(word)
    return count, files


def _merge_file(merged: _Merged, path: Path) -> bool:
    """Lay a file on top of the others; tell whether it holds anything."""
    root = _compose(path)
    if root is None:
        return False
    if not isinstance(root, yaml.MappingNode):
        raise ZarpipeError(
            f"{path}:{root.start_mark.line + 1}: a configuration file holds keys and values "
            "(`key: value`, with ASCII colon and blank); found something else at its top"
        )
    values = _construct(root, path, (), merged)
    # An anchor for later use may stand at the top under an "x-" key, as in other YAML formats.
    _overlay(merged.values, {name: value for name, value in values.items() if not str(name).startswith("x-")})
    return True


def _compose(path: Path) -> yaml.Node | None:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ZarpipeError(f"{path}: cannot read this configuration file ({error.strerror})") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ZarpipeError(f"{path}:{line}: not UTF-8; save the file in UTF-8") from error
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except RecursionError:
        raise _endless(str(path)) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line_text = f":{mark.line + 1}" if mark is not None else ""
        hint = "; indent with blanks, not with tabs" if "\\t" in str(error) else ""
        raise ZarpipeError(
            f"{path}{line_text}: not valid YAML: {getattr(error, 'problem', error)}{hint}"
        ) from error
    return node


def _endless(place: str) -> ZarpipeError:
    return ZarpipeError(
        f"{place}: here the file has more than {_MOST_VALUES:,} values (aliases written out) or is "
        f"nested more than {_DEEPEST} deep; expected a configuration that a person can read"
    )


def _construct(node: yaml.Node, file: Path, path: Path_, merged: _Merged) -> Any:
    """Build plain values from a node, refusing repeated keys and noting where each key stands."""
    place = f"{file}:{node.start_mark.line + 1}"
    merged.places[path] = (place, node.value if isinstance(node, yaml.ScalarNode) else "")
    merged.count += 1
    if merged.count > _MOST_VALUES or len(path) > _DEEPEST:
        raise _endless(place)
    if isinstance(node, yaml.SequenceNode):
        return [_construct(child, file, (*path, index), merged) for index, child in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node, file)
    _refuse_repeated_keys(node, file)
    try:
        yaml.SafeLoader("").flatten_mapping(node)
    except RecursionError:
        raise _endless(place) from None
    values = {}
    for key_node, value_node in node.value:
        key = _scalar(key_node, file)
        values[key] = _construct(value_node, file, (*path, key), merged)
    return values


def _refuse_repeated_keys(node: yaml.MappingNode, file: Path) -> None:
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ZarpipeError(f"{file}:{line}: found a list or section as a key; expected a name")
        if key.tag != "tag:yaml.org,2002:merge" and key.value in seen:
            raise ZarpipeError(
                f"{file}:{line}: the key {key.value!r} stands twice (first on line {seen[key.value]}), "
                "so one of the two would be lost; put everything under one of them"
            )
        seen[key.value] = line


def _scalar(node: yaml.Node, file: Path) -> Any:
    try:
        return PlainLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        reason = getattr(error, "problem", None) or str(error)
        raise ZarpipeError(
            f"{file}:{node.start_mark.line + 1}: found a value that cannot be read ({reason}); "
            "write text in quotes"
        ) from error


def _note(merged: _Merged, value: Any, place: str, path: Path_) -> None:
    merged.places[path] = (place, str(value))
    if isinstance(value, Mapping):
        for key, child in value.items():
            _note(merged, child, place, (*path, key))


def _overlay(base: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            _overlay(base[key], value)
        else:
            base[key] = value


def _explain(problem: Any, merged: _Merged) -> str:
    """Write one validation problem as: key, what was found, what is allowed, where."""
    path = tuple(problem["loc"])
    if not path:
        return problem_message(problem)
    key = ".".join(part for part in path if isinstance(part, str) and part != "[key]")
    place, written = merged.places.get(path, merged.places.get(path[:-1], ("", "")))
    where = f" ({place})" if place else ""
    if problem["type"] == "extra_forbidden":
        return f"unknown key {key!r}{where}; {_nearest(path)}"
    found = problem["input"]
    if found is None and _model_at(path) is not None:
        return f"{key}: the section is empty{where}; remove the line, or give it keys"
    message = problem_message(problem)
    hint = ""
    if isinstance(found, bool) and written.lower() not in ("true", "false"):
        hint = f"; YAML reads the bare word {written} as {str(found).lower()}: write {written!r} for a name"
    return f"{key}: found {found_text(found)}{where}; {message}{hint}"


def _nearest(path: Path_) -> str:
    model = _model_at(path[:-1])
    names = list(model.model_fields) if model is not None else []
    hint = did_you_mean(str(path[-1]).strip("\u3000 \ufeff"), names)
    return hint.removeprefix("; ") or "allowed here: " + ", ".join(names)


def _model_at(path: Path_) -> type[BaseModel] | None:
    """Return the section model at a dotted path, or None when a plain value stands there."""
    model: type[BaseModel] | None = Config
    named = False  # the next part is a name of the user's: a recipe's, a policy's
    for part in path:
        if named or isinstance(part, int):  # of a list
            named = False
            continue
        if model is None or part not in model.model_fields:
            return None
        annotation = model.model_fields[str(part)].annotation
        model, named = _section(annotation), _holds_names(annotation)
    return None if named else model


def _holds_names(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return _holds_names(get_args(annotation)[0])
    return get_origin(annotation) is dict


def _section(annotation: Any) -> type[BaseModel] | None:
    """Return the section among what a key may hold, or that in its list or dict."""
    if get_origin(annotation) in (Annotated, list, dict, Union, types.UnionType):
        found = [section for section in map(_section, get_args(annotation)) if section is not None]
        return found[0] if found else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None

"""Digests of a stage's code, so that a change of the code makes the stage's outputs stale and no others.

Snakemake does not see into an installed package. Each rule therefore carries, in its ``spec``, the digest
of the modules that its command runs: the named ones and, transitively, every zarpipe module that they import.
Comments, docstrings, formatting and messages do not count, nor do the modules of ``_WITHOUT_EFFECT`` and of
the floors below ``_IN_SPECS``, nor what a table or figure says about itself (``_TEXTS``).
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import functools
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from zarpipe.characters import escaped
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, text_digest, write_json

# These hold the version and the messages, and never change an output.
_WITHOUT_EFFECT = ("zarpipe", "zarpipe.errors", "zarpipe.log", "zarpipe.progress", "zarpipe.tagger.epochs")
# The values of the configuration and the recipes of the study stand in the specs themselves.
_IN_SPECS = ("zarpipe.config.", "zarpipe.study.")
# Captions and labels: whoever shows them (the index page) has them in its spec.
_TEXTS = {"CAPTION", "SHOWS", "CONTENTS", "GUIDE"}
_PACKAGE = Path(__file__).resolve().parents[1]


def code_digest(*modules: str) -> str:
    """Return a digest of these zarpipe modules and of all zarpipe modules that they import.

    Args:
        modules: dotted names, for example ``zarpipe.encode.encoder``.
    """
    digest = hashlib.sha256()
    for module in sorted(module_closure(*modules)):
        digest.update(f"{module}:{_read(module)[0]}\n".encode())
    return digest.hexdigest()[:16]


def module_closure(*modules: str) -> set[str]:
    """Return the modules and everything of zarpipe that they import, at any depth (inside functions too)."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(filter(_has_effect, _read(module)[1] - found))
    return found


def _has_effect(module: str) -> bool:
    return module not in _WITHOUT_EFFECT and not f"{module}.".startswith(_IN_SPECS)


def package_files_digest(folder: str) -> str:
    """Return a digest of the contents of files of the package that are no modules.

    Args:
        folder: below the package, for example ``report/templates``.
    """
    digest = hashlib.sha256()
    for file in sorted(file for file in (_PACKAGE / folder).rglob("*") if file.is_file()):
        digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def spec_digest(*specs: Any) -> str:
    """Return a short digest of plain values (dicts, lists, texts, numbers), for a folder's name or a spec.

    Args:
        specs: what the content depends on; the order of a dict's keys does not count.
    """
    return text_digest(json.dumps(specs, sort_keys=True, ensure_ascii=False))[:12]


def content_digest(path: str | Path, memory: str | Path, files: Iterable[Path]) -> str | None:
    """Return a digest of the names and bytes of files, named as seen from a folder.

    A file that was touched, or copied over with the same bytes, does not change it.

    Args:
        path: folder (or single file). None is returned if nothing is there (a hub name, or a missing folder,
            which the command that reads it will name).
        memory: JSON file that keeps the digests of files, so that large ones are read again only when they
            may have changed. It can be deleted at any time.
        files: the files that are read, which may lie outside the folder; nothing else counts, so that
            housekeeping files (.git, .DS_Store, README) change nothing.
    """
    root = Path(path)
    if not root.exists():
        return None
    known = _remembered(Path(memory))
    kept = dict(known)
    whole = hashlib.sha256()
    for file in sorted(files):
        name = escaped(str(file.absolute()))
        digest, state = _digest_and_state(file, known.get(name))
        if state is not None:
            kept[name] = [*state, digest]
        whole.update(os.fsencode(os.path.relpath(file, root)) + f"\0{digest}\n".encode())
    if kept != known:
        # A memory that cannot be written only costs time.
        with contextlib.suppress(ZarpipeError):
            write_json(memory, kept)
    return whole.hexdigest()[:16]


# What is remembered of a file: its state (size, two times, number), then its digest.
_Entry = list[int | str]
_STATE_NUMBERS = 4
# A file that was changed so short a time ago may change once more within the same time: the clocks of file
# systems take steps of up to two seconds. (Git distrusts its index for the same reason.)
_SETTLED_NS = 5_000_000_000


def _digest_and_state(file: Path, known: _Entry | None) -> tuple[str, list[int] | None]:
    """Return a file's digest, and its state if that can be trusted; a file in a known state is not read.

    What cannot be read, or is no file, counts by its name alone: the command that reads it will name it.
    """
    before = _state(file)
    if before is None:
        return "", None
    if known is not None and known[:_STATE_NUMBERS] == before:
        return str(known[_STATE_NUMBERS]), before
    try:
        digest = file_digest(file)
    except ZarpipeError:
        return "", None
    settled = before == _state(file) and max(before[1:3]) < time.time_ns() - _SETTLED_NS
    return digest, before if settled else None


def _state(file: Path) -> list[int] | None:
    """Return what differs after every change of a file: a program can set back all but the second time."""
    try:
        status = file.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _remembered(memory: Path) -> dict[str, _Entry]:
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {name: entry for name, entry in known.items() if _is_entry(entry)}


def _is_entry(entry: Any) -> bool:
    """Tell an entry from damage, and from what an earlier version of zarpipe remembered."""
    if not isinstance(entry, list) or len(entry) != _STATE_NUMBERS + 1:
        return False
    return all(type(number) is int for number in entry[:-1]) and isinstance(entry[-1], str)


@functools.cache
def _read(module: str) -> tuple[str, frozenset[str]]:
    """Read a module once; return the digest of its code, and the zarpipe modules that it imports."""
    content = _file(module).read_bytes()
    key = hashlib.sha256(content).hexdigest()
    if key not in _parsed:
        _parsed[key] = _parse(content.decode("utf-8"))
    digest, names = _parsed[key]
    return digest, frozenset(filter(_exists, names))


# Digest and imports of modules, by their bytes.
_parsed: dict[str, tuple[str, list[str]]] = {}


def remember_code(memory: Path) -> None:
    """Keep between processes what modules say by their bytes: parsing all of them takes half a second.

    Args:
        memory: JSON file; it can be deleted at any time.
    """
    rules = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):
        known = json.loads(memory.read_text(encoding="utf-8"))
        if known.get("rules") == rules:
            _parsed.update(
                {key: (str(digest), list(names)) for key, (digest, names) in known["modules"].items()}
            )
    before = len(_parsed)

    def keep() -> None:
        if len(_parsed) > before:
            with contextlib.suppress(ZarpipeError):
                write_json(memory, {"rules": rules, "modules": _parsed})

    atexit.register(keep)


def _parse(text: str) -> tuple[str, list[str]]:
    """Return the digest of a module's code, and the names of zarpipe that it imports."""
    tree = ast.parse(text)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [child for child in node.body if not (_is_docstring(child) or _is_text(child))]
        elif isinstance(node, ast.Call) and _says_something(node):
            node.args, node.keywords = [], []
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    own = sorted(name for name in names if name.split(".")[0] == "zarpipe")
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), own


def _says_something(call: ast.Call) -> bool:
    """Tell whether a call makes an exception or a log line: its words decide no file."""
    function = call.func
    if isinstance(function, ast.Attribute):
        owner = function.value
        return isinstance(owner, ast.Name) and owner.id.lower().strip("_") in ("log", "logger")
    return isinstance(function, ast.Name) and function.id.endswith(("Error", "Problem"))


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id in _TEXTS for target in node.targets
    )


def _exists(module: str) -> bool:
    return _file(module).is_file()


def _file(module: str) -> Path:
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    # A folder of data may have a module's name (report/published).
    package = path / "__init__.py"
    return package if package.is_file() else path.with_suffix(".py")

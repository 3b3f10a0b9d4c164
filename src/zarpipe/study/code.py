"""Digests of the code of each job, so that a change of the code leads to other folders, and of no others.

``CODE`` names the modules of each job; what these import, at any depth, counts too. Comments, docstrings,
formatting and messages do not count, nor what a table or figure says about itself (``_TEXTS``), nor the
modules of ``_WITHOUT_EFFECT``, whose values stand in the settings.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from pathlib import Path

# Captions and labels: whoever shows them (the index page) has them in its settings.
_TEXTS = {"CAPTION", "SHOWS", "CONTENTS", "GUIDE"}
# Messages, and the values of the configuration and of recipes, which stand in the settings themselves.
_WITHOUT_EFFECT = (
    *("zarpipe.config.", "zarpipe.study.", "zarpipe.errors.", "zarpipe.log.", "zarpipe.progress."),
    *("zarpipe.job_folders.", "zarpipe.tagger.epochs."),
)
_PACKAGE = Path(__file__).resolve().parents[1]

CODE: dict[str, tuple[str, ...]] = {
    "convert": ("zarpipe.readers.convert",),
    "ntc": ("zarpipe.readers.ntc",),
    "knp": ("zarpipe.readers.knp",),
    "parquet": ("zarpipe.readers.parquet",),
    "unidic": ("zarpipe.readers.unidic",),
    "describe_mlm": ("zarpipe.mlm.describe",),
    "augment": ("zarpipe.augment.build",),
    "fill": ("zarpipe.augment.cda",),
    "encode": ("zarpipe.encode.encoder",),
    "train": ("zarpipe.tagger.train",),
    "finetune": ("zarpipe.tagger.train",),
    "train_segmenter": ("zarpipe.tagger.segmenter.train",),
    "evaluate_segmenter": ("zarpipe.tagger.segmenter.evaluation",),
    "predict": ("zarpipe.tagger.predict",),
    "predict_live": ("zarpipe.tagger.predict",),
    "predict_held_out": ("zarpipe.tagger.held_out",),
    "filter_copies": ("zarpipe.tagger.filtering",),
    "evaluate": ("zarpipe.evaluate.evaluation",),
    "report": (),
    "choose": ("zarpipe.report.choose",),
}
"""Job, or what it may run besides -> the modules that it runs."""


@functools.cache
def code_digest(*names: str) -> str:
    """Return a digest of the code that a job runs.

    Args:
        names: of the job and of what it runs besides (a reader, an architecture), as in ``CODE``; a name with
            dots is a module itself.
    """
    digest = hashlib.sha256()
    for module in sorted(modules_of(*names)):
        digest.update(f"{module}:{_read(module)[0]}\n".encode())
    return digest.hexdigest()[:16]


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


def module_digest(text: str) -> str:
    """Return the digest of a module's code."""
    return _parsed(text)[0]


def modules_of(*names: str) -> set[str]:
    """Return the modules that `code_digest` digests."""
    found: set[str] = set()
    waiting = [module for name in names for module in CODE.get(name, (name,))]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(name for name in _read(module)[1] - found if _has_effect(name))
    return found


def _has_effect(module: str) -> bool:
    return module != "zarpipe" and not f"{module}.".startswith(_WITHOUT_EFFECT)


@functools.cache
def _read(module: str) -> tuple[str, frozenset[str]]:
    """Return the digest of a module's code, and the zarpipe modules that it imports."""
    digest, names = _parsed(_file(module).read_text(encoding="utf-8"))
    return digest, frozenset(name for name in names if _file(name).is_file())


def _parsed(text: str) -> tuple[str, set[str]]:
    tree = ast.parse(text)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [child for child in node.body if not (_is_docstring(child) or _is_text(child))]
        elif isinstance(node, ast.Call) and _says_something(node):
            node.args, node.keywords = [], []
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    own = {name for name in names if name.split(".")[0] == "zarpipe"}
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


def _file(module: str) -> Path:
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    package = path / "__init__.py"
    return package if package.is_file() else path.with_suffix(".py")

"""Digests of the code of each job, so that a change of the code leads to other folders, and of no others.

``CODE`` names the modules of each job: those whose functions or constants its files depend on. A test runs
each job and compares (tests/workflow/test_code.py). Jobs of the report take seconds and import only what they
use: their modules are those that they import, at any depth.

Comments, docstrings, formatting and messages do not count, nor what a table or figure says about itself
(``_TEXTS``), nor the modules of ``WITHOUT_EFFECT``.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from pathlib import Path

# Captions and labels: whoever shows them (the index page) has them in its settings.
_TEXTS = {"CAPTION", "SHOWS", "CONTENTS", "GUIDE"}
_PACKAGE = Path(__file__).resolve().parents[1]

WITHOUT_EFFECT = (
    # Reads options: their values stand in the settings.
    *("zarpipe.cli", "zarpipe.config", "zarpipe.study", "zarpipe.registry"),
    # Says what happens.
    *("zarpipe.errors", "zarpipe.log", "zarpipe.progress", "zarpipe.tagger.epochs"),
    # Puts bytes into files and folders, and compares checksums.
    *("zarpipe.files", "zarpipe.job_folders", "zarpipe.light_imports"),
)
"""Modules, and all below them, that run in jobs and decide nothing that their files hold."""

_TEXT = ("arrays", "characters")
_CORPUS = (
    *(*_TEXT, "formats.corpus", "formats.corpus_checks", "formats.parquet"),
    *("task.cases", "task.relations"),
)
_INSTANCES = (*_CORPUS, "task.instances")
_TAGS = ("formats.corpus_tags", "task.tagsets")
_LOADING = ("characters", "mlm.files", "mlm.forward", "mlm.loading", "mlm.subwords")
_MLM = (*_LOADING, "mlm.batches", "mlm.sequences")
_READING = (
    *("readers.reading", "readers.summary", "task.documents", "task.relations"),
    *("characters", "task.cases", "task.tagsets"),
)
_GRU = ("tagger.architectures.gru", "tagger.architectures.residual_gru")
_CACHED = ("formats.features", "formats.hdf5")
_TAGGER = ("formats.tagger", "tagger.batches", "tagger.devices", "tagger.inference", "tagger.model")
_DECIDING = (*_INSTANCES, *_TAGGER, "tagger.predict", "tagger.weights", "task.thresholds")
_TRAINING = (
    *(*_CORPUS, *_TAGGER, "formats.history", "tagger.checkpoint", "tagger.folder", "tagger.loop"),
    *("tagger.mixture", "tagger.schedule", "task.thresholds"),
)
_POLICIES = "zarpipe.augment.policies"
_DECISIONS = ("formats.predictions", "formats.text_rows")
_SEGMENTER = (
    *(*_CACHED, *_GRU, "tagger.cached", "tagger.segmenter.model", "tagger.segmenter.sentences"),
    *("tagger.segmenter.weights", "task.scores", "task.segmentation"),
)

CODE: dict[str, tuple[str, ...]] = {
    "convert": (
        *(*_READING, "formats.corpus", "formats.corpus_writer", "formats.parquet", "readers.convert"),
        *("readers.scan", "readers.splits", "readers.text"),
    ),
    "zarpipe.readers.ntc": ("readers.dictionaries", "readers.lines", "readers.trees"),
    "zarpipe.readers.knp": (
        *("readers.knp_arguments", "readers.knp_phrases", "readers.lines", "readers.trees"),
    ),
    "zarpipe.readers.parquet": ("formats.corpus_checks", "formats.corpus_tags", "task.projection"),
    "zarpipe.readers.unidic": (
        *("readers.knp_phrases", "readers.resegment", "readers.trees", "task.projection"),
    ),
    "describe_mlm": ("mlm.describe", *_LOADING),
    "augment": (
        *(*_INSTANCES, *_TAGS, "augment.build", "augment.masking", "augment.policies.product"),
        *("augment.policies.tokens", "formats.variant", "task.draws"),
    ),
    "fill": ("augment.cda", "mlm.filling", *_MLM),
    **dict.fromkeys(
        (f"{_POLICIES}.{name}" for name in ("arguments", "content", "function", "pos", "predicates")), ()
    ),
    **dict.fromkeys(
        (f"{_POLICIES}.{name}" for name in ("dependency", "distance")), ("augment.policies.nearness",)
    ),
    f"{_POLICIES}.own": ("task.documents",),
    f"{_POLICIES}.surprisal": ("mlm.filling", *_MLM),
    "encode": (
        *(*_INSTANCES, *_MLM, "encode.blocks", "encode.encoder", "encode.plan", "encode.token_states"),
        *("formats.features", "formats.hdf5", "layers", "mlm.inputs"),
    ),
    "encode_variant": ("formats.variant",),
    "encode_sentences": (),
    "train": (*_TRAINING, "formats.copies", "tagger.train", "task.instances", "task.subsets"),
    "predict": (*_DECIDING, *_DECISIONS, "formats.hdf5", "formats.probabilities"),
    "predict_held_out": (*_DECIDING, *_DECISIONS, "tagger.held_out", "task.subsets"),
    "zarpipe.tagger.architectures.bigru": _GRU,
    "zarpipe.tagger.architectures.linear": (),
    "zarpipe.tagger.perturbations": (),
    "zarpipe.tagger.differences": (),
    "zarpipe.tagger.own_perturbation": ("task.documents",),
    "zarpipe.tagger.live.model": (*_MLM, "tagger.live.batches"),
    "zarpipe.tagger.cached": _CACHED,
    "zarpipe.tagger.live.states": (*(*_MLM, "formats.variant", "mlm.inputs", "tagger.live.model_folder"),),
    "train_segmenter": (*_TRAINING, *_SEGMENTER, "tagger.segmenter.train"),
    "evaluate_segmenter": (
        *(*_CORPUS, *_TAGGER, *_SEGMENTER, "formats.segmentation_scores", "tagger.predict"),
        *("tagger.segmenter.evaluation", "tagger.weights"),
    ),
    "filter_copies": (*_INSTANCES, *_DECISIONS, "formats.copies", "tagger.filtering", "task.antecedents"),
    "evaluate": (*_INSTANCES, *_DECISIONS, "evaluate.evaluation", "formats.scores", "task.scores"),
}
"""Job -> the modules that it runs, below ``zarpipe``; and the module of what it may run besides (a reader, a
policy, an architecture, hidden states, a perturbation) -> those that it runs. What has no row stands for its
imports."""


@functools.cache
def code_digest(*names: str) -> str:
    """Return a digest of the code that a job runs, by its name and what it runs besides, as in ``CODE``.

    Any other name is a module, of the report, which stands for all that it imports.
    """
    digest = hashlib.sha256()
    for module in sorted(modules_of(*names)):
        digest.update(f"{module}:{_read(module)[0]}\n".encode())
    return digest.hexdigest()[:16]


def package_files_digest(folder: str) -> str:
    """Return a digest of the files, no modules, of a folder of the package (``report/templates``)."""
    digest = hashlib.sha256()
    for file in sorted(file for file in (_PACKAGE / folder).rglob("*") if file.is_file()):
        digest.update(f"{file.relative_to(_PACKAGE).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def modules_of(*names: str) -> set[str]:
    """Return the modules that `code_digest` digests."""
    found = {f"zarpipe.{module}" for name in names for module in CODE.get(name, ())}
    found |= {name for name in names if name in CODE and "." in name}
    waiting = [name for name in names if name not in CODE]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(name for name in _read(module)[1] - found if has_effect(name))
    return found


def has_effect(module: str) -> bool:
    """Tell whether a module that runs in a job can decide what its files hold."""
    above = tuple(f"{name}." for name in WITHOUT_EFFECT)
    return module != "zarpipe" and not module.endswith(".commands") and not f"{module}.".startswith(above)


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
            node.body = [child for child in node.body if not (is_docstring(child) or _is_text(child))]
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


def is_docstring(node: ast.stmt) -> bool:
    """Tell whether a statement is a text alone, which does nothing."""
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

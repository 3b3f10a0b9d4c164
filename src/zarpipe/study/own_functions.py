"""Functions of the user's own: checked and digested before anything runs (the file is parsed), and loaded."""

from __future__ import annotations

import ast
import traceback
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zarpipe.config.policies import PolicyPart
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import text_digest
from zarpipe.registry import did_you_mean
from zarpipe.study.code import is_docstring
from zarpipe.task.documents import Sentence

# What a policy, and a perturbation, is given by place.
POLICY = ("sentence", "predicate")
PERTURBATION = ("states", "sentence", "generator")


def check_function(part: PolicyPart, key: str, given: tuple[str, ...] = POLICY) -> int:
    """Check that the function is there and takes the options, besides what is ``given`` by place.

    Returns its line, from 1.

    Raises ZarpipeError, after the ``key`` where it was asked for, if the file or function is missing, or an
    option is unknown, missing, or of another type than the function says.
    """
    path = Path(str(part.file))
    function = _function(path, part.function, key)
    arguments = function.args
    if len(arguments.posonlyargs) + len(arguments.args) < len(given) and arguments.vararg is None:
        message = f"{part.function} takes too few arguments; expected ({', '.join(given)}, ...)"
        raise FileProblem(path, function.lineno, message)
    _check_options(part, function, key, len(given))
    return function.lineno


def function_digest(part: PolicyPart) -> str | None:
    """Return a digest of the function and of what it uses of its file; None if that cannot be parsed.

    Comments, docstrings and layout do not count, nor where the file lies. What is neither the definition of a
    function or class nor an assignment to a name counts always, and all of a file that looks names up itself.
    """
    try:
        tree = ast.parse(Path(str(part.file)).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [child for child in node.body if not is_docstring(child)]
    defined = [(_defined(statement), statement) for statement in tree.body]
    used = {part.function} | _used(statement for names, statement in defined if not names)
    before: set[str] = set()
    while used != before:
        before = used
        used = used | _used(one for names, one in defined if names & used)
    everything = not used.isdisjoint({"globals", "vars", "eval", "exec"})
    counted = [one for names, one in defined if everything or not names or names & used]
    return text_digest("\n".join(map(ast.dump, counted)))[:16]


def _defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement gives to what it defines; none of one that does other things."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names} - {"*"}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
    if not is_plain or not all(isinstance(target, ast.Name) for target in targets):
        return set()
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _used(statements: Iterable[ast.stmt]) -> set[str]:
    return {node.id for one in statements for node in ast.walk(one) if isinstance(node, ast.Name)}


def _function(path: Path, name: str, key: str) -> ast.FunctionDef:
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise ZarpipeError(
            f"{key}: found {str(path)!r}, which cannot be read ({error.strerror}); expected a Python file. "
            f"Relative paths start at the working directory, {Path.cwd()}"
        ) from error
    except (SyntaxError, ValueError) as error:
        raise FileProblem(path, getattr(error, "lineno", None), f"not valid Python ({error})") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        raise ZarpipeError(f"{key}: {path} has no function {name!r}{did_you_mean(name, list(functions))}")
    return functions[name]


def _check_options(part: PolicyPart, function: ast.FunctionDef, key: str, given: int) -> None:
    arguments, path = function.args, Path(str(part.file))
    by_name = {one.arg: one for one in [*arguments.args, *arguments.kwonlyargs]}
    places = [one.arg for one in [*arguments.posonlyargs, *arguments.args]]
    options = [name for name in by_name if name not in places[:given]]
    for name, value in part.options.items():
        if name in options:
            _check_type(f"{key}.{name}", value, by_name[name].annotation)
        elif arguments.kwarg is None or name in places:
            known = f"its options: {', '.join(options) or 'none'}"
            raise ZarpipeError(
                f"{key}.{name}: {part.function} ({path}:{function.lineno}) has no such option; {known}"
                f"{did_you_mean(name, options)}"
            )
    by_keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    needed = places[given : len(places) - len(arguments.defaults)]
    needed += [one.arg for one, default in by_keyword if default is None]
    if missing := [name for name in needed if name not in part.options]:
        raise ZarpipeError(
            f"{key}.{missing[0]}: found nothing; {part.function} ({path}:{function.lineno}) needs this option"
        )


@dataclass(frozen=True)
class OwnFunction:
    """A function of the user's own, whose file has been run."""

    part: PolicyPart  # where it stands, and its options
    line: int  # line of the file, from 1
    function: Callable[..., Any]  # itself

    @classmethod
    def load(cls, part: PolicyPart, key: str, given: tuple[str, ...] = POLICY) -> OwnFunction:
        """Run the user's file. Raises ZarpipeError as `check_function` does, and where the file stops."""
        line, file = check_function(part, key, given), str(part.file)
        module = types.ModuleType(Path(file).stem)
        module.__file__ = file
        try:
            exec(compile(Path(file).read_bytes(), file, "exec"), module.__dict__)  # noqa: S102 (the user's own)
        except Exception as error:
            raise FileProblem(file, _line_in(file, error), f"{_named(error)}; the file must run") from error
        return cls(part, line, getattr(module, part.function))

    def call(self, sentence: Sentence, *given: Any) -> Any:
        """Return what it returns. Raises ZarpipeError with file, line and sentence where it stops."""
        try:
            return self.function(*given, **self.part.options)
        except Exception as error:
            line = _line_in(str(self.part.file), error)
            raise self.problem(sentence, f"stopped with {_named(error)}", line) from error

    def problem(self, sentence: Sentence, message: str, line: int | None = None) -> FileProblem:
        """Return a fault of the function, with file, line and sentence."""
        told = f"{self.part.function}, sentence {sentence.sent_id!r}: {message}"
        return FileProblem(str(self.part.file), line or self.line, told)


def _line_in(file: str, error: BaseException) -> int | None:
    """Return the last line of the user's file on the way to an error."""
    if isinstance(error, SyntaxError):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}


def _check_type(key: str, value: object, annotation: ast.expr | None) -> None:
    """Refuse an option of another type, where the function says a simple one."""
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    if name not in _TYPES:
        return
    if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "bool"):
        raise ZarpipeError(f"{key}: found {value!r}; the function expects a value of the type {name}")

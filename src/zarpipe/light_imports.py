"""Leave out of a job what its libraries import and never use: most of the time until it begins.

- ``torch._dynamo``, PyTorch's compiler, with some thousand modules more. An optimiser asks it to leave a
  function alone, and transformers takes from it a class for some attention masks and marks of functions.
  Nothing is compiled here. What stands in for it imports it as soon as anything else is asked of it.
- ``torch.distributed.tensor``, which transformers imports wherever PyTorch can share a model out to several
  processes. Here one computes alone.
- pandas, which pyarrow looks for at its first conversion, and does without.

Python's search for reference cycles goes through all objects again and again while modules are imported, and
once more at the end: a third of a short job's time. `without_collection` puts it off.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

_COMPILER = "torch._dynamo"
_MASK_MODULE = f"{_COMPILER}._trace_wrapped_higher_order_op"
_MASK_CLASS = "TransformGetItemToIndex"


@contextlib.contextmanager
def light_imports() -> Iterator[None]:
    """Do without the compiler for a while, and let other libraries do without what they would not use."""
    with without_collection():
        _spare_pandas()
        if _COMPILER not in sys.modules:
            sys.modules[_COMPILER] = _Compiler(_COMPILER)
            sys.modules[_MASK_MODULE] = _MaskModule(_MASK_MODULE)
        import torch.distributed
    gc.freeze()
    available = torch.distributed.is_available
    torch.distributed.is_available = lambda: False
    try:
        yield
    finally:
        torch.distributed.is_available = available
        _remove_stand_ins()
        gc.unfreeze()


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Do not look for reference cycles while modules are imported or a model is loaded.

    Within `light_imports`, they are never looked through later either.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count():
            gc.freeze()
        gc.enable()


@functools.cache
def end_at_once() -> None:
    """Let the interpreter end without a search for cycles: its memory goes back to the system anyway."""
    atexit.register(gc.freeze)


def _spare_pandas() -> None:
    """Let pyarrow find no pandas; whoever else wants it has it."""
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        import pyarrow as pa

        pa.array([0]).to_numpy(zero_copy_only=False)
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas:
    """A finder that finds one module missing."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        """Refuse pandas, leave everything else to other finders."""
        if name == "pandas":
            raise ModuleNotFoundError("left out: nothing here needs it", name=name)


def _remove_stand_ins() -> None:
    for name in (_COMPILER, _MASK_MODULE):
        if isinstance(sys.modules.get(name), (_Compiler, _MaskModule)):
            del sys.modules[name]


def _real(name: str) -> Any:
    """Import a module behind its stand-in."""
    _remove_stand_ins()
    return importlib.import_module(name)


class _Compiler(ModuleType):
    """Stands in for the compiler. Where nothing is compiled, there is nothing to keep from it."""

    @staticmethod
    def disable(fn: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Any:
        """Return the function itself."""
        return fn if fn is not None else lambda function: function

    @staticmethod
    def allow_in_graph(fn: Any) -> Any:
        """Return the function itself."""
        return fn

    @staticmethod
    def assume_constant_result(fn: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function itself."""
        return fn

    @staticmethod
    def graph_break(*_: Any, **__: Any) -> None:
        """Do nothing: there is no graph."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        return getattr(_real(_COMPILER), name)


class _MaskModule(ModuleType):
    """Stands in for the module with the class for attention masks."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == _MASK_CLASS:
            return lambda *arguments: getattr(_real(_MASK_MODULE), _MASK_CLASS)(*arguments)
        return getattr(_real(_MASK_MODULE), name)

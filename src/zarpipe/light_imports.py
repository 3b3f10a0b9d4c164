"""Let a command begin early: most of the time until then goes into what its libraries import and never use.

- Python's search for reference cycles goes through all objects again and again while modules are imported and
  once more at the end. It is made rare, and left out at the end: the memory goes back to the system anyway.
- ``torch._dynamo``, PyTorch's compiler, with some thousand modules more. An optimiser asks it to leave a
  function alone, and transformers takes from it a class for some attention masks and marks of functions.
  Nothing is compiled here. What stands in for it imports it as soon as anything else is asked of it.

The smallest `encode` and `train` job take 6.5 and 5.1 seconds of processor time without this, and 4.1 and 2.5
with it (docs/speed.md).
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

_COMPILER = "torch._dynamo"
_MASK_MODULE = f"{_COMPILER}._trace_wrapped_higher_order_op"
_MASK_CLASS = "TransformGetItemToIndex"
# New objects until the search for cycles begins; imports of PyTorch and transformers make some 500,000.
_NEW_OBJECTS = 200_000


@contextlib.contextmanager
def light_imports() -> Iterator[None]:
    """Do without the compiler for a while, and seldom look for reference cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *thresholds[1:])
    atexit.register(gc.freeze)
    if _COMPILER not in sys.modules:
        sys.modules[_COMPILER] = _Compiler(_COMPILER)
        sys.modules[_MASK_MODULE] = _MaskModule(_MASK_MODULE)
    try:
        yield
    finally:
        _remove_stand_ins()
        gc.set_threshold(*thresholds)


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

    allow_in_graph = assume_constant_result = staticmethod(lambda function: function)
    graph_break = staticmethod(lambda *_, **__: None)

    @staticmethod
    def disable(fn: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Any:
        """Return the function itself."""
        return fn if fn is not None else lambda function: function

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

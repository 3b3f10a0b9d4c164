"""Scripts of the project that are no modules of a package: benchmarks, and those of docs/."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PROJECT = Path(__file__).resolve().parents[1]


def script(path: str) -> ModuleType:
    """Import a script, ``benchmarks/raw_text.py``, by its path in the project."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, PROJECT / path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(
        spec
    )  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module

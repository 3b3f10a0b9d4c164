"""Runs `made_studies.py`: checks the tests of F1 differences on studies whose truth is known.

    python benchmarks/statistics.py [--studies 1000] [--draws 1000] [--documents 240] [--seeds 10] [--table]

Python looks for modules in this folder first when a benchmark runs, and there its own module `statistics`
has the same name. Whoever imports that gets it from here.
"""

import importlib
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:] = [path for path in sys.path if Path(path).resolve() != FOLDER]
if __name__ == "__main__":
    runpy.run_path(str(FOLDER / "made_studies.py"), run_name="__main__")
elif __name__ == "statistics":
    del sys.modules[__name__]
    importlib.import_module(__name__)

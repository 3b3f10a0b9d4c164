"""The examples on the pages of docs/extending, and copies of the package in which they are tried."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def example(page: str, title: str) -> str:
    """Return the code block with this title on a page of docs/extending."""
    text = (PROJECT / "docs/extending" / page).read_text(encoding="utf-8")
    (code,) = re.findall(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', text, re.DOTALL | re.MULTILINE)
    return code


class Package:
    """A copy of the package that a test may change; its commands run in processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "src"
        shutil.copytree(
            PROJECT / "src/zarpipe", self.source / "zarpipe", ignore=shutil.ignore_patterns("__pycache__")
        )

    def add(self, page: str, module: str, table: str, after: str) -> None:
        """Write the module of a page of docs/extending, and its line below ``after`` in a table's module."""
        path = f"src/zarpipe/{module}"
        (self.source.parent / path).write_text(example(page, path), encoding="utf-8")
        self.replace(table, re.escape(after), after + example(page, f"src/zarpipe/{table}"))

    def check(self, module: str) -> None:
        """Let the project's own checks look at a module."""
        path = self.source / "zarpipe" / module
        rules = ["--select", "E,F,W,I,B,UP,D,N", "--ignore", "D105,D107", "--line-length", "110"]
        ruff = ["ruff", "check", *rules, "--config", "lint.pydocstyle.convention='google'", str(path)]
        mypy = ["mypy", "--strict", "--follow-imports", "silent", "--ignore-missing-imports"]
        name = ".".join(path.relative_to(self.source).with_suffix("").parts)
        for command in (ruff, [*mypy, "-m", name]):
            environment = {**os.environ, "MYPYPATH": str(self.source)}
            subprocess.run([sys.executable, "-m", *command], env=environment, cwd=self.source, check=True)

    def replace(self, file: str, pattern: str, text: str) -> list[str]:
        """Put ``text`` in the place of what a pattern matches; return the lines that are new by that."""
        path = self.source / "zarpipe" / file
        before = path.read_text(encoding="utf-8")
        (found,) = set(re.findall(pattern, before, re.DOTALL | re.MULTILINE))
        path.write_text(before.replace(found, text), encoding="utf-8")
        return [line for line in text.splitlines() if line not in found.splitlines()]

    def run(self, *arguments: object, code: int = 0, folder: Path | None = None) -> str:
        """Run a zarpipe command, in a folder; return what it printed, standard error first."""
        return self._run([sys.executable, "-m", "zarpipe", *map(str, arguments)], code, folder)

    def python(self, program: str, folder: Path | None = None) -> str:
        """Run a line of Python with this package."""
        return self._run([sys.executable, "-c", program], 0, folder)

    def _run(self, command: list[str], code: int, folder: Path | None) -> str:
        environment = {**os.environ, "PYTHONPATH": str(self.source), "PYTHONUTF8": "1", "TERM": "dumb"}
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, encoding="utf-8"
        )
        assert done.returncode == code, done.stderr
        return done.stderr + done.stdout

"""The colours of cases: on pages in light and dark, and in a terminal."""

from __future__ import annotations

from typing import NamedTuple

from zarpipe.task.cases import CASES, Colour


class Shades(NamedTuple):
    """A colour on pages: text and soft background on light paper, the same on dark paper."""

    light: str
    light_soft: str
    dark: str
    dark_soft: str


SHADES: dict[Colour, Shades] = {
    "red": Shades("#b0241a", "#fbe0dc", "#ffaaa0", "#4b2320"),
    "blue": Shades("#1252a3", "#dce8fa", "#a5c9ff", "#1d3355"),
    "green": Shades("#1c6a3b", "#dcf1e2", "#98dfb1", "#1c4029"),
    "magenta": Shades("#8a2a7d", "#f7dff3", "#f2aee6", "#47203f"),
    "cyan": Shades("#0c6470", "#d6f0f3", "#8cdbe6", "#153f46"),
    "yellow": Shades("#7a5200", "#f8ecc9", "#f0cd7a", "#443510"),
}

# Styles of rich; the terminal's own theme decides how the colour looks.
TERMINAL_STYLES = {case.name: f"bold {case.colour}" for case in CASES}


def case_colours() -> str:
    """Return the style rules that give each case its colours: ``--nom``, ``--nom-soft`` and its classes."""
    light = "".join(_variables(case.column, *SHADES[case.colour][:2]) for case in CASES)
    dark = "".join(_variables(case.column, *SHADES[case.colour][2:]) for case in CASES)
    return f":root {{{light} }}\n@media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n" + "".join(
        _classes(case.name, case.column) for case in CASES
    )


def _variables(column: str, colour: str, soft: str) -> str:
    return f" --{column}: {colour}; --{column}-soft: {soft};"


def _classes(name: str, column: str) -> str:
    """Return the rules of ``.chip`` (a case's name in a box) and ``.gold-NOM`` (a column of its argument)."""
    return (
        f".chip.{name} {{ color: var(--{column}); }}\n"
        f".chip.{name}.gold-chip {{ background: var(--{column}-soft); }}\n"
        f".gold-{name} .row:not(.chips) {{ background: var(--{column}-soft); }}\n"
        f".gold-{name} .token {{ box-shadow: inset 0 -2px var(--{column}); }}\n"
    )

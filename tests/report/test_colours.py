"""The colours of cases: one of its own for each, readable on its background."""

from typing import get_args

import pytest

from zarpipe.report.colours import SHADES, TERMINAL_STYLES
from zarpipe.report.pages.page import environment
from zarpipe.task.cases import CASES, Colour

# Grounds of pages in light and dark: paper, panel.
LIGHT, DARK = ("#fbfaf7", "#ffffff"), ("#14171b", "#1c2026")


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colour", get_args(Colour))
def test_every_colour_is_readable(colour):
    shades = SHADES[colour]
    for ground in (*LIGHT, shades.light_soft):
        assert contrast(shades.light, ground) >= 4.5
    for ground in (*DARK, shades.dark_soft):
        assert contrast(shades.dark, ground) >= 4.5


def test_every_case_has_a_colour_of_its_own_and_its_rules():
    assert len({case.colour for case in CASES}) == len(CASES)
    assert len(TERMINAL_STYLES) == len(CASES)
    styles = str(environment().globals["case_colours"])
    for case in CASES:
        assert f"--{case.column}: {SHADES[case.colour].light};" in styles
        assert f"--{case.column}-soft: {SHADES[case.colour].dark_soft};" in styles
        for rule in (f".chip.{case.name} ", f".chip.{case.name}.gold-chip ", f".gold-{case.name} .token "):
            assert rule in styles

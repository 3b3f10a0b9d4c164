"""Renders HTML pages: one file each, with style and script inside, that need no network and no other file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from zarpipe.files import write_text
from zarpipe.report.colours import case_colours
from zarpipe.report.table import with_separators
from zarpipe.task.cases import CASES

_BREAKS = re.compile(r"(?<=[-_/.])(?=[^\W\d])|(?<=[-_/])(?=\d)")


def write_page(output: Path, template: str, **values: Any) -> None:
    """Write a page whole. Everything in ``values`` is text: what would be markup is escaped."""
    write_text(output, environment().get_template(template).render(**values))


def environment(*packages: str) -> Environment:
    """Return the environment of the pages' templates."""
    loader = ChoiceLoader([PackageLoader(package) for package in (*packages, "zarpipe.report")])
    made = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # Style and script are the package's own text, put into the page as they are.
    made.globals["case_colours"] = Markup(case_colours())  # noqa: S704
    made.globals["cases"] = CASES
    made.globals["asset"] = lambda name: Markup(loader.get_source(made, name)[0])  # noqa: S704
    made.filters["breakable"] = breakable
    made.filters["with_separators"] = with_separators
    return made


def breakable(text: str) -> Markup:
    """Let long names such as ``masking-all_but_verb-0.5`` break after a mark that a letter follows."""
    parts = _BREAKS.split(text)
    return Markup("<wbr>").join(parts)

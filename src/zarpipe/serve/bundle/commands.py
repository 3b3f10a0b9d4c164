"""The command ``zarpipe bundle``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from zarpipe.config.options import Argument
from zarpipe.config.values import Integer, Name, Section


class Bundled(Section):
    """What is bundled, and where."""

    results: Annotated[Path, Argument("RESULTS", positional=True)]
    """Results folder of the study."""
    recipe: Annotated[str, Argument("NAME")]
    """A recipe of the study, or masking, cda or a name of `recipes` for the one chosen on dev."""
    output: Annotated[Path, Argument("FOLDER")]
    """Folder to write."""
    seed: Annotated[Integer, Argument("N")] | None = None
    """Only the tagger of this seed (default: all)."""
    mlm: Literal["copy", "reference"] = "copy"
    """Copy the masked language model into the bundle, or write down its name and digest alone, where its
    licence or size forbids a copy."""
    mlm_path: Annotated[Name, Argument("PATH")] | None = None
    """The masked language model, if not where the study has it."""


def bundle(bundled: Bundled) -> None:
    """Put a recipe's taggers into one folder, with all that they need.

    Writes a folder with the taggers of a recipe, their thresholds, the masked language model, the
    configuration, the scores and a model card. It works without the results folder: `from zarpipe import
    load`. What is in it: docs/bundle.md.

    Examples:
      zarpipe bundle results --recipe masking --output bundle
      zarpipe bundle results --recipe baseline --seed 1 --mlm reference --output small
    """
    from zarpipe.serve.bundle.make import make_bundle
    from zarpipe.study.study import Study

    manifest = make_bundle(Study.read(bundled.results), bundled)
    seeds = ", ".join(str(tagger.seed) for tagger in manifest.taggers)
    print(f"{bundled.output}: {manifest.recipe['name']}, seeds {seeds}, {manifest.mlm.name}")

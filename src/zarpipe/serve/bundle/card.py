"""The model card of a bundle, in Markdown."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence

from zarpipe.serve.bundle.manifest import NAME, BundledScores, Manifest
from zarpipe.task.cases import CASE_NAMES

_SHOWN = {"zar_f1": "ZAR F1", "dep_f1": "DEP F1", "all_f1": "ALL F1"}


def card(manifest: Manifest) -> str:
    """Return the text of the model card."""
    return "\n".join(_lines(manifest)) + "\n"


def summary(manifest: Manifest) -> dict[str, str]:
    """Return what a page of analysed text says of the bundle: name -> value, in plain text."""
    split, runs = next(reversed(manifest.scores.items()), ("", []))
    scores = ", ".join(f"{title} {_mean(runs, column):.2f}" for column, title in _SHOWN.items() if runs)
    return {
        "Taggers": f"{manifest.recipe['name']}, seeds {_seeds(manifest)}, on {manifest.mlm.name}",
        "Their F1": f"{scores} on {split} with gold predicates, mean over seeds" if runs else "unknown",
        "Words": _words(manifest),
        "Predicates and bunsetsu": _segmenter(manifest) or "given, not found",
    }


def _lines(manifest: Manifest) -> Iterator[str]:
    yield f"# {manifest.recipe['name']}: Japanese predicate-argument structure, zero arguments included"
    yield ""
    yield (
        f"Taggers of the recipe `{manifest.recipe['name']}` of a zarpipe study, with all that they need. For "
        f"a sentence in words and its predicates they find the {', '.join(CASE_NAMES)} arguments in the "
        "sentence, also those that the sentence leaves out beside the predicate (zero anaphora)."
    )
    yield from ["", "```python", "from zarpipe import load", "", f'bundle = load("{_place(manifest)}")']
    yield 'bundle(["男", "は", "訴え", "られた", "が", "、", "無罪", "に", "なった"], predicates=[2, 8])'
    yield from ["```", "", "## What is in it", "", "| | |", "| --- | --- |"]
    yield from _rows(manifest)
    yield from ["", "## Scores", ""]
    yield "F1 in percent of single taggers in these words, with gold predicates; mean over seeds."
    yield ""
    yield f"| split | seeds | {' | '.join(_SHOWN.values())} |"
    yield f"| --- | --- |{' ---: |' * len(_SHOWN)}"
    for split, runs in manifest.scores.items():
        means = [f"{_mean(runs, column):.2f}" for column in _SHOWN]
        yield f"| {split} | {len(runs)} | {' | '.join(means)} |"
    if "test" not in manifest.scores:
        yield "\nThe recipe was not run on the test set."
    yield from ["", "Settings and thresholds were chosen on dev.", "", "## Limits", ""]
    yield "- Arguments in other sentences and outside the text are not looked for."
    if manifest.segmenter is None:
        yield "- Predicates are given, not found."
    yield f"- The words should be those of the training: {_words(manifest)}."
    yield "- The licences of the corpus and of the masked language model hold for what was made from them."
    yield ""
    yield f"`{NAME}` has every setting, and the checksum of every file."


def _place(manifest: Manifest) -> str:
    return "bundle" if manifest.mlm.folder else 'bundle", mlm="FOLDER_OF_THE_MLM'


def _rows(manifest: Manifest) -> Iterator[str]:
    chosen = f", chosen on dev among the study's {manifest.chosen} recipes" if manifest.chosen else ""
    definition = json.dumps(manifest.recipe["definition"], ensure_ascii=False)
    yield f"| recipe | `{manifest.recipe['name']}`{chosen}: `{definition}` |"
    yield f"| taggers | {len(manifest.taggers)}: seeds {_seeds(manifest)} |"
    if manifest.segmenter:
        yield f"| segmenter | {_segmenter(manifest)} |"
    architecture = manifest.recipe["definition"].get("architecture")
    yield f"| architecture | `{architecture or manifest.configuration['tagger']['architecture']}` |"
    copied = "in `mlm/`" if manifest.mlm.folder else "not in the bundle"
    yield f"| masked language model | {manifest.mlm.name}, {copied}; SHA-256 {manifest.mlm.digest} |"
    yield f"| words | {_words(manifest)} |"
    limits = ", ".join(f"{case} {limit:.2f}" for case, limit in manifest.thresholds.items())
    yield f"| thresholds | {limits} |"
    yield f"| zarpipe | {manifest.zarpipe} |"


def _seeds(manifest: Manifest) -> str:
    return ", ".join(str(tagger.seed) for tagger in manifest.taggers)


def _segmenter(manifest: Manifest) -> str:
    found = manifest.segmenter
    if found is None:
        return ""
    f1 = ", ".join(f"{what} {value:.2f}" for what, value in (found.f1 or {}).items())
    scores = f"; F1 on dev: {f1}" if f1 else ""
    return f"seed {found.seed}, finds predicates (threshold {found.threshold:.2f}) and bunsetsu{scores}"


def _words(manifest: Manifest) -> str:
    words = manifest.words
    return (
        f"words of {words.segmenter}"
        if words.segmenter
        else f"the corpus's own ({words.tagset} parts of speech)"
    )


def _mean(runs: Sequence[BundledScores], column: str) -> float:
    return statistics.fmean(run.f1[column] for run in runs)

"""``bundle.json``: what a bundle holds, and the checksums of its files and of itself.

The other files: ``taggers/seedN/tagger.safetensors``, ``segmenter/tagger.safetensors`` if the study has
trained one, ``mlm/`` with the model's own files unless it is only referred to, and ``README.md``, the model
card. docs/bundle.md describes the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from zarpipe.config import EncodingConfig
from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.pos_sets import Tagset
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, text_digest, write_json

NAME = "bundle.json"
CARD = "README.md"
MLM = "mlm"
SEGMENTER = "segmenter"
FORMAT = "2"
# Those of the first format have no segmenter.
_READ = ("1", FORMAT)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BundledTagger(_Part):
    """A tagger: the seed of its training, its folder in the bundle, its own thresholds by case."""

    seed: int
    folder: str
    thresholds: dict[str, float]


class BundledSegmenter(_Part):
    """What finds predicates and bunsetsu: the seed of its training, its folder, its threshold."""

    seed: int
    folder: str
    threshold: float


class BundledMlm(_Part):
    """The masked language model, in a folder of the bundle, or only referred to (None).

    The digest is over its files (`zarpipe.mlm.files.model_digest`). ``hub``: what it is called on the hub
    and the revision, if the study took it from there.
    """

    name: str
    digest: str
    folder: str | None
    hub: tuple[str, str | None] | None


class BundledWords(_Part):
    """The words that the taggers were trained on: ``gold``, or those of a segmenter.

    ``segmenter``: what cut them, with versions; ``tagset``: whose parts of speech the corpus has.
    """

    tokens: str
    segmenter: str | None
    tagset: Tagset


class BundledScores(_Part):
    """F1 in percent of the tagger of a seed, by column (`zarpipe.formats.scores`)."""

    seed: int
    f1: dict[str, float]


class Manifest(_Part):
    """What a bundle holds; docs/bundle.md describes the keys.

    ``chosen``: for which method the study chose the recipe on dev; None if it was asked for by name.
    Thresholds are of the mean of the taggers' probabilities; one tagger's own if it is alone.
    """

    format: str
    zarpipe: str
    recipe: dict[str, Any]
    chosen: str | None
    taggers: list[BundledTagger]
    thresholds: dict[str, float]
    must_exceed: bool
    mlm: BundledMlm
    encoding: EncodingConfig
    words: BundledWords
    scores: dict[str, list[BundledScores]]
    configuration: dict[str, Any]
    files: dict[str, str]
    segmenter: BundledSegmenter | None = None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``bundle.json`` with its own checksum."""
    plain = manifest.model_dump(mode="json")
    write_json(folder / NAME, {**plain, "digest": _digest(plain)})


def read_manifest(folder: Path) -> Manifest:
    """Read ``bundle.json`` and check every file of the bundle.

    Raises:
        ZarpipeError: the folder is no bundle, or one of another version, or a file is missing or changed.
    """
    path = folder / NAME
    if not path.is_file():
        found = "no such folder" if not folder.is_dir() else f"found no {NAME} in it"
        raise ZarpipeError(f"{folder}: {found}; expected a folder that `zarpipe bundle` made")
    plain = read_json(path)
    if not isinstance(plain, dict) or plain.get("format") not in _READ:
        version = plain.get("format") if isinstance(plain, dict) else None
        raise ZarpipeError(
            f"{path}: found a bundle of format {version!r}; this zarpipe reads the formats "
            f"{', '.join(_READ)}. Make it again with `zarpipe bundle`, or use the zarpipe that made it"
        )
    if plain.pop("digest", None) != _digest(plain):
        raise ZarpipeError(f"{path}: damaged or changed: it does not fit its checksum; {_ADVICE}")
    try:
        manifest = Manifest.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ZarpipeError(
            f"{path}: {key}: found {found_text(first['input'])}; {problem_message(first)}; {_ADVICE}"
        ) from error
    _check_files(folder, manifest.files)
    return manifest


_ADVICE = "copy the bundle again, or delete its folder and make it again"


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        file = folder / name
        if not file.is_file():
            raise ZarpipeError(f"{file}: this file of the bundle is missing; {_ADVICE}")
        if file_digest(file) != digest:
            raise ZarpipeError(f"{file}: damaged or changed: it does not fit its checksum; {_ADVICE}")


def _digest(plain: Mapping[str, Any]) -> str:
    return text_digest(json.dumps(plain, sort_keys=True, ensure_ascii=False))

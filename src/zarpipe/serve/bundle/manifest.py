"""``bundle.json``: what a bundle holds, and the checksums of its files and of itself.

The other files: ``taggers/seedN/tagger.safetensors``, ``segmenter/tagger.safetensors`` if the study has
trained one, ``mlm/`` with the model's own files unless it is only referred to, and ``README.md``, the model
card. docs/bundle.md describes the keys.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from zarpipe import __version__
from zarpipe.config import EncodingConfig
from zarpipe.config.messages import found_text, problem_message
from zarpipe.config.pos_sets import Tagset
from zarpipe.config.values import Probability, only
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, read_json, text_digest, write_json
from zarpipe.task.cases import CASE_NAMES

NAME = "bundle.json"
CARD = "README.md"
MLM = "mlm"
SEGMENTER = "segmenter"
FORMAT = "2"
# Those of the first format have no segmenter.
_READ = ("1", FORMAT)


def _is_inside(place: str) -> bool:
    """Tell whether a place is inside of the bundle, wherever that lies."""
    path = PurePosixPath(place)
    return not path.is_absolute() and path.parts != () and ".." not in path.parts


_Place = Annotated[str, AfterValidator(only(_is_inside, "expected a place inside of the bundle"))]
_Thresholds = Annotated[
    dict[str, Probability],
    AfterValidator(
        only(lambda found: set(found) == set(CASE_NAMES), f"expected one for each of {', '.join(CASE_NAMES)}")
    ),
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BundledTagger(_Part):
    """A tagger: the seed of its training, its folder in the bundle, its own thresholds by case."""

    seed: int
    folder: _Place
    thresholds: _Thresholds


class BundledSegmenter(_Part):
    """What finds predicates and bunsetsu: the seed of its training, its folder, its threshold.

    ``f1``: in percent on dev, of predicates and of bunsetsu; None if the study has not evaluated it.
    """

    seed: int
    folder: _Place
    threshold: Probability
    f1: dict[str, float] | None = None


class BundledMlm(_Part):
    """The masked language model, in a folder of the bundle, or only referred to (None).

    The digest is over its files (`zarpipe.mlm.files.model_digest`). ``hub``: what it is called on the hub
    and the revision, if the study took it from there.
    """

    name: str
    digest: str
    folder: _Place | None
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
    taggers: Annotated[list[BundledTagger], Field(min_length=1)]
    thresholds: _Thresholds
    must_exceed: bool
    mlm: BundledMlm
    encoding: EncodingConfig
    words: BundledWords
    scores: dict[str, list[BundledScores]]
    configuration: dict[str, Any]
    files: dict[_Place, str]
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
            f"{_version_note(plain)}"
        )
    if plain.pop("digest", None) != _digest(plain):
        raise ZarpipeError(f"{path}: damaged or changed: it does not fit its checksum; {ADVICE}")
    try:
        manifest = Manifest.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ZarpipeError(
            f"{path}: {key}: found {found_text(first['input'])}; {problem_message(first)}; {ADVICE}"
            f"{_version_note(plain)}"
        ) from error
    _check_files(folder, manifest.files)
    return manifest


ADVICE = "copy the bundle again, or delete its folder and make it again"


def _version_note(plain: Any) -> str:
    """Say that a bundle was made by a later version, if it was."""
    made_by = str(plain.get("zarpipe")) if isinstance(plain, dict) else ""
    found, own = (list(map(int, re.findall(r"\d+", version))) for version in (made_by, __version__))
    return f" (zarpipe {made_by}; this is {__version__}, which is older)" if found > own else ""


def _check_files(folder: Path, files: Mapping[str, str]) -> None:
    """Compare all files but the model card, which is for people, with their checksums."""
    for name, digest in files.items():
        file = folder / name
        if name == CARD:
            continue
        if not file.is_file():
            raise ZarpipeError(f"{file}: this file of the bundle is missing; {ADVICE}")
        if file_digest(file) != digest:
            raise ZarpipeError(f"{file}: {_what_changed(file, digest)}")


def _what_changed(file: Path, digest: str) -> str:
    """Say what git may have made of a file, or that it is damaged."""
    content = file.read_bytes()
    if content.startswith(_POINTER):
        return "found a pointer of git-lfs in the place of the file; fetch it with `git lfs pull`"
    unix = content.replace(b"\r\n", b"\n")
    if digest in [hashlib.sha256(one).hexdigest() for one in (unix, unix.replace(b"\n", b"\r\n"))]:
        return (
            "its line ends were changed, as git does; write `* -text` into .gitattributes of the repository, "
            "or set core.autocrlf to false, and check it out again"
        )
    return f"damaged or changed: it does not fit its checksum; {ADVICE}"


_POINTER = b"version https://git-lfs.github.com/"


def _digest(plain: Mapping[str, Any]) -> str:
    return text_digest(json.dumps(plain, sort_keys=True, ensure_ascii=False))

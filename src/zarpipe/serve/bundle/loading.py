"""Loads a bundle: its files are checked, and the masked language model is that of the study."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import torch

from zarpipe.config import MlmConfig
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.files import file_digests, model_digest
from zarpipe.mlm.loading import load_mlm
from zarpipe.serve.bundle.analysis import Bundle
from zarpipe.serve.bundle.manifest import ADVICE, Manifest, read_manifest
from zarpipe.serve.bundle.segmenter import Segmenter
from zarpipe.tagger.segmenter.weights import read_segmenter
from zarpipe.tagger.weights import read_tagger


def load_bundle(
    folder: str | Path,
    mlm: str | Path | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
) -> Bundle:
    """Load a bundle, and try it: `zarpipe.load`, which says what the arguments are."""
    if threads is not None:
        torch.set_num_threads(threads)
    folder = Path(folder)
    manifest = read_manifest(folder)
    encoding = manifest.encoding.model_copy(update={"device": device})
    model = load_mlm(_mlm_of(folder, manifest, mlm), encoding)
    try:
        taggers = [read_tagger(folder / tagger.folder).model.to(model.device) for tagger in manifest.taggers]
        segmenter = _segmenter(folder, manifest, model.device)
        bundle = Bundle(manifest, TokenStates.of(model, encoding), tuple(taggers), segmenter)
        list(bundle.analyse([(["犬", "だ"], [1])]))
    except (ZarpipeError, MemoryError, torch.OutOfMemoryError):
        raise
    except Exception as error:
        # Each file by itself is what it says; what does not fit together shows when it is tried.
        reason = f"{type(error).__name__}: {str(error).strip()}".splitlines()[0]
        raise ZarpipeError(f"{folder}: its parts do not fit together ({reason}); {ADVICE}") from error
    return bundle


def _segmenter(folder: Path, manifest: Manifest, device: torch.device) -> Segmenter | None:
    if manifest.segmenter is None:
        return None
    read = read_segmenter(folder / manifest.segmenter.folder)
    return Segmenter(read.model.to(device), read.threshold)


def _mlm_of(folder: Path, manifest: Manifest, given: str | Path | None) -> MlmConfig:
    """Return the model of a bundle, whose digest has been compared."""
    told = manifest.mlm
    if given is not None:
        config = MlmConfig(path=str(given))
    elif told.folder is not None:
        config = MlmConfig(path=str(folder / told.folder))
    elif told.hub is not None:
        config = MlmConfig(path=told.hub[0], revision=told.hub[1])
    else:
        raise ZarpipeError(
            f"{folder}: refers to the masked language model {told.name} (digest {told.digest[:12]}), which "
            "is not in the bundle; give its folder with --mlm, or with load(BUNDLE, mlm=FOLDER)"
        )
    inside = given is None and told.folder is not None
    if inside and any(name.startswith("..") for name in file_digests(config)):
        raise ZarpipeError(f"{config.path}: names weights outside of the bundle; {ADVICE}")
    if model_digest(config) != told.digest:
        raise ZarpipeError(
            f"{config.path}: not the masked language model of the bundle {folder} ({told.name}, digest "
            f"{told.digest[:12]}); give the folder of that one"
        )
    return config

"""A bundle on disk with small random taggers, segmenter and masked language model: whole, and quickly made."""

import json
from pathlib import Path

import torch

from zarpipe.config import EncodingConfig, MlmConfig, SegmentationConfig, TaggerConfig
from zarpipe.files import file_digest
from zarpipe.formats.tagger import WEIGHTS_NAME, write_tensors
from zarpipe.mlm.files import model_digest
from zarpipe.serve.bundle import manifest as bundled
from zarpipe.tagger.model import build_model
from zarpipe.tagger.segmenter.model import build_segmenter
from zarpipe.tagger.segmenter.weights import configuration
from zarpipe.task.cases import CASE_NAMES

# Of every case the most probable token is an argument; about half of the tokens are predicates.
THRESHOLDS = dict.fromkeys(CASE_NAMES, 0.0)


def make_bundle(folder: Path, mlm: Path, layers=1, size=8, seeds=(1, 2), segmenter=True, tokens="unidic"):
    """Write a bundle that refers to the model; give the model's folder to whoever loads it."""
    hidden_size = json.loads((mlm / "config.json").read_text())["hidden_size"]
    config = TaggerConfig(layers=layers, hidden_size=size)
    gold = tokens == "gold"
    manifest = bundled.Manifest(
        format="2",
        zarpipe="test",
        recipe={"name": "masking-all-0.5", "definition": {}},
        chosen="masking",
        taggers=[_tagger(folder, config, hidden_size, seed) for seed in seeds],
        thresholds=THRESHOLDS,
        must_exceed=False,
        mlm=bundled.BundledMlm(
            name="tiny", digest=model_digest(MlmConfig(path=str(mlm))), folder=None, hub=None
        ),
        encoding=EncodingConfig(threads=1, device="cpu"),
        words=bundled.BundledWords(
            tokens=tokens, segmenter=None if gold else "made up", tagset="juman" if gold else "unidic"
        ),
        scores={},
        configuration={},
        files={},
        segmenter=_segmenter(folder, hidden_size) if segmenter else None,
    )
    files = {str(file.relative_to(folder)): file_digest(file) for file in folder.rglob("*.safetensors")}
    bundled.write_manifest(folder, manifest.model_copy(update={"files": files}))
    return folder


def _tagger(folder, config, hidden_size, seed):
    torch.manual_seed(seed)
    place = f"taggers/seed{seed}"
    model = build_model(config, hidden_size, seed=seed)
    _write(folder / place, model, config.model_dump(mode="json"), THRESHOLDS, hidden_size)
    return bundled.BundledTagger(seed=seed, folder=place, thresholds=THRESHOLDS)


def _segmenter(folder, hidden_size):
    shape = configuration(SegmentationConfig(layers=1, hidden_size=8))
    model = build_segmenter(1, 8, hidden_size, seed=3)
    for head in (model.predicate, model.bunsetsu):
        torch.nn.init.normal_(head.weight, std=100, generator=torch.Generator().manual_seed(4))
    _write(folder / "segmenter", model, shape, {"predicate": 0.5}, hidden_size)
    return bundled.BundledSegmenter(seed=1, folder="segmenter", threshold=0.5)


def _write(folder, model, config, thresholds, input_size):
    folder.mkdir(parents=True)
    metadata = {"config": config, "thresholds": thresholds, "provenance": {}, "input_size": input_size}
    write_tensors(folder / WEIGHTS_NAME, model.state_dict(), metadata)

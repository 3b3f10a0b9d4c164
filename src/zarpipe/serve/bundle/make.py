"""Makes a bundle from a results folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from zarpipe import __version__
from zarpipe.config import MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest, hidden_folder, read_json, write_text
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.formats.corpus_writer import read_projection
from zarpipe.formats.scores import read_f1
from zarpipe.formats.segmentation_scores import read_segmentation_scores
from zarpipe.formats.tagger import WEIGHTS_NAME, read_tensors
from zarpipe.mlm.files import file_digests, model_digest, model_folder, model_name
from zarpipe.report.choose import read_tested
from zarpipe.report.systems import ensemble_thresholds
from zarpipe.serve.bundle.card import card
from zarpipe.serve.bundle.commands import Bundled
from zarpipe.serve.bundle.manifest import (
    CARD,
    FORMAT,
    MLM,
    NAME,
    SEGMENTER,
    BundledMlm,
    BundledScores,
    BundledSegmenter,
    BundledTagger,
    BundledWords,
    Manifest,
    write_manifest,
)
from zarpipe.study.recipe import Recipe, chosen_name
from zarpipe.study.study import Study
from zarpipe.tagger.segmenter.weights import read_segmenter

_TAGGERS = "taggers"
# Keys of the configuration that say where things lie on the machine of the study.
_PLACES = (("corpus", "path"), ("corpus", "ids"), ("mlm", "path"), ("results",), ("store",))


def make_bundle(study: Study, wanted: Bundled) -> Manifest:
    """Write a bundle; the folder appears only when it is whole, and replaces an older bundle.

    Raises:
        ZarpipeError: a file of the study is missing or damaged, the model is not that of the study, would
            need code or pickles, or there is something else at the output.
    """
    output = wanted.output
    _check_output(output)
    recipe = _recipe(study, wanted.recipe)
    if study.jobs.is_live(recipe.recipe):
        raise ZarpipeError(
            f"{recipe.recipe.name}: its taggers have a masked language model each, which a bundle cannot "
            f"hold; {study.jobs.tagger(recipe.recipe, study.seeds[0])} and the others are whole by "
            "themselves (`zarpipe predict`)"
        )
    seeds = _seeds(study, wanted.seed)
    mlm = _mlm_config(study, wanted)
    with hidden_folder(output) as folder:
        taggers = [_copy_tagger(study, recipe, seed, folder) for seed in seeds]
        bundled = _mlm(study, mlm, wanted.mlm == "copy", folder)
        # The segmenter reads the study's own hidden states; a bundle computes those of its taggers alone.
        own_states = recipe.recipe.states is None
        segmenter = _copy_segmenter(study, bundled.digest, folder) if own_states else None
        manifest = _manifest(study, recipe, taggers, segmenter, bundled)
        manifest = manifest.model_copy(update={"files": _files(folder)})
        write_manifest(folder, manifest)
        write_text(folder / CARD, card(manifest))
        if output.exists():
            shutil.rmtree(output)
        folder.replace(output)
    return manifest


def _check_output(output: Path) -> None:
    """Refuse to replace what is no bundle: a folder for it may be there, also of one that has lost files."""
    if output.is_dir():
        names = {path.name for path in output.iterdir()}
        if not names or NAME in names or {_TAGGERS} <= names <= {_TAGGERS, SEGMENTER, MLM, CARD}:
            return
    if output.exists() or output.is_symlink():
        raise ZarpipeError(f"{output}: is there already and is no bundle; choose another output")


class _Recipe(NamedTuple):
    """The recipe of a bundle, under which name its taggers lie, and for which method it was chosen."""

    recipe: Recipe
    folder: str
    chosen: str | None


def _recipe(study: Study, name: str) -> _Recipe:
    methods = {one: method for method in study.grid.candidates() for one in (chosen_name(method), method)}
    if name not in methods:
        recipe = study.recipe(name)
        if isinstance(recipe, str):
            raise ZarpipeError(f"{name}: not a recipe of the study in {study.results}")
        return _Recipe(recipe, recipe.name, None)
    method = methods[name]
    path = Path(study.chosen().path)
    if not path.is_file():
        raise ZarpipeError(
            f"{path}: no such file; expected what was chosen on dev (`snakemake {path}`), or the name of a "
            f"recipe in {study.shown('recipes.json')}"
        )
    recipe = study.recipe(read_tested(study)[method])
    if isinstance(recipe, str):
        raise ZarpipeError(f"{path}: {method}: found {recipe!r}; expected a recipe of the study")
    return _Recipe(recipe, chosen_name(method), method)


def _seeds(study: Study, seed: int | None) -> list[int]:
    if seed is None:
        return study.seeds
    if seed not in study.seeds:
        raise ZarpipeError(
            f"--seed: found {seed}; the study has the seeds {', '.join(map(str, study.seeds))}"
        )
    return [seed]


def _mlm_config(study: Study, wanted: Bundled) -> MlmConfig:
    mlm = study.config.mlm
    if mlm.trust_remote_code or mlm.allow_pickle:
        key = "trust_remote_code" if mlm.trust_remote_code else "allow_pickle"
        raise ZarpipeError(
            f"mlm.{key}: found true; a bundle runs no code of a model and reads no pickles. Save the model "
            "with safetensors in an architecture of transformers, and run the study with that one"
        )
    return mlm.model_copy(update={"path": wanted.mlm_path or study.jobs.model_path()})


def _copy_tagger(study: Study, recipe: _Recipe, seed: int, folder: Path) -> BundledTagger:
    source = Path(study.tagger_of(recipe.folder, seed, WEIGHTS_NAME).path)
    if not source.is_file():
        raise ZarpipeError(f"{source}: this file is missing; train the tagger with `zarpipe train`")
    _, metadata = read_tensors(source)
    place = f"{_TAGGERS}/seed{seed}"
    (folder / place).mkdir(parents=True)
    shutil.copyfile(source, folder / place / WEIGHTS_NAME)
    return BundledTagger(seed=seed, folder=place, thresholds=metadata["thresholds"])


def _copy_segmenter(study: Study, mlm_digest: str, folder: Path) -> BundledSegmenter | None:
    """Copy the first seed's segmenter, if the study has trained one."""
    seed = study.config.segmentation.seeds[0]
    source = Path(study.segmenter_of(seed, WEIGHTS_NAME).path)
    if not source.is_file():
        return None
    segmenter = read_segmenter(source.parent)
    if segmenter.provenance["mlm_digest"] != mlm_digest:
        raise ZarpipeError(
            f"{source}: reads another masked language model than the study has (digest {mlm_digest[:12]}); "
            "train it again with `zarpipe train-segmenter`, or delete it"
        )
    (folder / SEGMENTER).mkdir()
    shutil.copyfile(source, folder / SEGMENTER / WEIGHTS_NAME)
    scores = Path(study.segmentation_scores_of(seed, "dev").path)
    found = read_segmentation_scores(scores) if scores.is_file() else {}
    f1 = {part: 100 * float(found[part]["f1"]) for part in ("predicates", "bunsetsu") if part in found}
    threshold = segmenter.threshold
    return BundledSegmenter(seed=seed, folder=SEGMENTER, threshold=threshold, f1=f1 or None)


def _mlm(study: Study, mlm: MlmConfig, copied: bool, folder: Path) -> BundledMlm:
    described = read_json(study.mlm().path)
    if model_digest(mlm) != described["digest"]:
        raise ZarpipeError(
            f"{mlm.path}: not the model that the study was made with ({described['name']}, digest "
            f"{described['digest'][:12]}); give its folder with --mlm-path"
        )
    if copied:
        _copy_model(mlm, folder / MLM)
    path = study.config.mlm.path
    from_hub = path is not None and not Path(path).is_dir() and path.count("/") <= 1 and path[0] not in "/.~"
    return BundledMlm(
        name=model_name(mlm),
        digest=described["digest"],
        folder=MLM if copied else None,
        hub=(path, study.config.mlm.revision) if path is not None and from_hub else None,
    )


def _copy_model(mlm: MlmConfig, target: Path) -> None:
    source = model_folder(mlm)
    for name in file_digests(mlm):
        if name.startswith(".."):
            raise ZarpipeError(
                f"{source / name}: a file of the model that lies outside of its folder; leave the model out "
                "of the bundle with --mlm reference"
            )
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)


def _manifest(
    study: Study,
    recipe: _Recipe,
    taggers: Sequence[BundledTagger],
    segmenter: BundledSegmenter | None,
    mlm: BundledMlm,
) -> Manifest:
    config = study.config
    seeds = [tagger.seed for tagger in taggers]
    thresholds = taggers[0].thresholds
    if len(taggers) > 1:
        thresholds = ensemble_thresholds(study, _predicted_on_dev(study, recipe))
    scored = {"dev": recipe.recipe.name}
    first_on_test = Path(study.scores_of(recipe.folder, study.seeds[0], "test").path)
    # Only what is chosen runs on the test set.
    if recipe.chosen is not None and first_on_test.is_file():
        scored["test"] = recipe.folder
    dev = Path(study.jobs.corpus("dev"))
    projection = read_projection(dev)
    return Manifest(
        format=FORMAT,
        zarpipe=__version__,
        recipe={"name": recipe.recipe.name, "definition": recipe.recipe.definition()},
        chosen=recipe.chosen,
        taggers=list(taggers),
        thresholds=thresholds,
        must_exceed=config.tagger.accept == "exceeds",
        mlm=mlm,
        encoding=study.jobs.encoding(recipe.recipe.states),
        words=BundledWords(
            tokens=config.corpus.tokens,
            segmenter=projection[0] if projection else None,
            tagset=tagset_of(read_corpus(dev, ["pos"])),
        ),
        scores={
            split: [
                BundledScores(seed=seed, f1=read_f1(Path(study.scores_of(name, seed, split).path)))
                for seed in seeds
            ]
            for split, name in scored.items()
        },
        configuration=_without_places(config.model_dump(mode="json")),
        files={},  # known when all are there
        segmenter=segmenter,
    )


def _predicted_on_dev(study: Study, recipe: _Recipe) -> str:
    """Return under which name the taggers' probabilities on dev lie."""
    of_chosen = study.probabilities_of(recipe.folder, study.seeds[0], "dev")
    return recipe.folder if Path(of_chosen.path).is_file() else recipe.recipe.name


def _without_places(configuration: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration without what is true on one machine only."""
    for *sections, key in _PLACES:
        section: Any = configuration
        for name in sections:
            section = section[name]
        section[key] = None
    return configuration


def _files(folder: Path) -> dict[str, str]:
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    return {os.fspath(file.relative_to(folder)): file_digest(file) for file in found}

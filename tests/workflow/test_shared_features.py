"""Two studies over one folder of shared features."""

import contextlib
import os
import stat
from pathlib import Path

import pytest
from workflow.marked import MarkedStudy, configuration, files, make_sources
from zarpipe.study.records import Stored

from zarpipe.encode.cache import describe_and_verify
from zarpipe.files import read_json
from zarpipe.formats.features import Features, token_states
from zarpipe.sample import CORPUS, MODEL

TINY = str(Path(__file__).parent / "tiny.yaml")
MIX = "tagger={compare: [{layers: mix}]}"
ENCODING = {"convert", "describe_mlm", "augment", "encode", "encode_variant"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    return make_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def first(make_workflow, sources):
    """A study that has filled the shared folder."""
    folder = make_workflow().folder
    own = configuration(folder / "one.yaml", "one", sources / "store", sources / "corpus", sources / "model")
    study = MarkedStudy(folder, ("all", "--configfile", TINY, own))
    study.finish()
    return study


OTHER_TAGGER = "tagger: {hidden_size: 9}\n"


def in_store(folder: Path, job) -> bool:
    """Tell whether a job's files are in the store already, so that the job only makes links to them."""
    with contextlib.chdir(folder):
        return Stored(**read_json(job.job_file)["stored"]).complete()


def second(folder: Path, sources: Path, more: str = OTHER_TAGGER) -> MarkedStudy:
    own = configuration(
        folder / "two.yaml", "two", sources / "store", sources / "corpus", sources / "model", more
    )
    return MarkedStudy(folder, ("all", "--configfile", TINY, own))


def test_the_second_study_encodes_nothing(first, sources, make_workflow):
    """In the same working directory or another: what is in the store is only linked."""
    for folder in (first.folder, make_workflow().folder):
        jobs = second(folder, sources).jobs()
        assert {"train", "predict", "table4", "index"} <= {job.rule for job in jobs}
        assert not [job.rule for job in jobs if job.rule in ENCODING and not in_store(folder, job)]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (
            "encoding: {compute_dtype: bfloat16}",
            {"augment", "encode", "encode_variant"},
        ),
        ("augmentation: {seed: 2}", {"augment", "encode_variant"}),
        ("augmentation: {alphas: [0.5, 0.3]}", {"augment", "encode_variant"}),
        ("tagger: {compare: [{layers: mix}]}", {"encode", "encode_variant"}),
    ],
)
def test_other_settings_get_files_of_their_own(first, sources, change, again):
    study = second(first.folder, sources, change)
    before = set((sources / "store").rglob("*"))
    jobs = [job for job in study.jobs() if job.rule in ENCODING and not in_store(study.folder, job)]
    assert {job.rule for job in jobs} == again
    with contextlib.chdir(study.folder):
        stored = [file for job in jobs for file in read_json(job.job_file)["stored"]["links"].values()]
    assert stored
    assert not set(map(Path, stored)) & before


def test_another_corpus_or_model_is_never_mistaken_for_these(first, sources):
    files(sources / "other", ("config.json", "model.safetensors"), "{ }")
    own = configuration(
        first.folder / "two.yaml", "two", sources / "store", sources / "corpus", sources / "other"
    )
    study = MarkedStudy(first.folder, ("all", "--configfile", TINY, own))
    jobs = [job for job in study.jobs() if job.rule in ENCODING and not in_store(study.folder, job)]
    assert ENCODING - {job.rule for job in jobs} == {"convert"}
    masks = [job for job in jobs if job.rule == "augment" and job.wildcards["variant"].startswith("masking")]
    assert not masks


def test_two_workflows_at_the_same_time_fill_one_folder(make_workflow, tmp_path):
    """Both really run, each in a working directory of its own: both end, and every shared file is whole.

    Their taggers mix all layers, which is not the studies' own way: these features have a folder of their own.
    """
    store = tmp_path / "store"
    running = []
    for name in ("one", "two"):
        workflow = make_workflow()
        own = configuration(workflow.folder / "own.yaml", name, store, CORPUS, MODEL)
        target = f"{name}/scores/masking-all-0.5-mix/seed1/dev.json"
        changed = ("--configfile", TINY, own, "--config", "training={seeds: [1]}", MIX)
        running.append((workflow.start("--cores", "1", target, *changed), workflow.folder / target))
    for process, target in running:
        said, _ = process.communicate()
        assert process.returncode == 0, said
        assert target.is_file()
        mixed = target.parents[3] / "features/mix/train.h5"
        assert token_states(Features.open(mixed).provenance)["mixed_layers"] == 2
    features = sorted(store.glob("features/*/*.h5"))
    assert sorted(path.name for path in features) == ["dev.h5", "masking-all-0.5.h5", "train.h5"]
    for path in features:
        assert "all checksums are right" in describe_and_verify(path)
    umask = os.umask(0)
    os.umask(umask)
    assert {stat.S_IMODE(path.stat().st_mode) for path in features} == {0o666 & ~umask}
    assert not list(store.rglob("*.part"))

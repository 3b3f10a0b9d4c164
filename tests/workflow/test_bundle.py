"""Bundles of a finished study: complete, checked, and at work without the study."""

import json
import re
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from workflow_copy import Workflow

import zarpipe
from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.history import read_history
from zarpipe.formats.probabilities import read_probabilities
from zarpipe.sample import MODEL
from zarpipe.serve.bundle import manifest as bundle_manifest
from zarpipe.serve.bundle.states import computed_states
from zarpipe.tagger.segmenter.sentences import read_segmentation
from zarpipe.task.segmentation import count

RECIPE = "masking-all-0.5"
BUNDLE = f"results/bundles/{RECIPE}/bundle.json"


@pytest.fixture(scope="module")
def results(finished):
    return finished.folder / "results"


def file(results, pattern):
    """Return the one file of a job: `evaluate/RECIPE/dev@*/seed1.json`."""
    (path,) = (results / "jobs").glob(pattern)
    return path


def make(results, output, *more):
    assert main(["bundle", str(results), "--recipe", RECIPE, "--output", str(output), *more]) == 0
    return output


@pytest.fixture(scope="module")
def alone(results, tmp_path_factory):
    """A bundle of all seeds, and one of a single tagger, where no study is."""
    folder = tmp_path_factory.mktemp("alone")
    return make(results, folder / "both"), make(results, folder / "one", "--seed", "2")


def read(folder):
    return json.loads((folder / "bundle.json").read_text(encoding="utf-8"))


def sentences(results, split):
    for row in read_corpus(file(results, f"convert/corpus@*/{split}.parquet")).to_pylist():
        yield row["tokens"], [predicate["token"] for predicate in row["predicates"]]


def test_a_bundle_holds_what_it_needs_and_a_card(results, alone):
    both, one = alone
    files = {str(file.relative_to(both)) for file in both.rglob("*") if file.is_file()}
    taggers = {f"taggers/seed{seed}/tagger.safetensors" for seed in (1, 2)}
    assert files == {"bundle.json", "README.md", *taggers, *(f"mlm/{file.name}" for file in MODEL.iterdir())}
    assert set(read(both)["files"]) == files - {"bundle.json", "README.md"}
    card = (both / "README.md").read_text(encoding="utf-8")
    for text in (f"# {RECIPE}", "seeds 1, 2", "| dev | 2 |", "was not run on the test set", "SHA-256"):
        assert text in card
    assert [tagger["seed"] for tagger in read(one)["taggers"]] == [2]
    assert read(one)["thresholds"] == read(one)["taggers"][0]["thresholds"]
    scores = json.loads(file(results, f"evaluate/{RECIPE}/dev@*/seed2.json").read_text(encoding="utf-8"))
    assert read(one)["scores"]["dev"][0]["f1"]["zar_f1"] == 100 * scores["ZAR"]["ALL"]["f1"]
    assert str(results.parent) not in (both / "bundle.json").read_text(encoding="utf-8")


def test_one_tagger_decides_as_in_the_study(results, alone):
    found = [
        (f"{number}", predicate.token, argument.case, argument.token, argument.probability)
        for number, sentence in enumerate(
            zarpipe.load(alone[1], threads=1).analyse(sentences(results, "dev"))
        )
        for predicate in sentence.predicates
        for argument in predicate.arguments
    ]
    table = pq.read_table(file(results, f"predict/{RECIPE}/dev@*/seed2.parquet")).to_pylist()
    rows = {
        name: f"{row}"
        for row, name in enumerate(
            read_corpus(file(results, "convert/corpus@*/dev.parquet"))["sent_id"].to_pylist()
        )
    }
    expected = [(rows[row["sent_id"]], row["predicate"], row["case"], row["token"]) for row in table]
    assert found
    assert [one[:4] for one in found] == expected
    np.testing.assert_allclose([one[4] for one in found], [row["probability"] for row in table], atol=2e-3)


def test_several_taggers_decide_by_the_mean_of_their_probabilities(results, alone):
    bundle = zarpipe.load(alone[0], threads=1)
    of_each = [
        read_probabilities(file(results, f"predict/{RECIPE}/dev@*/seed{seed}.probabilities.h5"))
        for seed in (1, 2)
    ]
    mean = np.mean([one.values for one in of_each], axis=0)
    offsets = of_each[0].offsets
    thresholds = read(alone[0])["thresholds"]
    instance = 0
    for sentence in bundle.analyse(sentences(results, "dev")):
        for predicate in sentence.predicates:
            rows = mean[offsets[instance] : offsets[instance + 1]]
            for column, case in enumerate(("NOM", "ACC", "DAT")):
                (argument,) = [one for one in predicate.arguments if one.case == case] or [None]
                best = rows[:, column].max()
                if argument is None:
                    assert best < thresholds[case] + 2e-3
                else:
                    assert argument.probability == pytest.approx(best, abs=2e-3)
                    assert argument.probability >= thresholds[case]
            instance += 1
    assert instance == len(offsets) - 1


@pytest.fixture(scope="module")
def segmented(finished, tmp_path_factory):
    """The study whose workflow has made a bundle, for which it has trained a segmenter; and a bundle of it."""
    folder = tmp_path_factory.mktemp("segmented")
    workflow = Workflow(shutil.copytree(finished.folder, folder / "workflow"))
    planned = workflow.planned(BUNDLE, "--configfile", "tiny.yaml")
    assert planned == {
        "encode_sentences": 2,
        "train_segmenter": 1,
        "evaluate_segmenter": 1,
        "bundle": 1,
        "bundles": 1,
    }
    workflow.run(BUNDLE, "--configfile", "tiny.yaml")
    assert workflow.planned(BUNDLE, "--configfile", "tiny.yaml") == {}
    results = workflow.folder / "results"
    return results, make(results, folder / "bundle", "--seed", "2")


def test_a_bundle_holds_the_segmenter_that_the_study_has_trained(segmented, alone):
    results, folder = segmented
    bundle = zarpipe.load(folder, threads=1)
    assert zarpipe.load(alone[0]).segmenter is None
    threshold = json.loads(file(results, "train_segmenter/seed1@*/thresholds.json").read_text())["predicate"]
    told = read(folder)["segmenter"]
    f1 = told.pop("f1")
    assert told == {"seed": 1, "folder": "segmenter", "threshold": threshold}
    assert "segmenter/tagger.safetensors" in read(folder)["files"]
    assert "| segmenter | seed 1" in (folder / "README.md").read_text(encoding="utf-8")
    words = [tokens for tokens, _ in sentences(results, "dev")]
    found = bundle.segmenter.find(computed_states(bundle.states, words, 4096))
    labels, offsets = read_segmentation(file(results, "convert/corpus@*/dev.parquet"))
    counts = count(found, labels, offsets)
    history = read_history(file(results, "train_segmenter/seed1@*/history.csv"))
    mean = (counts["predicates"]["f1"] + counts["bunsetsu_boundaries"]["f1"]) / 2
    assert f1["predicates"] == pytest.approx(100 * counts["predicates"]["f1"], abs=0.5)
    assert 100 * mean == pytest.approx(max(history.dev_f1), abs=0.5)


def test_bundles_of_the_first_format_are_read(alone, tmp_path):
    folder = shutil.copytree(alone[1], tmp_path / "first")
    plain = read(folder) | {"format": "1"}
    del plain["segmenter"], plain["digest"]
    plain["digest"] = bundle_manifest._digest(plain)
    (folder / "bundle.json").write_text(json.dumps(plain), encoding="utf-8")
    bundle = zarpipe.load(folder, threads=1)
    assert bundle.segmenter is None
    assert bundle(["男"], predicates=[]).predicates == []


def test_a_single_sentence_and_a_very_long_one(alone):
    bundle = zarpipe.load(alone[1], threads=1)
    found = bundle(["男", "は", "訴え", "られた"], predicates=[2])
    assert found.tokens == ["男", "は", "訴え", "られた"]
    assert [predicate.token for predicate in found.predicates] == [2]
    assert bundle(["男"], predicates=[]).predicates == []
    (long,) = bundle.analyse([(["男", "は"] * 1500 + ["走る"], [3000])])
    assert long.predicates[0].token == 3000


def test_the_examples_of_the_documentation_and_of_the_card_run(project, alone, monkeypatch, tmp_path):
    shutil.copytree(alone[0], tmp_path / "bundle")
    monkeypatch.chdir(tmp_path)
    for text in (project / "docs/bundle.md", alone[0] / "README.md"):
        (code,) = re.findall(r"```python\n(.*?)```", text.read_text(encoding="utf-8"), re.DOTALL)
        exec(code, {})  # noqa: S102 (our own)


def test_a_bundle_without_its_mlm_wants_it_and_no_other(results, tmp_path, tiny_mlm):
    folder = make(results, tmp_path / "reference", "--mlm", "reference")
    assert not (folder / "mlm").exists()
    with pytest.raises(ZarpipeError, match="not in the bundle; give its folder"):
        zarpipe.load(folder)
    with pytest.raises(ZarpipeError, match="not the masked language model of the bundle"):
        zarpipe.load(folder, mlm=tiny_mlm("bert-fast"))
    assert zarpipe.load(folder, mlm=MODEL)(["男"], [0])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--recipe", "nothing"], "not a recipe of the study"),
        (["--recipe", "masking"], "chosen.json: no such file"),
        (["--recipe", RECIPE, "--seed", "7"], "--seed: found 7; the study has the seeds 1, 2"),
    ],
)
def test_what_the_study_has_not_is_said(results, tmp_path, capsys, more, message):
    assert main(["bundle", str(results), "--output", str(tmp_path / "x"), *more]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_bundle_replaces_a_bundle_and_nothing_else(results, alone, tmp_path, capsys):
    folder = shutil.copytree(alone[0], tmp_path / "bundle")
    make(results, folder, "--seed", "1")
    assert [path.name for path in (folder / "taggers").iterdir()] == ["seed1"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine", encoding="utf-8")
    command = ["bundle", str(results), "--recipe", RECIPE, "--output", str(other)]
    assert main(command) == 1
    assert "is there already and is no bundle" in capsys.readouterr().err
    assert (other / "mine.txt").is_file()


def test_the_workflow_makes_bundles(finished, segmented, capsys):
    planned = finished.planned("results/bundles/chosen-masking/bundle.json", "--configfile", "tiny.yaml")
    assert planned["bundle"] == planned["bundles"] == planned["train_segmenter"] == 1
    assert "train" not in planned
    results, _ = segmented
    folder = results / "bundles" / RECIPE
    assert read(folder)["recipe"]["name"] == RECIPE
    assert main(["analyse", "男は訴えられた。女は帰った。", "--bundle", str(folder), "--format", "json"]) == 0
    written = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["text"] for line in written] == ["男は訴えられた。", "女は帰った。"]
    assert main(["check", str(results)]) == 0
    weights = file(results, "train_segmenter/seed1@*/tagger.safetensors")
    sound = weights.read_bytes()
    weights.write_bytes(sound[:-1] + b"x")
    assert main(["check", str(results)]) == 1
    assert "tagger.safetensors: its bytes are not those that" in capsys.readouterr().err
    weights.write_bytes(sound)

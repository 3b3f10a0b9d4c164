"""docs/extending/policy.md: its function and its configuration are all that a policy takes."""

import csv
import math
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from augment.policies.sentences import made_row, tokens_of
from documented import example
from made_scores import scores_with
from made_study import KEY, made_study

from zarpipe.augment.policies.product import policy_weights
from zarpipe.cli import main
from zarpipe.config.files import load_config
from zarpipe.files import write_json
from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.study.checks import check_inputs
from zarpipe.study.grid import recipes_in
from zarpipe.study.study import Study

PAGE = "policy.md"
DECIDED = {"sent_id": "d-0", "predicate": 7, "case": "NOM", "token": 0, "probability": 0.9}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The page's files in the working directory, with a corpus; returns the configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("my_masks.py", "mine.yaml", "product.yaml"):
        (tmp_path / name).write_text(example(PAGE, name), encoding="utf-8")
    for folder in ("corpus", f"results/jobs/convert/corpus@{KEY}"):
        (tmp_path / folder).mkdir(parents=True)
        rows = [made_row(f"d-{number}") for number in range(20)]
        for split in ("train", "dev"):
            corpus = pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA)
            pq.write_table(corpus, tmp_path / folder / f"{split}.parquet")
    overlay = tmp_path / "few.yaml"
    overlay.write_text("augmentation: {alphas: [0.5, 1.0]}\ntraining: {seeds: [1]}\n", encoding="utf-8")
    return load_config([tmp_path / "mine.yaml", overlay])


def test_the_function_weighs_verbs_near_the_predicate(config):
    check_inputs(Study(config))
    weights = policy_weights(config.policies["mine"], tokens_of([made_row()]))
    # 買った (token 3, bunsetsu 2) and 読み (token 7, bunsetsu 5) are the verbs, and the targets.
    far = math.exp(-3 / 2)
    assert weights.tolist() == pytest.approx([0, 0, 0, 1, 0, 0, 0, far, 0, 0, 0, 0, 0, far, 0, 0, 0, 1, 0, 0])


@pytest.mark.usefixtures("config")
def test_the_command_of_the_page():
    command = shlex.split(example(PAGE, "commands").replace("\\\n", " "))
    assert main(command[1:]) == 0
    masked = pq.read_table("variants/masking-mine-0.5.parquet")["masked"].to_pylist()
    assert len(masked) == 40
    assert {token for tokens in masked[::2] for token in tokens} == {7}
    assert {token for tokens in masked[1::2] for token in tokens} == {3}


def test_from_the_configuration_to_the_table(config):
    """The variants by the options that the workflow gives; the taggers' scores are made up."""
    study = made_study(config, Path("results"))
    for number, recipe in enumerate(recipes_in(study.grid.policies())):
        if recipe.variant:
            assert main(["augment", *shlex.split(study.jobs.augment(recipe.variant).options)]) == 0
        decisions = Path(study.decisions_of(recipe, 1, "dev").path)
        decisions.parent.mkdir(parents=True)
        pq.write_table(pa.table({name: [value] for name, value in DECIDED.items()}), decisions)
        f1 = 0.5 + number / 100
        write_json(study.scores_of(recipe, 1, "dev").path, scores_with(f1, f1))
    assert main(["report", "policies", "--results", "results", "--output", "results/policies.csv"]) == 0
    with Path("results/policies.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["policy"]: row for row in csv.DictReader(stream)}  # at the highest alpha
    assert Path("results/policies.svg").is_file()
    assert list(rows) == ["baseline", "baseline2x", "all", "near", "mine"]
    assert rows["all"]["masked_percent_display"] == "90.00"
    shares = [float(rows[name]["masked_percent"]) for name in ("mine", "near", "all")]
    assert 0 < shares[0] < shares[1] < shares[2]


def test_the_product_of_the_page(config, tmp_path):
    product = load_config([tmp_path / "product.yaml"])
    check_inputs(Study(product))
    tokens = tokens_of([made_row()])
    found = policy_weights(product.policies["unbiased"], tokens)
    own = policy_weights(config.policies["mine"], tokens)
    expected = [own[token] or 0.5 for token in range(20)]
    for argument in (4, 10, 14):
        expected[argument] = 0
    assert found.tolist() == pytest.approx(expected)


def test_the_message_of_the_page(config, tmp_path, capsys):
    file = tmp_path / "my_masks.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("return weights", "return weights[1:]"), encoding="utf-8"
    )
    command = shlex.split(example(PAGE, "commands").replace("\\\n", " "))
    assert main(command[1:]) == 1
    assert capsys.readouterr().err == (
        "zarpipe: error: my_masks.py:6: near_verbs, sentence 'd-0': returned 9 weights; expected one number from 0 to 1 for each of "
        "the 10 tokens\n"
    )
    assert config.policies["mine"]["use"] == "my_masks.py:near_verbs"

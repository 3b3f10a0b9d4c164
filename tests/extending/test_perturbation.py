"""docs/extending/perturbation.md: its function and its configuration are all that a perturbation takes."""

import numpy as np
import pytest
import tiny_study
from documented import example
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.config.files import load_config
from zarpipe.errors import ZarpipeError
from zarpipe.study.checks import check_inputs
from zarpipe.study.study import Study

PAGE = "perturbation.md"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """The page's files in the working directory; returns the configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("my_states.py", "rivals.yaml"):
        (tmp_path / name).write_text(example(PAGE, name), encoding="utf-8")
    return load_config([tmp_path / "rivals.yaml"])


def test_the_function_changes_the_particles(config):
    assert len(example(PAGE, "my_states.py").splitlines()) <= 15
    check_inputs(Study(config))
    found = {}
    exec(example(PAGE, "my_states.py"), found)  # noqa: S102
    predicates, pos = [type("P", (), {"token": 2})], ["助詞", "名詞", "助詞"]
    sentence, states = type("S", (), {"predicates": predicates, "pos": pos}), np.eye(3, dtype=np.float32)
    blurred = found["blur"](states, sentence, np.random.default_rng(1), probability=1)
    assert blurred.tolist() == [[np.float32(1 / 3)] * 3, [0, 1, 0], [0, 0, 1]]


def test_each_recipe_stands_beside_the_baseline_of_equal_updates(config):
    grid = Study(config).grid
    assert {one.equal_updates.name for recipes in grid.named().values() for one in recipes} == {"baseline2x"}
    assert list(grid.named_and_baselines()) == ["baseline", "baseline2x", *config.recipes]


def test_the_recipe_trains_and_its_file_is_part_of_the_key(config, tmp_path, capsys):
    study = tiny_study.build(tmp_path)
    (recipe,) = Study(config).grid.named()["mine"]
    job = Study(config).jobs.train(recipe, 1)
    other = Study(config).jobs.train(Study(config).grid.named()["dropped"][0], 1)
    perturb = "{use: my_states.py:blur, probability: 0.3}"
    assert '--perturb=\'{"use": "my_states.py:blur", "probability": 0.3}\'' in job.options
    assert main(train_arguments(study, tmp_path / "out", "--epochs", "1", "--perturb", perturb)) == 0
    file = tmp_path / "my_states.py"
    text = file.read_text(encoding="utf-8").replace("return states", "return states[1:]")
    file.write_text(text, encoding="utf-8")
    assert Study(config).jobs.train(recipe, 1).key != job.key
    assert Study(config).jobs.train(Study(config).grid.named()["dropped"][0], 1).key == other.key
    assert main(train_arguments(study, tmp_path / "no", "--epochs", "1", "--perturb", perturb)) == 1
    assert "zarpipe: error: my_states.py:4: blur, sentence 'd-" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("my_states.py:blurr", "did you mean 'blur'"),
        ("other.py:blur", "which cannot be read"),
        ("my_states.py:blur, probabilities: 1", "has no such option"),
        ("my_states.py:blur, probability: no", "expects a value of the type float"),
    ],
)
@pytest.mark.usefixtures("config")
def test_what_it_is_not_is_refused_before_any_job(tmp_path, changed, message):
    file = tmp_path / "rivals.yaml"
    text = file.read_text(encoding="utf-8").replace("my_states.py:blur, probability: 0.3", changed)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ZarpipeError, match=rf"recipes\.mine\.perturb.*{message}"):
        check_inputs(Study(load_config([file])))

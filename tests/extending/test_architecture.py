"""docs/extending/architecture.md: its module and its line are all that a new architecture takes."""

import pyarrow.parquet as pq
import tiny_study
from documented import Package
from safetensors.numpy import load_file

PAIR = "tagger/architectures/pair.py"
LAST = '        "linear": "zarpipe.tagger.architectures.linear",\n'


def test_the_example_trains_and_predicts_and_stands_the_checks(tmp_path):
    package = Package(tmp_path)
    package.add("architecture.md", PAIR, "config/tagger.py", LAST)
    study = tiny_study.build(tmp_path)
    more = ("--architecture", "pair", "--seed", "1", "--epochs", "1")
    package.run(*tiny_study.train_arguments(study, tmp_path / "tagger", *more))
    weights = load_file(tmp_path / "tagger/tagger.safetensors")
    assert weights["hidden.weight"].shape == (12, 2 * tiny_study.HIDDEN_SIZE + 2)
    package.run(*tiny_study.predict_arguments(study, tmp_path / "tagger", tmp_path / "decided.parquet"))
    assert pq.read_table(tmp_path / "decided.parquet").num_rows > 0
    package.check(PAIR)

"""What `zarpipe train` is given and does not take: one message, and nothing is written."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import Features, write_features
from zarpipe.task.subsets import DocumentFraction

HALF = DocumentFraction(fraction=0.5, seed=3)

# Options, and words that the message has. A name in braces is a file of the study or of `bad`.
REFUSED = [
    ("--fraction 0", ["--fraction: found '0'; expected a number above 0"]),
    ("--fraction 1.5", ["--fraction: found '1.5'; expected a number above 0 up to 1, such as 0.25"]),
    ("--folds 7 --without-fold 0", ["found 6 documents for 7 folds; expected at least one"]),
    ("--folds 1 --without-fold 0", ["--folds: found '1'"]),
    ("--folds 3", ["--folds, --without-fold: found only one of them"]),
    ("--per-epoch true", ["--per-epoch: expected several --variant-features"]),
    ("--stages masked_first", ["--stages: found without copies"]),
    ("--variant-copies 2", ["--variant-copies: found without copies"]),
    (
        '--perturb {{"use":"drop","probability":1.5}}',
        ["--perturb.probability: found 1.5; expected a number from 0 to 1"],
    ),
    ('--perturb {{"use":"noise"}}', ["--perturb: found 'noise' without copies"]),
    ("--consistency 1", ["--consistency: expected one copy of each original in an epoch"]),
    ("--copies 0", ["--copies: found '0'; expected a number of at least 1"]),
    ("--features {dev_features}", ["made from another corpus"]),
    ("--dev-features {train_features}", ["made from another corpus"]),
    ("--variant-features {dev_features}", ["made from another corpus"]),
    ("--features {train}", ["cannot be read as a feature file"]),
    ("--corpus {train_features}", ["cannot be read as a corpus Parquet"]),
    ("--corpus {empty} --features {empty_features}", ["empty.parquet: no instances"]),
    ("--dev-features {other_mlm}", ["made by another masked language model (other, digest 2)"]),
    ("--features {nan}", ["seed 1, epoch 1, batch ", "the loss is nan"]),
    (
        "--learning-rate 3e38",
        ["epoch 1, batch 2 of", "expected finite numbers (no epoch was finished)", "training.learning_rate"],
    ),
    ("--learning-rate 3e38 --batch-size 10000", ["epoch 1, after the last batch", "(--learning-rate)"]),
    (
        "--corpus {quiet} --features {quiet_features} --fraction 0.5 --subset-seed 3",
        ["quiet.parquet: 3 of 6 documents (--fraction=0.5 --subset-seed=3) have no target predicate"],
    ),
    ("--keep {train}", ["cannot be read as a list of copies"]),
    ("--variant-features {variant_features} --keep {train} {train}", ["--keep: found 2 files"]),
    ("--mlm m", ["--mlm, --variant: the architecture bigru reads feature files and no masked"]),
]


@pytest.fixture(scope="module")
def bad(study, make, tmp_path_factory):
    """The study's files, and others that do not fit."""
    folder = tmp_path_factory.mktemp("bad")
    files = {name: folder / f"{name}.parquet" for name in ("empty", "quiet")}
    make.corpus(files["empty"], 0, 1)
    table = read_corpus(study.train)
    names = sorted(set(table["doc_id"].to_pylist()))
    share = {name for name, chosen in zip(names, HALF.chosen(names), strict=True) if chosen}
    rows = [row | ({"predicates": []} if row["doc_id"] in share else {}) for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), files["quiet"])
    for name in ("empty", "quiet"):
        files[f"{name}_features"] = folder / f"{name}.h5"
        make.features(files[f"{name}_features"], files[name], 1)
    files["other_mlm"], files["nan"] = folder / "other.h5", folder / "nan.h5"
    make.features(files["other_mlm"], study.dev, 1, mlm="other", mlm_digest="2")
    source = Features.open(study.train_features)
    rows = np.array(source.hidden)
    rows[3] = np.nan
    write_features(files["nan"], [rows], 8, source.offsets, source.instance_sequence, source.provenance)
    return vars(study) | files


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=[options for options, _ in REFUSED])
def test_what_does_not_fit_is_refused_in_one_message(study, bad, tmp_path, capsys, options, words):
    given = [option.format(**bad) for option in options.split()]
    assert main(train_arguments(study, tmp_path / "out", "--epochs", "2", *given)) == 1
    message = capsys.readouterr().err
    assert "Traceback" not in message
    for expected in words:
        assert expected in message
    assert not (tmp_path / "out").exists()

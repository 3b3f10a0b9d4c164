import pytest
from tiny_corpora import write_corpus

from zarpipe.cli import main
from zarpipe.formats.features import Features


@pytest.fixture
def corpus(tmp_path):
    return str(write_corpus(tmp_path / "train.parquet", [["学生", "が", "食べた"]]))


def test_encode_and_cache(tiny_mlm, corpus, tmp_path, capsys):
    output = str(tmp_path / "features" / "train.h5")
    model = str(tiny_mlm("bert-ja"))
    assert main(["encode", corpus, "--mlm", model, "--output", output, "--batch-tokens", "128"]) == 0
    assert "1 sequences asked for, 1 to encode (3 tokens" in capsys.readouterr().err
    assert Features.open(output).provenance["batch_tokens"] == 128
    assert main(["cache", output]) == 0
    assert "all checksums are right" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--originals", "train.h5"], "--variant"),
        (["--all-sentences", "--variant", "none.parquet"], "--all-sentences"),
        (["--threads", "0"], "--threads"),
        (["--batch-tokens", "3"], "--batch-tokens"),
        (["--compute-dtype", "int8"], "--compute-dtype"),
        (["--mlm", "/no/such/model"], "mlm.path"),
        (["--variant", "none.parquet"], "none.parquet"),
    ],
)
def test_wrong_options_are_named(tiny_mlm, corpus, tmp_path, capsys, options, message):
    output = tmp_path / "train.h5"
    given = ["encode", corpus, "--mlm", str(tiny_mlm("bert-ja")), "--output", str(output), *options]
    assert main(given) == 1
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_a_missing_corpus_is_named(tiny_mlm, tmp_path, capsys):
    given = ["encode", "none.parquet", "--mlm", str(tiny_mlm("bert-ja")), "--output", str(tmp_path / "a.h5")]
    assert main(given) == 1
    assert "none.parquet" in capsys.readouterr().err


def test_a_model_is_described(tiny_mlm, tmp_path):
    assert main(["describe-mlm", str(tiny_mlm("bert-ja")), "--output", str(tmp_path / "m.json")]) == 0
    assert '"name": "bert-ja"' in (tmp_path / "m.json").read_text()

"""Rows of the cache against plain forward passes, which sequences are encoded, and interrupted runs."""

import json
import logging
import os
import signal
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest
import tiny_models
import torch
from tiny_corpora import write_corpus

from zarpipe.cli import main
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.encode import encoder
from zarpipe.encode.cache import describe_and_verify
from zarpipe.encode.encoder import block_bounds, encode
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.features import DATASETS, Features, read_provenance
from zarpipe.formats.variant import Replacements, write_variant
from zarpipe.job_folders import making
from zarpipe.mlm.loading import load_mlm

SENTENCES = [
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
    ["　", "㈱", "山川", "が", "運んだ"],
    ["学生", "が", "運んだ", "。"],
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
    ["社員", "は", "人々", "の", "荷物", "を", "運んだ", "と", "編集", "者", "が"],
    ["店員", "。"],
]
PREDICATES = [[6, 2], [4], [2], [6], [6, 8], []]
OF_INSTANCES = [sentence for sentence, predicates in enumerate(PREDICATES) for _ in predicates]


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "train.parquet", SENTENCES, PREDICATES)


def _encode(corpus, mlm, output, **options):
    encoding = options.pop("encoding", EncodingConfig())
    return encode(corpus, MlmConfig(path=str(mlm)), encoding, output, **options)


def _variant(path, corpus, masks, replacements=None):
    offsets = np.concatenate([[0], np.cumsum([len(mask) for mask in masks])])
    tokens = np.array([token for mask in masks for token in mask], np.int64)
    filled = None
    if replacements is not None:
        ids = np.array(replacements, np.int64)
        filled = Replacements(ids, [str(one) for one in replacements], np.ones(len(ids), np.float32))
    names = [f"d-{sentence}" for sentence in OF_INSTANCES]
    predicates = np.array([one for several in PREDICATES for one in several])
    write_variant(path, names, predicates, offsets, tokens, file_digest(corpus), filled)
    return path


def _reference(mlm, tokens, changed=None):
    """Encode one sentence alone, as transformers does it; return the rows of its tokens."""
    pieces = mlm.subwords.pieces(tokens)
    ids, positions = list(mlm.subwords.prefix), []
    for index, piece in enumerate(pieces):
        own = piece.ids if changed is None or index not in changed else (changed[index],)
        positions.append(len(ids) + (piece.representative if own == piece.ids else 0))
        ids += own
    with torch.inference_mode():
        output = mlm.model.base_model(input_ids=torch.tensor([ids + mlm.subwords.suffix]))
    return output.last_hidden_state[0, positions].numpy()


def _rows(features, instance, originals=None):
    number = int(features.instance_sequence[instance])
    file, number = (features, number) if number >= 0 else (originals, -1 - number)
    return file.hidden[file.offsets[number] : file.offsets[number + 1]].astype(np.float32)


def _assert_close(found, expected):
    """Float16 keeps 11 bits; float32 sums differ in the last bits between batches."""
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_rows_are_those_of_a_plain_forward_pass(tiny_mlm, corpus, tmp_path, kind):
    _assert_rows(corpus, tiny_mlm(kind), tmp_path / "train.h5")


@pytest.mark.shared
def test_rows_of_a_real_model_are_too(shared, corpus, tmp_path):
    _assert_rows(corpus, shared / "models" / "mini-bert-ja", tmp_path / "train.h5")


def _assert_rows(corpus, folder, output):
    _encode(corpus, folder, output)
    features = Features.open(output)
    mlm = load_mlm(MlmConfig(path=str(folder)), EncodingConfig())
    for instance, sentence in enumerate(OF_INSTANCES):
        _assert_close(_rows(features, instance), _reference(mlm, SENTENCES[sentence]))


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_masked_and_replaced_tokens_are_one_subword(tiny_mlm, corpus, tmp_path, kind):
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm(kind))), EncodingConfig())
    _encode(corpus, tiny_mlm(kind), tmp_path / "train.h5")
    masks = [[0, 6], [], [1], [0, 1], [], [3], [2]]
    originals = Features.open(tmp_path / "train.h5")
    other = mlm.subwords.pieces(["運"])[0].ids[-1]
    for name, replacements in (("masking", None), ("cda", [other] * 7)):
        variant = _variant(tmp_path / f"{name}.parquet", corpus, masks, replacements)
        output = tmp_path / f"{name}.h5"
        _encode(corpus, tiny_mlm(kind), output, variant=variant, originals=tmp_path / "train.h5")
        features = Features.open(output)
        features.check_originals(originals)
        for instance, sentence in enumerate(OF_INSTANCES):
            new = mlm.subwords.mask_id if replacements is None else other
            expected = _reference(mlm, SENTENCES[sentence], dict.fromkeys(masks[instance], new))
            _assert_close(_rows(features, instance, originals), expected)


def test_equal_sequences_are_encoded_once(tiny_mlm, corpus, tmp_path):
    stored = _encode(corpus, tiny_mlm("bert-ja"), tmp_path / "train.h5")
    features = Features.open(tmp_path / "train.h5")
    # Seven instances of five sentences, of which the first and the fourth are equal.
    assert (stored["sequences_asked"], stored["sequences_encoded"]) == (7, 4)
    assert stored["tokens_encoded"] == 8 + 5 + 4 + 11 == len(features.hidden)
    numbers = features.instance_sequence
    assert numbers[0] == numbers[1] == numbers[4]
    assert len(set(numbers.tolist())) == 4


def test_a_variant_points_to_the_originals_and_shares_equal_masks(tiny_mlm, corpus, tmp_path):
    mlm = tiny_mlm("bert-ja")
    _encode(corpus, mlm, tmp_path / "train.h5")
    variant = _variant(tmp_path / "v.parquet", corpus, [[0], [0], [], [1], [0], [], [2]])
    output = tmp_path / "v.h5"
    stored = _encode(corpus, mlm, output, variant=variant, originals=tmp_path / "train.h5")
    original, numbers = (Features.open(tmp_path / name).instance_sequence for name in ("train.h5", "v.h5"))
    assert numbers[2] == -1 - original[2]
    assert numbers[5] == -1 - original[5]
    assert numbers[0] == numbers[1] == numbers[4] >= 0
    assert stored["sequences_encoded"] == 3


def test_what_equals_the_original_is_not_encoded_again(tiny_mlm, corpus, tmp_path):
    folder, masks = tiny_mlm("bert-ja"), [[1], [], [], [], [1], [], []]
    _encode(corpus, folder, tmp_path / "train.h5")
    mlm = load_mlm(MlmConfig(path=str(folder)), EncodingConfig())
    same = _variant(tmp_path / "v.parquet", corpus, masks, [mlm.subwords.pieces(["の"])[0].ids[0]] * 2)
    stored = _encode(corpus, folder, tmp_path / "v.h5", variant=same, originals=tmp_path / "train.h5")
    assert stored["sequences_encoded"] == 0
    assert (Features.open(tmp_path / "v.h5").instance_sequence < 0).all()
    # Without the originals' file the variant's has all that is needed.
    masked = _variant(tmp_path / "w.parquet", corpus, masks)
    assert _encode(corpus, folder, tmp_path / "w.h5", variant=masked)["sequences_encoded"] == 5
    assert (Features.open(tmp_path / "w.h5").instance_sequence >= 0).all()


@pytest.mark.parametrize("kind", ["bert-ja", "xlm-roberta"])
def test_sentences_over_the_limit_are_encoded_in_windows(tiny_mlm, tmp_path, kind, caplog):
    caplog.set_level(logging.INFO)
    folder = tiny_mlm(kind, 24)
    tokens = (SENTENCES[0] + SENTENCES[4]) * 3
    corpus = write_corpus(tmp_path / "long.parquet", [tokens, SENTENCES[2]])
    _encode(corpus, folder, tmp_path / "long.h5")
    mlm = load_mlm(MlmConfig(path=str(folder)), EncodingConfig())
    assert mlm.limit == 24
    found = _rows(Features.open(tmp_path / "long.h5"), 0)
    _assert_close(found, _stitched_reference(mlm, tokens))
    told = [line for line in caplog.messages if "windows" in line]
    assert len(told) == 1
    assert told[0].startswith("1 of 2 sequences have more subwords than the model reads at once")
    assert "the longest is sentence d-0 (" in told[0]


def _stitched_reference(mlm, tokens):
    """Encode the windows one by one with plain loops: half overlaps, each half to the nearer window."""
    ids, positions = [], []
    for piece in mlm.subwords.pieces(tokens):
        positions.append(len(ids) + piece.representative)
        ids += piece.ids
    size = mlm.limit - 2
    starts = [*range(0, len(ids) - size, size // 2), len(ids) - size]
    rows = np.zeros((len(tokens), mlm.hidden_size), np.float32)
    for number, start in enumerate(starts):
        window = torch.tensor([[*mlm.subwords.prefix, *ids[start : start + size], *mlm.subwords.suffix]])
        with torch.inference_mode():
            states = mlm.model.base_model(input_ids=window).last_hidden_state[0, 1:-1].numpy()
        own = 0 if number == 0 else (start + starts[number - 1] + size) // 2
        for token, position in enumerate(positions):
            if position >= own and position < start + size:
                rows[token] = states[position - start]
    return rows


def test_batches_do_not_matter_beyond_rounding(tiny_mlm, corpus, tmp_path):
    for tokens in (64, 4096):
        output = tmp_path / f"{tokens}.h5"
        _encode(corpus, tiny_mlm("bert-ja"), output, encoding=EncodingConfig(batch_tokens=tokens))
    one, other = (Features.open(tmp_path / f"{tokens}.h5").hidden for tokens in (64, 4096))
    _assert_close(one.astype(np.float32), other.astype(np.float32))


def test_a_sentence_without_predicate_is_not_encoded(tiny_mlm, tmp_path):
    corpus = write_corpus(tmp_path / "none.parquet", SENTENCES, [[]] * len(SENTENCES))
    stored = _encode(corpus, tiny_mlm("bert-ja"), tmp_path / "none.h5")
    assert stored["tokens_encoded"] == 0
    assert "no rows" in describe_and_verify(tmp_path / "none.h5")


def test_the_provenance_holds_no_time_and_no_place(tiny_mlm, corpus, tmp_path):
    texts = []
    for folder in ("one", "two"):
        _encode(corpus, tiny_mlm("bert-ja"), tmp_path / folder / "train.h5")
        texts.append(json.dumps(read_provenance(tmp_path / folder / "train.h5")))
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]
    assert json.loads(texts[0])["mlm"] == "bert-ja"


def test_the_file_is_hardly_larger_than_its_rows(tiny_mlm, tmp_path):
    sentences = [["学生", "が", "の"] * 10 + [str(number)] for number in range(1000)]
    corpus = write_corpus(tmp_path / "many.parquet", sentences)
    _encode(corpus, tiny_mlm("bert-ja"), tmp_path / "many.h5")
    features = Features.open(tmp_path / "many.h5")
    assert (tmp_path / "many.h5").stat().st_size <= 1.02 * features.hidden.size * 2


def test_cache_prints_and_verifies(tiny_mlm, corpus, tmp_path, capsys):
    path = tmp_path / "train.h5"
    given = [str(corpus), "--mlm", str(tiny_mlm("bert-ja")), "--output", str(path), "--batch-tokens", "128"]
    assert main(["encode", *given]) == 0
    assert "7 sequences asked for, 4 to encode (28 tokens" in capsys.readouterr().err
    assert main(["cache", str(path)]) == 0
    text = capsys.readouterr().out
    assert "sequences_encoded: 4" in text
    assert "all checksums are right" in text
    with h5py.File(path) as file:
        at = file["hidden"].id.get_offset()
    with path.open("rb+") as stream:
        stream.seek(at)
        stream.write(b"\x01\x02")
    with pytest.raises(ZarpipeError, match="1 of 1 blocks are damaged"):
        describe_and_verify(path)


def test_overflow_names_the_token(tiny_mlm, tmp_path):
    corpus = write_corpus(tmp_path / "c.parquet", [["学生", "が"], ["店", "爆", "た"]])
    with pytest.raises(ZarpipeError, match=r"sentence d-1, token 1 \('爆'\).*float16") as raised:
        _encode(corpus, tiny_mlm("overflow"), tmp_path / "c.h5")
    assert "choose another model (encoding.compute_dtype is float32 already)" in str(raised.value)
    assert not (tmp_path / "c.h5").exists()


@pytest.mark.parametrize(
    ("dtype", "advice"),
    [
        ("float16", "set encoding.compute_dtype: float32, and choose another model if it says so again"),
        ("bfloat16", "choose another model (encoding.compute_dtype is bfloat16 already)"),
        ("float32", "choose another model (encoding.compute_dtype is float32 already)"),
    ],
)
def test_no_message_advises_the_number_format_that_is_used(dtype, advice):
    assert encoder._overflow_advice(dtype) == advice


def test_unknown_text_is_warned_of(tiny_mlm, tmp_path, caplog):
    corpus = write_corpus(tmp_path / "c.parquet", [["Ж", "Щ", "が", "た"]])
    with caplog.at_level(logging.WARNING):
        _encode(corpus, tiny_mlm("bert-ja"), tmp_path / "c.h5")
    assert "50.0 % of the tokens hold [UNK]" in caplog.text


def test_inputs_that_do_not_belong_are_refused(tiny_mlm, corpus, tmp_path):
    mlm = tiny_mlm("bert-ja")
    other = write_corpus(tmp_path / "other.parquet", SENTENCES[:2])
    variant = _variant(tmp_path / "v.parquet", corpus, [[0], [], [], [], [], [], []])
    with pytest.raises(ZarpipeError, match="another corpus"):
        _encode(other, mlm, tmp_path / "o.h5", variant=variant)
    _encode(other, mlm, tmp_path / "other.h5")
    with pytest.raises(ZarpipeError, match="another corpus"):
        _encode(corpus, mlm, tmp_path / "v.h5", variant=variant, originals=tmp_path / "other.h5")
    _encode(corpus, tiny_mlm("modernbert"), tmp_path / "m.h5")
    with pytest.raises(ZarpipeError, match="another mlm_digest"):
        _encode(corpus, mlm, tmp_path / "v.h5", variant=variant, originals=tmp_path / "m.h5")
    outside = _variant(tmp_path / "w.parquet", corpus, [[8], [], [], [], [], [], []])
    with pytest.raises(ZarpipeError, match="do not fit"):
        _encode(corpus, mlm, tmp_path / "v.h5", variant=outside)


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
    given = [str(corpus), "--mlm", str(tiny_mlm("bert-ja")), "--output", str(output), *options]
    assert main(["encode", *given]) == 1
    assert message in capsys.readouterr().err
    assert not output.exists()
    assert main(["encode", "none.parquet", *given[1:]]) == 1


def test_blocks_hold_whole_batches():
    assert block_bounds(np.array([0, 3, 6, 9, 30, 31]), 6).tolist() == [0, 2, 4, 5]
    assert block_bounds(np.array([0]), 6).tolist() == [0]


@pytest.fixture
def many(tmp_path):
    sentences = [["学生", "が", "の"] * (number % 7 + 1) + [str(number)] for number in range(200)]
    return write_corpus(tmp_path / "many.parquet", sentences)


@pytest.fixture
def computed(monkeypatch):
    """The numbers of the blocks that are computed; `computed.stop_after` interrupts before another one."""

    class Computed(list):
        stop_after = None

    found, original = Computed(), encoder._Run.compute

    def compute(self, block):
        if len(found) == found.stop_after:
            raise KeyboardInterrupt
        found.append(block)
        return original(self, block)

    monkeypatch.setattr(encoder._Run, "compute", compute)
    return found


def _in_blocks(corpus, mlm, folder):
    """Encode as a job does."""
    with making(folder, {}) as work:
        encoding = EncodingConfig(batch_tokens=64)
        _encode(corpus, mlm, work / "features.h5", encoding=encoding, block_tokens=200)


def _assert_whole(many, mlm, folder):
    """The data sets equal those of a run without interruption and job, and nothing is left beside them."""
    whole = folder.with_name("whole.h5")
    _encode(many, mlm, whole, encoding=EncodingConfig(batch_tokens=64), block_tokens=200)
    with h5py.File(folder / "features.h5") as one, h5py.File(whole) as other:
        assert all(one[name][()].tobytes() == other[name][()].tobytes() for name in DATASETS)
    assert list(folder.parent.glob(".*")) == []


def test_a_killed_job_goes_on_where_it_stopped(tiny_mlm, many, tmp_path, computed):
    mlm, folder = tiny_mlm("bert-ja"), tmp_path / "killed"
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from zarpipe.config import EncodingConfig, MlmConfig\n"
        "from zarpipe.encode import encoder\n"
        "from zarpipe.job_folders import making\n"
        "compute = encoder._Run.compute\n"
        "encoder._Run.compute = lambda run, block: (time.sleep(0.3), compute(run, block))[1]\n"
        "corpus, mlm, folder = sys.argv[1:]\n"
        "encoding = EncodingConfig(batch_tokens=64)\n"
        "with making(Path(folder), {}) as work:\n"
        "    output = work / 'features.h5'\n"
        "    encoder.encode(Path(corpus), MlmConfig(path=mlm), encoding, output, block_tokens=200)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, many, mlm, folder])
    kept = _wait_for_blocks(process, folder, 3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not folder.exists()
    _in_blocks(many, mlm, folder)
    assert not {f"{block:06d}.block" for block in computed} & {block.name for block in kept}
    assert len(computed) + len(kept) >= len(Features.open(folder / "features.h5").block_sha256)
    _assert_whole(many, mlm, folder)


def _wait_for_blocks(process, folder, wanted):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        blocks = list(folder.parent.glob(f".{folder.name}.unfinished/*.block"))
        if len(blocks) >= wanted:
            return blocks
        time.sleep(0.02)
    raise AssertionError(f"no {wanted} blocks in time; exit status {process.poll()}")


def test_damaged_blocks_are_computed_again(tiny_mlm, many, tmp_path, computed):
    folder, mlm = tmp_path / "damaged", tiny_mlm("bert-ja")
    computed.stop_after = 3
    with pytest.raises(KeyboardInterrupt):
        _in_blocks(many, mlm, folder)
    computed.stop_after = None
    block = tmp_path / ".damaged.unfinished/000001.block"
    content = bytearray(block.read_bytes())
    content[10] ^= 1
    block.write_bytes(content)
    _in_blocks(many, mlm, folder)
    assert computed[:5] == [0, 1, 2, 1, 3]
    _assert_whole(many, mlm, folder)


def test_another_process_may_finish_the_same_job_meanwhile(tiny_mlm, many, tmp_path, monkeypatch):
    mlm, folder, original = tiny_mlm("bert-ja"), tmp_path / "twice", encoder._Run.compute

    def compute(self, block):
        if block == 2:
            with monkeypatch.context() as patch:
                patch.setattr(encoder._Run, "compute", original)
                _in_blocks(many, mlm, folder)
        return original(self, block)

    with monkeypatch.context() as patch:
        patch.setattr(encoder._Run, "compute", compute)
        _in_blocks(many, mlm, folder)
    _assert_whole(many, mlm, folder)

"""Models as they are loaded: limits, digests, and what is refused in one line."""

import json
import re
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_corpora import write_corpus

from zarpipe.cli import main
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm import loading
from zarpipe.mlm.files import local_model_files, model_digest, model_files, model_name
from zarpipe.mlm.loading import load_mlm, load_tokenizer
from zarpipe.mlm.subwords import SubwordTokenizer

IDS = torch.tensor([[2, 10, 3]])


@pytest.fixture
def copy(tiny_mlm, tmp_path):
    def of(kind):
        return shutil.copytree(tiny_mlm(kind), tmp_path / kind)

    return of


def load(folder, allow_pickle=False, device="cpu", dtype="float32"):
    mlm = MlmConfig(path=str(folder), allow_pickle=allow_pickle)
    return load_mlm(mlm, EncodingConfig(device=device, compute_dtype=dtype))


def change(file, **settings):
    file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))


def without(module, monkeypatch):
    """Let a package not be installed, and all others be."""
    find = loading.importlib.util.find_spec
    monkeypatch.setattr(
        loading.importlib.util, "find_spec", lambda name: None if name == module else find(name) or object()
    )


def resized(folder, by):
    from transformers import AutoModelForMaskedLM

    model = AutoModelForMaskedLM.from_pretrained(folder)
    model.resize_token_embeddings(model.config.vocab_size + by)
    model.save_pretrained(folder)


def test_limits_count_the_positions_that_are_usable(tiny_mlm, copy):
    # The RoBERTa has 514 positions; its padding id 1 costs two.
    assert [load(tiny_mlm(kind)).limit for kind in ("bert-ja", "xlm-roberta")] == [512, 512]
    folder = copy("bert-ja")
    change(folder / "tokenizer_config.json", model_max_length=128)
    assert load(folder).limit == 128


def test_weights_are_computed_in_the_asked_format(tiny_mlm):
    assert load(tiny_mlm("bert-ja"), dtype="bfloat16").hidden(IDS).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("module", "settings", "command"),
    [
        ("fugashi", {}, "pip install fugashi"),
        ("unidic_lite", {}, "pip install unidic-lite"),
        ("unidic", {"mecab_kwargs": {"mecab_dic": "unidic"}}, "python -m unidic download"),
        ("ipadic", {"mecab_kwargs": {"mecab_dic": "ipadic"}}, "pip install ipadic"),
        ("sentencepiece", {"subword_tokenizer_type": "sentencepiece"}, "pip install sentencepiece"),
    ],
)
def test_a_missing_package_is_named_with_its_command(copy, monkeypatch, module, settings, command):
    folder = copy("bert-ja")
    change(folder / "tokenizer_config.json", **settings)
    without(module, monkeypatch)
    with pytest.raises(ZarpipeError, match=f"{module}.*{command}"):
        load_tokenizer(MlmConfig(path=str(folder)))


def test_old_models_name_their_tokenizer_in_the_configuration(copy, monkeypatch):
    folder = copy("bert-ja")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["tokenizer_class"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    change(folder / "config.json", tokenizer_class="BertJapaneseTokenizer")
    assert type(load_tokenizer(MlmConfig(path=str(folder)))).__name__ == "BertJapaneseTokenizer"
    without("fugashi", monkeypatch)
    with pytest.raises(ZarpipeError, match="fugashi"):
        load_tokenizer(MlmConfig(path=str(folder)))


def test_pickled_weights_need_permission(tiny_mlm, copy):
    folder = copy("bert-ja")
    weights = load(folder).model.state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(ZarpipeError, match="allow_pickle"):
        load(folder)
    allowed, original = load(folder, allow_pickle=True), load(tiny_mlm("bert-ja"))
    torch.testing.assert_close(allowed.hidden(IDS), original.hidden(IDS))


def test_code_in_the_model_is_not_run_without_permission(copy, tmp_path):
    folder, marker = copy("bert-fast"), tmp_path / "was-run"
    (folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\n")
    change(folder / "config.json", model_type="evil", auto_map={"AutoModelForMaskedLM": "evil.Model"})
    with pytest.raises(ZarpipeError, match="cannot be loaded"):
        load(folder)
    assert not marker.exists()


INDEX = "model.safetensors.index.json"


def with_index(content):
    def spoil(folder):
        (folder / "model.safetensors").rename(folder / "elsewhere")
        (folder / INDEX).write_text(json.dumps(content))

    return spoil


def with_a_pickled_part(folder):
    (folder / "model.safetensors").unlink()
    (folder / "part.bin").write_bytes(b"a pickle")
    (folder / INDEX).write_text(json.dumps({"weight_map": {"bert.embeddings": "part.bin"}}))


def with_text(file, text):
    return lambda folder: (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        (with_text("model.safetensors", "12345678"), "cannot be loaded"),
        (with_a_pickled_part, r"pickle files \(part\.bin\)"),
        (lambda folder: change(folder / "config.json", num_hidden_layers=3), "do not fit"),
        *(
            (with_text(file, text), file)
            for file in ("config.json", "tokenizer_config.json")
            for text in ("{", "[]", "1", '"text"', "null", "[" * 100_000, "\ufeff{}")
        ),
        *(
            (with_index(content), f"{INDEX}: found")
            for content in ([], {}, {"weight_map": []}, {"weight_map": {"a": 1}})
        ),
    ],
)
def test_damaged_models_are_refused(copy, spoil, message):
    folder = copy("bert-ja")
    spoil(folder)
    with pytest.raises(ZarpipeError, match=message) as raised:
        load(folder)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "no masked language model given"),
        ("/no/such/folder", "no folder"),
        ("no-such-owner/no-such-model", "local cache"),
    ],
)
def test_a_model_that_is_nowhere(path, message):
    with pytest.raises(ZarpipeError, match=message):
        load_mlm(MlmConfig(path=path), EncodingConfig())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("option", [{"device": "cuda"}, {"dtype": "float16"}])
def test_a_missing_gpu_is_said(tiny_mlm, option):
    with pytest.raises(ZarpipeError, match=r"encoding\.(device|compute_dtype)"):
        load(tiny_mlm("bert-ja"), **option)


def test_the_digest_is_that_of_the_files_that_are_read(tiny_mlm, copy):
    """Not of housekeeping files, other frameworks' weights, and weights that transformers does not take."""
    folder = copy("bert-ja")
    mlm, before = MlmConfig(path=str(folder)), model_digest(MlmConfig(path=str(tiny_mlm("bert-ja"))))
    for name in (
        *("README.md", ".DS_Store", ".git/index", ".cache/huggingface/download/config.json.metadata"),
        *("tf_model.h5", "pytorch_model.bin", "other.safetensors", INDEX, "evil.py"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    assert (model_name(mlm), model_digest(mlm)) == ("bert-ja", before)
    assert local_model_files(mlm) == model_files(mlm)
    names = {"config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"}
    assert {file.name for file in model_files(mlm)} == names
    assert model_digest(mlm.model_copy(update={"trust_remote_code": True})) != before
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8")
    (folder / "vocab.txt").write_text(vocabulary.replace("東京都\n", "新\n"), encoding="utf-8")
    assert model_digest(mlm) != before


def test_a_hub_model_comes_from_the_local_cache(tiny_mlm, tmp_path, monkeypatch):
    from huggingface_hub import constants

    repository = tmp_path / "models--somebody--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("a" * 40)
    shutil.copytree(tiny_mlm("bert-ja"), repository / "snapshots" / ("a" * 40))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    hub = MlmConfig(path="somebody/tiny")
    assert local_model_files(hub) is None  # not looked up
    assert model_name(hub) == "somebody/tiny"
    assert model_digest(hub) == model_digest(MlmConfig(path=str(tiny_mlm("bert-ja"))))
    assert load("somebody/tiny").hidden_size == 32
    with pytest.raises(ZarpipeError, match="local cache"):
        model_digest(MlmConfig(path="somebody/tiny", revision="b" * 40))


def with_a_new_mask(folder):
    """[MASK] was added to the tokenizer, behind all other entries, and not to the model."""
    tokenizer = load_tokenizer(MlmConfig(path=str(folder)))
    tokenizer.add_special_tokens({"mask_token": "[NEW]"})
    tokenizer.save_pretrained(folder)


def with_another_vocabulary(folder):
    """The vocabulary is of another version: [MASK] stands at its end."""
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").replace("[MASK]\n", "[unused]\n")
    (folder / "vocab.txt").write_text(f"{vocabulary}[MASK]\n", encoding="utf-8")


def with_fewer_embeddings(folder):
    """Three entries have no embedding, [MASK] not among them."""
    resized(folder, -3)


@pytest.mark.parametrize(
    ("kind", "spoil", "named", "others"),
    [
        ("bert-fast", with_a_new_mask, r"\[NEW\]", 0),
        ("bert-ja", with_another_vocabulary, r"\[MASK\]", 0),
        ("modernbert", with_fewer_embeddings, ".*", 2),
    ],
)
def test_entries_behind_the_embeddings_are_refused(copy, tmp_path, capsys, kind, spoil, named, others):
    folder = copy(kind)
    spoil(folder)
    entries = len(load_tokenizer(MlmConfig(path=str(folder))))
    first = entries - 1 - others
    pattern = rf"has {entries} entries, the model {first} embeddings; {named} is number {first} and has none"
    pattern += rf" \(nor have {others} others\)\." if others else r"\."
    corpus = write_corpus(tmp_path / "train.parquet", [["東京", "を", "食べた"]])
    cda = "--method cda --pos-set all --alpha 0.3 --fill multi --pick argmax"
    for command in (
        f"describe-mlm {folder} --output {tmp_path}/manifest.json",
        f"encode {corpus} --mlm {folder} --device cpu --output {tmp_path}/o.h5",
        f"augment {corpus} {cda} --mlm {folder} --device cpu --output {tmp_path}/v.parquet",
    ):
        assert main(command.split()) == 1, command
        assert re.search(pattern, capsys.readouterr().err.strip().splitlines()[-1])


def test_more_embeddings_than_entries_are_harmless(copy):
    folder = copy("bert-fast")
    resized(folder, 5)
    assert load(folder).hidden_size == 32


def with_a_head_of_another_task(weights, settings):  # noqa: ARG001
    weights |= {"cls.seq_relationship.bias": torch.zeros(2), "bert.pooler.dense.bias": torch.zeros(32)}
    weights["bert.embeddings.position_ids"] = torch.arange(512)[None]


def with_one_layer_too_few(weights, settings):  # noqa: ARG001
    settings["num_hidden_layers"] -= 1


def with_relative_positions(weights, settings):
    settings["position_embedding_type"] = "relative_key"
    weights["bert.encoder.layer.0.attention.self.distance_embedding.weight"] = torch.zeros(1023, 8)


def of_a_decoder(weights, settings):  # noqa: ARG001
    settings["is_decoder"] = True


def without_a_prefix_and_a_layer(weights, settings):
    """As the encoder alone is saved."""
    with_one_layer_too_few(weights, settings)
    encoder = {key.removeprefix("bert."): weights[key] for key in weights if key.startswith("bert.")}
    weights.clear()
    weights |= encoder


@pytest.mark.parametrize(
    ("spoil", "warning"),
    [
        (with_a_head_of_another_task, None),
        (with_one_layer_too_few, r"16 of its weights are not used \(bert\.encoder\.layer\.1\."),
        (without_a_prefix_and_a_layer, r"16 of its weights are not used \(encoder\.layer\.1\."),
        (with_relative_positions, r"1 of its weights are not used \(.*distance_embedding\.weight"),
        (of_a_decoder, "does not depend on the words behind it.* is_decoder"),
    ],
)
def test_weights_without_a_place_in_the_model_are_named(copy, caplog, spoil, warning):
    """transformers computes hidden states of a model without them (report 69)."""
    folder = copy("bert-ja")
    weights = load_file(folder / "model.safetensors")
    settings = json.loads((folder / "config.json").read_text())
    spoil(weights, settings)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(settings))
    load(folder)
    assert re.search(warning, caplog.text) if warning else not caplog.text, caplog.text


ODD_VALUES = ([], "abc", -1, 0, None, {}, 1e30, True, [1], "10")
STUMBLED_OVER = {
    "config.json": "hidden_size num_hidden_layers max_position_embeddings pad_token_id",
    "tokenizer_config.json": "model_max_length mecab_kwargs word_tokenizer_type never_split cls_token "
    "mask_token tokenizer_class",
}


def explained(folder):
    """What is wrong with a model; empty for one that is usable."""
    try:
        return "" if load(folder).limit > 2 else "no room"
    except ZarpipeError as error:
        return str(error)


@pytest.mark.parametrize(
    ("file", "key"), [(file, key) for file, keys in STUMBLED_OVER.items() for key in keys.split()]
)
@pytest.mark.parametrize("kind", ["bert-ja", "xlm-roberta"])
def test_an_odd_value_is_taken_or_explained_in_one_line(copy, file, key, kind):
    folder = copy(kind)
    settings = json.loads((folder / file).read_text())
    for value in ODD_VALUES:
        (folder / file).write_text(json.dumps({**settings, key: value}))
        message = explained(folder)
        assert "\n" not in message
        assert not message or str(folder) in message


def test_weights_that_an_index_names_elsewhere_are_in_the_digest(copy, tiny_mlm, tmp_path):
    folder, outside = copy("bert-ja"), tmp_path / "part2.safetensors"
    weights = load_file(folder / "model.safetensors")
    names = ("part1.safetensors", f"../{outside.name}")
    places = {name: names[number % 2] for number, name in enumerate(sorted(weights))}
    for place in names:
        part = {name: weights[name] for name in weights if places[name] == place}
        save_file(part, folder / place, metadata={"format": "pt"})
    with_index({"metadata": {"total_size": 1}, "weight_map": places})(folder)
    mlm = MlmConfig(path=str(folder))
    torch.testing.assert_close(load(folder).hidden(IDS), load(tiny_mlm("bert-ja")).hidden(IDS))
    assert {file.name for file in model_files(mlm)} >= {"part1.safetensors", "part2.safetensors"}
    before = model_digest(mlm)
    other = {name: tensor + 1 for name, tensor in load_file(outside).items()}
    save_file(other, outside, metadata={"format": "pt"})
    assert model_digest(mlm) != before
    outside.unlink()
    with pytest.raises(ZarpipeError, match=r"index.json: names .*part2.safetensors, which is not there"):
        model_digest(mlm)


@pytest.mark.parametrize(
    ("name", "model_type", "tokenizer_class"),
    [
        ("spm.model", "deberta-v2", "DebertaV2Tokenizer"),
        ("sentencepiece.bpe.model", "xlm-roberta", "XLMRobertaTokenizer"),
    ],
)
def test_a_sentencepiece_model_without_tokenizer_json(
    tmp_path, monkeypatch, name, model_type, tokenizer_class
):
    sentencepiece = pytest.importorskip("sentencepiece")
    text = ["東京都の学生が荷物を運んだ。", "店員が原稿を編集した。", "夜、係員は社員の名札を待った。"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_prefix=str(tmp_path / "made"), vocab_size=35, minloglevel=2
    )
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "made.model").rename(folder / name)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_class}))
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    subwords = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(folder))))
    (pieces,) = subwords.pieces(["学生"])
    assert "".join(subwords.text(one) for one in pieces.ids).lstrip("▁") == "学生"
    without("sentencepiece", monkeypatch)
    with pytest.raises(ZarpipeError, match="pip install sentencepiece"):
        load_tokenizer(MlmConfig(path=str(folder)))

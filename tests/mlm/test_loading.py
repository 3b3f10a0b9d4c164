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
from zarpipe.mlm.describe import describe_mlm
from zarpipe.mlm.files import local_model_files, model_digest, model_files, model_name
from zarpipe.mlm.loading import load_mlm, load_tokenizer
from zarpipe.mlm.subwords import SubwordTokenizer


@pytest.fixture
def copy(tiny_mlm, tmp_path):
    def of(kind):
        return shutil.copytree(tiny_mlm(kind), tmp_path / kind)

    return of


def _change(file, **settings):
    file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))


def test_limits_count_the_positions_that_are_usable(tiny_mlm):
    limits = {
        kind: load_mlm(MlmConfig(path=str(tiny_mlm(kind))), EncodingConfig()).limit
        for kind in ("bert-ja", "xlm-roberta")
    }
    # The RoBERTa has 514 positions; its padding id 1 costs two.
    assert limits == {"bert-ja": 512, "xlm-roberta": 512}


def test_the_tokenizers_own_limit_counts_too(copy):
    folder = copy("bert-ja")
    _change(folder / "tokenizer_config.json", model_max_length=128)
    assert load_mlm(MlmConfig(path=str(folder)), EncodingConfig()).limit == 128


def test_weights_are_computed_in_the_asked_format(tiny_mlm):
    model = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(compute_dtype="bfloat16"))
    assert model.hidden(torch.tensor([[2, 10, 3]])).dtype == torch.bfloat16


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
    _change(folder / "tokenizer_config.json", **settings)
    find = loading.importlib.util.find_spec
    monkeypatch.setattr(
        loading.importlib.util, "find_spec", lambda name: None if name == module else find(name) or object()
    )
    with pytest.raises(ZarpipeError, match=f"{module}.*{command}"):
        load_tokenizer(MlmConfig(path=str(folder)))


def test_old_models_name_their_tokenizer_in_the_configuration(copy, monkeypatch):
    folder = copy("bert-ja")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["tokenizer_class"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    _change(folder / "config.json", tokenizer_class="BertJapaneseTokenizer")
    assert type(load_tokenizer(MlmConfig(path=str(folder)))).__name__ == "BertJapaneseTokenizer"
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ZarpipeError, match="fugashi"):
        load_tokenizer(MlmConfig(path=str(folder)))


def test_pickled_weights_need_permission(tiny_mlm, copy):
    folder = copy("bert-ja")
    weights = load_mlm(MlmConfig(path=str(folder)), EncodingConfig()).model.state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(ZarpipeError, match="allow_pickle"):
        load_mlm(MlmConfig(path=str(folder)), EncodingConfig())
    allowed = load_mlm(MlmConfig(path=str(folder), allow_pickle=True), EncodingConfig())
    ids = torch.tensor([[2, 10, 3]])
    original = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig())
    torch.testing.assert_close(allowed.hidden(ids), original.hidden(ids))


def test_code_in_the_model_is_not_run_without_permission(copy, tmp_path):
    folder = copy("bert-fast")
    marker = tmp_path / "was-run"
    (folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\n")
    _change(folder / "config.json", model_type="evil", auto_map={"AutoModelForMaskedLM": "evil.Model"})
    with pytest.raises(ZarpipeError, match="cannot be loaded"):
        load_mlm(MlmConfig(path=str(folder)), EncodingConfig())
    assert not marker.exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"12345678"), "cannot be loaded"),
        (lambda folder: _change(folder / "config.json", num_hidden_layers=3), "do not fit"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be loaded|not valid JSON"),
    ],
)
def test_damaged_models_are_refused(copy, spoil, message):
    folder = copy("bert-fast")
    spoil(folder)
    with pytest.raises(ZarpipeError, match=message):
        load_mlm(MlmConfig(path=str(folder)), EncodingConfig())


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


def test_a_missing_gpu_is_said(tiny_mlm):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ZarpipeError, match=r"encoding\.device"):
        load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(device="cuda"))
    with pytest.raises(ZarpipeError, match=r"encoding\.compute_dtype"):
        load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(compute_dtype="float16"))


def test_the_digest_is_that_of_the_files(tiny_mlm, copy, tmp_path):
    original, folder = MlmConfig(path=str(tiny_mlm("bert-ja"))), copy("bert-ja")
    same = MlmConfig(path=str(folder))
    (folder / "README.md").write_text("says nothing about the computation")
    assert model_digest(original) == model_digest(same)
    assert model_name(same) == "bert-ja"
    assert {file.name for file in model_files(same)} == {
        "config.json",
        "model.safetensors",
        "tokenizer_config.json",
        "vocab.txt",
    }
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8")
    (folder / "vocab.txt").write_text(vocabulary.replace("東京都\n", "新\n"), encoding="utf-8")
    assert model_digest(original) != model_digest(same)
    describe_mlm(same, tmp_path / "manifest.json")
    assert json.loads((tmp_path / "manifest.json").read_text())["digest"] == model_digest(same)


def test_a_hub_model_comes_from_the_local_cache(tiny_mlm, tmp_path, monkeypatch):
    from huggingface_hub import constants

    repository = tmp_path / "models--somebody--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("a" * 40)
    shutil.copytree(tiny_mlm("bert-ja"), repository / "snapshots" / ("a" * 40))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    hub = MlmConfig(path="somebody/tiny")
    assert model_name(hub) == "somebody/tiny"
    assert model_digest(hub) == model_digest(MlmConfig(path=str(tiny_mlm("bert-ja"))))
    assert load_mlm(hub, EncodingConfig()).hidden_size == 32
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
    from transformers import AutoModelForMaskedLM

    model = AutoModelForMaskedLM.from_pretrained(folder)
    model.resize_token_embeddings(model.config.vocab_size - 3)
    model.save_pretrained(folder)


@pytest.mark.parametrize(
    ("kind", "spoil", "named", "others"),
    [
        ("bert-fast", with_a_new_mask, r"\[NEW\]", 0),
        ("bert-ja", with_another_vocabulary, r"\[MASK\]", 0),
        ("bert-fast", with_fewer_embeddings, ".*", 2),
        ("modernbert", with_fewer_embeddings, ".*", 2),
    ],
)
def test_entries_behind_the_embeddings_are_refused(copy, tmp_path, capsys, kind, spoil, named, others):
    folder = copy(kind)
    spoil(folder)
    entries = len(load_tokenizer(MlmConfig(path=str(folder))))
    corpus = write_corpus(tmp_path / "train.parquet", [["東京", "を", "食べた"]])
    commands = [
        f"describe-mlm {folder} --output {tmp_path}/manifest.json",
        f"encode {corpus} --mlm {folder} --device cpu --output {tmp_path}/o.h5",
        f"augment {corpus} --method cda --pos-set all --alpha 0.3 --fill multi --pick argmax "
        f"--mlm {folder} --device cpu --output {tmp_path}/v.parquet",
    ]
    for command in commands:
        capsys.readouterr()
        assert main(command.split()) == 1, command
        message = capsys.readouterr().err.strip().splitlines()[-1]
        first = entries - 1 - others
        pattern = (
            rf"has {entries} entries, the model {first} embeddings; {named} is number {first} and has none"
        )
        pattern += rf" \(nor have {others} others\)\." if others else r"\."
        assert re.search(pattern, message), message


def test_more_embeddings_than_entries_are_harmless(copy):
    from transformers import AutoModelForMaskedLM

    folder = copy("bert-fast")
    model = AutoModelForMaskedLM.from_pretrained(folder)
    model.resize_token_embeddings(model.config.vocab_size + 5)
    model.save_pretrained(folder)
    assert load_mlm(MlmConfig(path=str(folder)), EncodingConfig()).hidden_size == 32


ODD_VALUES = ([], "abc", -1, 0, None, {}, 1e30, True, [1], "10")
STUMBLED_OVER = [
    *(
        ("config.json", key)
        for key in ("hidden_size", "num_hidden_layers", "max_position_embeddings", "pad_token_id")
    ),
    *(("tokenizer_config.json", key) for key in ("model_max_length", "mecab_kwargs", "word_tokenizer_type")),
    *(
        ("tokenizer_config.json", key)
        for key in ("never_split", "cls_token", "mask_token", "tokenizer_class")
    ),
]


def loaded_or_explained(folder):
    try:
        return "", load_mlm(MlmConfig(path=str(folder)), EncodingConfig(device="cpu")).limit
    except ZarpipeError as error:
        return str(error), 0


@pytest.mark.parametrize(("file", "key"), STUMBLED_OVER)
@pytest.mark.parametrize("kind", ["bert-ja", "xlm-roberta"])
def test_an_odd_value_is_taken_or_explained_in_one_line(copy, file, key, kind):
    folder = copy(kind)
    settings = json.loads((folder / file).read_text())
    for value in ODD_VALUES:
        (folder / file).write_text(json.dumps({**settings, key: value}))
        message, limit = loaded_or_explained(folder)
        assert "\n" not in message
        assert str(folder) in message or limit > 2


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", ["[]", "1", '"text"', "null", "[" * 100_000, "\ufeff{}"])
def test_settings_that_are_no_settings(copy, file, content):
    folder = copy("bert-ja")
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ZarpipeError, match=file):
        load_mlm(MlmConfig(path=str(folder)), EncodingConfig())


def in_parts(folder, outside):
    """Write the weights in two parts, the second one outside the model's folder."""
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    places = {
        name: "part1.safetensors" if number % 2 else f"../{outside.name}" for number, name in enumerate(names)
    }
    for place in set(places.values()):
        part = {name: weights[name] for name in names if places[name] == place}
        save_file(part, folder / place, metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def test_weights_that_an_index_names_elsewhere_are_in_the_digest(copy, tiny_mlm, tmp_path):
    folder, outside = copy("bert-ja"), tmp_path / "part2.safetensors"
    in_parts(folder, outside)
    mlm = MlmConfig(path=str(folder))
    ids = torch.tensor([[2, 10, 3]])
    original = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(device="cpu"))
    torch.testing.assert_close(load_mlm(mlm, EncodingConfig(device="cpu")).hidden(ids), original.hidden(ids))
    assert {file.name for file in model_files(mlm)} >= {"part1.safetensors", "part2.safetensors"}
    before = model_digest(mlm)
    save_file(
        {name: tensor + 1 for name, tensor in load_file(outside).items()}, outside, metadata={"format": "pt"}
    )
    assert model_digest(mlm) != before
    outside.unlink()
    with pytest.raises(ZarpipeError, match=r"index.json: names .*part2.safetensors, which is not there"):
        model_digest(mlm)


@pytest.mark.parametrize("index", [[], {}, {"weight_map": []}, {"weight_map": {"a": 1}}])
def test_an_index_that_is_none(copy, index):
    folder = copy("bert-ja")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ZarpipeError, match=r"safetensors.index.json: found"):
        load_mlm(MlmConfig(path=str(folder)), EncodingConfig())


def test_only_what_is_read_is_in_the_digest(copy):
    """Housekeeping files, other frameworks' weights, and weights that transformers does not take."""
    folder = copy("bert-ja")
    mlm = MlmConfig(path=str(folder))
    before = model_digest(mlm)
    for name in ("README.md", ".DS_Store", ".git/index", ".cache/huggingface/download/config.json.metadata"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    for name in (
        "tf_model.h5",
        "pytorch_model.bin",
        "other.safetensors",
        "model.safetensors.index.json",
        "evil.py",
    ):
        (folder / name).write_text("x")
    assert model_digest(mlm) == before
    assert model_digest(mlm.model_copy(update={"trust_remote_code": True})) != before


def test_a_hub_name_is_not_looked_up_for_its_files(tiny_mlm):
    assert local_model_files(MlmConfig(path="somebody/tiny")) is None
    folder = MlmConfig(path=str(tiny_mlm("bert-ja")))
    assert local_model_files(folder) == model_files(folder)


@pytest.mark.parametrize(
    ("name", "tokenizer_class"),
    [("spm.model", "DebertaV2Tokenizer"), ("sentencepiece.bpe.model", "XLMRobertaTokenizer")],
)
def test_a_sentencepiece_model_without_tokenizer_json(tmp_path, name, tokenizer_class):
    sentencepiece = pytest.importorskip("sentencepiece")
    text = ["東京都の学生が荷物を運んだ。", "店員が原稿を編集した。", "夜、係員は社員の名札を待った。"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_prefix=str(tmp_path / "made"), vocab_size=35, minloglevel=2
    )
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "made.model").rename(folder / name)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_class}))
    (folder / "config.json").write_text(
        json.dumps({"model_type": "deberta-v2" if name == "spm.model" else "xlm-roberta"})
    )
    subwords = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(folder))))
    (pieces,) = subwords.pieces(["学生"])
    assert "".join(subwords.text(one) for one in pieces.ids).lstrip("▁") == "学生"


def test_a_missing_package_for_sentencepiece_is_named(tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "xlm-roberta"}))
    (tmp_path / "sentencepiece.bpe.model").write_bytes(b"x")
    find = loading.importlib.util.find_spec
    monkeypatch.setattr(
        loading.importlib.util, "find_spec", lambda name: None if name == "sentencepiece" else find(name)
    )
    with pytest.raises(ZarpipeError, match="pip install sentencepiece"):
        load_tokenizer(MlmConfig(path=str(tmp_path)))

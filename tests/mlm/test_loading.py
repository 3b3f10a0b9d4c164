import json
import shutil

import pytest
import torch

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm import loading
from zarpipe.mlm.describe import describe_mlm
from zarpipe.mlm.files import model_digest, model_files, model_name
from zarpipe.mlm.loading import load_mlm, load_tokenizer


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
    with (folder / "vocab.txt").open("a") as stream:
        stream.write("新\n")
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

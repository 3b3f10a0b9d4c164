"""Bundles whose files are whole, and that are wrong all the same: refused in one line that says what it is."""

import json
import shutil

import pytest
import torch
from made_bundle import make_bundle
from safetensors import safe_open
from safetensors.torch import save_file

from zarpipe import load
from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.serve.bundle import manifest as bundled


@pytest.fixture(scope="module")
def whole(tiny_mlm, tmp_path_factory):
    """A bundle with its masked language model in it."""
    folder = make_bundle(tmp_path_factory.mktemp("bundle") / "b", tiny_mlm("bert-ja"))
    shutil.copytree(tiny_mlm("bert-ja"), folder / "mlm")
    (folder / "README.md").write_text("# A card\n")
    plain = json.loads((folder / "bundle.json").read_text())
    plain["mlm"]["folder"] = "mlm"
    sign(folder, plain)
    return folder


@pytest.fixture
def bundle(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "b")


def sign(folder, plain):
    """Write the manifest with the checksums of what is there."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "bundle.json"]
    plain["files"] = {str(file.relative_to(folder)): file_digest(file) for file in files}
    plain.pop("digest", None)
    (folder / "bundle.json").write_text(json.dumps({**plain, "digest": bundled._digest(plain)}))


def changed(folder, *keys, value):
    """Write another value at a place of the manifest, signed again."""
    plain = json.loads((folder / "bundle.json").read_text())
    part = plain
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    sign(folder, plain)


def rewritten(folder, weights=None, **metadata):
    """Write other weights or metadata into the first tagger, signed again."""
    path = folder / "taggers/seed1/tagger.safetensors"
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        told = json.loads(file.metadata()["zarpipe"]) | metadata
    for tensor in tensors.values():
        tensor.fill_(weights) if weights is not None else None
    save_file(tensors, path, {"zarpipe": json.dumps(told)})
    sign(folder, json.loads((folder / "bundle.json").read_text()))


NO_NUMBERS = {"NOM": float("nan"), "ACC": 0.5, "DAT": 0.5}


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["taggers"], [], "taggers: .*length 1 or more"),
        (["thresholds"], {"NOM": 0.5}, "thresholds: .*expected one for each of NOM, ACC, DAT"),
        (["thresholds"], NO_NUMBERS, r"thresholds\.NOM: found nan; expected a number"),
        (["thresholds", "NOM"], "high", r"thresholds\.NOM: found 'high'"),
        (["segmenter", "threshold"], 1.5, r"segmenter\.threshold: found 1.5; expected a number of at most 1"),
        (["segmenter", "folder"], "taggers/seed1", "not a segmenter"),
        (["taggers", 0, "folder"], "segmenter", "segmenter"),
        (["taggers", 0, "folder"], "nothing", "nothing"),
        (["taggers", 0, "folder"], "../b/taggers/seed1", "expected a place inside of the bundle"),
        (["mlm", "folder"], "/mlm", "expected a place inside of the bundle"),
        (["mlm", "digest"], "0", "not the masked language model of the bundle"),
        (["encoding", "layers"], "0+1", "do not fit together"),
        (["encoding", "layers"], "7", r"encoding\.layers: found 7"),
        (["words"], None, "words: found nothing"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(bundle, keys, value, message):
    changed(bundle, *keys, value=value)
    with pytest.raises(ZarpipeError, match=message) as raised:
        load(bundle, device="cpu")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: rewritten(folder, torch.nan), "found weights that are not numbers"),
        (lambda folder: rewritten(folder, thresholds=NO_NUMBERS), "thresholds: found .*a number from 0 to 1"),
        (lambda folder: rewritten(folder, thresholds=[]), r"thresholds: found \[\]"),
        (lambda folder: rewritten(folder, input_size=7), "do not fit"),
        (lambda folder: rewritten(folder, input_size="x"), "do not fit together"),
        (lambda folder: rewritten(folder, provenance=[]), "do not fit together"),
        (lambda folder: rewritten(folder, config=[]), "found"),
    ],
)
def test_a_tagger_that_contradicts_itself_is_refused(bundle, spoil, message):
    spoil(bundle)
    with pytest.raises(ZarpipeError, match=message):
        load(bundle, device="cpu")


def test_the_model_card_may_be_edited_and_nothing_else(bundle):
    """As people who put a bundle into a repository do (report 74)."""
    (bundle / "README.md").write_text("---\nlicense: mit\n---\n")
    assert load(bundle, device="cpu")("男は走った。").sentences
    weights, vocabulary = bundle / "segmenter/tagger.safetensors", bundle / "mlm/vocab.txt"
    content = vocabulary.read_bytes()
    vocabulary.write_bytes(content.replace(b"\n", b"\r\n"))
    with pytest.raises(ZarpipeError, match=r"vocab\.txt: its line ends were changed, as git does"):
        load(bundle)
    vocabulary.write_bytes(content + b"x")
    with pytest.raises(ZarpipeError, match=r"vocab\.txt: damaged or changed"):
        load(bundle)
    vocabulary.unlink()
    with pytest.raises(ZarpipeError, match=r"vocab\.txt: this file of the bundle is missing"):
        load(bundle)
    weights.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    with pytest.raises(ZarpipeError, match=r"tagger\.safetensors: found a pointer of git-lfs"):
        vocabulary.write_bytes(content)
        load(bundle)


def test_a_bundle_of_a_later_version_is_said_to_be_one(bundle):
    changed(bundle, "zarpipe", value="99.0")
    assert load(bundle, device="cpu").manifest.zarpipe == "99.0"
    for key, value in (("a_later_key", 1), ("format", "3")):
        changed(bundle, key, value=value)
        with pytest.raises(ZarpipeError, match=r"\(zarpipe 99\.0; this is .*, which is older\)"):
            load(bundle)


def test_an_edited_manifest_and_a_folder_without_one_are_refused(bundle):
    manifest = bundle / "bundle.json"
    manifest.write_text(manifest.read_text().replace('"tiny"', '"Tiny"'))
    with pytest.raises(ZarpipeError, match="does not fit its checksum"):
        load(bundle)
    manifest.unlink()
    with pytest.raises(ZarpipeError, match=r"found no bundle\.json in it"):
        load(bundle)


def test_weights_outside_of_the_bundle_are_not_read(bundle, tmp_path):
    (bundle / "mlm/model.safetensors").rename(tmp_path / "model.safetensors")
    index = {"weight_map": {"x": "../../model.safetensors"}}
    (bundle / "mlm/model.safetensors.index.json").write_text(json.dumps(index))
    sign(bundle, json.loads((bundle / "bundle.json").read_text()))
    with pytest.raises(ZarpipeError, match="names weights outside of the bundle"):
        load(bundle)


@pytest.mark.usefixtures("_float64")
def test_the_default_dtype_of_the_program_changes_nothing(whole):
    found = load(whole, device="cpu")
    assert found("男は走った。").sentences[0].predicates
    assert {weight.dtype for tagger in found.taggers for weight in tagger.parameters()} == {torch.float32}


@pytest.fixture
def _float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)

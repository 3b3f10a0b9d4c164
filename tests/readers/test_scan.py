"""Folders as people have them: links, names in other encodings and forms, pipes, compressed and foreign files."""

from __future__ import annotations

import contextlib
import csv
import gzip
import os
import re
import unicodedata
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main
from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.readers import scan
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.readers.scan import corpus_files, documents_of

SPLITS = ("train", "dev", "test")
SENTENCE = """# S-ID:{name}-1
* 1D
+ 1D
係員 かかり 係員 名詞 6 普通名詞 1 * 0 * 0
が が が 助詞 9 格助詞 1 * 0 * 0
* -1D
+ -1D <rel type="ガ" target="係員" sid="{name}-1" id="0"/>
貼った はった 貼る 動詞 2 * 0 子音動詞ラ行 10 タ形 10
EOS
"""


def put(file: Path | bytes, name: str) -> None:
    """Write a document of one sentence."""
    path = Path(os.fsdecode(file))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SENTENCE.format(name=name), encoding="utf-8")


def three_splits(corpus: Path) -> Path:
    for split in SPLITS:
        put(corpus / split / f"{split}0.knp", f"{split}0")
    return corpus


def documents(corpus: Path, output: Path, **arguments) -> dict[str, int]:
    return dict(convert(corpus, output, reading("knp"), "folders", **arguments).documents)


@pytest.fixture
def store(tmp_path):
    """A corpus of 3, 1 and 1 documents, and two more documents in a folder beside the splits."""
    for place in ("train/a", "train/b", "train/c", "dev/d", "test/e", "more/f", "more/g"):
        put(tmp_path / f"store/{place}.knp", place[-1])
    return tmp_path / "store"


@pytest.mark.usefixtures("store")
def test_splits_that_are_links(tmp_path):
    (tmp_path / "corpus").mkdir()
    for split in SPLITS:
        (tmp_path / "corpus" / split).symlink_to(f"../store/{split}")
    assert documents(tmp_path / "corpus", tmp_path / "out") == {"train": 3, "dev": 1, "test": 1}


def test_a_split_with_a_linked_part(store, tmp_path):
    (store / "more").rename(tmp_path / "more")
    (store / "train/more").symlink_to("../../more")
    assert documents(store, tmp_path / "out") == {"train": 5, "dev": 1, "test": 1}


def test_linked_files_and_a_linked_corpus(tmp_path):
    three_splits(tmp_path / "corpus")
    put(tmp_path / "elsewhere.knp", "other")
    (tmp_path / "corpus/train/other.knp").symlink_to(tmp_path / "elsewhere.knp")
    (tmp_path / "link").symlink_to(tmp_path / "corpus")
    assert documents(tmp_path / "link", tmp_path / "out") == {"train": 2, "dev": 1, "test": 1}


@pytest.mark.parametrize("target", [".", "..", "../..", "../../corpus/train"])
def test_a_link_that_leads_back_ends(target, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    (corpus / "train/back").symlink_to(target)
    assert len(corpus_files(corpus, "knp")) == 3


def test_a_folder_that_is_linked_twice_is_said(tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    put(tmp_path / "more/a.knp", "a")
    for name in ("one", "two"):
        (corpus / "train" / name).symlink_to(tmp_path / "more")
    with pytest.raises(FileProblem, match=r"two/a.knp:1: the document 'a' is there already .*one/a.knp"):
        documents(corpus, tmp_path / "out")


@pytest.mark.parametrize("target", ["nowhere", "more"])
def test_a_link_that_leads_nowhere_is_refused(target, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    (corpus / "train/more").symlink_to(target)
    with pytest.raises(FileProblem, match=f"train/more: this link leads nowhere .to {target}.*documents may"):
        documents(corpus, tmp_path / "out")


@pytest.mark.parametrize("name", ["README", "figure.pdf", ".hidden"])
def test_a_dangling_link_that_is_no_folder_of_documents(name, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    (corpus / "train" / name).symlink_to("nowhere")
    assert len(corpus_files(corpus, "knp")) == 3


def test_a_folder_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    corpus = three_splits(tmp_path / "corpus")
    listing = os.scandir

    def scandir(path):
        if Path(path).name == "dev":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(FileProblem, match=r"corpus/dev: cannot be read \(Permission denied\)"):
        corpus_files(corpus, "knp")


def test_housekeeping_files_are_no_corpus_files(tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    for name in (
        ".git/a.knp",
        ".DS_Store",
        "train/._train0.knp",
        "README.knp",
        "train/a.knp~",
        "id/train.id",
    ):
        put(corpus / name, "x")
    assert [file.name for file in corpus_files(corpus, "knp")] == ["dev0.knp", "test0.knp", "train0.knp"]


# The names as Windows in Japanese writes them: 記事一.knp and お読みください.txt in Shift_JIS.
NAMES = {"cp932": "Shift_JIS", "euc_jp": "EUC-JP"}


@pytest.mark.parametrize("encoding", NAMES)
def test_names_that_are_not_utf_8(encoding, tmp_path, capsys):
    corpus = three_splits(tmp_path / "corpus")
    name = "記事一".encode(encoding)
    put(os.fsencode(corpus / "train") + b"/" + name + b".knp", "article")
    command = ["convert", str(corpus), "--format", "knp", "--jobs", "1", "--output", str(tmp_path / "out")]
    assert main(command) == 1
    (message,) = capsys.readouterr().err.splitlines()
    escapes = "".join(chr(byte) if byte < 128 else f"\\x{byte:02x}" for byte in name)
    assert f"train/{escapes}.knp: the file's name is not UTF-8" in message
    assert encoding != "cp932" or "(in Shift_JIS it is '記事一')" in message
    assert main([*command, "--on-error", "skip"]) == 0
    with (tmp_path / "out/skipped.csv").open(encoding="utf-8", newline="") as stream:
        (skipped,) = csv.DictReader(stream)
    assert skipped["file"].endswith(f"{escapes}.knp")
    assert pq.read_table(tmp_path / "out/train.parquet")["doc_id"].to_pylist() == ["train0"]


def test_a_corpus_of_such_names_alone(tmp_path, capsys):
    for split in SPLITS:
        put(tmp_path / "corpus" / split / f"{os.fsdecode('記事'.encode('cp932'))}.knp", split)
    command = ["convert", str(tmp_path / "corpus"), "--format", "knp", "--on-error", "skip"]
    assert main([*command, "--output", str(tmp_path / "out")]) == 1
    assert "no document is left for any split. The first problem: " in capsys.readouterr().err


def test_other_names_that_are_not_utf_8_do_not_matter(tmp_path):
    """A readme, a folder, and a file whose documents are named by their S-IDs."""
    corpus = three_splits(tmp_path / "corpus")
    name = os.fsdecode("お読みください".encode("cp932"))
    (corpus / f"{name}.txt").write_text("read me")
    put(corpus / "dev" / name / "a.knp", "a")
    both = SENTENCE.format(name="b") + SENTENCE.format(name="c")
    (corpus / "test" / f"{name}.knp").write_text(both, encoding="utf-8")
    assert documents(corpus, tmp_path / "out") == {"train": 1, "dev": 2, "test": 3}


COMPOSED = ("ガス料金", "パン屋", "べんとう")


@pytest.mark.parametrize("of_files", ["NFC", "NFD"])
@pytest.mark.parametrize("of_lists", ["NFC", "NFD"])
def test_composed_and_decomposed_names_are_the_same(of_files, of_lists, tmp_path):
    (tmp_path / "ids").mkdir()
    for split, name in zip(SPLITS, COMPOSED, strict=True):
        put(tmp_path / "corpus" / f"{unicodedata.normalize(of_files, name)}.knp", split)
        (tmp_path / f"ids/{split}.id").write_text(
            unicodedata.normalize(of_lists, name) + "\n", encoding="utf-8"
        )
    convert(tmp_path / "corpus", tmp_path / "out", reading("knp"), "ids", tmp_path / "ids")
    for split, name in zip(SPLITS, COMPOSED, strict=True):
        assert pq.read_table(tmp_path / f"out/{split}.parquet")["doc_id"].to_pylist() == [name]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_order_of_documents_does_not_depend_on_the_form(form, tmp_path):
    # Decomposed, か + ゛ would stand before き; composed, が stands after か and before き too, but ハ before バ.
    names = ["か", "が", "き", "ハン", "バイ", "パー"]
    for number, name in enumerate(names):
        put(tmp_path / f"{unicodedata.normalize(form, name)}.knp", f"d{number}")
    found = [unicodedata.normalize("NFC", file.stem) for file in corpus_files(tmp_path, "knp")]
    assert found == sorted(names)


def test_one_name_in_both_forms_is_one_document_twice(tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    for number, form in enumerate(("NFC", "NFD")):
        put(corpus / "train" / f"{unicodedata.normalize(form, 'ガス')}.knp", f"d{number}")
    with pytest.raises(FileProblem, match="the document 'ガス' is there already"):
        documents(corpus, tmp_path / "out")


@pytest.mark.parametrize("name", ["train/a.knp", "train/a.knp.gz", "train.knp"])
def test_a_pipe_is_refused_and_not_waited_for(name, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    os.mkfifo(corpus / name)
    with pytest.raises(FileProblem, match=f"{name}: found a pipe where a corpus file is expected"):
        documents(corpus, tmp_path / "out")
    with pytest.raises(FileProblem, match="found a pipe"):
        documents(corpus / name, tmp_path / "out")


def test_a_pipe_named_as_in_the_distribution(tmp_path):
    os.mkfifo(tmp_path / "950101-0002-950101008.ntc")
    with pytest.raises(FileProblem, match="found a pipe"):
        convert(tmp_path, tmp_path / "out", reading("ntc"))


def test_other_pipes_do_not_matter(tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    os.mkfifo(corpus / "train/control")
    assert len(corpus_files(corpus, "knp")) == 3


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr(scan, "LARGEST_DOCUMENT", 5000)


@pytest.mark.usefixtures("small_limit")
def test_a_small_file_that_unpacks_to_a_large_one(tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    large = gzip.compress(b"# \n" * 100_000)
    (corpus / "train/a.knp.gz").write_bytes(large)
    assert len(large) < 5000
    with pytest.raises(FileProblem, match=r"a.knp.gz: unpacks to more than .* MiB"):
        documents(corpus, tmp_path / "out")
    assert documents(corpus, tmp_path / "out", on_error="skip") == {"train": 1, "dev": 1, "test": 1}


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("name", ["950101-0002-950101008.ntc", "950101-0002-950101008.ntc.gz"])
def test_a_document_that_is_too_large(name, tmp_path):
    content = b"# \n" * 100_000
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(ZarpipeError, match=r"the document '950101-0002-950101008' has more than .* MiB"):
        convert(tmp_path, tmp_path / "out", reading("ntc"))


def test_every_damage_to_a_compressed_file_is_explained(tmp_path):
    file = tmp_path / "train.knp.gz"
    content = gzip.compress(SENTENCE.format(name="a").encode(), mtime=0)
    file.write_bytes(content)
    convert(tmp_path, tmp_path / "out", reading("knp"), "folders")
    expected = pq.read_table(tmp_path / "out/train.parquet").to_pylist()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        for spoilt in (bytes(damaged), content[:place]):
            file.write_bytes(spoilt)
            # What is not noticed is the header's time, name and system.
            with contextlib.suppress(ZarpipeError):
                convert(tmp_path, tmp_path / "out", reading("knp"), "folders")
                assert pq.read_table(tmp_path / "out/train.parquet").to_pylist() == expected


def test_an_unreadable_compressed_document_of_the_distribution(tmp_path):
    """Named as in the distribution it is opened by the reader alone."""
    file = tmp_path / "950101-0002-950101008.ntc.gz"
    content = bytearray(gzip.compress(b"# S-ID:950101008-001\n" * 20, mtime=0))
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    assert documents_of(file, tmp_path)[0].doc_id == "950101-0002-950101008"
    with pytest.raises(FileProblem, match="cannot be uncompressed"):
        convert(tmp_path, tmp_path / "out", reading("ntc"))


LONG = "9" * 5000
NTC_SENTENCE = '* 0 -1D\n食べた たべた 食べる 動詞 * 母音動詞 タ形 id="1"/ga="1"/type="pred"\nEOS\n'


@pytest.mark.parametrize(
    ("corpus_format", "found", "replacement"),
    [
        ("ntc", "* 0 ", f"* {LONG} "),
        ("ntc", " -1D", f" {LONG}D"),
        ("ntc", " -1D", f" -{LONG}D"),
        ("ntc", 'id="1"', f'id="{LONG}"'),
        ("ntc", 'ga="1"', f'ga="{LONG}"'),
        ("knp", "* -1D", f"* {LONG}D"),
        ("knp", "+ 1D", f"+ {LONG}D"),
        ("knp", 'id="0"', f'id="{LONG}"'),
        ("knp", " 6 ", f" {LONG} "),
    ],
    ids=range(9),
)
def test_numbers_without_end_are_refused_in_one_line(corpus_format, found, replacement, tmp_path, capsys):
    text = NTC_SENTENCE if corpus_format == "ntc" else SENTENCE.format(name="a")
    assert found in text
    (tmp_path / f"train.{corpus_format}").write_text(text.replace(found, replacement, 1), encoding="utf-8")
    command = ["convert", str(tmp_path), "--format", corpus_format, "--split", "folders", "--jobs", "1"]
    status = main([*command, "--output", str(tmp_path / "out")])
    message = capsys.readouterr().err
    # A number that is not read (a part of speech's) does not matter.
    assert status == 1 or replacement == f" {LONG} "
    assert status == 0 or re.search(rf"train.{corpus_format}:[0-9]+: ", message)
    assert len(message) < 1000

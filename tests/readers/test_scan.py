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


# What is made in a corpus of one document a split, named train/train0.knp and so on, and what comes of it: the
# names of the documents beside those, or words of the message. Links are written as "from -> to".
FOLDERS = [
    (["more/a", "more/b"], ["train/more -> ../../more"], "a b"),
    (["other"], ["train/other.knp -> ../../other.knp"], "other"),
    ([], ["train/back -> ."], ""),
    ([], ["train/back -> .."], ""),
    ([], ["train/back -> ../.."], ""),
    ([], ["train/back -> ../../corpus/train"], ""),
    (["more/a"], ["train/one -> ../../more", "train/two -> ../../more"], r"two/a.knp:1: the document 'a' is there already .*one/a.knp"),
    ([], ["train/more -> nowhere"], "train/more: this link leads nowhere .to nowhere.*documents may"),
    ([], ["train/more -> more"], "train/more: this link leads nowhere .to more.*documents may"),
    ([], ["train/README -> nowhere", "train/figure.pdf -> nowhere", "train/.hidden -> nowhere"], ""),
    ([f"corpus/{name}" for name in (".git/a", "train/._train0", "README")], [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("files", "links", "expected"), FOLDERS)
def test_links_and_housekeeping_files(files, links, expected, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    for name in files:
        put(tmp_path / f"{name}.knp", name.rpartition("/")[2])
    for name in (".DS_Store", "train/a.knp~", "id/train.id"):
        put(corpus / name, "x")
    for link in links:
        source, target = link.split(" -> ")
        (corpus / source).symlink_to(target)
    if ":" in expected:
        with pytest.raises(FileProblem, match=expected):
            documents(corpus, tmp_path / "out")
    else:
        found = {file.stem for file in corpus_files(corpus, "knp")}
        assert found == {"train0", "dev0", "test0", *expected.split()}
        assert documents(corpus, tmp_path / "out")["train"] == 1 + len(expected.split())


def test_splits_and_a_corpus_that_are_links(tmp_path):
    three_splits(tmp_path / "store")
    (tmp_path / "corpus").mkdir()
    for split in SPLITS:
        (tmp_path / "corpus" / split).symlink_to(f"../store/{split}")
    (tmp_path / "link").symlink_to(tmp_path / "corpus")
    assert documents(tmp_path / "link", tmp_path / "out") == {"train": 1, "dev": 1, "test": 1}


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


def test_a_corpus_of_such_names_alone(tmp_path):
    for split in SPLITS:
        put(tmp_path / "corpus" / split / f"{os.fsdecode('記事'.encode('cp932'))}.knp", split)
    with pytest.raises(ZarpipeError, match=r"no document is left for any split. The first problem: "):
        documents(tmp_path / "corpus", tmp_path / "out", on_error="skip")


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
        listed = unicodedata.normalize(of_lists, name)
        (tmp_path / f"ids/{split}.id").write_text(f"{listed}\n", encoding="utf-8")
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


@pytest.mark.parametrize("name", ["train/a.knp", "train/a.knp.gz", "train.knp", "950101-0002-950101008.knp"])
def test_a_pipe_is_refused_and_not_waited_for(name, tmp_path):
    corpus = three_splits(tmp_path / "corpus")
    os.mkfifo(corpus / "train/control")
    assert len(corpus_files(corpus, "knp")) == 3
    os.mkfifo(corpus / name)
    with pytest.raises(FileProblem, match=f"{name}: found a pipe where a corpus file is expected"):
        documents(corpus, tmp_path / "out")
    with pytest.raises(FileProblem, match="found a pipe"):
        documents(corpus / name, tmp_path / "out")


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path, monkeypatch):
    monkeypatch.setattr(scan, "LARGEST_DOCUMENT", 5000)
    corpus = three_splits(tmp_path / "corpus")
    large = gzip.compress(b"# \n" * 100_000)
    (corpus / "train/a.knp.gz").write_bytes(large)
    assert len(large) < 5000
    with pytest.raises(FileProblem, match=r"a.knp.gz: unpacks to more than .* MiB"):
        documents(corpus, tmp_path / "out")
    assert documents(corpus, tmp_path / "out", on_error="skip") == {"train": 1, "dev": 1, "test": 1}


@pytest.mark.parametrize("name", ["950101-0002-950101008.ntc", "950101-0002-950101008.ntc.gz"])
def test_a_document_that_is_too_large(name, tmp_path, monkeypatch):
    monkeypatch.setattr(scan, "LARGEST_DOCUMENT", 5000)
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

"""Whole conversions: folder forms, splits, limits, jobs, what is written when something is wrong."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading

TESTS = Path(__file__).parents[1]
RAW = TESTS / "golden" / "reader" / "raw"
CASES = TESTS / "cases"
EXPECTED = json.loads((TESTS / "golden" / "reader" / "expected.json").read_text(encoding="utf-8"))
SPLITS = ("train", "dev", "test")
SPLIT_OF = {name: document["split"] for name, document in EXPECTED.items()}


def rows(folder: Path, split: str) -> list[dict]:
    return pq.read_table(folder / f"{split}.parquet").to_pylist()


@pytest.fixture(scope="module")
def golden(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    convert(RAW, folder, reading("ntc"))
    return folder


def test_columns_metadata_splits_and_order(golden):
    table = pq.read_table(golden / "train.parquet")
    assert table.schema.equals(CORPUS_SCHEMA)
    assert table.schema.metadata[b"zarpipe.schema"] == b"1"
    assert len(table.schema.metadata[b"zarpipe.sources"]) == 64
    for split in SPLITS:
        doc_ids = list(dict.fromkeys(row["doc_id"] for row in rows(golden, split)))
        assert doc_ids == sorted(name for name in SPLIT_OF if name in doc_ids)
        assert {SPLIT_OF[name] for name in doc_ids} == {split}


def test_sources_digest_follows_contents_and_rules(golden, tmp_path):
    digest = pq.read_schema(golden / "dev.parquet").metadata[b"zarpipe.sources"]
    shutil.copytree(RAW, tmp_path / "copy")
    convert(tmp_path / "copy", tmp_path / "same", reading("ntc"))
    assert (tmp_path / "same/dev.parquet").read_bytes() == (golden / "dev.parquet").read_bytes()
    convert(tmp_path / "copy", tmp_path / "rule", reading("ntc", own_bunsetsu="drop_mention"))
    assert pq.read_schema(tmp_path / "rule/dev.parquet").metadata[b"zarpipe.sources"] != digest


def test_jobs_do_not_matter_and_progress_is_told(golden, tmp_path):
    seen: list[tuple[int, int]] = []
    convert(RAW, tmp_path, reading("ntc"), jobs=3, progress=lambda *done: seen.append(done))
    for split in SPLITS:
        assert (tmp_path / f"{split}.parquet").read_bytes() == (golden / f"{split}.parquet").read_bytes()
    assert seen == [(number, 19) for number in range(1, 20)]


@pytest.mark.parametrize("inner", ["dat/ntc/knp", "ntc/knp", "knp", "deeper/and/deeper"])
def test_root_of_the_distribution_is_found(golden, tmp_path, inner):
    shutil.copytree(RAW, tmp_path / "corpus" / inner)
    (tmp_path / "corpus/README.txt").write_text("no corpus", encoding="utf-8")
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"))
    assert rows(tmp_path / "out", "dev") == rows(golden, "dev")


def test_folders_of_splits(golden, tmp_path):
    for file in RAW.iterdir():
        folder = tmp_path / "corpus" / SPLIT_OF[file.stem]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder)
    for split in ("folders", "taira"):
        convert(tmp_path / "corpus", tmp_path / split, reading("ntc"), split=split)
        assert rows(tmp_path / split, "test") == rows(golden, "test")


@pytest.mark.parametrize("split", ["folders", "taira"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_one_concatenated_file_per_split(golden, tmp_path, split, ending):
    for name in SPLITS:
        files = sorted(file for file in RAW.iterdir() if SPLIT_OF[file.stem] == name)
        content = b"".join(file.read_bytes() for file in files)
        put(tmp_path, f"corpus/{name}.ntc{ending}", gzip.compress(content) if ending else content)
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), split=split)
    for name in SPLITS:
        expected = [row | {"doc_id": row["doc_id"].rsplit("-", 1)[1]} for row in rows(golden, name)]
        assert rows(tmp_path / "out", name) == expected


def id_lists(folder: Path, **lists: list[str]) -> Path:
    folder.mkdir()
    for split in SPLITS:
        text = "".join(f"{name}\n" for name in lists.get(split, []))
        (folder / f"{split}.id").write_text(text, encoding="utf-8")
    return folder


def test_id_lists_nested_folders_and_gzip(tmp_path):
    shutil.copytree(CASES / "02-knp-spaces-in-morphemes/corpus/knp", tmp_path / "corpus/some/where")
    for file in (tmp_path / "corpus").rglob("*91.knp"):
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    names = {"train": ["w990001-0000000091"], "dev": ["w990001-0000000002"], "test": []}
    ids = id_lists(tmp_path / "ids", **names)
    summary = convert(tmp_path / "corpus", tmp_path / "out", reading("knp"), "ids", ids)
    for split in SPLITS:
        assert [row["doc_id"] for row in rows(tmp_path / "out", split)] == names[split]
    assert summary.left_out == 1


def test_limits_follow_the_order_of_the_id_list(tmp_path):
    names = ["9512ED-0010-951220003", "950101-0002-950101008", "950113-0040-950113101"]
    ids = id_lists(tmp_path / "ids", train=names)
    convert(RAW, tmp_path / "out", reading("ntc"), "ids", ids, {"train": 2})
    assert list(dict.fromkeys(row["doc_id"] for row in rows(tmp_path / "out", "train"))) == names[:2]


def check_expected(folder: Path, split: str, expected: Path) -> None:
    converted = {row["sent_id"]: row for row in rows(folder, split)}
    wanted = json.loads(expected.read_text(encoding="utf-8"))
    assert set(converted) == {row["sent_id"] for row in wanted}
    for row in wanted:
        found = converted[row["sent_id"]]
        for predicate in found["predicates"]:
            del predicate["alt"]
        assert {key: found[key] for key in row} == row


@pytest.mark.parametrize(
    ("case", "corpus", "expected"),
    [
        ("02-knp-spaces-in-morphemes", "corpus", "expected.train.json"),
        ("03-knp-reserved-first-characters", "corpus", "expected.train.json"),
        ("06-knp-broken-lines", "comment-inside", "expected.comment-inside.train.json"),
    ],
)
def test_knp_case(case, corpus, expected, tmp_path):
    folder = CASES / case / corpus
    command = ["convert", str(folder), "--format", "knp", "--ids", str(folder / "id")]
    assert main([*command, "--output", str(tmp_path)]) == 0
    check_expected(tmp_path, "train", CASES / case / expected)


@pytest.mark.parametrize(
    "variant", ["no-final-newline", "trailing-spaces", "blank-lines", "trailing-space-morpheme"]
)
def test_last_line_of_ntc(variant, tmp_path):
    convert(CASES / "09-ntc-last-line" / variant, tmp_path, reading("ntc"))
    for split in SPLITS:
        check_expected(tmp_path, split, CASES / f"09-ntc-last-line/expected.{split}.json")


def test_missing_last_eos_leaves_earlier_files_alone(tmp_path):
    convert(RAW, tmp_path, reading("ntc"))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(ZarpipeError, match=r"950103001.ntc:12: .*not closed: the document ends at line 21"):
        convert(CASES / "09-ntc-last-line/missing-last-eos", tmp_path, reading("ntc"))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


NAME, OTHER = "950103-0001-950103001", "950103-0002-950103002"
GOOD = """# S-ID:950103001-001
* 0 1D
社員 社員 * 名詞 普通名詞 * * id="1"
が が * 助詞 格助詞 * * _
* 1 -1D
運んだ 運んだ 運ぶ 動詞 * 子音動詞バ行 タ形 ga="1"/type="pred"
EOS
"""
BROKEN = GOOD.replace("* 1 -1D", "* 1 9D")
EUC = GOOD.encode("euc_jp")


def put(folder: Path, name: str, content: str | bytes = GOOD) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ("missing-plus", "knp:3: "),
        ("empty-base-phrase", "knp:6: "),
        ("second-sid-inside", "knp:6: "),
        ("analysis-error", "knp:15: found an empty sentence (lines 15 to 17)"),
        ("two-fields-short", "knp:8: found 9 columns"),
        (EUC.replace("が".encode("euc_jp"), b"\xa4", 1), ".ntc:4: found bytes that are neither"),
        (EUC.replace(b"\n* 1", "\nね ね * 助詞 終助詞 * * _\n* 1".encode()), "mixed encodings"),
        (GOOD.encode("utf-8-sig"), ".ntc:1: found a byte-order mark"),
        (GOOD.replace("\n", "\r\n").encode("euc_jp"), ".ntc:1: found a carriage return"),
        (GOOD.replace("社員 社員", "社\x07員 社員"), ".ntc:3: found the control character U+0007"),
        ("", ".ntc:1: found no sentence"),
        (GOOD + GOOD, ".ntc:8: the sentence id '950103001-001' is there already"),
    ],
)
def test_a_bad_file_stops_or_is_skipped(variant, message, tmp_path, capsys):
    if isinstance(variant, str) and variant.isascii() and variant:
        corpus = CASES / "06-knp-broken-lines" / variant
        command, kept = ["convert", str(corpus), "--format", "knp", "--ids", str(corpus / "id")], [0, 1, 1]
    else:
        put(tmp_path / "corpus", f"{NAME}.ntc", variant)
        put(tmp_path / "corpus", f"{OTHER}.ntc", GOOD.replace("S-ID:950103001", "S-ID:950103002"))
        command, kept = ["convert", str(tmp_path / "corpus"), "--format", "ntc"], [1, 0, 0]
    command += ["--jobs", "1", "--output", str(tmp_path / "out")]
    assert main(command) == 1
    assert message in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []
    assert main([*command, "--on-error", "skip"]) == 0
    assert message in capsys.readouterr().err
    assert [len(rows(tmp_path / "out", split)) for split in SPLITS] == kept
    with (tmp_path / "out/skipped.csv").open(encoding="utf-8", newline="") as stream:
        (skipped,) = csv.DictReader(stream)
    assert message in f"{skipped['file']}:{skipped['line']}: {skipped['problem']}"


def fails(tmp_path: Path, message: str, *options, corpus_format: str = "ntc", **arguments) -> None:
    with pytest.raises(ZarpipeError, match=message) as caught:
        convert(tmp_path / "corpus", tmp_path / "out", reading(corpus_format), *options, **arguments)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "out").glob("*"))


CONCATENATED = b"".join(
    (RAW / f"{name}.ntc").read_bytes() for name in ("950115-0010-950115044", "9501ED-0011-950114015")
)


FOLDERS, KNP_FOLDERS, SKIP = (
    {"split": "folders"},
    {"split": "folders", "corpus_format": "knp"},
    {"on_error": "skip"},
)
OUTSIDE, NO_OTHER = "950118-0001-950118001", "There is no other such fault"
REFUSED = [
    (None, {}, "no such file or folder"),
    ({}, {}, "no corpus files found; expected files ending in .ntc"),
    ({f"a/{NAME}": GOOD, f"b/{NAME}": GOOD}, {}, f"{NAME}.ntc:1: the document '{NAME}' is there already"),
    ({NAME: GOOD, OTHER: GOOD}, {}, "950103002.ntc:1: the sentence id '950103001-001' is there already"),
    ({OUTSIDE: GOOD}, {}, f"950118001.ntc:1: .*outside the split by date.*{NO_OTHER}"),
    ({OUTSIDE: GOOD, NAME: BROKEN}, {}, "outside the split by date.*There is 1 more such fault"),
    ({"train/950115-0010-950115044": GOOD}, {}, "lies in train, but its date belongs to test.*--split folders"),
    ({"all": CONCATENATED}, {}, "does not say whether it is an article or an editorial"),
    ({"train/a": GOOD, "other/b": GOOD}, FOLDERS, "b.ntc:1: .*outside the split: expected it in a folder train"),
    ({"train": GOOD + GOOD.replace("* 0 ", "* 7 ").replace("001-001", "002-001")}, FOLDERS, "train.ntc:9: found bunsetsu number 7"),
    ({"train/a\tb": GOOD}, FOLDERS, "control characters nor path separators"),
    ({"train": GOOD.replace("950103001-", "../evil-")}, FOLDERS, "train.ntc:1: the document id '../evil' contains '/'"),
    ({"train/a.knp.gz": "not compressed"}, KNP_FOLDERS, "cannot be uncompressed"),
    ({NAME: "EOS\n"}, SKIP, "no document is left"),
    ({NAME: BROKEN}, {"jobs": 2}, f"{NAME}.ntc:5: bunsetsu 1 has head 9"),
    ({}, {"split": "ids"}, "--split ids needs --ids"),
    ({}, {"ids": "somewhere"}, "--split ids needs --ids"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "arguments", "message"), REFUSED)
def test_a_corpus_that_is_refused(files, arguments, message, tmp_path):
    if files is not None:
        (tmp_path / "corpus").mkdir()
        for name, content in files.items():
            put(tmp_path / "corpus", name if "." in name else f"{name}.ntc", content)
    fails(tmp_path, message, **arguments)


TWICE = f"test.id:1: the document '{NAME}' is listed already at .*train.id:1"


@pytest.mark.parametrize(
    ("lists", "spoil", "message"),
    [
        ({"train": [NAME, "nothing"]}, None, "train.id:2: the document 'nothing' is not in the corpus"),
        ({"train": [NAME], "test": [NAME]}, None, TWICE),
        ({"train": [NAME]}, Path.unlink, "dev.id: not found"),
        ({"train": [NAME]}, lambda file: file.unlink() or file.mkdir(), "dev.id: found a directory"),
        ({"train": [NAME]}, lambda file: file.write_bytes(b"\xff"), "dev.id: not UTF-8 text"),
        ({}, None, "the id lists are empty"),
    ],
)
def test_id_lists_that_are_refused(lists, spoil, message, tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    ids = id_lists(tmp_path / "ids", **lists)
    if spoil:
        spoil(ids / "dev.id")
    fails(tmp_path, message, "ids", ids)


def test_files_that_are_none(tmp_path):
    file = tmp_path / "corpus" / f"{NAME}.ntc"
    file.mkdir(parents=True)
    fails(tmp_path, "found a directory where a corpus file is expected")
    file.rmdir()
    file.symlink_to(tmp_path / "nowhere")
    fails(tmp_path, r"950103001.ntc: cannot be read \(No such file")


def test_skipped_file_of_an_earlier_run_goes(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    put(tmp_path / "corpus", f"{OTHER}.ntc", "EOS\n")
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), on_error="skip")
    assert "950103002.ntc,1,found an empty" in (tmp_path / "out/skipped.csv").read_text(encoding="utf-8")
    (tmp_path / f"corpus/{OTHER}.ntc").unlink()
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"))
    assert not (tmp_path / "out/skipped.csv").exists()


def broken_corpus(folder: Path, documents: int, broken: set[int]) -> list[str]:
    """Write documents of January 3; return their names."""
    names = [f"950103-{number:04d}-950103{number:03d}" for number in range(1, documents + 1)]
    for number, name in enumerate(names, 1):
        text = BROKEN if number in broken else GOOD
        put(folder, f"{name}.ntc", text.replace("S-ID:950103001", f"S-ID:950103{number:03d}"))
    return names


@pytest.mark.parametrize(
    ("broken", "more"),
    [
        ({2}, f"{NO_OTHER}; correct it, or leave the document out"),
        ({2, 5}, "There is 1 more such fault; correct them, or leave the documents out"),
        ({2, 3, 5, 40}, "There are 3 more such faults; correct them, or leave the documents out"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_stopping_counts_the_faults_and_names_the_way_out(broken, more, jobs, tmp_path):
    broken_corpus(tmp_path / "corpus", 40, broken)
    said = f"{OTHER}.ntc:5: bunsetsu 1 has head 9.*\\. {more} with --on-error skip.*corpus.on_error"
    fails(tmp_path, said, jobs=jobs)
    summary = convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), jobs=jobs, on_error="skip")
    assert len(summary.skipped) == len(broken)


@pytest.mark.parametrize("broken", [set(), {1}, {2, 3}, {1, 2, 3, 4, 5, 6}])
@pytest.mark.parametrize("limit", [1, 3, 40, 99])
@pytest.mark.parametrize("jobs", [1, 2])
def test_limit_counts_documents_after_skipping(broken, limit, jobs, tmp_path):
    names = broken_corpus(tmp_path / "corpus", 40, broken)
    limits, out = {"train": limit}, tmp_path / "out"
    summary = convert(tmp_path / "corpus", out, reading("ntc"), "taira", None, limits, jobs, "skip")
    good = [name for number, name in enumerate(names, 1) if number not in broken]
    assert [row["doc_id"] for row in rows(out, "train")] == good[:limit]
    # Nothing behind the last document that was needed is read.
    last = names.index(good[:limit][-1]) + 1 if limit <= len(good) else len(names)
    assert len(summary.skipped) == sum(number <= last for number in broken)


def test_limit_with_stopping_does_not_read_further(tmp_path):
    broken_corpus(tmp_path / "corpus", 5, {4})
    fails(tmp_path, "has head 9", limits={"train": 4})
    summary = convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), limits={"train": 3})
    assert summary.documents["train"] == 3


def test_progress_counts_what_makes_up_for_skipped_documents(tmp_path):
    broken_corpus(tmp_path / "corpus", 5, {1})
    seen: list[tuple[int, int]] = []
    tell = lambda *done: seen.append(done)  # noqa: E731
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), limits={"train": 2}, progress=tell, **SKIP)
    assert seen == [(1, 2), (2, 2), (3, 3)]


KNP = """\
# S-ID:d-1
* 1D
+ 1D
太郎 たろう 太郎 名詞 6 人名 5 * 0 * 0 NIL
が が が 助詞 9 格助詞 1 * 0 * 0 NIL
* 2D
+ 2D <rel type="ガ" target="太郎" sid="d-1" id="0"/><rel type="ヲ" target="不特定:物"/>
飲み のみ 飲む 動詞 2 * 0 子音動詞マ行 9 基本連用形 8 NIL
* -1D
+ -1D <rel type="ガ" target="著者"/><rel type="ニ" target="太郎" sid="d-1" id="0"/>
寝た ねた 寝る 動詞 2 * 0 母音動詞 1 タ形 10 NIL
EOS
"""


def test_repairs_are_counted_and_listed(tmp_path, capsys):
    """The second bunsetsu depends on the first: cut at the second, which becomes a root."""
    put(tmp_path / "corpus", "train/d.knp", KNP.replace("* 2D", "* 0D"))
    put(tmp_path / "corpus", "train/e.knp", KNP.replace("d-1", "e-1").replace("* 2D", "* 9D"))
    put(tmp_path / "corpus", "train/f.knp", KNP.replace("d-1", "f-1"))
    command = ["convert", str(tmp_path / "corpus"), "--format", "knp", "--output", str(tmp_path / "out")]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "faults of the annotation repaired: 2, listed in" in said.out
    assert "d.knp:6: the dependencies run in a circle (0 -> 1 -> 0); bunsetsu 1 is read as the" in said.err
    with (tmp_path / "out/repaired.csv").open(encoding="utf-8", newline="") as stream:
        listed = [(Path(row["file"]).name, row["line"], row["kind"]) for row in csv.DictReader(stream)]
    assert listed == [("d.knp", "6", "circle"), ("e.knp", "6", "head out of range")]
    assert [row["heads"] for row in rows(tmp_path / "out", "train")] == [[1, -1, -1], [1, -1, -1], [1, 2, -1]]
    put(tmp_path / "corpus", "train/d.knp", KNP)
    put(tmp_path / "corpus", "train/e.knp", KNP.replace("d-1", "e-1"))
    assert main(command) == 0
    assert not (tmp_path / "out/repaired.csv").exists()


def test_count_prints_what_each_rule_removed(tmp_path, capsys):
    put(tmp_path / "corpus", "train/d.knp", KNP)
    put(tmp_path / "corpus", "dev/e.knp", KNP.replace("d-1", "e-1"))
    convert(tmp_path / "corpus", tmp_path / "out", reading("knp"), "folders", jobs=2)
    tables = ["--output-table1", str(tmp_path / "1.csv"), "--output-table2", str(tmp_path / "2.csv")]
    assert main(["count", str(tmp_path / "out"), *tables]) == 0
    assert capsys.readouterr().out == (
        "annotated arguments that are not labelled:\n"
        "split  rule                  NOM     ACC     DAT\n"
        "train  outside the text        1       1       0\n"
        "dev    outside the text        1       1       0\n"
    )
    # A corpus of another program says nothing of them.
    for split in SPLITS:
        path = tmp_path / "out" / f"{split}.parquet"
        pq.write_table(pq.read_table(path), path)
    assert main(["count", str(tmp_path / "out"), *tables]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("option", ["--jobs", "--limit-train"])
def test_numbers_below_one_are_refused(option, tmp_path, capsys):
    assert main(["convert", str(RAW), "--format", "ntc", "--output", str(tmp_path), option, "0"]) == 1
    assert f"{option}: found '0'; expected a number of at least 1" in capsys.readouterr().err


@pytest.mark.shared
def test_kwdlc(shared, tmp_path):
    """A part of KWDLC: documents per split, and the mentions of one document read by eye."""
    corpus = shared / "corpora" / "KWDLC"
    limits = {"train": 20, "dev": 10, "test": 10}
    summary = convert(corpus, tmp_path, reading("knp"), "ids", corpus / "id/split_for_pas", limits)
    assert (dict(summary.documents), summary.left_out, summary.remarks) == (limits, 0, [])
    first = rows(tmp_path, "dev")[0]
    assert first["doc_id"] == "w201106-0002000000"
    predicate, tokens = first["predicates"][0], first["tokens"]
    assert predicate["token"] == tokens.index("関わる")
    found = {(argument["case"], tokens[argument["token"]]) for argument in predicate["arguments"]}
    assert found == {("NOM", "作家"), ("DAT", "シリーズ")}

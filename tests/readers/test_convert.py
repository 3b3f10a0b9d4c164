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
TAB = TESTS / "golden" / "reader" / "tab"
CASES = TESTS / "cases"
EXPECTED = json.loads((TESTS / "golden" / "reader" / "expected.json").read_text(encoding="utf-8"))
SPLITS = ("train", "dev", "test")
SPLIT_OF = {name: document["split"] for name, document in EXPECTED.items()}


def rows(folder: Path, split: str) -> list[dict]:
    return pq.read_table(folder / f"{split}.parquet").to_pylist()


def without_ids(folder: Path, split: str) -> list[dict]:
    return [{key: row[key] for key in row if key not in ("doc_id", "sent_id")} for row in rows(folder, split)]


@pytest.fixture(scope="module")
def golden(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    convert(RAW, folder, reading("ntc"))
    return folder


def test_columns_metadata_and_order(golden):
    table = pq.read_table(golden / "train.parquet")
    assert table.schema.equals(CORPUS_SCHEMA)
    assert table.schema.metadata[b"zarpipe.schema"] == b"1"
    assert len(table.schema.metadata[b"zarpipe.sources"]) == 64
    doc_ids = list(dict.fromkeys(table["doc_id"].to_pylist()))
    assert doc_ids == sorted(name for name in doc_ids if SPLIT_OF[name] == "train")


def test_every_golden_document_is_in_its_split(golden):
    for split in SPLITS:
        assert {SPLIT_OF[row["doc_id"]] for row in rows(golden, split)} == {split}


def test_sources_digest_follows_contents_and_rules(golden, tmp_path):
    digest = pq.read_schema(golden / "dev.parquet").metadata[b"zarpipe.sources"]
    copy = tmp_path / "copy"
    shutil.copytree(RAW, copy)
    convert(copy, tmp_path / "same", reading("ntc"))
    assert (tmp_path / "same/dev.parquet").read_bytes() == (golden / "dev.parquet").read_bytes()
    convert(copy, tmp_path / "rule", reading("ntc", own_bunsetsu="drop_mention"))
    assert pq.read_schema(tmp_path / "rule/dev.parquet").metadata[b"zarpipe.sources"] != digest


def test_jobs_do_not_matter(golden, tmp_path):
    convert(RAW, tmp_path, reading("ntc"), jobs=3)
    for split in SPLITS:
        assert (tmp_path / f"{split}.parquet").read_bytes() == (golden / f"{split}.parquet").read_bytes()


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


def test_date_that_contradicts_its_folder_is_refused(tmp_path):
    folder = tmp_path / "corpus/train"
    folder.mkdir(parents=True)
    shutil.copy(RAW / "950115-0010-950115044.ntc", folder)
    with pytest.raises(ZarpipeError, match=r"lies in train, but its date belongs to test.*--split folders"):
        convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"))


@pytest.mark.parametrize("split", ["folders", "taira"])
@pytest.mark.parametrize("compress", [False, True])
def test_one_concatenated_file_per_split(golden, tmp_path, split, compress):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in SPLITS:
        files = sorted(file for file in RAW.iterdir() if SPLIT_OF[file.stem] == name)
        content = b"".join(file.read_bytes() for file in files)
        if compress:
            (corpus / f"{name}.ntc.gz").write_bytes(gzip.compress(content))
        else:
            (corpus / f"{name}.ntc").write_bytes(content)
    convert(corpus, tmp_path / "out", reading("ntc"), split=split)
    for name in SPLITS:
        assert without_ids(tmp_path / "out", name) == without_ids(golden, name)
        expected = [row["doc_id"].rsplit("-", 1)[1] for row in rows(golden, name)]
        assert [row["doc_id"] for row in rows(tmp_path / "out", name)] == expected
        assert [row["sent_id"] for row in rows(tmp_path / "out", name)] == [
            row["sent_id"] for row in rows(golden, name)
        ]


def test_line_numbers_in_a_concatenated_file(tmp_path):
    first, second = sorted(RAW.iterdir())[:2]
    content = first.read_bytes() + second.read_bytes().replace(b"* 0 ", b"* 7 ", 1)
    (tmp_path / "train.ntc").write_bytes(content)
    line = first.read_bytes().count(b"\n") + 2
    with pytest.raises(ZarpipeError, match=f"train.ntc:{line}: found bunsetsu number 7"):
        convert(tmp_path, tmp_path / "out", reading("ntc"), split="folders")


def test_concatenated_file_whose_dates_leave_a_choice_is_refused(tmp_path):
    files = [RAW / "950115-0010-950115044.ntc", RAW / "9501ED-0011-950114015.ntc"]
    (tmp_path / "all.ntc").write_bytes(b"".join(file.read_bytes() for file in files))
    with pytest.raises(ZarpipeError, match="does not say whether it is an article or an editorial"):
        convert(tmp_path, tmp_path / "out", reading("ntc"))


def id_lists(folder: Path, **lists: list[str]) -> Path:
    folder.mkdir()
    for split in SPLITS:
        (folder / f"{split}.id").write_text(
            "".join(f"{name}\n" for name in lists.get(split, [])), encoding="utf-8"
        )
    return folder


def knp_corpus(folder: Path) -> Path:
    shutil.copytree(CASES / "02-knp-spaces-in-morphemes" / "corpus" / "knp", folder / "some/where")
    return folder


def test_id_lists_nested_folders_and_gzip(tmp_path):
    corpus = knp_corpus(tmp_path / "corpus")
    for file in corpus.rglob("*91.knp"):
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    ids = id_lists(tmp_path / "ids", train=["w990001-0000000091"], dev=["w990001-0000000002"])
    summary = convert(corpus, tmp_path / "out", reading("knp"), "ids", ids)
    assert [row["doc_id"] for row in rows(tmp_path / "out", "train")] == ["w990001-0000000091"]
    assert [row["doc_id"] for row in rows(tmp_path / "out", "dev")] == ["w990001-0000000002"]
    assert rows(tmp_path / "out", "test") == []
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


@pytest.mark.parametrize("case", ["02-knp-spaces-in-morphemes", "03-knp-reserved-first-characters"])
def test_knp_case(case, tmp_path):
    corpus = CASES / case / "corpus"
    assert (
        main(
            [
                "convert",
                str(corpus),
                "--format",
                "knp",
                "--ids",
                str(corpus / "id"),
                "--output",
                str(tmp_path),
            ]
        )
        == 0
    )
    check_expected(tmp_path, "train", CASES / case / "expected.train.json")


@pytest.mark.parametrize(
    ("variant", "line"),
    [
        ("missing-plus", "knp:3: "),
        ("empty-base-phrase", "knp:6: "),
        ("second-sid-inside", "knp:6: "),
        ("analysis-error", "knp:15: found an empty sentence (lines 15 to 17)"),
        ("two-fields-short", "knp:8: found 9 columns"),
    ],
)
def test_broken_knp_lines(variant, line, tmp_path, capsys):
    corpus = CASES / "06-knp-broken-lines" / variant
    command = ["convert", str(corpus), "--format", "knp", "--ids", str(corpus / "id"), "--jobs", "1"]
    assert main([*command, "--output", str(tmp_path / "stop")]) == 1
    assert line in capsys.readouterr().err
    assert list((tmp_path / "stop").iterdir()) == []
    assert main([*command, "--output", str(tmp_path / "skip"), "--on-error", "skip"]) == 0
    assert "train is empty" in capsys.readouterr().err
    assert rows(tmp_path / "skip", "train") == []
    assert len(rows(tmp_path / "skip", "dev")) == 1
    with (tmp_path / "skip/skipped.csv").open(encoding="utf-8", newline="") as stream:
        (skipped,) = csv.DictReader(stream)
    assert skipped["file"].endswith("w990001-0000000008.knp")
    assert f"knp:{skipped['line']}: " in line or line.startswith(f"knp:{skipped['line']}: ")


def test_comment_inside_a_knp_sentence(tmp_path):
    corpus = CASES / "06-knp-broken-lines" / "comment-inside"
    convert(corpus, tmp_path, reading("knp"), "ids", corpus / "id")
    check_expected(tmp_path, "train", CASES / "06-knp-broken-lines/expected.comment-inside.train.json")


@pytest.mark.parametrize(
    "variant", ["no-final-newline", "trailing-spaces", "blank-lines", "trailing-space-morpheme"]
)
def test_last_line_of_ntc(variant, tmp_path):
    convert(CASES / "09-ntc-last-line" / variant, tmp_path, reading("ntc"))
    for split in SPLITS:
        check_expected(tmp_path, split, CASES / f"09-ntc-last-line/expected.{split}.json")


def test_missing_last_eos_leaves_earlier_files_alone(tmp_path):
    convert(RAW, tmp_path, reading("ntc"))
    before = (tmp_path / "train.parquet").read_bytes()
    with pytest.raises(ZarpipeError, match=r"950103001.ntc:12: .*not closed: the document ends at line 21"):
        convert(CASES / "09-ntc-last-line/missing-last-eos", tmp_path, reading("ntc"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "dev.parquet",
        "test.parquet",
        "train.parquet",
    ]
    assert (tmp_path / "train.parquet").read_bytes() == before


NAME = "950103-0001-950103001"
GOOD = """# S-ID:950103001-001
* 0 1D
社員 社員 * 名詞 普通名詞 * * id="1"
が が * 助詞 格助詞 * * _
* 1 -1D
運んだ 運んだ 運ぶ 動詞 * 子音動詞バ行 タ形 ga="1"/type="pred"
EOS
"""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            GOOD.encode("euc_jp").replace("が".encode("euc_jp"), b"\xa4", 1),
            ".ntc:4: found bytes that are neither",
        ),
        (
            GOOD.encode("euc_jp").replace(b"\n* 1", "\nね ね * 助詞 終助詞 * * _\n* 1".encode()),
            "mixed encodings",
        ),
        (GOOD.encode("utf-8-sig"), ".ntc:1: found a byte-order mark"),
        (GOOD.replace("\n", "\r\n").encode("euc_jp"), ".ntc:1: found a carriage return"),
        (GOOD.replace("社員 社員", "社\x07員 社員").encode(), ".ntc:3: found the control character U+0007"),
        (b"", ".ntc:1: found no sentence"),
        ((GOOD + GOOD).encode(), ".ntc:8: the sentence id '950103001-001' is there already"),
    ],
)
def test_bad_file(content, message, tmp_path, capsys):
    (tmp_path / "corpus").mkdir()
    (tmp_path / f"corpus/{NAME}.ntc").write_bytes(content)
    (tmp_path / "corpus/950103-0002-950103002.ntc").write_text(
        GOOD.replace("S-ID:950103001", "S-ID:950103002")
    )
    command = ["convert", str(tmp_path / "corpus"), "--format", "ntc", "--jobs", "1"]
    assert main([*command, "--output", str(tmp_path / "stop")]) == 1
    assert message in capsys.readouterr().err
    assert list((tmp_path / "stop").iterdir()) == []
    assert main([*command, "--output", str(tmp_path / "skip"), "--on-error", "skip"]) == 0
    assert message.split(":", 2)[-1] in capsys.readouterr().err
    assert {row["doc_id"] for row in rows(tmp_path / "skip", "train")} == {"950103-0002-950103002"}


def test_whole_carriage_free_utf8_file_is_read(tmp_path):
    (tmp_path / f"{NAME}.ntc").write_text(GOOD, encoding="utf-8")
    summary = convert(tmp_path, tmp_path / "out", reading("ntc"))
    assert summary.predicates["train"] == 1


def put(folder: Path, name: str, content: str = GOOD) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content, encoding="utf-8")


def fails(tmp_path: Path, message: str, *options, corpus_format: str = "ntc", **arguments) -> None:
    with pytest.raises(ZarpipeError, match=message):
        convert(tmp_path / "corpus", tmp_path / "out", reading(corpus_format), *options, **arguments)
    assert not any((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


def test_missing_corpus(tmp_path):
    fails(tmp_path, "no such file or folder")


def test_empty_corpus(tmp_path):
    (tmp_path / "corpus").mkdir()
    fails(tmp_path, "no corpus files found; expected files ending in .ntc")


def test_document_twice(tmp_path):
    put(tmp_path / "corpus", f"a/{NAME}.ntc")
    put(tmp_path / "corpus", f"b/{NAME}.ntc")
    fails(tmp_path, f"{NAME}.ntc:1: the document '{NAME}' is there already")


def test_sentence_id_twice_in_two_documents(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    put(tmp_path / "corpus", "950103-0002-950103002.ntc")
    fails(tmp_path, "950103002.ntc:1: the sentence id '950103001-001' is there already")


def test_document_outside_the_dates(tmp_path):
    put(tmp_path / "corpus", "950118-0001-950118001.ntc")
    fails(tmp_path, "950118001.ntc:1: .*outside the split by date")


def test_document_outside_the_folders(tmp_path):
    put(tmp_path / "corpus", "train/a.ntc")
    put(tmp_path / "corpus", "other/b.ntc")
    fails(tmp_path, "b.ntc:1: .*outside the split: expected it in a folder train", split="folders")


def test_directory_where_a_file_is_expected(tmp_path):
    (tmp_path / "corpus" / f"{NAME}.ntc").mkdir(parents=True)
    fails(tmp_path, "found a directory where a corpus file is expected")


def test_unreadable_file(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    (tmp_path / "corpus/950103-0002-950103002.ntc").symlink_to(tmp_path / "nowhere")
    fails(tmp_path, r"950103002.ntc: cannot be read \(No such file")


def test_document_id_with_a_control_character(tmp_path):
    put(tmp_path / "corpus", "train/a\tb.ntc")
    fails(tmp_path, "control characters nor path separators", split="folders")


def test_document_part_with_a_path_separator(tmp_path):
    put(tmp_path / "corpus", "train.ntc", GOOD.replace("950103001-", "../evil-"))
    fails(tmp_path, "train.ntc:1: the document id '../evil' contains '/'", split="folders")


def test_damaged_gzip(tmp_path):
    put(tmp_path / "corpus", "train/a.knp.gz", "not compressed")
    fails(tmp_path, "cannot be uncompressed", split="folders", corpus_format="knp")


def test_id_list_that_names_a_missing_document(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    ids = id_lists(tmp_path / "ids", train=[NAME, "nothing"])
    fails(tmp_path, "train.id:2: the document 'nothing' is not in the corpus", "ids", ids)


def test_id_list_that_names_a_document_twice(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    ids = id_lists(tmp_path / "ids", train=[NAME], test=[NAME])
    fails(tmp_path, f"test.id:1: the document '{NAME}' is listed already at .*train.id:1", "ids", ids)


def test_id_list_is_missing_or_a_directory(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    ids = id_lists(tmp_path / "ids", train=[NAME])
    (ids / "dev.id").unlink()
    fails(tmp_path, "dev.id: not found", "ids", ids)
    (ids / "dev.id").mkdir()
    fails(tmp_path, "dev.id: found a directory", "ids", ids)


def test_ids_and_split_have_to_agree(tmp_path):
    fails(tmp_path, "--split ids needs --ids", "ids")
    fails(tmp_path, "--split ids needs --ids", "taira", tmp_path)


def test_skipped_file_of_an_earlier_run_goes(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc")
    put(tmp_path / "corpus", "950103-0002-950103002.ntc", "EOS\n")
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), on_error="skip")
    assert "950103002.ntc,1,found an empty sentence" in (tmp_path / "out/skipped.csv").read_text(
        encoding="utf-8"
    )
    (tmp_path / "corpus/950103-0002-950103002.ntc").unlink()
    convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"))
    assert not (tmp_path / "out/skipped.csv").exists()


def test_all_documents_skipped(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc", "EOS\n")
    fails(tmp_path, "no document is left", on_error="skip")


BROKEN = GOOD.replace("* 1 -1D", "* 1 9D")


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
        ({2}, "There is no other such fault; correct it, or leave the document out with --on-error skip"),
        ({2, 5}, "There is 1 more such fault; correct them, or leave the documents out with --on-error skip"),
        ({2, 3, 5, 40}, "There are 3 more such faults; correct them, or leave the documents out with"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_stopping_counts_the_faults_and_names_the_way_out(broken, more, jobs, tmp_path):
    broken_corpus(tmp_path / "corpus", 40, broken)
    with pytest.raises(ZarpipeError) as caught:
        convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), jobs=jobs)
    message = str(caught.value)
    assert "950103-0002-950103002.ntc:5: bunsetsu 1 has head 9" in message
    assert f". {more}" in message
    assert "corpus.on_error" in message
    assert "\n" not in message
    assert list((tmp_path / "out").iterdir()) == []
    summary = convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), jobs=jobs, on_error="skip")
    assert len(summary.skipped) == len(broken)


def test_faults_of_names_and_of_texts_are_counted_together(tmp_path):
    broken_corpus(tmp_path / "corpus", 3, {2})
    put(tmp_path / "corpus", "950118-0001-950118001.ntc")
    fails(tmp_path, "outside the split by date.*There is 1 more such fault")


@pytest.mark.parametrize("broken", [set(), {1}, {2, 3}, {1, 2, 3, 4, 5, 6}])
@pytest.mark.parametrize("limit", [1, 3, 40, 99])
@pytest.mark.parametrize("jobs", [1, 2])
def test_limit_counts_documents_after_skipping(broken, limit, jobs, tmp_path):
    names = broken_corpus(tmp_path / "corpus", 40, broken)
    limits = {"train": limit}
    out = tmp_path / "out"
    summary = convert(tmp_path / "corpus", out, reading("ntc"), "taira", None, limits, jobs, "skip")
    good = [name for number, name in enumerate(names, 1) if number not in broken]
    assert [row["doc_id"] for row in rows(out, "train")] == good[:limit]
    # Nothing behind the last document that was needed is read.
    last = names.index(good[:limit][-1]) + 1 if limit <= len(good) else len(names)
    assert len(summary.skipped) == sum(number <= last for number in broken)


def test_limit_with_stopping_does_not_read_further(tmp_path):
    broken_corpus(tmp_path / "corpus", 5, {4})
    summary = convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), limits={"train": 3})
    assert summary.documents["train"] == 3
    with pytest.raises(ZarpipeError, match="has head 9"):
        convert(tmp_path / "corpus", tmp_path / "out", reading("ntc"), limits={"train": 4})


def test_progress_counts_what_makes_up_for_skipped_documents(tmp_path):
    broken_corpus(tmp_path / "corpus", 5, {1})
    seen: list[tuple[int, int]] = []
    convert(
        tmp_path / "corpus",
        tmp_path / "out",
        reading("ntc"),
        limits={"train": 2},
        on_error="skip",
        progress=lambda done, total: seen.append((done, total)),
    )
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
    assert (
        "d.knp:6: the dependencies run in a circle (0 -> 1 -> 0); bunsetsu 1 is read as the root" in said.err
    )
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
    assert main(["count", str(tmp_path / "out"), *table_options(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "annotated arguments that are not labelled:\n"
        "split  rule                  NOM     ACC     DAT\n"
        "train  outside the text        1       1       0\n"
        "dev    outside the text        1       1       0\n"
    )


def table_options(folder: Path) -> list[str]:
    return ["--output-table1", str(folder / "1.csv"), "--output-table2", str(folder / "2.csv")]


def test_count_of_a_corpus_that_says_nothing_about_removed_arguments(tmp_path, capsys):
    put(tmp_path / "corpus", "train/d.knp", KNP)
    convert(tmp_path / "corpus", tmp_path / "out", reading("knp"), "folders")
    for split in SPLITS:
        path = tmp_path / "out" / f"{split}.parquet"
        pq.write_table(pq.read_table(path), path)
    assert main(["count", str(tmp_path / "out"), *table_options(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_progress_counts_every_document(tmp_path):
    seen: list[tuple[int, int]] = []
    convert(RAW, tmp_path, reading("ntc"), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(number, 19) for number in range(1, 20)]


def test_worker_problems_travel(tmp_path):
    put(tmp_path / "corpus", f"{NAME}.ntc", GOOD.replace("* 1 -1D", "* 1 9D"))
    fails(tmp_path, f"{NAME}.ntc:5: bunsetsu 1 has head 9", jobs=2)


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
    assert dict(summary.documents) == limits
    assert summary.left_out == 0
    assert not summary.remarks
    first = rows(tmp_path, "dev")[0]
    assert first["doc_id"] == "w201106-0002000000"
    assert first["predicates"][0]["token"] == first["tokens"].index("関わる")
    assert {
        (argument["case"], first["tokens"][argument["token"]])
        for argument in first["predicates"][0]["arguments"]
    } == {
        ("NOM", "作家"),
        ("DAT", "シリーズ"),
    }

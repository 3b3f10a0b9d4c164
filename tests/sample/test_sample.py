"""The sample as a whole, read by a checker of its own: it knows the layout only from the golden files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from zarpipe.cli import main
from zarpipe.config import SampleConfig
from zarpipe.errors import ZarpipeError
from zarpipe.readers import ntc
from zarpipe.readers.reading import Place, reading
from zarpipe.sample.maker import make_document, make_sample, places, unlabelled_lines
from zarpipe.sample.tree import EXOPHORA
from zarpipe.sample.writer import document_text

SMALL = SampleConfig(seed=3, train_documents=30, dev_documents=8, test_documents=8, unlabelled_sentences=200)
HEADER = re.compile(r"# S-ID:(\d{9}-\d{3}) KNP:96/10/\d\d MOD:98/\d\d/\d\d")
BUNSETSU = re.compile(r"\* (\d+) (-1|\d+)([DPAI])")
TAG = re.compile(r'[a-z_]+="[a-z0-9_]+"')


@dataclass
class CheckedSentence:
    """What the checker reads: heads of bunsetsu, morphemes with their bunsetsu, tags of each morpheme."""

    heads: list[int] = field(default_factory=list)
    morphemes: list[tuple[int, list[str]]] = field(default_factory=list)
    tags: list[dict[str, str]] = field(default_factory=list)


def check_document(text: str) -> list[CheckedSentence]:
    sentences: list[CheckedSentence] = []
    for line in text.splitlines():
        if line.startswith("#"):
            assert HEADER.fullmatch(line), line
            sentences.append(CheckedSentence())
        elif match := BUNSETSU.fullmatch(line):
            assert int(match[1]) == len(sentences[-1].heads)
            sentences[-1].heads.append(int(match[2]))
        elif line != "EOS":
            fields = line.split(" ")
            assert len(fields) == 8, line
            assert all(fields), line
            sentences[-1].morphemes.append((len(sentences[-1].heads) - 1, fields))
            sentences[-1].tags.append(check_tags(fields[7]))
    return sentences


def check_tags(tags: str) -> dict[str, str]:
    if tags == "_":
        return {}
    parts = tags.split("/")
    assert all(TAG.fullmatch(part) for part in parts), tags
    pairs = [part.replace('"', "").split("=") for part in parts]
    assert [key for key, _ in pairs] == sorted({key for key, _ in pairs}), tags
    return dict(pairs)


def check_tree(heads: list[int]) -> None:
    assert heads[-1] == -1
    assert all(number < head < len(heads) for number, head in enumerate(heads[:-1]))
    for number, head in enumerate(heads[:-1]):
        inside = range(number + 1, head)
        assert all(heads[other] <= head for other in inside), "crossing dependencies"


def check_relations(sentence: CheckedSentence, ids: set[str]) -> None:
    mentions: dict[str, set[int]] = {}
    for (bunsetsu, _), tags in zip(sentence.morphemes, sentence.tags, strict=True):
        if "id" in tags:
            mentions.setdefault(tags["id"], set()).add(bunsetsu)
    for (bunsetsu, fields), tags in zip(sentence.morphemes, sentence.tags, strict=True):
        if tags.get("type") == "pred":
            assert tags["alt"] in {"active", "passive", "causative"}
            assert fields[3] in {"動詞", "形容詞", "名詞"}
        for case in ("ga", "o", "ni"):
            if case not in tags:
                assert f"{case}_type" not in tags
                continue
            value = tags[case]
            assert value in EXOPHORA or value in ids, f"{case}={value} is mentioned nowhere"
            found = mentions.get(value, set())
            assert bunsetsu not in found, "an argument in the predicate's own bunsetsu"
            linked = any(
                sentence.heads[other] == bunsetsu or sentence.heads[bunsetsu] == other for other in found
            )
            assert tags[f"{case}_type"] == ("dep" if linked else "zero")
        fillers = [tags[case] for case in ("ga", "o", "ni") if case in tags]
        assert len(fillers) == len(set(fillers)), "one participant in two cases"


def texts(count: int) -> list[str]:
    return [
        document_text("950101001", make_document(f"check/{number}", editorial=number % 3 == 0))
        for number in range(count)
    ]


@pytest.mark.parametrize("text", texts(80), ids=range(80))
def test_document_is_sound(text):
    sentences = check_document(text)
    assert 6 <= len(sentences) <= 10
    ids = {tags["id"] for sentence in sentences for tags in sentence.tags if "id" in tags}
    for sentence in sentences:
        check_tree(sentence.heads)
        check_relations(sentence, ids)
    text.encode("euc_jp")


@pytest.mark.parametrize("text", texts(20), ids=range(20))
def test_the_reader_reads_what_was_annotated(text):
    document = ntc.read(text, Place("sample.ntc", "950101-0000-950101001"), reading("ntc"))
    for read, checked in zip(document.sentences, check_document(text), strict=True):
        assert read.heads == checked.heads
        assert read.tokens == [fields[0] for _, fields in checked.morphemes]
        targets = [index for index, tags in enumerate(checked.tags) if tags.get("type") == "pred"]
        assert [predicate.token for predicate in read.predicates] == targets


def test_no_two_predicates_in_one_bunsetsu():
    for text in texts(30):
        for sentence in check_document(text):
            targets = Counter(
                bunsetsu
                for (bunsetsu, _), tags in zip(sentence.morphemes, sentence.tags, strict=True)
                if tags.get("type") == "pred"
            )
            assert max(targets.values(), default=1) == 1


def test_same_seed_same_bytes(tmp_path: Path):
    make_sample(SMALL, tmp_path / "one")
    make_sample(SMALL, tmp_path / "two")
    make_sample(SMALL.model_copy(update={"seed": 4}), tmp_path / "three")
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert set(one) == set(three)
    articles = [name for name in one if name.endswith((".ntc", ".txt"))]
    assert all(one[name] != three[name] for name in articles)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_split_sizes(tmp_path: Path):
    make_sample(SMALL, tmp_path)
    names = sorted(path.name for path in (tmp_path / "dat" / "ntc" / "knp").glob("*.ntc"))
    splits = Counter(split_of(name.split("-")[0]) for name in names)
    assert splits == {"train": 30, "dev": 8, "test": 8}
    assert all(re.fullmatch(r"95\d\d(\d\d|ED)-\d{4}-\d{9}\.ntc", name) for name in names)
    assert sum(1 for _ in (tmp_path / "unlabelled.txt").open(encoding="utf-8")) == 200


def split_of(day: str) -> str:
    if day.endswith("ED"):
        month = int(day[2:4])
        return "train" if month <= 8 else "dev" if month == 9 else "test"
    number = int(day[4:6])
    return "train" if number <= 11 else "dev" if number <= 13 else "test"


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_places_are_distinct(split):
    found = places(split, 1200)
    assert len({place.file for place in found}) == 1200
    assert len({place.document_id for place in found}) == 1200


def test_unlabelled_text_differs_from_the_documents():
    annotated = {
        " ".join(fields[0] for _, fields in sentence.morphemes)
        for number in range(30)
        for sentence in check_document(document_text("950101001", make_document(f"3/train/{number}")))
    }
    lines = list(unlabelled_lines(SMALL))
    assert len(lines) == 200
    assert sum(line in annotated for line in lines) < 10


def test_a_sample_is_replaced_but_nothing_else(tmp_path: Path):
    make_sample(SMALL, tmp_path)
    make_sample(SMALL.model_copy(update={"train_documents": 5}), tmp_path)
    assert len(list((tmp_path / "dat" / "ntc" / "knp").glob("*.ntc"))) == 21
    other = tmp_path / "corpus"
    (other / "dat" / "ntc").mkdir(parents=True)
    with pytest.raises(ZarpipeError, match="was not made by `zarpipe sample`"):
        make_sample(SMALL, other)
    assert (other / "dat" / "ntc").is_dir()


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--train-documents", "3", "--dev-documents", "1", "--test-documents", "1"]
    assert main(["sample", "--output", str(tmp_path / "s"), *options, "--unlabelled-sentences", "100"]) == 0
    assert len(list((tmp_path / "s" / "dat" / "ntc" / "knp").iterdir())) == 5
    assert main(["sample", "--output", str(tmp_path / "t"), "--train-documents", "0"]) == 1
    assert "--train-documents" in capsys.readouterr().err


def test_bytes_do_not_depend_on_the_process():
    program = (
        "import hashlib\n"
        "from zarpipe.sample.maker import make_document\n"
        "from zarpipe.sample.writer import document_text\n"
        "texts = [document_text('950101001', make_document(f'p/{n}')) for n in range(15)]\n"
        "print(hashlib.sha256(''.join(texts).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1


def test_no_document_has_the_number_of_another_however_many_there_are():
    found = [place for split in ("train", "dev", "test") for place in places(split, 200_000)]
    assert len({place.document_id for place in found}) == len(found)
    assert len({place.file for place in found}) == len(found)
    assert len({place.file.removesuffix(".ntc") for place in found}) == len(found)


def test_numbers_of_the_first_documents_of_a_day_have_three_digits():
    articles = [place.document_id for place in places("dev", 2250) if not place.editorial]
    assert articles[::2][:2] == ["950112001", "950112002"]
    assert articles[-1] == "9501131000"
    assert [name for name in articles if name.startswith("950112")][897:] == [
        "950112898",
        "950112899",
        "9501121000",
    ]


def test_a_large_sample_is_converted(tmp_path):
    """At the places where numbers grow longer, and where an article's would be an editorial's."""
    found = places("train", 150_000)
    chosen = [
        place for place in found if place.document_id[6:] in ("899", "900", "999", "1000", "1001", "90100")
    ]
    chosen = chosen[::9]
    assert {len(place.document_id) for place in chosen} == {9, 10, 11}
    folder = tmp_path / "dat" / "ntc" / "knp"
    folder.mkdir(parents=True)
    for number, place in enumerate(chosen):
        sentences = make_document(f"large/{number}", place.editorial)
        (folder / place.file).write_text(document_text(place.document_id, sentences), encoding="euc_jp")
    assert main(["convert", str(tmp_path), "--format", "ntc", "--output", str(tmp_path / "corpus")]) == 0
    assert main(["check", str(tmp_path / "corpus" / "train.parquet")]) == 0

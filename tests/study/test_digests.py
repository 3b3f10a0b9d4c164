import os
import time

import pytest

from zarpipe.report.tables import TABLES, all_tables
from zarpipe.study import code, digests
from zarpipe.study.code import code_digest, modules_of
from zarpipe.study.digests import content_digest


def digest_of(root, memory):
    """Digest all files below a folder."""
    return content_digest(root, memory, [file for file in root.rglob("*") if file.is_file()])


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/a").write_text("1")
    return tmp_path / "corpus"


ONE = "from zarpipe.two import number\n\n\ndef double():\n    return 2 * number\n"
OTHER_LAYOUT = '"""A text."""\n# why\nfrom zarpipe.two import number\ndef double():\n    """Say it."""\n    return (2*number)\n'
CHECK = "def check(n):\n    _LOG.info('%d seen', n)\n    if n < 0:\n        raise ValueError(f'{n}: expected 0')\n"
SAYS = f'CAPTION = "A text."\nSHOWS = CONTENTS = "Short."\nGUIDE = "Long."\n{ONE}'
OF_STUDY = f"from zarpipe.study import rows\n{ONE}"
# Files as they are, what one of them becomes, and whether that counts.
CHANGES = [
    ({}, {"one.py": OTHER_LAYOUT}, False),
    (
        {"one.py": CHECK},
        {"one.py": CHECK.replace("%d seen", "saw %s").replace("expected 0", "found less")},
        False,
    ),
    ({"one.py": CHECK}, {"one.py": CHECK.replace("n < 0", "n < 1")}, True),
    ({}, {"two.py": "number = 2\n"}, True),
    ({}, {"other.py": "unrelated = 2\n", "config.py": "default = 2\n"}, False),
    ({}, {"one.py": SAYS}, False),
    ({}, {"one.py": f'TITLE = "In the file."\n{ONE}'}, True),
    ({"one.py": OF_STUDY, "study.py": "rows = 1\n"}, {"study.py": "rows = 2\n"}, False),
]


@pytest.mark.parametrize(("files", "changes", "counts"), CHANGES)
def test_what_of_the_code_counts(tmp_path, monkeypatch, files, changes, counts):
    """A small package of the name zarpipe: one.py imports two.py, other.py stands alone."""
    monkeypatch.setattr(code, "_PACKAGE", tmp_path)
    plain = {
        "one.py": ONE,
        "two.py": "number = 1\n",
        "other.py": "unrelated = 1\n",
        "config.py": "default = 1\n",
    }
    digests = set()
    for texts in (plain | files, changes):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        digests.add(code_digest("zarpipe.one"))
        code._read.cache_clear()
        code_digest.cache_clear()
    assert len(digests) == 1 + counts


@pytest.mark.parametrize("module", all_tables(), ids=lambda module: module.NAME)
def test_a_table_does_not_depend_on_other_stages_nor_on_other_tables(module):
    closure = modules_of(module.__name__)
    stages = ("augment", "encode", "mlm", "readers", "tagger")
    assert not any(module.startswith(tuple(f"zarpipe.{stage}." for stage in stages)) for module in closure)
    others = set(TABLES.values()) - {module.__name__}
    drawing = set() if hasattr(module, "draw") else {"zarpipe.report.figures.drawing"}
    assert not closure & (others | {"zarpipe.report.tables"} | drawing)


def test_content_digest_sees_bytes_and_names_but_no_times(corpus, tmp_path):
    memory = tmp_path / "memory.json"
    digests = [digest_of(corpus, memory)]
    for change in (
        lambda: (corpus / "b").write_text("2"),
        lambda: (corpus / "b").rename(corpus / "c"),
        lambda: (corpus / "c").write_text("3"),
    ):
        change()
        digests.append(digest_of(corpus, memory))
    assert len(set(digests)) == 4
    os.utime(corpus / "c", ns=(1, 1))
    assert digest_of(corpus, memory) == digests[-1]
    assert digest_of(tmp_path / "missing", memory) is None


@pytest.mark.parametrize("damage", ["{half", "[]", '{"FILE": 3}', '{"FILE": ["f", 1]}', '{"FILE": []}'])
def test_content_digest_survives_a_damaged_or_unwritable_memory(corpus, tmp_path, damage):
    memory = tmp_path / "memory.json"
    digest = digest_of(corpus, memory)
    memory.write_text(damage.replace("FILE", str(corpus / "a")))
    assert digest_of(corpus, memory) == digest
    assert digest_of(corpus, corpus / "a" / "memory.json") == digest


@pytest.fixture
def later(monkeypatch):
    """Let ten seconds pass, after which the times of files are trusted."""
    now = time.time_ns
    monkeypatch.setattr(digests.time, "time_ns", lambda: now() + 10_000_000_000)


@pytest.mark.usefixtures("later")
def test_content_digest_reads_a_known_file_only_once(corpus, tmp_path, monkeypatch):
    memory = tmp_path / "memory.json"
    digest = digest_of(corpus, memory)
    monkeypatch.setattr(digests, "file_digest", lambda path: pytest.fail(f"{path} was read again"))
    assert digest_of(corpus, memory) == digest


def rewritten(file, _):
    file.write_text("2")


def replaced(file, _):
    file.with_name("new").write_text("2")
    file.with_name("new").replace(file)


def swapped(file, status):
    """Another file of the same times takes the name, as after ``cp -p``."""
    other = file.with_name("other")
    other.write_text("2")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("change", [rewritten, replaced, swapped])
def test_a_change_of_equal_size_and_time_is_noticed(corpus, tmp_path, change):
    memory, file = tmp_path / "memory.json", corpus / "a"
    before = digest_of(corpus, memory)
    assert "corpus/a" in memory.read_text()
    status = file.stat()
    time.sleep(0.05)  # the clock of the file system moves on
    change(file, status)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert digest_of(corpus, memory) != before


STEP = 2_000_000_000


def test_a_file_that_was_just_written_is_not_trusted(corpus, tmp_path, monkeypatch):
    """On a file system with coarse times a second change shows in nothing but the bytes."""
    state = digests._state
    monkeypatch.setattr(
        digests, "_state", lambda file: [*state(file)[:1], time.time_ns() // STEP * STEP, 0, 0]
    )
    memory = tmp_path / "memory.json"
    before = digest_of(corpus, memory)
    (corpus / "a").write_text("2")
    assert digest_of(corpus, memory) != before


def test_only_the_files_that_are_read_count(corpus, tmp_path):
    """Housekeeping: what git, file managers, editors, hubs and people put beside a corpus or model."""
    memory, files = tmp_path / "memory.json", [corpus / "a"]
    before = content_digest(corpus, memory, files)
    for name in (".git/index", ".DS_Store", "README.md", "a~", ".cache/huggingface/download/a.metadata"):
        (corpus / name).parent.mkdir(parents=True, exist_ok=True)
        (corpus / name).write_text("x")
        assert content_digest(corpus, memory, files) == before
    (corpus / "a").write_text("2")
    assert content_digest(corpus, memory, files) != before

    # So do those outside of the folder.
    outside = tmp_path / "shard"
    digests = set()
    for text in "12":
        outside.write_text(text)
        digests.add(content_digest(corpus, memory, [corpus / "a", outside]))
    assert len(digests) == 2


def test_names_in_any_encoding_and_special_files(corpus, tmp_path):
    memory = tmp_path / "memory.json"
    before = digest_of(corpus, memory)
    (corpus / os.fsdecode("お読みください".encode("cp932"))).write_text("read me")
    assert digest_of(corpus, memory) != before
    os.mkfifo(corpus / "pipe.ntc")
    (corpus / "dangling.ntc").symlink_to("nowhere")
    assert len({content_digest(corpus, memory, sorted(corpus.iterdir())) for _ in range(2)}) == 1


def test_a_moved_folder_has_the_same_digest(corpus, tmp_path):
    before = digest_of(corpus, tmp_path / "memory.json")
    assert digest_of(corpus.rename(tmp_path / "moved"), tmp_path / "memory.json") == before

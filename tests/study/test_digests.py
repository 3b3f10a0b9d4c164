import json
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
def package(tmp_path, monkeypatch):
    """A small package of the name zarpipe: one.py imports two.py, other.py stands alone."""
    files = {
        "one.py": "from zarpipe.two import number\n\n\ndef double():\n    return 2 * number\n",
        "two.py": "number = 1\n",
        "other.py": "unrelated = 1\n",
        "config.py": "default = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(code, "_PACKAGE", tmp_path)

    def digest():
        code._read.cache_clear()
        code_digest.cache_clear()
        return code_digest("zarpipe.one")

    yield tmp_path, digest
    code._read.cache_clear()
    code_digest.cache_clear()


def test_comments_docstrings_and_layout_do_not_count(package):
    folder, digest = package
    before = digest()
    text = '"""A text."""\n# why\nfrom zarpipe.two import number\ndef double():\n    """Say it."""\n    return (2*number)\n'
    (folder / "one.py").write_text(text)
    assert digest() == before


def test_messages_do_not_count(package):
    folder, digest = package
    text = "def check(n):\n    _LOG.info('%d seen', n)\n    if n < 0:\n        raise ValueError(f'{n}: expected 0')\n"
    (folder / "one.py").write_text(text)
    before = digest()
    (folder / "one.py").write_text(text.replace("%d seen", "saw %s").replace("expected 0", "found less"))
    assert digest() == before
    (folder / "one.py").write_text(text.replace("n < 0", "n < 1"))
    assert digest() != before


def test_code_of_imported_modules_counts(package):
    folder, digest = package
    before = digest()
    (folder / "two.py").write_text("number = 2\n")
    assert digest() != before


def test_code_of_other_modules_does_not_count(package):
    folder, digest = package
    before = digest()
    (folder / "other.py").write_text("unrelated = 2\n")
    (folder / "config.py").write_text("default = 2\n")
    assert digest() == before


def test_what_an_output_says_about_itself_does_not_count(package):
    folder, digest = package
    before = digest()
    text = (folder / "one.py").read_text()
    (folder / "one.py").write_text(
        f'CAPTION = "A text."\nSHOWS = CONTENTS = "Short."\nGUIDE = "Long."\n{text}'
    )
    assert digest() == before
    (folder / "one.py").write_text(f'TITLE = "In the file."\n{text}')
    assert digest() != before


def test_modules_of_the_study_do_not_count(package):
    folder, digest = package
    (folder / "study").mkdir()
    (folder / "study" / "grid.py").write_text("rows = 1\n")
    text = "from zarpipe.study.grid import rows\n" + (folder / "one.py").read_text()
    (folder / "one.py").write_text(text)
    before = digest()
    (folder / "study" / "grid.py").write_text("rows = 2\n")
    assert digest() == before


@pytest.mark.parametrize("module", all_tables(), ids=lambda module: module.NAME)
def test_a_table_does_not_depend_on_other_stages_nor_on_other_tables(module):
    closure = modules_of(module.__name__)
    stages = ("augment", "encode", "mlm", "readers", "tagger")
    assert not any(module.startswith(tuple(f"zarpipe.{stage}." for stage in stages)) for module in closure)
    others = set(TABLES.values()) - {module.__name__}
    drawing = set() if hasattr(module, "draw") else {"zarpipe.report.figures.drawing"}
    assert not closure & (others | {"zarpipe.report.tables"} | drawing)


def test_content_digest_sees_bytes_and_names_but_no_times(tmp_path):
    corpus, memory = tmp_path / "corpus", tmp_path / "memory.json"
    corpus.mkdir()
    (corpus / "a").write_text("1")
    digests = [digest_of(corpus, memory)]
    (corpus / "b").write_text("2")
    digests.append(digest_of(corpus, memory))
    (corpus / "b").rename(corpus / "c")
    digests.append(digest_of(corpus, memory))
    (corpus / "c").write_text("3")
    digests.append(digest_of(corpus, memory))
    assert len(set(digests)) == 4
    os.utime(corpus / "c", ns=(1, 1))
    assert digest_of(corpus, memory) == digests[-1]
    assert digest_of(tmp_path / "missing", memory) is None


def test_content_digest_survives_a_damaged_or_unwritable_memory(tmp_path):
    corpus, memory = tmp_path / "corpus", tmp_path / "memory.json"
    corpus.mkdir()
    (corpus / "a").write_text("1")
    digest = digest_of(corpus, memory)
    memory.write_text("{half")
    assert digest_of(corpus, memory) == digest
    assert digest_of(corpus, corpus / "a" / "memory.json") == digest


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/a").write_text("1")
    return tmp_path / "corpus"


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


def test_what_an_earlier_version_remembered_is_not_trusted(corpus, tmp_path):
    status = (corpus / "a").stat()
    old = {f"{corpus / 'a'}:{status.st_size}:{status.st_mtime_ns}": "f" * 64, str(corpus / "a"): ["f" * 64]}
    (tmp_path / "memory.json").write_text(json.dumps(old))
    assert digest_of(corpus, tmp_path / "memory.json") == digest_of(corpus, tmp_path / "none.json")


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


def test_files_outside_the_folder_count(corpus, tmp_path):
    memory, outside = tmp_path / "memory.json", tmp_path / "shard"
    outside.write_text("1")
    before = content_digest(corpus, memory, [corpus / "a", outside])
    outside.write_text("2")
    assert content_digest(corpus, memory, [outside, corpus / "a"]) != before


def test_names_in_any_encoding_and_special_files(corpus, tmp_path):
    memory = tmp_path / "memory.json"
    before = digest_of(corpus, memory)
    (corpus / os.fsdecode("お読みください".encode("cp932"))).write_text("read me")
    assert digest_of(corpus, memory) != before
    os.mkfifo(corpus / "pipe.ntc")
    (corpus / "dangling.ntc").symlink_to("nowhere")
    digest = content_digest(corpus, memory, sorted(corpus.iterdir()))
    assert digest == content_digest(corpus, memory, sorted(corpus.iterdir()))


def test_a_moved_folder_has_the_same_digest(corpus, tmp_path):
    memory = tmp_path / "memory.json"
    before = content_digest(corpus, memory, [corpus / "a"])
    moved = corpus.rename(tmp_path / "moved")
    assert content_digest(moved, memory, [moved / "a"]) == before

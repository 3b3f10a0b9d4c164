import os

import pytest

from zarpipe.report.tables import TABLES
from zarpipe.study import digests as provenance
from zarpipe.study.digests import code_digest, content_digest, module_closure


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
    monkeypatch.setattr(provenance, "_PACKAGE", tmp_path)

    def digest():
        provenance._read.cache_clear()
        return code_digest("zarpipe.one")

    yield tmp_path, digest
    provenance._read.cache_clear()


def test_comments_docstrings_and_layout_do_not_count(package):
    folder, digest = package
    before = digest()
    text = '"""A text."""\n# why\nfrom zarpipe.two import number\ndef double():\n    """Say it."""\n    return (2*number)\n'
    (folder / "one.py").write_text(text)
    assert digest() == before


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


@pytest.mark.parametrize("name", [name for name in TABLES if name != "figure3"])
def test_a_table_does_not_depend_on_other_stages_nor_on_other_tables(name):
    closure = module_closure(f"zarpipe.report.tables.{name}")
    stages = ("augment", "encode", "mlm", "readers", "tagger")
    assert not any(module.startswith(tuple(f"zarpipe.{stage}." for stage in stages)) for module in closure)
    others = {f"zarpipe.report.tables.{other}" for other in TABLES if other != name}
    assert not closure & (others | {"zarpipe.report.tables", "zarpipe.report.figures.drawing"})


def test_content_digest_sees_bytes_and_names_but_no_times(tmp_path):
    corpus, memory = tmp_path / "corpus", tmp_path / "memory.json"
    corpus.mkdir()
    (corpus / "a").write_text("1")
    digests = [content_digest(corpus, memory)]
    (corpus / "b").write_text("2")
    digests.append(content_digest(corpus, memory))
    (corpus / "b").rename(corpus / "c")
    digests.append(content_digest(corpus, memory))
    (corpus / "c").write_text("3")
    digests.append(content_digest(corpus, memory))
    assert len(set(digests)) == 4
    os.utime(corpus / "c", ns=(1, 1))
    assert content_digest(corpus, memory) == digests[-1]
    assert content_digest(tmp_path / "missing", memory) is None


def test_content_digest_survives_a_damaged_or_unwritable_memory(tmp_path):
    corpus, memory = tmp_path / "corpus", tmp_path / "memory.json"
    corpus.mkdir()
    (corpus / "a").write_text("1")
    digest = content_digest(corpus, memory)
    memory.write_text("{half")
    assert content_digest(corpus, memory) == digest
    assert content_digest(corpus, corpus / "a" / "memory.json") == digest


def test_content_digest_reads_a_known_file_only_once(tmp_path, monkeypatch):
    corpus, memory = tmp_path / "corpus", tmp_path / "memory.json"
    corpus.mkdir()
    (corpus / "a").write_text("1")
    digest = content_digest(corpus, memory)
    monkeypatch.setattr(provenance, "file_digest", lambda path: pytest.fail(f"{path} was read again"))
    assert content_digest(corpus, memory) == digest

"""docs/analyse.md: its programs run, and the JSON has the keys that it lists."""

import json
import re
import runpy

import pytest
from documented import PROJECT, example
from made_bundle import make_bundle

from zarpipe import load
from zarpipe.serve.analyse.formats import write_json
from zarpipe.serve.bundle.text import source_sentences

PAGE = "../analyse.md"


@pytest.fixture
def bundle(tiny_mlm, tmp_path, monkeypatch):
    """A bundle where the page's programs look for it; they find its model."""
    monkeypatch.chdir(tmp_path)
    made = load(make_bundle(tmp_path / "bundle", tiny_mlm("bert-ja")), mlm=tiny_mlm("bert-ja"))
    monkeypatch.setattr("zarpipe.load", {"bundle": made}.__getitem__)
    return made


@pytest.fixture
def run(bundle, tmp_path):  # noqa: ARG001 (which the programs load)
    def program(name):
        (tmp_path / name).write_text(example(PAGE, name), encoding="utf-8")
        runpy.run_path(str(tmp_path / name))

    return program


def test_a_text(run, capsys):
    run("text.py")
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "0 16 男は訴えられたが、無罪になった。",
        "16 22 女は帰った。",
    ]
    assert any(re.fullmatch(r"    NOM \S+ \d+ \d+ 0\.\d\d", line) for line in lines)


def test_a_stream(run, tmp_path, capsys):
    (tmp_path / "book.txt").write_text("男は走った。女も。\n\n帰った。\n", encoding="utf-8")
    run("stream.py")
    found = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in found] == ["男は走った。", "女も。", "帰った。"]


def test_json_has_the_keys_of_the_page(bundle):
    page = (PROJECT / "docs/analyse.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`.*?) \| (.*) \|$", page.partition("### JSON")[2].partition("##")[0], re.MULTILINE
    )
    listed = {key: _names(value) for keys, value in rows for key in _names(keys)}
    (line,) = write_json(bundle.analyse_text(source_sentences("男は走った。")), "unidic")
    sentence = json.loads(line)
    assert list(sentence) == [key for key in listed if key != "arguments"]
    assert list(sentence["tokens"][0]) == listed["tokens"]
    predicate = sentence["predicates"][0]
    assert list(predicate) == listed["predicates"]
    assert list(predicate["arguments"][0]) == listed["arguments"]


def _names(text):
    return re.findall(r"`(\w+)`", text)

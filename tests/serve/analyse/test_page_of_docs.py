"""docs/analyse.md: its programs run."""

import re
import runpy

import pytest
from documented import example
from made_bundle import make_bundle

from zarpipe import load

PAGE = "../analyse.md"


@pytest.fixture
def run(tiny_mlm, tmp_path, monkeypatch):
    """Runs a program of the page beside a bundle, whose model it finds."""
    monkeypatch.chdir(tmp_path)
    made = load(make_bundle(tmp_path / "bundle", tiny_mlm("bert-ja")), mlm=tiny_mlm("bert-ja"))
    monkeypatch.setattr("zarpipe.load", {"bundle": made}.__getitem__)

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

"""Corpora and configurations that try to be executed: names, tokens and paths are only ever text."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from zarpipe.cli import main

SCRIPT = "<script>alert(1)</script>"
HOSTILE_IDS = ["$(touch x)", ";touch x;", "`touch x`", SCRIPT, "-rf", "a b'\"c", "..%2f..%2fx"]
HOSTILE_TOKENS = ["../../x", "$(touch${IFS}x)", SCRIPT, "';--", "{{7*7}}", "{params.spec}"]


def document(doc_id):
    """A document whose sentence is made of hostile tokens before a predicate."""
    lines, last = [f"# S-ID:{doc_id}-1"], len(HOSTILE_TOKENS)
    for number, token in enumerate(HOSTILE_TOKENS):
        lines += [f"* {number} {last}D", f'{token} {token} * 名詞 普通名詞 * * id="{number}"']
    verb = '食べた たべた 食べる 動詞 * 母音動詞 タ形 alt="active"/ga="0"/o="2"/type="pred"'
    return "\n".join([*lines, f"* {last} -1D", verb, "EOS", ""])


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A converted corpus of hostile documents, one folder per split; the working folder is watched for ``x``."""
    monkeypatch.chdir(tmp_path)
    for split in ("train", "dev", "test"):
        folder = tmp_path / "corpus" / split
        folder.mkdir(parents=True)
        for number, name in enumerate(HOSTILE_IDS):
            # The document's name is the file's; sentence ids have no blanks.
            text = document(f"{split}-{number}-{name.replace(' ', '_')}")
            (folder / f"{split} {name}.ntc".replace("/", "_")).write_text(text, encoding="utf-8")
    main(["convert", "corpus", "--format", "ntc", "--split", "folders", "--output", "parquet"])
    yield tmp_path / "parquet"
    assert not list(tmp_path.rglob("x"))


def test_hostile_ids_and_tokens_are_kept_and_shown_as_text(hostile):
    table = pq.read_table(hostile / "train.parquet").to_pylist()
    assert {row["doc_id"] for row in table} == {f"train {name}".replace("/", "_") for name in HOSTILE_IDS}
    assert all(row["tokens"][:-1] == HOSTILE_TOKENS for row in table)
    assert all(len(row["predicates"][0]["arguments"]) == 2 for row in table)
    assert main(["show", str(hostile / "train.parquet"), "--html", "page.html"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_whole_chain_takes_hostile_text(hostile, tiny_mlm):
    model = str(tiny_mlm("bert-ja"))
    train, dev = str(hostile / "train.parquet"), str(hostile / "dev.parquet")
    calls = [
        f"augment {train} --method masking --pos-set all --alpha 0.5 --output variant.parquet",
        f"encode {train} --mlm {model} --output train.h5",
        f"encode {dev} --mlm {model} --output dev.h5",
        f"encode {train} --mlm {model} --variant variant.parquet --originals train.h5 --output variant.h5",
        f"train --corpus {train} --features train.h5 --variant-features variant.h5 --dev-corpus {dev} "
        "--dev-features dev.h5 --seed 1 --layers 1 --hidden-size 4 --epochs 1 --output tagger",
        f"predict --tagger tagger --corpus {dev} --features dev.h5 --output dev-decisions.parquet",
        f"evaluate --corpus {dev} --predictions dev-decisions.parquet --output scores.json",
    ]
    for call in calls:
        assert main(call.split()) == 0, call


@pytest.mark.usefixtures("hostile")
def test_a_hostile_folder_goes_through_the_rules(project, tmp_path, tiny_mlm):
    shutil.copytree(tiny_mlm("bert-ja"), tmp_path / "m $(touch x)")
    (tmp_path / "corpus").rename(tmp_path / "it's $(touch x) 研究")
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(
        f'corpus: {{path: "{tmp_path}/it\'s $(touch x) 研究", split: folders}}\n'
        f'mlm: {{path: "{tmp_path}/m $(touch x)"}}\nresults: "{tmp_path}/res $(touch x)"\n',
        encoding="utf-8",
    )
    target = f"{tmp_path}/res $(touch x)/table1.csv"
    run = snakemake(project, tmp_path, "--configfile", str(overlay), "--", target)
    assert run.returncode == 0, run.stdout
    assert (tmp_path / "res $(touch x)/table1.csv").is_file()


@pytest.mark.parametrize(
    "value", ['!!python/object/apply:os.system ["touch x"]', '!!python/object/new:os.system ["touch x"]']
)
def test_a_configuration_cannot_run_python(project, tmp_path, value):
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(f"results: {value}\n", encoding="utf-8")
    run = snakemake(project, tmp_path, "--dry-run", "--configfile", str(overlay), "--", "results/table1.csv")
    assert run.returncode != 0
    assert not list(tmp_path.rglob("x"))


def snakemake(project, folder, *arguments):
    """Run the project's workflow with ``folder`` as working folder."""
    command = (sys.executable, "-m", "snakemake", "--cores", "1", "--snakefile", str(project / "Snakefile"))
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command += ("--directory", str(folder / "work"), *arguments)
    return subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )

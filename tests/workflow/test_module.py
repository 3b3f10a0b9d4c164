"""The workflow as a module of another one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SNAKEFILE = """\
from snakemake.utils import min_version
min_version("9.5")

configfile: "own.yaml"

module zarpipe:
    snakefile: {snakefile!r}
    config: config["zar"]
    prefix: "zar"

use rule * from zarpipe as zar_*

rule summary:
    default_target: True
    input: "zar/results/table1.csv"
    output: "summary.txt"
    shell: "cp {{input}} {{output}}"
"""
OWN = """\
zar:
  corpus: {limit: {train: 4, dev: 2, test: 2}}
  augmentation: {alphas: [0.5], pos_sets: [all]}
  tagger: {layers: 1, hidden_size: 8}
  training: {seeds: [7], epochs: 1, batch_size: 32}
"""


def snakemake(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run snakemake; return its exit status and all that it printed."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture
def importer(tmp_path):
    snakefile = SNAKEFILE.format(snakefile=str(PROJECT / "workflow/Snakefile"))
    (tmp_path / "Snakefile").write_text(snakefile, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    # What lies here is not zarpipe's.
    (tmp_path / "config.yaml").write_text("results: somebody-elses\n", encoding="utf-8")
    return tmp_path


def test_a_study_runs_with_the_importers_configuration_and_prefix(importer):
    status, said = snakemake(importer)
    assert status == 0, said
    assert (importer / "summary.txt").is_file()
    assert sorted(path.name for path in importer.iterdir() if path.is_dir() and path.name[0] != ".") == [
        "zar"
    ]
    assert "Nothing to be done" in snakemake(importer, "--dry-run")[1]
    changed = (importer / "own.yaml").read_text(encoding="utf-8").replace("train: 4", "train: 3")
    (importer / "own.yaml").write_text(changed, encoding="utf-8")
    _, planned = snakemake(importer, "--dry-run")
    assert "zar_convert" in planned
    assert "zar_train" not in planned


def test_a_module_without_a_configuration_is_refused(importer):
    text = (importer / "Snakefile").read_text(encoding="utf-8").replace('    config: config["zar"]\n', "")
    (importer / "Snakefile").write_text(text, encoding="utf-8")
    status, said = snakemake(importer, "--dry-run")
    assert status != 0
    assert "module zarpipe: found no `config:`" in said


def test_a_wrong_key_of_the_importer_is_named(importer):
    (importer / "own.yaml").write_text(OWN + "  tager: {layers: 1}\n", encoding="utf-8")
    status, said = snakemake(importer, "--dry-run")
    assert status != 0
    assert "unknown key 'tager'" in said

"""The simulation behind what docs/statistics.md says of the tests: its truth is true, and it runs."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scripts import PROJECT, script

from zarpipe.task.statistics.f1 import micro_f1

BENCHMARKS = PROJECT / "benchmarks"


made_studies = script("benchmarks/made_studies.py")


def test_a_large_study_has_the_true_difference():
    truth = replace(made_studies.Truth(), documents=3000, seeds=60, gain=0.2)
    one, other = made_studies.make_study(truth, np.random.default_rng(0)).by_document()
    f1, other_f1 = (micro_f1(counts.sum(axis=0)).mean() for counts in (one, other))
    assert 0.03 < truth.difference < 0.06
    # Three standard deviations of 0.0045.
    assert f1 - other_f1 == pytest.approx(truth.difference, abs=0.014)


def test_the_counts_of_documents_are_those_of_their_arguments():
    truth = replace(made_studies.Truth(), documents=5, seeds=2)
    study = made_studies.make_study(truth, np.random.default_rng(0))
    for counts, by_document in zip(study.systems, study.by_document(), strict=True):
        assert np.array_equal(by_document[2], counts[study.document == 2].sum(axis=0))
        assert by_document.sum() == counts.sum()


def test_it_ends_with_its_figures():
    options = ["--studies", "4", "--draws", "50", "--documents", "20", "--seeds", "2"]
    command = [sys.executable, str(BENCHMARKS / "statistics.py"), *options]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    figures = dict(line.split(": ") for line in lines[-4:])
    assert list(figures) == ["type_1_error", "coverage", "instance_type_1_error", "power_error"]
    assert all(-100 <= float(percent) <= 100 for percent in figures.values())


def test_other_benchmarks_find_the_statistics_module_of_python():
    code = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); import statistics; print(statistics.mean([1, 3]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"

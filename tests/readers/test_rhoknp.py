"""The labels of real documents against rhoknp's own reading of them."""

from __future__ import annotations

import importlib
import logging
from collections import Counter

import pytest

DOCUMENTS = 300


@pytest.mark.shared
def test_labels_differ_from_those_of_rhoknp_only_by_the_stated_rules(project, shared, monkeypatch):
    monkeypatch.syspath_prepend(project / "benchmarks")
    comparison = importlib.import_module("rhoknp_arguments")
    reasons: Counter[str] = Counter()
    logging.disable(logging.WARNING)
    try:
        for file in sorted((shared / "corpora/KWDLC/knp").rglob("*.knp"))[:DOCUMENTS]:
            text = file.read_text(encoding="utf-8")
            reasons.update(reason for _, reason, _, _ in comparison.differences(text))
    finally:
        logging.disable(logging.NOTSET)
    assert set(reasons) <= {"", "construction", "other case"}
    assert reasons[""] > 20 * (reasons.total() - reasons[""])

"""Counts of documents and categories, and the correction for a family of tests."""

import numpy as np
import pytest

from zarpipe.report.significance import counts_by_document, counts_of_categories, with_holm


def test_counts_are_summed_over_documents():
    counts = np.arange(4 * 2).reshape(4, 2)
    found = counts_by_document(counts, np.array([0, 1, 0, 2]))
    assert found.tolist() == [[0 + 4, 1 + 5], [2, 3], [6, 7]]
    assert counts_by_document(counts[:0], np.zeros(0, np.int64)).shape == (0, 2)


def test_categories_are_summed_over_cases():
    counts = np.arange(2 * 1 * 3 * 3 * 3).reshape(2, 1, 3, 3, 3)
    found = counts_of_categories(counts, ("ALL", "ZAR"))
    assert np.array_equal(found[:, :, 0], counts.sum(axis=(2, 3)))
    assert np.array_equal(found[:, :, 1], counts[:, :, 1].sum(axis=2))


def test_untested_rows_are_no_part_of_the_family():
    rows = with_holm([{"p_value": 0.03}, {"p_value": None}, {"p_value": 0.02}])
    assert [row["p_holm"] for row in rows] == [pytest.approx(0.04), None, pytest.approx(0.04)]

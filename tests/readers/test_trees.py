"""Dependency trees: what is repaired, and how."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.errors import FileProblem
from zarpipe.readers.trees import check_tree, repair_tree


@pytest.mark.parametrize(
    ("heads", "repaired", "kinds"),
    [
        ([1, 2, -1], [1, 2, -1], []),
        ([2, 0, -1], [2, 0, -1], []),
        ([0], [-1], ["own head"]),
        ([1, 0], [1, -1], ["circle"]),
        ([1, 2, 0, -1], [1, 2, -1, -1], ["circle"]),
        # A circle in the middle that others lead to: 1 -> 3 -> 2 -> 1 is cut at 3.
        ([1, 3, 1, 2, -1], [1, 3, 1, -1, -1], ["circle"]),
        ([1, 0, 3, 2], [1, -1, 3, -1], ["circle", "circle"]),
        ([7, -2, 1], [-1, -1, 1], ["head out of range", "head out of range"]),
        ([5, 2, 1], [-1, 2, -1], ["head out of range", "circle"]),
    ],
)
def test_repairs(heads, repaired, kinds):
    found, repairs = repair_tree(heads)
    assert found == repaired
    assert [repair.kind for repair in repairs] == kinds


@pytest.mark.parametrize(
    ("heads", "circle"),
    [
        ([2, 0, 1], "(0 -> 2 -> 1 -> 0); bunsetsu 2 is"),
        (
            [3000, *range(3000)],
            "(0 -> 3000 -> 2999 -> 2998 -> ... -> 4 -> 3 -> 2 -> 1 -> 0); bunsetsu 3000 is",
        ),
    ],
)
def test_message_shows_the_circle_and_the_cut(heads, circle):
    _, (repair,) = repair_tree(heads)
    assert repair.message == f"the dependencies run in a circle {circle} read as the root (-1)"


@st.composite
def any_heads(draw):
    count = draw(st.integers(1, 12))
    return draw(st.lists(st.integers(-3, count + 2), min_size=count, max_size=count))


def is_forest(heads: list[int]) -> bool:
    try:
        check_tree(heads, range(len(heads)), "file")
    except FileProblem:
        return False
    return True


def circle_of(heads: list[int], start: int) -> set[int]:
    """Follow the heads for as many steps as there are bunsetsu; in a circle one comes back to the start."""
    members, number = set(), start
    for _ in heads:
        members.add(number)
        number = heads[number]
        if number == start:
            return members
        if not 0 <= number < len(heads):
            break
    return set()


@given(any_heads())
def test_any_heads_become_trees_and_only_faults_change(heads):
    repaired, repairs = repair_tree(heads)
    assert is_forest(repaired)
    expected = {number for number, head in enumerate(heads) if not -1 <= head < len(heads)}
    expected |= {max(circle) for number in range(len(heads)) if (circle := circle_of(heads, number))}
    changed = {number for number, (old, new) in enumerate(zip(heads, repaired, strict=True)) if old != new}
    assert changed == expected
    assert {repair.bunsetsu for repair in repairs} == expected
    assert all(repaired[number] == -1 for number in changed)


class Counted(list):
    """Counts how often its items are asked for."""

    asked = 0

    def __getitem__(self, place):
        self.asked += 1
        return super().__getitem__(place)


@pytest.mark.parametrize("treat", [lambda heads: check_tree(heads, [1] * len(heads), "f"), repair_tree])
@pytest.mark.parametrize("shape", ["left", "right", "one head"])
def test_the_work_grows_as_the_number_of_bunsetsu(treat, shape):
    """Each bunsetsu's head is looked at a few times, however long the chains are."""
    count = 2_000
    heads = {
        "left": range(-1, count - 1),
        "right": [*range(1, count), -1],
        "one head": [-1, *[0] * (count - 1)],
    }
    counted = Counted(heads[shape])
    treat(counted)
    assert counted.asked <= 3 * count


def test_a_circle_is_named_at_its_first_head_to_the_left():
    with pytest.raises(FileProblem, match=r"f:13: the dependencies run in a circle \(3 -> 1 -> 2 -> 3\)"):
        check_tree([4, 2, 3, 1, -1, 4, 5], [10, 11, 12, 13, 14, 15, 16], "f")
    with pytest.raises(FileProblem, match=r"f:12: the dependencies run in a circle \(2 -> 1 -> 2\)"):
        check_tree([-1, 2, 1, 4, 3], [10, 11, 12, 13, 14], "f")

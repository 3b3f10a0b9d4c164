"""What counts as a changed antecedent."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.task.antecedents import compare_decisions, distances
from zarpipe.task.instances import Annotations, make_instances

# Two sentences of five tokens and one predicate each (token 4), every token a bunsetsu. The first has a NOM that is
# mentioned at tokens 0 and 2, and an ACC at token 3; the second has no argument.
BOTH = make_instances(
    Annotations(
        token_offsets=np.array([0, 5, 10]),
        bunsetsu=np.tile(np.arange(5), 2),
        head_offsets=np.array([0, 5, 10]),
        heads=np.tile([1, 4, 3, 4, -1], 2),
        predicate_offsets=np.array([0, 1, 2]),
        predicates=np.array([4, 4]),
        mention_offsets=np.array([0, 3, 3]),
        mentions=np.array([0, 2, 3]),
        mention_cases=np.array([0, 0, 1]),
    )
)
NONE = -1


def compare(before, after):
    return compare_decisions(np.array(before), np.array(after), BOTH)


def test_an_argument_moves_is_lost_or_gained():
    found = compare([[0, 3, NONE], [1, NONE, 2]], [[1, NONE, 0], [1, NONE, 2]])
    assert found.decided.tolist() == [[True, True, False], [True, False, True]]
    assert found.right.tolist() == [[True, True, False], [False, False, False]]
    assert found.moved.tolist() == [[True, False, False], [False, False, False]]
    assert found.lost.tolist() == [[False, True, False], [False, False, False]]
    assert found.gained.tolist() == [[False, False, True], [False, False, False]]
    assert found.changed.tolist() == [[True, True, False], [False, False, False]]
    assert found.stays.tolist() == [False, True]


def test_another_mention_of_the_same_argument_is_the_same_antecedent():
    assert not compare([[0, NONE, NONE], [NONE] * 3], [[2, NONE, NONE], [NONE] * 3]).changed.any()
    # Of another case they are two tokens.
    assert compare([[NONE, 0, NONE], [NONE] * 3], [[NONE, 2, NONE], [NONE] * 3]).moved[0, 1]
    # From a wrong token to a gold mention is a change.
    assert compare([[1, NONE, NONE], [NONE] * 3], [[2, NONE, NONE], [NONE] * 3]).moved[0, 0]
    # An argument that is only gained changes the instance, but no antecedent.
    found = compare([[0, NONE, NONE], [NONE] * 3], [[0, 3, NONE], [NONE] * 3])
    assert not found.changed.any()
    assert found.stays.tolist() == [False, True]


def test_distance_in_bunsetsu():
    bunsetsu = np.tile([0, 0, 1, 2, 3], 2)
    assert distances(np.array([[0, 2, 3], [4, NONE, 1]]), bunsetsu, BOTH).tolist() == [[3, 2, 1], [0, 3, 3]]


TOKENS = st.lists(st.integers(-1, 4), min_size=6, max_size=6).map(lambda flat: np.array(flat).reshape(2, 3))


@given(TOKENS, TOKENS)
def test_nothing_changes_against_itself_and_every_decision_has_one_fate(before, after):
    same = compare_decisions(before, before, BOTH)
    assert not same.changed.any()
    assert same.stays.all()
    found = compare_decisions(before, after, BOTH)
    assert not (found.moved & found.lost).any()
    assert not (found.gained & found.decided).any()
    assert not (found.changed & ~found.decided).any()
    assert (found.gained == compare_decisions(after, before, BOTH).lost).all()

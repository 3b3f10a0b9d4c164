"""The dependency tree over the bunsetsu of a sentence: checked, or repaired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zarpipe.errors import FileProblem

_SHOWN_BUNSETSU = 8


def check_tree(heads: Sequence[int], lines: Sequence[int], path: str) -> None:
    """Refuse heads (-1 for a root) that name no bunsetsu, the bunsetsu itself, or that run in a circle.

    Raises FileProblem at the line of the bunsetsu.
    """
    last = len(heads) - 1
    for number, head in enumerate(heads):
        if not -1 <= head <= last:
            message = f"{_outside(number, head, last)}; expected one of these, or -1 for the root"
            raise FileProblem(path, lines[number], message)
        if head == number:
            message = f"bunsetsu {number} is its own head; expected another, or -1 for the root"
            raise FileProblem(path, lines[number], message)
    # A circle is named at its first bunsetsu with a head to the left: Japanese depends to the right, so there
    # the fault is.
    circles = [_from(min(n for n in circle if heads[n] < n), circle) for circle in _circles(heads)]
    if circles:
        first = min(circles)
        message = f"the dependencies run in a circle ({_shown(first)}); expected a tree with -1 at the root"
        raise FileProblem(path, lines[first[0]], message)


class TreeRepair(NamedTuple):
    """What was changed: ``kind`` groups equal ones, ``message`` says what was found and what became of it."""

    kind: str
    bunsetsu: int
    message: str


def repair_tree(heads: Sequence[int]) -> tuple[list[int], list[TreeRepair]]:
    """Make a tree, or several, of heads (-1 for a root) that name no bunsetsu or run in a circle.

    A bunsetsu whose head does not exist becomes a root. A circle is cut at its last bunsetsu, which becomes
    the root: Japanese depends to the right, so its head to the left is the wrong one. A bunsetsu that is its
    own head is the smallest circle. The repairs are in the order of their bunsetsu.
    """
    repaired = list(heads)
    repairs = []
    last = len(heads) - 1
    for number, head in enumerate(heads):
        if not -1 <= head <= last:
            repaired[number] = -1
            message = f"{_outside(number, head, last)}; read as a root (-1)"
            repairs.append(TreeRepair("head out of range", number, message))
    for circle in _circles(repaired):
        repairs.append(_cut(circle))
        repaired[repairs[-1].bunsetsu] = -1
    return repaired, sorted(repairs, key=lambda repair: repair.bunsetsu)


def _outside(number: int, head: int, last: int) -> str:
    return f"bunsetsu {number} has head {head}, but the sentence has bunsetsu 0 to {last}"


def _cut(circle: Sequence[int]) -> TreeRepair:
    last = max(circle)
    if len(circle) == 1:
        return TreeRepair("own head", last, f"bunsetsu {last} is its own head; read as a root (-1)")
    message = f"the dependencies run in a circle ({_shown(circle)}); bunsetsu {last} is read as the root (-1)"
    return TreeRepair("circle", last, message)


def _shown(circle: Sequence[int]) -> str:
    """Write a circle for a message; a long one without its middle."""
    numbers = [str(number) for number in circle]
    if len(numbers) > _SHOWN_BUNSETSU:
        numbers[_SHOWN_BUNSETSU // 2 : -_SHOWN_BUNSETSU // 2] = ["..."]
    return " -> ".join([*numbers, str(circle[0])])


def _circles(heads: Sequence[int]) -> list[list[int]]:
    """Return the circles, each from its first bunsetsu on. Heads are -1 or a bunsetsu."""
    circles = []
    seen: set[int] = set()
    for start in range(len(heads)):
        chain: list[int] = []
        number = start
        while number != -1 and number not in seen:
            seen.add(number)
            chain.append(number)
            number = heads[number]
        if number in chain:
            circle = chain[chain.index(number) :]
            circles.append(_from(min(circle), circle))
    return circles


def _from(number: int, circle: list[int]) -> list[int]:
    """Return a circle from one of its bunsetsu on."""
    place = circle.index(number)
    return circle[place:] + circle[:place]

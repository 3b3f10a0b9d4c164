"""Checks of the dependency tree over the bunsetsu of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from zarpipe.errors import FileProblem


def check_tree(heads: Sequence[int], lines: Sequence[int], path: str) -> None:
    """Refuse heads that name no bunsetsu, the bunsetsu itself, or that run in a circle.

    Args:
        heads: head of each bunsetsu, -1 for a root.
        lines: line of each bunsetsu, for the message.
        path: file, for the message.

    Raises:
        FileProblem: at the line of the bunsetsu.
    """
    count = len(heads)
    for number, head in enumerate(heads):
        if not -1 <= head < count:
            raise FileProblem(
                path,
                lines[number],
                f"bunsetsu {number} has head {head}, but the sentence has bunsetsu 0 to {count - 1}; "
                "expected one of these, or -1 for the root",
            )
        if head == number:
            raise FileProblem(
                path,
                lines[number],
                f"bunsetsu {number} is its own head; expected another, or -1 for the root",
            )
    # A head to the right of its dependent, as nearly always in Japanese, cannot close a circle.
    for number, head in enumerate(heads):
        if -1 < head < number:
            _refuse_circle(number, heads, lines, path)


def _refuse_circle(start: int, heads: Sequence[int], lines: Sequence[int], path: str) -> None:
    chain = [start]
    while (head := heads[chain[-1]]) != -1:
        if head == start:
            circle = " -> ".join(str(number) for number in [*chain, start])
            raise FileProblem(
                path,
                lines[start],
                f"the dependencies run in a circle ({circle}); expected a tree with -1 at the root",
            )
        if len(chain) > len(heads):
            return  # a circle that this bunsetsu only leads to; its own member reports it
        chain.append(head)

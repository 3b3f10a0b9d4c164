"""Which of the MLM's layers stand for a token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

_EXPECTED = "expected last, mix, a number from 0 (the embeddings), several such as [9, 10], or mean 9-12"


@dataclass(frozen=True)
class Layers:
    """What the key `encoding.layers` says.

    Attributes:
        how: the last one; all of them, mixed by each tagger; some, one after the other; the mean of some.
        numbers: the layers, 0 being the embeddings; empty for last and mix, which name none.
    """

    how: Literal["last", "mix", "joined", "mean"]
    numbers: tuple[int, ...] = ()

    @classmethod
    def read(cls, value: Any) -> Layers:
        """Read any spelling: last, mix, 9, [9, 10], 9+10, mean 9-12. Raises ValueError for anything else."""
        if isinstance(value, Layers):
            return value
        if type(value) is int:
            value = [value]
        if isinstance(value, list) and all(type(number) is int for number in value):
            value = "+".join(map(str, value))
        if not isinstance(value, str):
            raise ValueError(_EXPECTED)
        text = re.sub(r"\s*([-+])\s*", r"\1", " ".join(value.split()))
        if text == "last":
            return cls("last")
        if text == "mix":
            return cls("mix")
        if bounds := re.fullmatch(r"mean (\d{1,4})-(\d{1,4})", text, re.ASCII):
            low, high = map(int, bounds.groups())
            if low > high:
                raise ValueError("expected a range from a lower to a higher layer, such as mean 9-12")
            return cls("mean", tuple(range(low, high + 1)))
        if not re.fullmatch(r"\d{1,4}(\+\d{1,4})*", text, re.ASCII):
            raise ValueError(_EXPECTED)
        numbers = tuple(map(int, text.split("+")))
        if len(set(numbers)) < len(numbers):
            raise ValueError("expected each layer once")
        return cls("joined", numbers)

    def __str__(self) -> str:
        """Return the one plain spelling."""
        if self.how == "mean":
            return f"mean {self.numbers[0]}-{self.numbers[-1]}"
        return "+".join(map(str, self.numbers)) or self.how

    def of(self, count: int) -> tuple[int, ...]:
        """Return which of a model's ``count`` layers are read; empty for the last as it is."""
        return tuple(range(count)) if self.how == "mix" else self.numbers

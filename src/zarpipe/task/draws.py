"""Uniform numbers for masking, from a counter-based generator keyed by what they belong to."""

from __future__ import annotations

import hashlib

import numpy as np

from zarpipe.arrays import Float64


def uniform_numbers(
    seed: int, sent_id: str, predicate: int | None, count: int, purpose: str = "mask"
) -> Float64:
    """Return ``count`` uniform numbers in [0, 1), one per token of a sentence.

    They depend on the arguments alone (Philox 4x64-10, Salmon et al. 2011, keyed by their hash), so neither
    the order of the calls nor the number of processes changes them, and the number of token i does not depend
    on ``count``. Without a predicate, a token, they are those that all predicates of the sentence share;
    ``purpose`` keeps independent uses of the same identifiers apart.
    """
    identity = f"{purpose}\0{seed}\0{sent_id}\0{'' if predicate is None else predicate}"
    digest = hashlib.blake2b(identity.encode(), digest_size=16).digest()
    key = np.frombuffer(digest, dtype="<u8")
    return np.random.Generator(np.random.Philox(key=key)).random(count)


def numbered(purpose: str, draw_number: int) -> str:
    """Return the purpose of one of several independent draws; the first keeps the plain name."""
    return purpose if draw_number == 1 else f"{purpose}{draw_number}"

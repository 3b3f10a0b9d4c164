"""A policy of the user's own: ``function(sentence, predicate, **options) -> weights``, one for each token.

``sentence`` is a `zarpipe.task.documents.Sentence`, ``predicate`` a `zarpipe.task.documents.Predicate`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from zarpipe.arrays import Float64
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.policies import PolicyPart
from zarpipe.study.own_functions import OwnFunction
from zarpipe.task.documents import Predicate, Sentence

# On so many instances at the beginning the function is called twice.
_CALLED_TWICE = 100


def weights(tokens: InstanceTokens, part: PolicyPart) -> Float64:
    """Return [N] float64. Raises ZarpipeError that names file, line and sentence for what are no weights."""
    own = OwnFunction.load(part, f"--define-policy ({part.use})")
    found = np.empty(int(tokens.instances.offsets[-1]))
    offsets = tokens.instances.offsets
    for number, (sentence, predicate) in enumerate(_instances(tokens.corpus)):
        of_instance = _weigh(own, sentence, predicate)
        if number < _CALLED_TWICE and not np.array_equal(of_instance, _weigh(own, sentence, predicate)):
            raise own.problem(sentence, "returned other weights when it was called again; expected the same")
        found[offsets[number] : offsets[number + 1]] = of_instance
    return found


def _weigh(own: OwnFunction, sentence: Sentence, predicate: Predicate) -> Float64:
    """Call the function; return checked weights."""
    returned = own.call(sentence, sentence, predicate)
    expected = f"expected one number from 0 to 1 for each of the {len(sentence.words)} tokens"
    try:
        found = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise own.problem(sentence, f"returned {returned!r}; {expected}") from None
    if found.shape != (len(sentence.words),):
        what = f"{len(found)} weights" if found.ndim == 1 else f"{returned!r}"
        raise own.problem(sentence, f"returned {what}; {expected}")
    wrong = np.flatnonzero(~((found >= 0) & (found <= 1)))
    if len(wrong):
        where = f"for token {wrong[0]} ({sentence.tokens[wrong[0]]})"
        raise own.problem(sentence, f"returned {found[wrong[0]]:g} {where}; {expected}")
    return found


def _instances(corpus: pa.Table) -> Iterator[tuple[Sentence, Predicate]]:
    """Return sentence and target predicate of each instance, in their order."""
    for batch in corpus.to_batches(1024):
        for row in batch.to_pylist():
            sentence = Sentence.of_row(row)
            yield from ((sentence, predicate) for predicate in sentence.predicates)

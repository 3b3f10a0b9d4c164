"""Policy ``function``: 1 for function words, 0 for content words and symbols."""

from __future__ import annotations

from zarpipe.arrays import Float64
from zarpipe.augment.masking import in_set
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.values import Section
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.task.tagsets import function_words


class Options(Section):
    """It has no options."""


def weights(tokens: InstanceTokens, options: Options) -> Float64:  # noqa: ARG001 (called as all policies are)
    """Return [N] float64."""
    return in_set(tokens, function_words(tagset_of(tokens.corpus)))

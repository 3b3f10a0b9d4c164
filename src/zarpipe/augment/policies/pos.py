"""Policy ``pos``: 1 for tokens of some parts of speech, 0 for all others (the paper's masking)."""

from __future__ import annotations

from pydantic import model_validator

from zarpipe.arrays import Float64
from zarpipe.augment.masking import in_set
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.pos_sets import PosSetDefinition, PosSetName
from zarpipe.config.values import Section
from zarpipe.formats.corpus_tags import resolved_sets


class Options(Section):
    """One of the two says which parts of speech."""

    tags: PosSetDefinition | None = None
    """Their tags, as `pos_sets` has them: [副詞], {except: [助詞]}, or by tagset."""
    pos_set: PosSetName | None = None
    """The name of a POS set: one of the paper's, or of `pos_sets`."""

    @model_validator(mode="after")
    def _one_of_them(self) -> Options:
        if (self.tags is None) == (self.pos_set is None):
            raise ValueError("expected either tags, such as {use: pos, tags: [副詞]}, or pos_set")
        return self


def weights(tokens: InstanceTokens, options: Options) -> Float64:
    """Return [N] float64. Raises ZarpipeError when the set knows no tag of the corpus."""
    name, definitions = options.pos_set or "pos", tokens.pos_sets
    if options.tags is not None:
        definitions = {name: options.tags}
    (chosen,) = resolved_sets(tokens.corpus, tokens.path, [name], definitions)
    return in_set(tokens, chosen)

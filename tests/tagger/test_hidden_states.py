"""Hidden states over several feature files: numbered on, read once, in ascending order."""

import numpy as np

from zarpipe.formats.features import Features
from zarpipe.tagger.cached import CachedStates


def test_sequences_are_numbered_over_all_files(study):
    originals, variant = Features.open(study.train_features), Features.open(study.variant_features)
    states = CachedStates((originals, variant))
    assert states.size == originals.hidden.shape[1]
    assert states.lengths.tolist() == [*originals.lengths.tolist(), *variant.lengths.tolist()]
    last, first_of_variant = len(originals.lengths) - 1, len(originals.lengths)
    found = states.gather(np.array([0, last, first_of_variant, first_of_variant + 1]))
    expected = np.concatenate([originals.gather([0, last]), variant.gather([0, 1])]).astype(np.float32)
    np.testing.assert_array_equal(found.numpy(), expected)

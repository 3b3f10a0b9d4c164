"""The linear baseline: numbers by hand, and no context."""

import math

import torch

from zarpipe.config import TaggerConfig
from zarpipe.tagger.architectures.linear import build
from zarpipe.tagger.batches import Batch


def batch_of(hidden, row, flags):
    tokens = len(row)
    return Batch(
        torch.tensor(hidden),
        torch.tensor(row),
        (),
        torch.tensor(flags),
        torch.zeros(tokens, dtype=torch.int64),
        torch.ones(tokens),
        (tokens,),
        torch.arange(tokens),
    )


def test_log_probabilities_by_hand():
    """Two tokens of one sequence: hidden states of size 2, then is-target and is-predicate."""
    tagger = build(TaggerConfig(architecture="linear", output_bias=True), 2, seed=1)
    with torch.no_grad():
        tagger.output.weight.zero_()
        tagger.output.weight[0] = torch.tensor([1.0, 0.0, 0.0, 0.0])
        tagger.output.weight[1] = torch.tensor([0.0, 2.0, 3.0, 4.0])
        tagger.output.bias.copy_(torch.tensor([0.0, 0.0, 0.0, 1.0]))
        found = tagger(batch_of([[0.5, 1.0], [2.0, 0.0]], [1, 0], [[0.0, 1.0], [1.0, 1.0]]))
    # Token 1 has row [2, 0], token 2 row [0.5, 1]: scores of NOM, ACC, DAT, NONE.
    for token, scores in enumerate(([2.0, 4.0, 0.0, 1.0], [0.5, 9.0, 0.0, 1.0])):
        total = sum(math.exp(score) for score in scores)
        expected = torch.tensor([score - math.log(total) for score in scores])
        torch.testing.assert_close(found[token], expected)

"""A segmenter at work on computed hidden states, with a model whose answers are written by hand."""

import numpy as np
import torch
from torch import nn

from zarpipe.serve.bundle.segmenter import Segmenter
from zarpipe.serve.bundle.states import ComputedStates


class ReadsColumns(nn.Module):
    """Takes the first column of a hidden state for the probability of a predicate, the second of a begin."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(()))

    def forward(self, batch):
        predicate, begin = batch.hidden[batch.row].T
        no_predicate, no_begin = 1 - predicate, 1 - begin
        joint = [no_predicate * no_begin, no_predicate * begin, predicate * no_begin, predicate * begin]
        assert not batch.flags.any()
        return torch.stack(joint, dim=1).log()


def test_each_token_of_each_sequence_is_decided_in_order():
    # Two sequences, stored in the other order: the second's two tokens, then the first's three.
    rows = [[0.25, 0.0], [0.75, 0.5], [0.5, 0.25], [0.0, 0.75], [1.0, 0.0]]
    states = ComputedStates((), torch.tensor(rows).half(), np.array([2, 0]), np.array([3, 2]))
    found = Segmenter(ReadsColumns(), threshold=0.5).find(states)
    assert found.is_predicate.tolist() == [True, False, True, False, True]
    assert found.predicate_probability.tolist() == [0.5, 0.0, 1.0, 0.25, 0.75]
    assert found.predicate_probability.dtype == np.float32
    # The first token of a sentence begins a bunsetsu whatever its probability; 0.5 is enough.
    assert found.begins_bunsetsu.tolist() == [True, True, False, True, True]
    assert not Segmenter(ReadsColumns(), threshold=0.51).find(states).is_predicate[0]

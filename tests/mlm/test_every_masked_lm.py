"""Every masked language model of transformers fills masks exactly as its own logits say, or is refused."""

import every_masked_lm
import numpy as np
import pyarrow as pa
import pytest
import torch

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.filling import fill_masks
from zarpipe.mlm.loading import load_mlm
from zarpipe.mlm.sequences import PieceTable, sentence_sequences

POSITIONS = 64
TOKENS = ["東京", "の", "学生", "が", "荷物", "を", "運ん", "で", "山川", "は", "待", "た", "。"]
# One subword each, so that the longest sentence can have all that the model takes.
SHORT_TOKENS = ["東京", "学生"]
# Shorter by less than a twentieth, so that the first two could share a batch with padding.
LENGTHS = (21, 20, 3)
# Without its kernels for GPUs MRA has no attention.
WARNED = {"mra": "does not depend on the words behind it"}
REFUSED = WARNED | {"perceiver": "has no table of subword embeddings", "reformer": "hidden states each time"}


def sentences_of(limit):
    longest = [SHORT_TOKENS[place % 3 % 2] for place in range(limit - 2)]
    mixed = [[TOKENS[(n + 3 * place) % len(TOKENS)] for place in range(n)] for n in LENGTHS]
    return [longest, longest[:-1], *mixed]


def own_answers(model, sentences, masked):
    """What the model's own forward says of each mask, one sentence at a time: entry and probability."""
    allowed = torch.ones(model.subwords.size, dtype=torch.bool)
    allowed[list(model.subwords.never_picked)] = False
    answers = []
    for sentence, tokens in zip(sentences, masked, strict=True):
        pieces = [model.subwords.pieces([token])[0] for token in sentence]
        ids = [list(one.ids) for one in pieces]
        for token in tokens:
            ids[token] = [model.subwords.mask_id]
        flat = [model.subwords.prefix[0], *(one for piece in ids for one in piece), model.subwords.suffix[0]]
        starts = np.cumsum([1, *map(len, ids)])
        with torch.inference_mode():
            _as_made(model.model)
            logits = model.model(input_ids=torch.tensor([flat])).logits[0, starts[tokens]].float()
        picked = logits[:, : model.subwords.size].masked_fill(~allowed, -torch.inf).argmax(dim=-1)
        answers += zip(
            picked.tolist(), logits.softmax(dim=-1)[range(len(tokens)), picked].tolist(), strict=True
        )
    return answers


def _as_made(model):
    """BigBird turns to full attention at a short sentence, and stays there."""
    if hasattr(model.base_model, "set_attention_type"):
        model.base_model.set_attention_type("block_sparse")


def filled(model, sentences, masked):
    pieces = PieceTable()
    sources = sentence_sequences(pa.chunked_array([pa.array(sentences)]), model.subwords, pieces)
    offsets = np.concatenate([[0], np.cumsum([len(tokens) for tokens in masked])])
    found = fill_masks(model, sources, pieces, offsets, np.concatenate(masked), "multi", batch_tokens=512)
    return found.ids.tolist(), found.probabilities.tolist()


def outcome(kind, folder, caplog):
    """Return what is wrong with the filling of a model, or why it is refused; empty if all is right."""
    every_masked_lm.build(kind, folder, POSITIONS)
    caplog.clear()
    try:
        model = load_mlm(MlmConfig(path=str(folder)), EncodingConfig(device="cpu"))
    except ZarpipeError as error:
        return f"refused: {error}"
    sentences = sentences_of(min(model.limit, POSITIONS))
    masked = [np.arange(number % 2, len(tokens), 3) for number, tokens in enumerate(sentences)]
    ids, probabilities = filled(model, sentences, masked)
    expected = own_answers(model, sentences, masked)
    if ids != [entry for entry, _ in expected]:
        return f"picks {ids}, expected {[entry for entry, _ in expected]}"
    np.testing.assert_allclose(probabilities, [value for _, value in expected], rtol=1e-3, err_msg=kind)
    return "".join(one.getMessage() for one in caplog.records if one.levelname == "WARNING")


@pytest.fixture
def _without_advice():
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    yield
    logging.set_verbosity(verbosity)


@pytest.mark.usefixtures("_without_advice")
def test_every_masked_lm_fills_as_its_own_logits_say_or_is_refused(tmp_path, caplog):
    outcomes = {kind: outcome(kind, tmp_path / kind, caplog) for kind in every_masked_lm.kinds()}
    for kind, reason in REFUSED.items():
        found = outcomes.pop(kind)
        assert reason in found
        assert "\n" not in found
    assert {kind: found for kind, found in outcomes.items() if found} == {}

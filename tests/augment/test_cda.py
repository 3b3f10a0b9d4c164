import numpy as np
import pytest
import tiny_models
import torch
from tiny_corpora import write_corpus

from zarpipe.augment.cda import predict_replacements
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.filling import pick_entries
from zarpipe.mlm.loading import load_mlm
from zarpipe.task.draws import uniform_numbers

SENTENCES = [
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
    ["社員", "は", "人々", "の", "荷物", "を", "運んだ"],
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
]
PREDICATES = [[6, 2], [6], [6]]
INSTANCES = [(0, 6), (0, 2), (1, 6), (2, 6)]
MASKS = [[0, 4], [0], [], [0, 4]]
OFFSETS = np.cumsum([0, *map(len, MASKS)])
MASKED = np.array([token for mask in MASKS for token in mask])


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "train.parquet", SENTENCES, PREDICATES)


def _predict(corpus, folder, encoding=None, **options):
    settings = encoding or EncodingConfig()
    return predict_replacements(corpus, OFFSETS, MASKED, MlmConfig(path=str(folder)), settings, **options)


def _distributions(mlm, fill):
    """Return the MLM's distribution at each masked token, by whole forward passes over one sentence at a time."""
    rows = []
    for (sentence, _), masks in zip(INSTANCES, MASKS, strict=True):
        for token in masks:
            hidden = masks if fill == "multi" else [token]
            ids, starts = list(mlm.subwords.prefix), []
            for index, piece in enumerate(mlm.subwords.pieces(SENTENCES[sentence])):
                starts.append(len(ids))
                ids += [mlm.subwords.mask_id] if index in hidden else piece.ids
            with torch.inference_mode():
                logits = mlm.model(input_ids=torch.tensor([ids + mlm.subwords.suffix])).logits
            rows.append(logits[0, starts[token]].softmax(-1).numpy())
    return np.array(rows)


@pytest.mark.parametrize("kind", tiny_models.KINDS)
@pytest.mark.parametrize("fill", ["multi", "single"])
def test_argmax_is_the_most_probable_entry_of_a_plain_forward_pass(tiny_mlm, corpus, kind, fill):
    found = _predict(corpus, tiny_mlm(kind), fill=fill)
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm(kind))), EncodingConfig())
    expected = _distributions(mlm, fill)
    candidates = expected.copy()
    candidates[:, sorted(mlm.subwords.never_picked)] = 0
    np.testing.assert_array_equal(found.ids, candidates.argmax(axis=1))
    probabilities = expected[np.arange(len(MASKED)), found.ids]
    np.testing.assert_allclose(found.probabilities, probabilities, rtol=1e-3, atol=1e-6)
    assert found.texts == [mlm.subwords.text(one) for one in found.ids.tolist()]


@pytest.mark.parametrize("fill", ["multi", "single"])
def test_sample_draws_by_the_number_of_instance_and_position(tiny_mlm, corpus, fill):
    found = _predict(corpus, tiny_mlm("bert-ja"), fill=fill, pick="sample", seed=7)
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig())
    candidates = _distributions(mlm, fill).astype(np.float64)
    candidates[:, sorted(mlm.subwords.never_picked)] = 0
    cumulative = (candidates / candidates.sum(axis=1, keepdims=True)).cumsum(axis=1)
    row = 0
    for (sentence, predicate), masks in zip(INSTANCES, MASKS, strict=True):
        numbers = uniform_numbers(7, f"d-{sentence}", predicate, len(SENTENCES[sentence]), "cda")
        for token in masks:
            assert found.ids[row] == np.searchsorted(cumulative[row], numbers[token], side="right")
            row += 1


def test_sample_depends_on_the_seed_and_not_on_the_batches(tiny_mlm, corpus):
    model = tiny_mlm("bert-ja")
    one = _predict(corpus, model, fill="single", pick="sample", seed=7)
    small = _predict(corpus, model, EncodingConfig(batch_tokens=64), fill="single", pick="sample", seed=7)
    other = _predict(corpus, model, fill="single", pick="sample", seed=8)
    np.testing.assert_array_equal(one.ids, small.ids)
    assert (one.ids != other.ids).any()


def test_nothing_masked_gives_nothing(tiny_mlm, corpus):
    model = MlmConfig(path=str(tiny_mlm("bert-ja")))
    for fill in ("multi", "single"):
        nothing = np.zeros(0, np.int64)
        found = predict_replacements(
            corpus, np.zeros(5, np.int64), nothing, model, EncodingConfig(), fill=fill
        )
        assert len(found.ids) == len(found.texts) == len(found.probabilities) == 0


def test_special_entries_are_never_picked_however_probable():
    scores = torch.tensor([[50.0, 0.0, -60.0, -61.0]])
    allowed = torch.tensor([False, False, True, True])
    which = torch.zeros(4, dtype=torch.long)
    assert pick_entries(scores, which, allowed)[0].tolist() == [2] * 4
    draws = torch.tensor([0.0, 0.5, 0.8, 0.999999], dtype=torch.float64)
    # Among the allowed entries the first has e / (e + 1) = 0.731.
    assert pick_entries(scores, which, allowed, draws)[0].tolist() == [2, 2, 3, 3]


def test_samples_follow_the_distribution():
    scores = torch.tensor([[0.1, 0.2, 0.7]]).log()
    draws = torch.linspace(0, 1, 1001, dtype=torch.float64)[:-1]
    picked, probabilities = pick_entries(
        scores, torch.zeros(1000, dtype=torch.long), torch.ones(3, dtype=torch.bool), draws
    )
    np.testing.assert_allclose(np.bincount(picked) / 1000, [0.1, 0.2, 0.7], atol=1e-3)
    np.testing.assert_allclose(probabilities, np.array([0.1, 0.2, 0.7])[picked], rtol=1e-5)


def test_a_checkpoint_without_projection_is_refused(tiny_mlm, corpus, tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = tmp_path / "encoder-only"
    AutoTokenizer.from_pretrained(tiny_mlm("bert-fast")).save_pretrained(folder)
    AutoModelForMaskedLM.from_pretrained(tiny_mlm("bert-fast")).bert.save_pretrained(folder)
    with pytest.raises(ZarpipeError, match="no trained vocabulary projection"):
        _predict(corpus, folder)

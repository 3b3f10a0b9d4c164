"""What the MLM picks for masked tokens, against plain forward passes."""

import numpy as np
import pyarrow.parquet as pq
import pytest
import tiny_models
import torch
from tiny_corpora import write_corpus

from zarpipe.augment.cda import predict_replacements
from zarpipe.augment.masking import Masks
from zarpipe.augment.policies.tokens import InstanceTokens, MlmRun
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import instances_of
from zarpipe.mlm.filling import pick_entries, top_words
from zarpipe.mlm.loading import load_mlm
from zarpipe.study.recipe import Variant
from zarpipe.task.draws import uniform_numbers

SENTENCES = [
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
    ["社員", "は", "人々", "の", "荷物", "を", "運んだ"],
    ["東京都", "の", "学生", "が", "書類", "を", "食べた", "。"],
]
PREDICATES = [[6, 2], [6], [6]]
INSTANCES = [(0, 6), (0, 2), (1, 6), (2, 6)]
MASKS = [[0, 4], [0], [], [0, 4]]
MASKED = np.array([token for mask in MASKS for token in mask])


@pytest.fixture
def predict(tmp_path):
    """Fills the masks with a model."""
    table = pq.read_table(write_corpus(tmp_path / "train.parquet", SENTENCES, PREDICATES))
    tokens = InstanceTokens(table, instances_of(table), "train.parquet", {})

    def run(folder, fill="multi", pick="argmax", seed=1, masks=MASKS, **encoding):
        mlm = MlmRun(MlmConfig(path=str(folder)), EncodingConfig(device="cpu", **encoding), 1)
        flat = np.array([token for mask in masks for token in mask], np.int64)
        given = Masks(np.cumsum([0, *map(len, masks)]), flat)
        variant = Variant(method="cda", alpha="0.5", fill=fill, pick=pick)
        return predict_replacements(tokens, given, mlm, variant, seed)

    return run


def model_of(folder):
    return load_mlm(MlmConfig(path=str(folder)), EncodingConfig(device="cpu"))


def distributions(mlm, fill):
    """The MLM's distribution at each masked token, by whole forward passes over one sentence at a time."""
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
def test_argmax_is_the_most_probable_entry_of_a_plain_forward_pass(tiny_mlm, predict, kind, fill):
    found, mlm = predict(tiny_mlm(kind), fill), model_of(tiny_mlm(kind))
    expected = distributions(mlm, fill)
    candidates = expected.copy()
    candidates[:, sorted(mlm.subwords.never_picked)] = 0
    np.testing.assert_array_equal(found.ids, candidates.argmax(axis=1))
    probabilities = expected[np.arange(len(MASKED)), found.ids]
    np.testing.assert_allclose(found.probabilities, probabilities, rtol=1e-3, atol=1e-6)
    assert found.texts == [mlm.subwords.text(one) for one in found.ids.tolist()]


@pytest.mark.parametrize("fill", ["multi", "single"])
def test_sample_draws_by_the_number_of_instance_and_position(tiny_mlm, predict, fill):
    found, mlm = predict(tiny_mlm("bert-ja"), fill, "sample", seed=7), model_of(tiny_mlm("bert-ja"))
    candidates = distributions(mlm, fill).astype(np.float64)
    candidates[:, sorted(mlm.subwords.never_picked)] = 0
    cumulative = (candidates / candidates.sum(axis=1, keepdims=True)).cumsum(axis=1)
    numbers = [
        uniform_numbers(7, f"d-{sentence}", predicate, len(SENTENCES[sentence]), "cda")[masks]
        for (sentence, predicate), masks in zip(INSTANCES, MASKS, strict=True)
    ]
    drawn = zip(cumulative, np.concatenate(numbers), strict=True)
    assert found.ids.tolist() == [np.searchsorted(row, number, side="right") for row, number in drawn]


def test_sample_depends_on_the_seed_and_not_on_the_batches(tiny_mlm, predict):
    model = tiny_mlm("bert-ja")
    one = predict(model, "single", "sample", seed=7)
    np.testing.assert_array_equal(one.ids, predict(model, "single", "sample", seed=7, batch_tokens=64).ids)
    assert (one.ids != predict(model, "single", "sample", seed=8).ids).any()


@pytest.mark.parametrize("fill", ["multi", "single"])
def test_nothing_masked_gives_nothing(tiny_mlm, predict, fill):
    found = predict(tiny_mlm("bert-ja"), fill, masks=[[], [], [], []])
    assert len(found.ids) == len(found.texts) == len(found.probabilities) == 0


@pytest.mark.parametrize("kind", ["bert-ja", "xlm-roberta"])
def test_words_for_a_reader_begin_with_what_is_picked(tiny_mlm, predict, kind):
    picked, model = predict(tiny_mlm(kind)), model_of(tiny_mlm(kind))
    sentences = [SENTENCES[sentence] for sentence, _ in INSTANCES]
    words = top_words(model, sentences, MASKS, 40, 64)
    assert list(map(len, words)) == list(map(len, MASKS))
    found = [words for of_sentence in words for words in of_sentence]
    assert [first.text for first, *_ in found] == picked.texts
    np.testing.assert_allclose([first.probability for first, *_ in found], picked.probabilities, rtol=1e-5)
    special = {model.subwords.text(entry) for entry in model.subwords.never_picked}
    for of_mask in found:
        probabilities = [word.probability for word in of_mask]
        assert probabilities == sorted(probabilities, reverse=True)
        assert 0 < sum(probabilities) < 1
        assert len({word.text for word in of_mask} - special) == 40


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
    which, allowed = torch.zeros(1000, dtype=torch.long), torch.ones(3, dtype=torch.bool)
    picked, probabilities = pick_entries(scores, which, allowed, draws)
    np.testing.assert_allclose(np.bincount(picked) / 1000, [0.1, 0.2, 0.7], atol=1e-3)
    np.testing.assert_allclose(probabilities, np.array([0.1, 0.2, 0.7])[picked], rtol=1e-5)


def test_a_checkpoint_without_projection_is_refused(tiny_mlm, predict, tmp_path):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = tmp_path / "encoder-only"
    AutoTokenizer.from_pretrained(tiny_mlm("bert-fast")).save_pretrained(folder)
    AutoModelForMaskedLM.from_pretrained(tiny_mlm("bert-fast")).bert.save_pretrained(folder)
    with pytest.raises(ZarpipeError, match="no trained vocabulary projection"):
        predict(folder)

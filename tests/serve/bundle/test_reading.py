"""What a bundle finds in words and in text, with models whose answers are written by hand."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from zarpipe.errors import ZarpipeError
from zarpipe.serve.bundle import analysis
from zarpipe.serve.bundle.analysis import Bundle
from zarpipe.serve.bundle.instances import WINDOW, AnalysedInstances
from zarpipe.serve.bundle.segmenter import Segmenter
from zarpipe.serve.bundle.states import ComputedStates
from zarpipe.serve.bundle.text import source_sentences
from zarpipe.task.documents import Argument, Predicate

# A word's hidden state: is it a predicate, does it begin a bunsetsu, is it the NOM and is it the ACC of all.
STATES = {
    "男": [0, 1, 0.75, 0],
    "は": [0, 0, 0, 0],
    "本": [0, 1, 0, 0.5],
    "を": [0, 0, 0, 0],
    "読み": [1, 1, 0, 0],
    "眠る": [0.75, 1, 0, 0],
}


class ReadsSegments(nn.Module):
    """Takes the first two columns for the probabilities of a predicate and of a begin."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(()))

    def forward(self, batch):
        predicate, begin = batch.hidden[batch.row].T[:2]
        assert not batch.flags.any()
        none, inside = 1 - predicate, 1 - begin
        return torch.stack([none * inside, none * begin, predicate * inside, predicate * begin], 1).log()


class ReadsArguments(ReadsSegments):
    """Takes the last two columns for the probabilities of NOM and ACC."""

    def forward(self, batch):
        nominative, accusative = batch.hidden[batch.row].T[2:]
        nothing = torch.zeros_like(nominative)
        return torch.stack([nominative, accusative, nothing, 1 - nominative - accusative], 1).log()


@pytest.fixture
def bundle(monkeypatch):
    def states(_, sentences, __):
        lengths = np.array([len(sentence) for sentence in sentences])
        rows = [STATES[word] for sentence in sentences for word in sentence]
        return ComputedStates(torch.tensor(rows).half(), np.cumsum(lengths) - lengths, lengths)

    monkeypatch.setattr(analysis, "computed_states", states)
    manifest = SimpleNamespace(
        thresholds={"NOM": 0.5, "ACC": 0.5, "DAT": 0.5},
        must_exceed=False,
        encoding=SimpleNamespace(batch_tokens=64),
    )
    return Bundle(manifest, None, (ReadsArguments(),), Segmenter(ReadsSegments(), 0.75))


FOUND = [Argument("NOM", 0, "UNKNOWN", 0.75), Argument("ACC", 2, "UNKNOWN", 0.5)]


def test_predicates_and_bunsetsu_are_found_where_none_are_given(bundle):
    words = ["男", "は", "本", "を", "読み", "眠る"]
    found = bundle(words)
    assert (found.tokens, found.bunsetsu, found.heads) == (words, [0, 0, 1, 1, 2, 3], [])
    assert found.predicates == [Predicate(4, None, FOUND, 1.0), Predicate(5, None, FOUND, 0.75)]


def test_what_is_given_is_kept(bundle):
    (sentence,) = source_sentences("本を読み眠る")
    given = sentence._replace(bunsetsu=[0, 0, 0, 1], heads=[1, -1], predicates=[Predicate(3, "a", [])])
    (found,) = bundle.analyse_text([given], find_predicates=False)
    assert found == given._replace(predicates=[Predicate(3, "a", [Argument("ACC", 0, "DEP", 0.5)])])
    assert bundle(["男", "は"], predicates=[]).predicates == []


def test_sentences_side_by_side_are_those_one_by_one(bundle):
    given = [["男", "は", "眠る"], ["は"], ["本", "を", "読み"], ["眠る"]]
    assert list(bundle.analyse((words, None) for words in given)) == [bundle(words) for words in given]


def test_the_segmenter_decides_each_token_of_each_sequence_in_order():
    # Two sequences, stored in the other order: the second's two tokens, then the first's three.
    rows = [[0.25, 0.0], [0.75, 0.5], [0.5, 0.25], [0.0, 0.75], [1.0, 0.0]]
    states = ComputedStates(torch.tensor(rows).half(), np.array([2, 0]), np.array([3, 2]))
    found = Segmenter(ReadsSegments(), threshold=0.5).find(states)
    assert found.is_predicate.tolist() == [True, False, True, False, True]
    assert found.predicate_probability.tolist() == [0.5, 0.0, 1.0, 0.25, 0.75]
    # The first token of a sentence begins a bunsetsu whatever its probability; 0.5 is enough.
    assert found.begins_bunsetsu.tolist() == [True, True, False, True, True]
    assert not Segmenter(ReadsSegments(), threshold=0.51).find(states).is_predicate[0]


def test_a_text_has_places(bundle):
    text = bundle("本を読み\n 男は眠る")
    first, second = text.sentences
    assert (first.text, first.start, first.end) == ("本を読み", 0, 4)
    assert (second.text, second.start, second.end) == ("男は眠る", 6, 10)
    assert [word.surface for word in second.words] == ["男", "は", "眠る"]
    assert second.spans == [(6, 7), (7, 8), (8, 10)]
    assert second.bunsetsu == [0, 0, 1]
    assert second.predicates == [Predicate(2, None, [Argument("NOM", 0, "UNKNOWN", 0.75)], 0.75)]
    assert bundle("").sentences == []


def test_a_bundle_without_a_segmenter_needs_predicates(bundle):
    alone = Bundle(bundle.manifest, None, bundle.taggers)
    assert alone(["男", "は", "眠る"], predicates=[2]).bunsetsu == []
    with pytest.raises(ZarpipeError, match=r"does not find predicates.*results/bundle/bundle.json"):
        alone("男は眠る")


@pytest.mark.parametrize(
    ("given", "predicates", "message"),
    [
        ("男は眠る", [2], "expected words, in a list"),
        ("男\udce3", None, "text 1: found a lone surrogate"),
        (["男", ""], None, "sentence 1: tokens: .*none of them empty"),
        (["男\udce3"], None, "sentence 1: tokens: "),
        (5, None, "sentence 1: tokens: found 5"),
        (["男は眠る。", "男は読む。"], None, "found '男は眠る。', which is a sentence.*texts for `pipe`"),
        *(
            (["男"], odd, "predicates: .*expected the numbers of words")
            for odd in ("0", [0.0], 0, [True], ["0"])
        ),
        (["男"], [1], "found 1; expected words of the sentence, 0 to 0"),
        (["男"], [0, 0], "expected each once"),
    ],
)
def test_what_is_no_sentence_is_refused(bundle, given, predicates, message):
    with pytest.raises(ZarpipeError, match=message):
        bundle(given, predicates=predicates)


@pytest.mark.parametrize("given", ["男は眠る", ["男", "は", "眠る"], ["男は眠る", "本を読み"]])
def test_what_is_no_pair_of_words_and_predicates_is_refused(bundle, given):
    with pytest.raises(ZarpipeError, match=r"^sentence 2: .*expected (a pair: words|words, in a list)"):
        list(bundle.analyse([(["男"], []), given]))


@pytest.mark.parametrize(
    "predicates", [np.array([2]), [np.int64(2)], (token for token in (2,)), {2: "眠る"}], ids=type
)
def test_answers_are_plain_values_whatever_was_given(bundle, predicates):
    found = bundle(np.array(["男", "は", "眠る"]), predicates=predicates)
    assert json.loads(json.dumps(found.to_json())) == found.to_json()
    assert found.predicates == [Predicate(2, None, [Argument("NOM", 0, "UNKNOWN", 0.75)])]


def test_texts_side_by_side_are_those_one_by_one(bundle, monkeypatch):
    monkeypatch.setattr(analysis, "_TEXTS_AT_ONCE", 2)
    texts = ["本を読み\n男は眠る", "", "男は眠る", "　", "眠る"]
    found = list(bundle.pipe(iter(texts)))
    assert found == [bundle(text) for text in texts]
    assert [len(one.sentences) for one in found] == [2, 0, 1, 0, 1]
    (sentence,) = found[2].to_json()
    assert (sentence["text"], sentence["tagset"]) == ("男は眠る", "unidic")
    with pytest.raises(ZarpipeError, match="text 2: found None; expected text"):
        list(bundle.pipe(["男", None]))


def test_each_case_is_told_among_which_words_it_was_decided(bundle):
    """Two taggers: the second decides for NOM from 0.8 on, and so for none."""
    taggers = [SimpleNamespace(thresholds=dict(bundle.manifest.thresholds, NOM=nom)) for nom in (0.5, 0.8)]
    manifest = SimpleNamespace(**{**vars(bundle.manifest), "taggers": taggers})
    two = Bundle(manifest, None, bundle.taggers * 2, bundle.segmenter).explaining()
    (predicate,) = two(["男", "は", "本", "を", "眠る"]).predicates
    nominative, accusative, dative = predicate.considered
    assert nominative == ("NOM", 0.5, [(0, 0.75, 1), (1, 0.0, 0), (2, 0.0, 0)], 1)
    assert accusative == ("ACC", 0.5, [(2, 0.5, 2), (0, 0.0, 0), (1, 0.0, 0)], 0)
    assert (dative.none, sum(one.votes for one in dative.candidates)) == (2, 0)


def test_of_a_long_sentence_a_predicate_sees_the_words_around_it():
    half = WINDOW // 2
    instances = AnalysedInstances.of([2 * WINDOW, 3], [[0, half + 10, 2 * WINDOW - 1], [1]])
    assert instances.sentence.tolist() == [0, 0, 0, 1]
    assert instances.start.tolist() == [0, 10, WINDOW, 0]
    assert instances.predicate.tolist() == [0, half, WINDOW - 1, 1]
    assert np.diff(instances.offsets).tolist() == [WINDOW, WINDOW, WINDOW, 3]
    flags = np.split(instances.is_predicate, instances.offsets[1:-1])
    # The first two predicates see each other; the second is in the window of the first alone.
    assert [np.flatnonzero(one).tolist() for one in flags] == [[0, half + 10], [half], [WINDOW - 1], [1]]


def test_instances_read_the_hidden_states_of_their_window():
    lengths = np.array([2 * WINDOW, 3])
    rows = torch.arange(int(lengths.sum())).half()[:, None].expand(-1, 2)
    states = ComputedStates(rows, np.array([0, 2 * WINDOW]), lengths)
    instances = AnalysedInstances.of(lengths.tolist(), [[2 * WINDOW - 1, 2 * WINDOW - 2], [1]])
    encoded = instances.encoded(states)
    assert encoded.sequence[0] == encoded.sequence[1] != encoded.sequence[2]
    for instance, (first, size) in enumerate([(WINDOW, WINDOW), (WINDOW, WINDOW), (2 * WINDOW, 3)]):
        gathered = encoded.hidden_states.gather(encoded.sequence[instance : instance + 1])
        assert torch.equal(gathered, rows[first : first + size].float())


@given(st.text(st.sampled_from("男は走った。無罪\n a😀𠮷ｱ\0"), max_size=40), st.integers(0, 9))
def test_words_are_the_text_at_their_place(text, start):
    for sentence in source_sentences(text, start):
        place = sentence.start - start
        surface = "".join(word[0] for word in sentence.words)
        assert text[place : place + len(surface)] == surface

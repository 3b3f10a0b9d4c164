import json

import pytest
import tiny_models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zarpipe.config import MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.loading import load_tokenizer
from zarpipe.mlm.subwords import Pieces, SubwordTokenizer

CASES = {
    "12-tok-mecab-resplit": ("bert-ja",),
    "13-tok-dakuten": ("bert-ja", "bert-fast", "modernbert"),
    "16-tok-literal-specials": ("bert-ja", "bert-fast", "modernbert"),
}
HARD_TOKENS = [
    "　",
    " ",
    "",
    "食べ た",
    "名詞　句",
    "㈱",
    "①",
    "㎝",
    "ｶﾞｱ",
    "か\u3099",
    "\u3099",
    "\u200d",
    "😀",
    "葛\U000e0100城",
    "𠮷",
    "長" * 300,
    "a" * 300,
    "~〜～",
    "▁",
    "[MASK]",
    "[SEP]です",
    "<mask>",
    "</s>",
    "東京都",
]


@pytest.fixture(scope="module")
def subwords(tiny_mlm):
    made = {}

    def of(kind):
        if kind not in made:
            made[kind] = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(tiny_mlm(kind)))))
        return made[kind]

    return of


@pytest.mark.parametrize(("case", "kind"), [(case, kind) for case, kinds in CASES.items() for kind in kinds])
def test_public_bug_reports_tokens_get_the_expected_ids(project, subwords, case, kind):
    expected = json.loads((project / "tests/cases" / case / f"expected_ids.{kind}.json").read_text())
    for sentence in expected:
        found = [list(pieces.ids) for pieces in subwords(kind).pieces(sentence["tokens"])]
        assert found == sentence["ids"]


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_hard_tokens_have_subwords_and_no_special_ones(subwords, kind):
    tokenizer = subwords(kind)
    forbidden = tokenizer.never_picked - {tokenizer.unknown_id}
    for token, pieces in zip(HARD_TOKENS, tokenizer.pieces(HARD_TOKENS), strict=True):
        assert pieces.ids, token
        assert not forbidden & set(pieces.ids), token
        representative = pieces.ids[pieces.representative]
        assert representative == tokenizer.unknown_id or tokenizer.text(representative).strip("▁Ġ"), token


@pytest.mark.parametrize("kind", ["bert-ja", "bert-ja-char", "bert-fast", "xlm-roberta", "deberta"])
@pytest.mark.parametrize("token", ["　", " ", ""])
def test_a_token_that_vanishes_is_one_unknown(subwords, kind, token):
    tokenizer = subwords(kind)
    assert tokenizer.pieces([token]) == [Pieces((tokenizer.unknown_id,), 0)]


@pytest.mark.parametrize("kind", tiny_models.KINDS)
@given(tokens=st.lists(st.text(max_size=8), max_size=5))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_token_goes_by_itself(subwords, kind, tokens):
    tokenizer = subwords(kind)
    together = tokenizer.pieces(tokens)
    assert together == [tokenizer.pieces([token])[0] for token in tokens]


def test_nfkc_comes_before_the_subwords_of_bert_japanese(subwords):
    tokenizer = subwords("bert-ja")
    assert tokenizer.pieces(["㈱", "①", "ｶﾞ"]) == tokenizer.pieces(["(株)", "1", "ガ"])


def test_a_character_model_gives_one_subword_per_character_and_none_for_spaces(subwords):
    tokenizer = subwords("bert-ja-char")
    assert tokenizer.pieces(["東　京"]) == tokenizer.pieces(["東京"])
    assert len(tokenizer.pieces(["東京都"])[0].ids) == 3


def test_a_lone_word_boundary_does_not_represent_a_token(subwords):
    tokenizer = subwords("xlm-roberta")
    boundary, inside = tokenizer.pieces(["▁東京", "都"])
    assert tokenizer.text(tokenizer.pieces(["東京"])[0].ids[0]) == "▁東京"
    assert [tokenizer.text(one) for one in inside.ids] == ["▁", "都"]
    assert inside.representative == 1
    assert boundary.representative == len(boundary.ids) - 1


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_a_mask_is_one_id(subwords, kind):
    assert len(subwords(kind).mask().ids) == 1


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_the_frame_is_what_the_tokenizer_puts_around_text(subwords, kind):
    tokenizer = subwords(kind)
    assert [tokenizer.text(one) for one in (*tokenizer.prefix, *tokenizer.suffix)] == (
        ["<s>", "</s>"] if kind == "xlm-roberta" else ["[CLS]", "[SEP]"]
    )


def test_a_model_without_mask_token_is_refused(tiny_mlm):
    tokenizer = load_tokenizer(MlmConfig(path=str(tiny_mlm("bert-fast"))))
    tokenizer.mask_token = None
    with pytest.raises(ZarpipeError, match="no mask token"):
        SubwordTokenizer(tokenizer).mask()

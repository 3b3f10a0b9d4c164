import json
import re
import shutil
import unicodedata
from types import SimpleNamespace

import pytest
import tiny_models
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import AddedToken, AutoTokenizer

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
    *("　", " ", "", "食べ た", "名詞　句", "㈱", "①", "㎝", "ｶﾞｱ", "か\u3099", "\u3099", "\u200d", "😀"),
    *("葛\U000e0100城", "𠮷", "長" * 300, "a" * 300, "~〜～", "▁", "[MASK]", "[SEP]です", "<mask>", "</s>"),
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


# What BertJapaneseTokenizer can be told. MeCab's own cut is left out in any case.
OF_BERT_JAPANESE = ({"subword_tokenizer_type": "character"}, {"do_subword_tokenize": False})
OF_BERT_JAPANESE += ({"do_word_tokenize": False}, {"word_tokenizer_type": "basic"}, {"do_lower_case": True})
ADDED = ["𠮟", "塡", "頰", "ググる", "推し活", "CDA法"]


@pytest.mark.parametrize(
    ("kind", "options"),
    [*((kind, {}) for kind in tiny_models.KINDS), *(("bert-ja", one) for one in OF_BERT_JAPANESE)],
)
def test_words_added_to_a_tokenizer_are_what_it_makes_of_them(tiny_mlm, tmp_path, kind, options):
    AutoTokenizer.from_pretrained(tiny_mlm(kind), **options).save_pretrained(tmp_path)
    shutil.copy(tiny_mlm(kind) / "config.json", tmp_path)
    own = AutoTokenizer.from_pretrained(tmp_path)
    own.add_tokens([*ADDED, AddedToken("単語", single_word=True), AddedToken("左", lstrip=True)])
    own.save_pretrained(tmp_path)
    words = [
        *ADDED,
        "ググるの",
        "叱𠮟",
        "単語",
        "単語の",
        "の 左",
        "㈱推し活",
        "学生",
        "東京",
        "ABCだ",
        "㎝",
        "か\u3099",
    ]
    found = SubwordTokenizer(load_tokenizer(MlmConfig(path=str(tmp_path)))).pieces(words)
    if getattr(own, "word_tokenizer_type", "") == "mecab" and own.do_word_tokenize:
        own.word_tokenizer = SimpleNamespace(tokenize=lambda text, **_: normalised(text, own.lower_case))
    expected = [own(word, add_special_tokens=False)["input_ids"] for word in words]
    assert [list(pieces.ids) for pieces in found] == expected
    assert [one.ids[one.representative] for one in found[: len(ADDED)]] == own.convert_tokens_to_ids(ADDED)


def normalised(text, lower):
    text = unicodedata.normalize("NFKC", text)
    return (text.lower() if lower else text).split()


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
def test_special_entries_are_written_as_they_are(subwords, kind):
    tokenizer = subwords(kind)
    assert tokenizer.mask().ids == (tokenizer.mask_id,)
    special = (*tokenizer.prefix, *tokenizer.suffix, tokenizer.mask_id)
    expected = ["<s>", "</s>", "<mask>"] if kind == "xlm-roberta" else ["[CLS]", "[SEP]", "[MASK]"]
    assert list(map(tokenizer.text, special)) == expected


def test_a_model_without_mask_token_is_refused(tiny_mlm):
    tokenizer = load_tokenizer(MlmConfig(path=str(tiny_mlm("bert-fast"))))
    tokenizer.mask_token = None
    with pytest.raises(ZarpipeError, match="no mask token"):
        SubwordTokenizer(tokenizer).mask()


# An entry that ends inside a character shows the character's bytes: 学生 is E5 AD A6 E7 94 9F.
BYTE_LEVEL = {
    "東京都": ["東京都"],
    "学生": ["\\xe5", "\\xad\\xa6\\xe7\\x94", "\\x9f"],
    " ": [" "],
    "é": ["\\xc3", "\\xa9"],
    "\n": ["\n"],
    "ABC": ["AB", "C"],
}


@pytest.mark.parametrize("token", BYTE_LEVEL)
def test_entries_of_a_byte_level_model_are_decoded(subwords, token):
    tokenizer = subwords("modernbert")
    identifiers = tokenizer._token_ids([token])[0]
    assert [tokenizer.text(one) for one in identifiers] == BYTE_LEVEL[token]


@given(token=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_texts_of_a_byte_level_model_add_up_to_the_token(subwords, token):
    """Parts of characters are shown as bytes; these and the texts together are the token's bytes again."""
    tokenizer = subwords("modernbert")
    parts = [tokenizer.text(one) for one in tokenizer._token_ids([token])[0]]
    if "\\" not in token:
        whole = "".join(parts).encode("utf-8")
        restored = re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), whole)
        assert restored.decode("utf-8") == token


def test_an_entry_that_was_added_to_a_byte_level_model_is_no_bytes(tiny_mlm):
    tokenizer = load_tokenizer(MlmConfig(path=str(tiny_mlm("modernbert"))))
    tokenizer.add_tokens(["é"])
    assert SubwordTokenizer(tokenizer).text(tokenizer.convert_tokens_to_ids("é")) == "é"

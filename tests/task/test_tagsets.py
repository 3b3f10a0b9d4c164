"""Sets of parts of speech: the paper's in three tagsets, and those of a configuration."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.config.pos_sets import PAPER_SETS, TAGSETS, canonical_definition
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus_tags import numbered_tags, tagset_of, tokens_in
from zarpipe.task.tagsets import POS_SETS, TAGS, PosSet, check_known, definition_of, doubts, resolve

# (part of speech, sub part): the groups that it belongs to, by tagset.
GROUPED = {
    "juman": {
        "noun": "名詞-普通名詞 接尾辞-名詞性名詞接尾辞",
        "verb": "動詞-*",
        "particle": "助詞-格助詞",
        "symbol": "特殊-句点",
        None: "副詞-* 判定詞-* 接頭辞-名詞接頭辞",
    },
    "ipadic": {
        "noun": "名詞-一般 名詞-接尾 名詞-代名詞",
        "verb": "動詞-自立",
        "particle": "助詞-格助詞",
        "symbol": "記号-句点",
        None: "副詞-一般 接頭詞-名詞接続 フィラー-*",
    },
    "unidic": {
        "noun": "名詞-普通名詞 代名詞-* 接尾辞-名詞的",
        "verb": "動詞-一般",
        "particle": "助詞-格助詞",
        "symbol": "補助記号-句点 記号-文字 空白-*",
        None: "形状詞-一般 接頭辞-*",
    },
}
TOKENS = {
    tagset: {tuple(one.split("-")): group for group, tags in groups.items() for one in tags.split()}
    for tagset, groups in GROUPED.items()
}
GROUPS = ("noun", "verb", "particle", "symbol")


@pytest.mark.parametrize("tagset", TAGSETS)
def test_the_papers_sets_in_every_tagset(tagset):
    tokens = TOKENS[tagset]
    sets = {group: [group] for group in GROUPS} | {"all": [*GROUPS, None]}
    sets |= {f"all_but_{group}": [one for one in (*GROUPS, None) if one != group] for group in GROUPS}
    sets["all_but_verb_symbol"] = ["noun", "particle", None]
    assert set(sets) == set(PAPER_SETS) == set(POS_SETS)
    for name, groups in sets.items():
        pos_set = resolve(name, {}, tagset)
        assert all(pos_set.contains(*one) == (group in groups) for one, group in tokens.items())
    assert {pos for pos, _ in tokens} <= TAGS[tagset].all
    assert set(TAGS[tagset].groups) == set(GROUPS)


@pytest.mark.parametrize(
    ("definition", "inside", "outside"),
    [
        (["副詞"], [("副詞", "*")], [("名詞", "普通名詞")]),
        ({"except": ["助詞", "特殊"]}, [("副詞", "*"), ("名詞", "普通名詞")], [("助詞", "格助詞"), ("特殊", "句点")]),
        (["名詞-固有名詞"], [("名詞", "固有名詞")], [("名詞", "普通名詞"), ("固有名詞", "名詞")]),
        ({"except": ["名詞-固有名詞"]}, [("名詞", "普通名詞")], [("名詞", "固有名詞")]),
        ({"juman": ["接頭辞"], "ipadic": ["接頭詞"]}, [("接頭辞", "*")], [("接頭詞", "*")]),
    ],
)  # fmt: skip
def test_sets_of_a_configuration(definition, inside, outside):
    pos_set = resolve("own", {"own": definition}, "juman")
    assert [pos_set.contains(*one) for one in inside] == [True] * len(inside)
    assert [pos_set.contains(*one) for one in outside] == [False] * len(outside)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prefix", r"pos_sets\.prefix: found tags for juman or ipadic only; .* add unidic"),
        ("advrb", r"found the POS set 'advrb'; .*did you mean 'adverb'"),
    ],
)
def test_sets_that_the_corpus_cannot_have(name, message):
    definitions = {"prefix": {"juman": ["接頭辞"], "ipadic": ["接頭詞"]}, "adverb": ["副詞"]}
    with pytest.raises(ZarpipeError, match=message):
        resolve(name, definitions, "unidic")


TAG_LISTS = st.lists(st.sampled_from(["名詞", "助詞", "名詞-固有名詞", "副詞", "特殊"]), min_size=1)
PLAIN = st.one_of(TAG_LISTS, st.builds(lambda tags: {"except": tags}, TAG_LISTS))
DEFINITIONS = st.one_of(PLAIN, st.dictionaries(st.sampled_from(TAGSETS), PLAIN, min_size=1))


@given(DEFINITIONS, st.randoms(use_true_random=False))
def test_the_plain_form_does_not_depend_on_order_or_repetition(definition, random):
    def shuffled(value):
        if isinstance(value, list):
            return random.sample([*value, value[0]], len(value) + 1)
        keys = random.sample(sorted(value), len(value))
        return {key: shuffled(value[key]) for key in keys}

    plain = canonical_definition(definition)
    assert canonical_definition(plain) == plain
    other = canonical_definition(shuffled(definition))
    assert repr(other) == repr(plain)
    assert definition_of("own", {"own": definition}) == plain


@given(PLAIN, st.sampled_from(TAGSETS))
def test_a_resolved_set_has_its_definition_as_plain_form(definition, tagset):
    assert resolve("own", {"own": definition}, tagset).plain() == canonical_definition(definition)


def test_the_definition_of_a_paper_set_has_its_tags_in_every_tagset():
    assert definition_of("all_but_symbol", {}) == {
        "juman": {"except": ["特殊"]},
        "ipadic": {"except": ["記号"]},
        "unidic": {"except": ["空白", "補助記号", "記号"]},
    }
    assert definition_of("all", {})["juman"] == {"except": []}


def test_a_corpus_that_no_set_knows_is_refused():
    noun, everything = resolve("noun", {}, "juman"), resolve("all", {}, "juman")
    said = r"^c\.parquet: no POS set \(noun\) .* found NOUN, VERB; expected .*名詞"
    with pytest.raises(ZarpipeError, match=said):
        check_known([noun], {"NOUN", "VERB"}, "juman", "c.parquet")
    check_known([everything], {"NOUN", "VERB"}, "juman", "c.parquet")
    check_known([noun, PosSet("own", frozenset({"NOUN"}))], {"NOUN", "VERB"}, "juman", "c.parquet")
    check_known([noun], {"副詞"}, "juman", "c.parquet")


def test_a_set_that_is_not_in_the_corpus_is_doubted():
    def doubt(name):
        return doubts(resolve(name, {}, "juman"), [("名詞", "普通名詞"), ("記号", "句点")], "juman")

    assert "symbol (特殊 in JUMAN) has no token; the corpus has 名詞, 記号" in doubt("symbol")
    assert "all_but_symbol (特殊 in JUMAN) is everything" in doubt("all_but_symbol")
    assert doubt("noun") is doubt("all") is doubt("all_but_noun") is None


def table(sentences, metadata=None):
    columns = [[[token[place] for token in sentence] for sentence in sentences] for place in range(2)]
    arrays = [pa.array(values, pa.list_(pa.string())) for values in columns]
    return pa.table(arrays, ["pos", "pos_sub"]).replace_schema_metadata(metadata)


@given(
    st.lists(st.lists(st.sampled_from(sorted(TOKENS["juman"])), max_size=6), max_size=5),
    st.sampled_from(
        [{"except": ["名詞-普通名詞"]}, ["名詞-普通名詞", "特殊"], ["助詞"], {"except": ["特殊"]}]
    ),
)
def test_tokens_of_a_table_are_those_that_the_set_contains(sentences, definition):
    pos_set = resolve("own", {"own": definition}, "juman")
    flat = [token for sentence in sentences for token in sentence]
    made = table(sentences)
    assert tokens_in(pos_set, made).tolist() == [pos_set.contains(*token) for token in flat]
    tags, numbers = numbered_tags(made)
    assert [tags[number] for number in numbers] == flat
    assert len(set(tags)) == len(tags) == len(np.unique(numbers))


@pytest.mark.parametrize(
    ("metadata", "tagset"),
    [(None, "juman"), ({"zarpipe.tagset": "unidic"}, "unidic"), ({"other": "x"}, "juman")],
)
def test_the_tagset_stands_in_the_metadata(metadata, tagset):
    assert tagset_of(table([], metadata)) == tagset


def test_a_tagset_that_nobody_knows_is_refused():
    with pytest.raises(ZarpipeError, match=r"'penn'.*expected juman, ipadic or unidic"):
        tagset_of(table([], {"zarpipe.tagset": "penn"}))

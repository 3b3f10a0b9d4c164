"""Sentences in the words of another dictionary: by hand, for any text, and with UniDic."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.cli import main
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.corpus_checks import problems
from zarpipe.formats.corpus_tags import tagset_of
from zarpipe.formats.corpus_writer import read_projection, to_batch
from zarpipe.readers import unidic
from zarpipe.readers.resegment import resegmented
from zarpipe.task.documents import Argument, Document, Predicate, Sentence
from zarpipe.task.projection import Projection
from zarpipe.task.relations import relation


def word(surface, pos="名詞"):
    return (surface, surface, pos, "*")


def sentence(words, bunsetsu, heads, predicates):
    """Build a sentence; a predicate is its token and (case, token) of its arguments."""

    def argument(predicate, case, token):
        return Argument(case, token, relation(bunsetsu[predicate], bunsetsu[token], heads).name)

    found = [
        Predicate(token, None, [argument(token, *one) for one in others]) for token, others in predicates
    ]
    return Sentence("s-1", 1, words, bunsetsu, heads, found)


def cut(text, *sizes):
    """Return a segmenter that cuts words of these sizes."""
    ends = list(accumulate(sizes, initial=0))
    assert ends[-1] == len(text)
    return lambda _: [word(text[start:end]) for start, end in pairwise(ends)]


def moved(one, words_of):
    document = resegmented(Document("d", [one]), words_of, "unidic")
    assert document.tagset == "unidic"
    return document.sentences[0], document.projection


def test_a_word_that_falls_apart_gives_its_label_to_the_content_word():
    taro = [word("太郎"), word("が", "助詞")]
    one = sentence([*taro, word("食べて", "動詞")], [0, 0, 1], [1, -1], [(2, [("NOM", 0)])])
    new, counts = moved(one, lambda _: [*taro, word("食べ", "動詞"), word("て", "助詞")])
    assert new.predicates == [Predicate(2, None, [Argument("NOM", 0, "DEP")])]
    assert new.bunsetsu == [0, 0, 1, 1]
    assert counts[Projection.SAME_WORDS] == counts[Projection.WORDS] == 3
    assert not counts[Projection.LOST_PREDICATES]
    assert not counts[Projection.LOST_ARGUMENTS]


def test_bunsetsu_that_share_a_word_become_one_and_its_argument_is_lost():
    # あ|い|う|え, each a bunsetsu; い and う become one word.
    arguments = [(2, [("NOM", 1), ("ACC", 0)])]
    one = sentence([word(c) for c in "あいうえ"], [0, 1, 2, 3], [3, 2, 3, -1], arguments)
    new, counts = moved(one, cut("あいうえ", 1, 2, 1))
    assert (new.bunsetsu, new.heads) == ([0, 1, 2], [2, 2, -1])
    assert new.predicates == [Predicate(1, None, [Argument("ACC", 0, "ZAR")])]
    assert counts[Projection.JOINED_BUNSETSU] == 1
    assert (counts[Projection.ARGUMENTS], counts[Projection.LOST_ARGUMENTS]) == (2, 1)
    assert counts[Projection.SAME_WORDS] == 2


def test_a_changed_relation_is_counted():
    # え depends on う, which is joined with い: あ, which い depends on, is a neighbour of the new bunsetsu.
    one = sentence([word(c) for c in "あいうえ"], [0, 1, 2, 3], [2, 3, 3, -1], [(1, [("NOM", 0)])])
    assert one.predicates[0].arguments[0].relation == "ZAR"
    new, counts = moved(one, cut("あいうえ", 1, 2, 1))
    assert new.predicates[0].arguments == [Argument("NOM", 0, "DEP")]
    assert counts[Projection.OTHER_RELATIONS] == 1


def test_the_second_predicate_of_a_word_is_lost_with_its_arguments():
    one = sentence([word(c) for c in "あいう"], [0, 1, 1], [1, -1], [(1, [("NOM", 0)]), (2, [("ACC", 0)])])
    new, counts = moved(one, cut("あいう", 1, 2))
    assert new.predicates == [Predicate(1, None, [Argument("NOM", 0, "DEP")])]
    assert (counts[Projection.LOST_PREDICATES], counts[Projection.LOST_ARGUMENTS]) == (1, 1)


def test_a_circle_that_joining_makes_is_cut():
    one = sentence([word(c) for c in "あいう"], [0, 1, 2], [-1, 2, 0], [])
    new, _ = moved(one, cut("あいう", 2, 1))
    assert new.heads == [1, -1]


@st.composite
def cases(draw):
    """A sentence and the sizes of its new words."""
    surfaces = draw(st.lists(st.text("あいうえお", max_size=3), min_size=1, max_size=8))
    text = "".join(surfaces)
    bunsetsu = list(accumulate((draw(st.booleans()) for _ in surfaces[1:]), initial=0))
    heads = [draw(st.integers(own + 1, bunsetsu[-1])) for own in range(bunsetsu[-1])] + [-1]
    predicates = []
    for token, own in enumerate(bunsetsu):
        others = [other for other, its in enumerate(bunsetsu) if its != own]
        if draw(st.booleans()):
            chosen = draw(st.sets(st.sampled_from(others), max_size=3)) if others else set()
            predicates.append((token, [("NOM", other) for other in sorted(chosen)]))
    sizes, left = [], len(text)
    while left:
        sizes.append(draw(st.integers(1, left)))
        left -= sizes[-1]
    return sentence([word(surface) for surface in surfaces], bunsetsu, heads, predicates), text, sizes


@settings(max_examples=300, deadline=None)
@given(cases())
def test_any_sentence_becomes_a_right_one(case):
    one, text, sizes = case
    new, counts = moved(one, cut(text, *sizes))
    assert "".join(new.tokens) == text
    assert not list(problems(pa.Table.from_batches([to_batch([Document("d", [new])])])))
    assert len(new.predicates) == counts[Projection.PREDICATES] - counts[Projection.LOST_PREDICATES]
    kept = sum(bool(predicate.arguments) for predicate in new.predicates)
    assert kept == counts[Projection.ARGUMENTS] - counts[Projection.LOST_ARGUMENTS]
    assert len(one.heads) - len(new.heads) == counts[Projection.JOINED_BUNSETSU]


@settings(max_examples=300, deadline=None)
@given(cases())
def test_the_same_words_change_nothing(case):
    one, _, _ = case
    if all(one.tokens):
        new, counts = moved(one, lambda _: one.words)
        assert new == one
        assert counts[Projection.SAME_WORDS] == len(one.words)
        assert not counts[Projection.LOST_PREDICATES] + counts[Projection.LOST_ARGUMENTS]


# --- UniDic


def test_unidic_cuts_and_keeps_every_character():
    words = unidic.words("男は 食べて\n𠮷野家ｶﾞ　")
    assert [one[0] for one in words] == ["男", "は", " ", "食べ", "て", "\n", "𠮷", "野家", "ｶﾞ", "　"]
    assert " ".join(one[2] for one in words) == "名詞 助詞 空白 動詞 助詞 空白 補助記号 名詞 名詞 空白"
    assert words[3][1] == "食べる"
    assert words[8][1] == "ｶﾞ"  # an unknown word


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30))
def test_unidic_keeps_the_characters_of_any_text(text):
    words = unidic.words(text)
    assert "".join(one[0] for one in words) == text
    assert all(one[0] and one[1] and one[2] and one[3] for one in words)


_DOCUMENT = """\
# S-ID:{number}-001
* 0 2D
男 おとこ * 名詞 普通名詞 * * id="1"
は は * 助詞 副助詞 * * _
* 1 2D
本 ほん * 名詞 普通名詞 * * id="2"
を を * 助詞 格助詞 * * _
* 2 3D
読んで よんで 読む 動詞 * 子音動詞マ行 タ系連用テ形 alt="active"/ga="1"/o="2"/type="pred"
* 3 -1D
眠った ねむった 眠る 動詞 * 子音動詞ラ行 タ形 alt="active"/ga="1"/ni="exog"/type="pred"
。 。 * 特殊 句点 * * _
EOS
"""


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A corpus in words of JUMAN, converted in these and in those of UniDic."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "sample").mkdir()
    for day in ("950101", "950112", "950114"):
        document = folder / "sample" / f"{day}-0001-{day}002.ntc"
        document.write_text(_DOCUMENT.format(number=f"{day}002"), encoding="euc_jp")
    for tokens in ("gold", "unidic"):
        options = ["--format", "ntc", "--tokens", tokens, "--jobs", "1", "--output", str(folder / tokens)]
        assert main(["convert", str(folder / "sample"), *options]) == 0
    return folder


def test_a_corpus_in_words_of_unidic(sample, tmp_path, capsys):
    gold, new = (read_corpus(sample / name / "train.parquet") for name in ("gold", "unidic"))
    texts = [["".join(one) for one in table["tokens"].to_pylist()] for table in (gold, new)]
    assert texts[0] == texts[1]
    assert new["sent_id"].equals(gold["sent_id"])
    assert tagset_of(new) == "unidic"
    assert read_projection(sample / "gold" / "train.parquet") is None
    assert json.loads(pq.read_metadata(sample / "gold" / "train.parquet").metadata[b"zarpipe.removed"])
    segmenter, counts = read_projection(sample / "unidic" / "train.parquet")
    assert "unidic-lite" in segmenter
    predicates = sum(map(len, new["predicates"].to_pylist()))
    assert predicates == counts[Projection.PREDICATES] - counts[Projection.LOST_PREDICATES] > 0
    tables = ["--output-table1", str(tmp_path / "1.csv"), "--output-table2", str(tmp_path / "2.csv")]
    assert main(["count", str(sample / "unidic"), *tables]) == 0
    assert f"words of {segmenter}:\ntrain: " in capsys.readouterr().out


def test_a_parquet_corpus_in_words_of_unidic_is_the_same(sample, tmp_path):
    options = ["--format", "parquet", "--output"]
    assert main(["convert", str(sample / "gold"), *options, str(tmp_path / "new"), "--tokens", "unidic"]) == 0
    assert main(["convert", str(sample / "unidic"), *options, str(tmp_path / "copy")]) == 0
    for split in ("train", "dev", "test"):
        expected = sample / "unidic" / f"{split}.parquet"
        for name in ("new", "copy"):
            found = tmp_path / name / f"{split}.parquet"
            assert read_corpus(found).equals(read_corpus(expected))
            assert read_projection(found) == read_projection(expected)
            assert tagset_of(read_corpus(found)) == "unidic"


def test_threads_cut_as_one_does():
    texts = [
        f"{noun}は{verb}、会社を辞めて帰った。" for noun in "男女猫姉" for verb in ("走り", "読み", "食べ")
    ] * 100
    expected = list(map(unidic.words, texts))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(unidic.words, texts)) == expected
    # The words of a text are known before the next is begun.
    mixed = [unidic._cut(text) for text in texts[:2]]
    assert list(zip(*mixed, strict=False)) == list(zip(*expected[:2], strict=False))

"""`zarpipe export`: what the Parquet has comes back from every format."""

import json
from itertools import groupby

import numpy as np
import pyarrow as pa
import pytest
from exported import read_conllu, rows_of_conllu, rows_of_json, rows_of_knp, zero_score
from hypothesis import given, settings
from hypothesis import strategies as st
from rhoknp import Document

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import instances_of, read_corpus
from zarpipe.formats.corpus_writer import CorpusWriter, to_batch
from zarpipe.readers.knp_phrases import content_word
from zarpipe.serve.export import table
from zarpipe.serve.export.knp import base_phrases
from zarpipe.task.cases import CASE_NAMES
from zarpipe.task.documents import Argument, Predicate, Sentence, Token
from zarpipe.task.documents import Document as ReadDocument
from zarpipe.task.relations import relation
from zarpipe.task.scores import count_decisions, scores

HOSTILE = [*'　 |_\\-*#+"<>\u2028\t\n𠮷､=お', "EOS"]


def sentence_of(doc_id, sent_id, words, bunsetsu, heads, predicates):
    """Build a sentence; an argument is (case, token)."""
    sentence = Sentence(sent_id, 1, [Token(*word) for word in words], bunsetsu, heads, [], doc_id)

    def predicate(token, alt, arguments):
        found = [Argument(case, other, sentence.relation(token, other)) for case, other in arguments]
        return Predicate(token, alt, found)

    return sentence._replace(predicates=[predicate(*one) for one in predicates])


@st.composite
def sentences(draw):
    """Some sentences with words of every kind."""
    texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=3))
    tags = st.sampled_from(["名詞", "動詞", "助詞", "特殊", "接頭辞", "接尾辞", "a-b", "_", ""])
    found = []
    for number in range(draw(st.integers(1, 3))):
        sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
        bunsetsu = [own for own, size in enumerate(sizes) for _ in range(size)]
        heads = [draw(st.integers(own + 1, len(sizes) - 1)) for own in range(len(sizes) - 1)] + [-1]
        words = [(draw(texts), draw(texts), draw(tags), draw(tags)) for _ in bunsetsu]
        predicates = []
        for token in range(len(words)):
            if draw(st.booleans()):
                others = [other for other, own in enumerate(bunsetsu) if own != bunsetsu[token]]
                arguments = [
                    (case, other)
                    for case in CASE_NAMES
                    for other in sorted(draw(st.sets(st.sampled_from(others), max_size=2)) if others else ())
                ]
                predicates.append((token, draw(st.none() | texts), arguments))
        sent_id = f"{draw(texts)}-{number}"
        found.append(sentence_of(draw(texts), sent_id, words, bunsetsu, heads, predicates))
    return found


def written(name, found):
    return "".join(table.writer(name).write(iter(found), "juman"))


def row(sentence):
    """The sentence as a row of the Parquet."""
    (made,) = to_batch(documents_of([sentence])).to_pylist()
    return made


def in_knp(one):
    """What the KNP format keeps of a row for zarpipe's reader."""
    return one | {
        "doc_id": "doc",
        "lemmas": [
            lemma if lemma in (" ", surface) else lemma.replace(" ", "␣")
            for lemma, surface in zip(one["lemmas"], one["tokens"], strict=True)
        ],
        "predicates": [predicate | {"alt": None} for predicate in one["predicates"]],
    }


@settings(max_examples=150, deadline=None)
@given(sentences())
def test_any_sentence_comes_back_from_conllu_and_json(found):
    assert rows_of_conllu(written("conllu", found)) == [row(one) for one in found]
    text = written("json", found)
    assert rows_of_json(text) == [row(one) for one in found]


@settings(max_examples=150, deadline=None)
@given(sentences())
def test_knp_holds_a_sentence_exactly_or_refuses_it(found):
    found = [one._replace(sent_id=f"s-{number}") for number, one in enumerate(found)]
    try:
        text = written("knp", found)
    except ZarpipeError:
        return  # which words these are, the next tests say
    assert rows_of_knp(text) == [in_knp(row(one)) for one in found]


def words(*lines):
    """Words written as surface/lemma/part of speech/sub part."""
    return [Token(*line.split("/")) for line in lines]


FORMS = "お/お/接頭辞/名詞接頭辞 茶/茶/名詞/普通名詞 を/を/助詞/格助詞 日本/日本/名詞/地名 銀行/銀行/名詞/普通名詞 」/」/特殊/括弧終"
WORDS = words(*FORMS.split())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.data())
def test_every_marked_word_is_the_content_word_of_a_base_phrase_of_its_own(those, data):
    marked = sorted(data.draw(st.sets(st.integers(0, len(those) - 1))))
    phrases = base_phrases(those, marked)
    assert [token for phrase in phrases for token in phrase] == list(range(len(those)))
    assert all(len(phrase) for phrase in phrases)
    found = [phrase[0] + content_word([those[token] for token in phrase]) for phrase in phrases]
    assert set(marked) <= set(found)


def test_a_bunsetsu_is_cut_only_where_it_has_to_be():
    assert base_phrases(WORDS[3:], [1]) == [range(3)]
    assert base_phrases(WORDS[3:], [0, 1]) == [range(1), range(1, 3)]
    assert base_phrases(WORDS[:3], [0]) == [range(1), range(1, 3)]


# 男は 訴えられたが 無罪に なった 。 who was acquitted: 男, four bunsetsu before なった's own.
FORMS = "男/男/名詞/普通名詞 は/は/助詞/副助詞 訴えられた/訴える/動詞/* が/が/助詞/接続助詞 無罪/無罪/名詞/普通名詞"
FORMS += " に/に/助詞/格助詞 なった/なる/動詞/*"
DECIDED = [(2, "passive", [("NOM", 0)]), (6, None, [("NOM", 0), ("DAT", 4)])]
SUED = sentence_of("doc", "doc-1", words(*FORMS.split()), [0, 0, 1, 1, 2, 2, 3], [1, 3, 3, -1], DECIDED)


def test_conllu_as_it_looks():
    assert written("conllu", [SUED]).split("\n") == [
        "# newdoc id = doc",
        "# global.Entity = eid-etype-head-other",
        "# tagset = juman",
        "# sent_id = doc-1",
        "# text = 男は訴えられたが無罪になった",
        "# bunsetsu_heads = 1 3 3 -1",
        "1\t男\t男\t_\t名詞-普通名詞\t_\t0\t_\t3:nsubj\tBunsetsu=0|Entity=(e1--1-)|SpaceAfter=No",
        "2\tは\tは\t_\t助詞-副助詞\t_\t0\t_\t_\tBunsetsu=0|SpaceAfter=No",
        "3\t訴えられた\t訴える\t_\t動詞\t_\t0\t_\t_\t"
        "Alt=passive|Arguments=NOM:1:DEP|Bunsetsu=1|Predicate=Yes|SpaceAfter=No",
        "4\tが\tが\t_\t助詞-接続助詞\t_\t0\t_\t_\tBunsetsu=1|SpaceAfter=No",
        "5\t無罪\t無罪\t_\t名詞-普通名詞\t_\t0\t_\t7:iobj\tBunsetsu=2|SpaceAfter=No",
        "6\tに\tに\t_\t助詞-格助詞\t_\t0\t_\t_\tBunsetsu=2|SpaceAfter=No",
        "6.1\t_\t_\t_\t_\t_\t_\t_\t7:nsubj\tEntity=(e1--1-)",
        "7\tなった\tなる\t_\t動詞\t_\t0\t_\t_\t"
        "Arguments=NOM:1:ZAR,DAT:5:DEP|Bunsetsu=3|Predicate=Yes|SpaceAfter=No",
        "",
        "",
    ]


def test_knp_is_read_by_rhoknp():
    document = Document.from_knp(written("knp", [SUED]))
    (sentence,) = document.sentences
    found = {
        (phrase.morphemes[0].text, tag.type): sentence.base_phrases[tag.base_phrase_index].morphemes[0].text
        for phrase in sentence.base_phrases
        for tag in phrase.rel_tags
    }
    assert found == {("訴えられた", "ガ"): "男", ("なった", "ガ"): "男", ("なった", "ニ"): "無罪"}
    arguments = document.base_phrases[3].pas.get_arguments("ガ")
    assert [argument.base_phrase.text for argument in arguments] == ["男は"]
    assert [phrase.parent and phrase.parent.index for phrase in sentence.base_phrases] == [1, 3, 3, None]
    assert document.base_phrases[1].features["alt"] == "passive"


def documents_of(found):
    """Return the documents of some sentences, as a reader gives them."""
    return [ReadDocument(doc_id, list(those)) for doc_id, those in groupby(found, key=lambda one: one.doc_id)]


def corpus_file(path, found):
    """Write sentences as a corpus Parquet."""
    with path.open("wb") as stream:
        writer = CorpusWriter(stream, "made by hand")
        writer.write(to_batch(documents_of(found)), "juman")
        writer.close("juman", {})
    return path


def export(corpus, name, output, *more):
    assert main(["export", str(corpus), "--format", name, "--output", str(output), *map(str, more)]) == 0
    return output.read_bytes().decode()


@pytest.mark.parametrize("name", table.FORMATS)
def test_the_command_writes_a_file_or_to_standard_output(name, tmp_path, capfdbinary):
    corpus = corpus_file(tmp_path / "corpus.parquet", [SUED])
    text = export(corpus, name, tmp_path / "exported")
    capfdbinary.readouterr()
    assert main(["export", str(corpus), "--format", name]) == 0
    assert capfdbinary.readouterr().out.decode() == text == written(name, [SUED])


def test_decisions_stand_in_the_place_of_gold(tmp_path):
    corpus = corpus_file(tmp_path / "corpus.parquet", [SUED])
    decisions = tmp_path / "decisions.csv"
    # The first is ZAR, and wrong; the second in the predicate's own bunsetsu.
    rows = ("sent_id,predicate,case,token,probability", "doc-1,6,NOM,3,0.75", "doc-1,2,ACC,3,0.5", "")
    decisions.write_text("\n".join(rows), encoding="utf-8")
    plain = json.loads(export(corpus, "json", tmp_path / "x", "--predictions", decisions))
    expected = {"case": "NOM", "token": 3, "start": 7, "end": 8, "relation": "DEP", "probability": 0.75}
    assert plain["predicates"][1]["arguments"] == [expected]
    assert plain["predicates"][0]["arguments"][0]["relation"] == "OWN_BUNSETSU"
    (tree,) = read_conllu(export(corpus, "conllu", tmp_path / "y", "--predictions", decisions))
    assert tree.nodes[3].deps == ["3:obj", "7:nsubj"]
    assert tree.nodes[6].misc["Arguments"] == "NOM:4:DEP:0.75"
    assert "<probability:NOM=0.75>" in export(corpus, "knp", tmp_path / "z", "--predictions", decisions)


def test_a_blank_in_a_lemma_is_replaced_in_knp_and_counted(tmp_path, capsys):
    word = words("フォートワース/フォートワース-Fort Worth/名詞/固有名詞")
    corpus = corpus_file(tmp_path / "c.parquet", [sentence_of("d", "d-1", word, [0], [-1], [])])
    (row,) = rows_of_knp(export(corpus, "knp", tmp_path / "x"))
    assert row["lemmas"] == ["フォートワース-Fort␣Worth"]
    assert "lemmas with blanks, which are written as ␣: 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "form", "decisions", "expected"),
    [
        ("knp", "a b/c d/名詞/*", None, "sentence 'd-1': the KNP format cannot hold the word 'a b'"),
        ("json", "男/男/名詞/*", "other,6,NOM,3", "'other'; expected a sentence of the corpus"),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is(tmp_path, capsys, name, form, decisions, expected):
    corpus = corpus_file(tmp_path / "c.parquet", [sentence_of("d", "d-1", words(form), [0], [-1], [])])
    (tmp_path / "d.csv").write_text(f"sent_id,predicate,case,token\n{decisions}\n", encoding="utf-8")
    more = ["--predictions", str(tmp_path / "d.csv")] if decisions else []
    assert main(["export", str(corpus), "--format", name, "--output", str(tmp_path / "x"), *more]) == 1
    message = capsys.readouterr().err
    assert expected in message
    assert message.count("\n") == 1
    assert not (tmp_path / "x").exists()


# --- scores


def decided_sentence(sentence, decisions):
    """The sentence with decisions, (predicate, case) -> token, as `zarpipe export` shows them."""
    arguments = {p.token: [] for p in sentence.predicates}
    for (predicate, case), token in sorted(decisions.items()):
        arguments[predicate].append((case, token))
    found = [(token, None, of_predicate) for token, of_predicate in arguments.items()]
    names = sentence.doc_id, sentence.sent_id
    return sentence_of(*names, sentence.words, sentence.bunsetsu, sentence.heads, found)


@st.composite
def gold_and_decided(draw):
    """A sentence and decisions on which zarpipe and CorefUD mean the same by an omitted argument.

    No word fills two arguments, an argument's mentions are all DEP or all ZAR and stand before the predicate,
    and a predicate has one case.
    """
    size = draw(st.integers(6, 14))
    heads = [draw(st.integers(own + 1, size - 1)) for own in range(size - 1)] + [-1]
    words = [("語", "語", "名詞", "*")] * size
    order = draw(st.permutations(range(size)))
    free = {"gold": set(range(size)), "decided": set(range(size))}
    gold, decisions = [], {}
    for token in sorted(order[: draw(st.integers(1, size // 2))]):
        case = draw(st.sampled_from(CASE_NAMES))
        found = []
        for side, most in (("gold", 2), ("decided", 1)):
            wanted = draw(st.sampled_from(["DEP", "ZAR", "none"]))
            before = sorted(other for other in free[side] if other < token)
            possible = [other for other in before if relation(token, other, heads).name == wanted]
            chosen = sorted(draw(st.sets(st.sampled_from(possible), max_size=most))) if possible else []
            free[side] -= set(chosen)
            if side == "gold":
                found = [(case, other) for other in chosen]
            elif chosen:
                decisions[token, case] = chosen[0]
        gold.append((token, None, found))
    return sentence_of("d", "d-1", words, list(range(size)), heads, gold), decisions


@settings(max_examples=200, deadline=None)
@given(gold_and_decided())
def test_the_zero_score_counts_as_evaluate_where_both_mean_the_same(case):
    sentence, decisions = case
    gold, response = written("conllu", [sentence]), written("conllu", [decided_sentence(*case)])
    counts = zero_score(gold, response)
    expected = zar_counts(sentence, decisions)
    assert counts["tp"] == expected["tp"]
    assert counts["fp"] + counts["wl"] == expected["fp"]
    assert counts["fn"] + counts["wl"] == expected["fn"]


def zar_counts(sentence, decisions):
    """Count omitted arguments as `zarpipe evaluate` does."""
    instances = instances_of(pa.Table.from_batches([to_batch(documents_of([sentence]))]))
    decided = np.full((len(instances), len(CASE_NAMES)), -1)
    for (predicate, case), token in decisions.items():
        decided[list(instances.predicate).index(predicate), CASE_NAMES.index(case)] = token
    counts = count_decisions(decided, instances.gold, instances.position_category, instances.offsets)
    return scores(counts)["ZAR"]["ALL"]


def test_gold_against_gold_is_perfect_and_a_wrong_antecedent_is_not():
    gold = written("conllu", [SUED])
    assert dict(zero_score(gold, gold)) == {"tp": 1, "wl": 0, "fp": 0, "fn": 0}
    wrong = written("conllu", [decided_sentence(SUED, {(6, "NOM"): 1})])
    assert dict(zero_score(gold, wrong)) == {"tp": 0, "wl": 1, "fp": 0, "fn": 0}


@pytest.fixture(scope="module")
def kwdlc(shared, tmp_path_factory):
    """The dev split of KWDLC."""
    folder = tmp_path_factory.mktemp("kwdlc")
    corpus = shared / "corpora/KWDLC"
    command = ["convert", str(corpus), "--format", "knp", "--ids", str(corpus / "id/split_for_pas")]
    limits = ["--limit-train", "1", "--limit-test", "1", "--jobs", "1"]
    assert main([*command, *limits, "--output", str(folder)]) == 0
    return folder / "dev.parquet"


@pytest.mark.shared
def test_a_real_corpus_comes_back_from_every_format(kwdlc, tmp_path):
    rows = read_corpus(kwdlc).to_pylist()
    assert rows_of_json(export(kwdlc, "json", tmp_path / "json")) == rows
    text = export(kwdlc, "conllu", tmp_path / "conllu")
    assert rows_of_conllu(text) == rows
    omitted = sum(node.is_empty for tree in read_conllu(text) for node in tree.nodes)
    assert omitted == sum(
        {one["relation"] for one in predicate["arguments"] if one["case"] == case} == {"ZAR"}
        for row in rows
        for predicate in row["predicates"]
        for case in CASE_NAMES
    )
    scored = zero_score(text, text)
    assert scored["tp"] > 0.5 * omitted
    assert not any(scored[name] for name in ("wl", "fp", "fn"))
    text = export(kwdlc, "knp", tmp_path / "knp")
    assert rows_of_knp(text) == [in_knp(row) for row in rows]

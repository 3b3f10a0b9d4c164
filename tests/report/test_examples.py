"""Which instances become examples, and what is said of them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_corpora import row, write_rows

from zarpipe.formats.predictions import COLUMNS
from zarpipe.report import tables
from zarpipe.report.examples import choose_examples, majority
from zarpipe.report.pages import examples
from zarpipe.study.study import Study

WORDS = ["男", "は", "訴え", "無罪", "に", "なっ"]
POS = ["名詞", "助詞", "動詞", "名詞", "助詞", "動詞"]
SETS = ["verb", "all_but_verb"]
MAN, SUED, ACQUITTED, BECAME = 0, 2, 3, 5


def sentence(sent_id, doc_id="doc", relation="ZAR"):
    """男は 訴え 無罪に なっ: the nominative of なっ is 男, in the bunsetsu that the relation needs."""
    heads = [2 if relation == "ZAR" else 3, 3, 3, -1]
    return row(sent_id, WORDS, {BECAME: [("NOM", MAN)]}, [0, 0, 1, 2, 2, 3], heads, doc_id, POS)


@pytest.fixture
def write(made):
    """Write a development set and the nominatives that the taggers of each POS set and seed decide."""

    def files(rows, decisions, alpha="1.0"):
        write_rows(made.path("corpus", "dev"), rows)
        for pos_set, by_seed in decisions.items():
            for seed, tokens in enumerate(by_seed, start=1):
                found = [
                    (row["sent_id"], token)
                    for row, token in zip(rows, tokens, strict=True)
                    if token is not None
                ]
                decided = [(sent_id, BECAME, "NOM", token, 0.5) for sent_id, token in found]
                columns = {
                    name: pa.array([one[place] for one in decided], kind)
                    for place, (name, kind) in enumerate(COLUMNS.items())
                }
                output = made.path("decisions", f"masking-{pos_set}-{alpha}", seed, "dev")
                pq.write_table(pa.table(columns), output)
        return made

    return files


def configure(made, seeds=(1,), count=6, pos_sets=SETS, **more):
    return made.configure(
        augmentation={"alphas": ["1.0"], "pos_sets": list(pos_sets)},
        training={"seeds": list(seeds)},
        report={"examples": count},
        **more,
    )


def choose(made, **settings):
    return choose_examples(configure(made, **settings))


def test_an_example_says_what_is_masked_and_who_is_right(write):
    made = write([sentence("s1")], {"verb": [[None]], "all_but_verb": [[MAN]]})
    (example,) = choose(made)
    assert (example.sent_id, example.predicate, example.gold) == ("s1", BECAME, {"NOM": [MAN]})
    assert (example.case, example.relation) == ("NOM", "ZAR")
    verb, others = example.copies
    assert (verb.masked, verb.right) == ([SUED], False)  # the target predicate is never masked
    assert (others.masked, others.right) == ([0, 1, 3, 4], True)
    assert [(answer.token, answer.right) for answer in verb.answers] == [(None, False)]
    assert [(answer.token, answer.right) for answer in others.answers] == [(MAN, True)]


def test_instances_on_which_both_agree_are_none(write):
    rows = [sentence("both-right"), sentence("both-wrong")]
    assert choose(write(rows, {"verb": [[MAN, None]], "all_but_verb": [[MAN, ACQUITTED]]})) == []


def test_winners_take_turns_and_documents_too(write):
    names = ["a1", "a2", "b1", "b2", "c1"]
    winners = {"a1": "verb", "a2": "verb", "b1": "verb", "b2": "all_but_verb", "c1": "all_but_verb"}
    rows = [sentence(name, doc_id=name[0]) for name in names]
    decisions = {name: [[MAN if winners[one] == name else None for one in names]] for name in SETS}
    assert [example.sent_id for example in choose(write(rows, decisions))] == ["c1", "a1", "b2", "b1", "a2"]
    assert [example.sent_id for example in choose(write(rows, decisions), count=2)] == ["c1", "a1"]


def test_arguments_in_a_direct_dependency_count_only_where_no_omitted_one_is_disputed(write):
    rows = [sentence("dep", relation="DEP"), sentence("zar")]
    decisions = {"verb": [[None, None]], "all_but_verb": [[MAN, MAN]]}
    assert [example.sent_id for example in choose(write(rows, decisions))] == ["zar"]
    decisions = {"verb": [[None, MAN]], "all_but_verb": [[MAN, MAN]]}
    assert [(one.sent_id, one.relation) for one in choose(write(rows, decisions))] == [("dep", "DEP")]


def test_the_answer_is_that_of_most_seeds(write):
    rows = [sentence("s")]
    made = write(rows, {"verb": [[None], [MAN], [None]], "all_but_verb": [[MAN], [None], [MAN]]})
    (example,) = choose(made, seeds=(1, 2, 3))
    assert [copy.answers[0].seeds for copy in example.copies] == [2, 2]


def test_majority_prefers_the_earliest_among_equals():
    decided = np.array([[4, 7, -1], [-1, 7, 2], [4, 3, 5]])
    answers, votes = majority(decided[:, None, :])
    assert answers.tolist() == [[4, 7, -1]]
    assert votes.tolist() == [[2, 2, 1]]


def test_other_pos_sets_are_shown_but_do_not_choose(write):
    decisions = {"verb": [[MAN]], "all_but_verb": [[MAN]], "noun": [[None]]}
    assert choose(write([sentence("s")], decisions), pos_sets=[*SETS, "noun"]) == []
    decisions["verb"] = [[None]]
    for configured in ([*SETS, "noun"], ["noun"]):
        (example,) = choose(write([sentence("s")], decisions), pos_sets=configured)
        right = {copy.pos_set: copy.right for copy in example.copies}
        assert right == {"verb": False, "all_but_verb": True, "noun": False}


def test_the_page_of_no_example_says_so_without_a_model(write, tmp_path):
    made = write([sentence("s")], {"verb": [[MAN]], "all_but_verb": [[MAN]]})
    configure(made, mlm={"path": str(tmp_path / "nowhere")})
    page = made.report("examples", "examples.html").read_text(encoding="utf-8")
    assert "There is no sentence on which" in page


def test_the_page_depends_on_what_decides_it_and_on_no_path(made):
    def job(results="results", **settings):
        return tables.job(examples, Study(configure(made, **settings).config, results))

    before = job()
    assert before.key == job("elsewhere").key
    assert before.key != job(count=5).key
    assert before.key != job(seeds=[1, 2]).key
    decided = {"predict/masking-verb-1.0/dev", "predict/masking-all_but_verb-1.0/dev"}
    read = {job.id for job in before.reads}
    assert {name for name in read if name.startswith("predict/")} == decided


@pytest.mark.parametrize(
    ("seeds", "words"), [([1], "of the one seed"), ([1, 2], "largest number of the 2 seeds")]
)
def test_the_page_does_not_call_a_tie_most(write, tmp_path, seeds, words):
    both = [[MAN], [None]]
    made = write([sentence("s")], {"verb": both, "all_but_verb": both})
    configure(made, seeds=seeds, mlm={"path": str(tmp_path / "nowhere")})
    page = made.report("examples", "examples.html").read_text(encoding="utf-8")
    assert words in page
    assert "most of" not in page

"""KNP format: the rules, one test per branch, and what malformed lines say."""

from __future__ import annotations

import pytest

from zarpipe.errors import FileProblem
from zarpipe.readers.knp import content_word, parse_relations, read_knp
from zarpipe.task.documents import Argument

NOUN = "名詞 6 普通名詞 1 * 0 * 0 NIL"
PARTICLE = "助詞 9 格助詞 1 * 0 * 0 NIL"
VERB = "動詞 2 * 0 子音動詞マ行 9 タ形 10 NIL"
COPULA = "判定詞 4 * 0 判定詞 25 基本形 2 NIL"


def morpheme(surface: str, kind: str) -> str:
    return f"{surface} {surface} {surface} {kind}"


def rel(kind: str, target: str, index: int | None = None, mode: str = "", sid: str = "d-1") -> str:
    place = "" if index is None else f' sid="{sid}" id="{index}"'
    return f'<rel type="{kind}"{mode} target="{target}"{place}/>'


def sentence(*phrases: tuple[str, list[str]], sid: str = "d-1") -> str:
    """Build a sentence whose bunsetsu have one base phrase each and depend on the last one."""
    lines = [f"# S-ID:{sid}"]
    for number, (relations, morphemes) in enumerate(phrases):
        head = -1 if number == len(phrases) - 1 else len(phrases) - 1
        lines += [f"* {head}D", f"+ {head}D {relations}".rstrip(), *morphemes]
    return "\n".join([*lines, "EOS", ""])


def arguments(text: str, **options) -> list[list[Argument]]:
    document = read_knp(text, "d", "d.knp", **options)
    return [predicate.arguments for sentence in document.sentences for predicate in sentence.predicates]


TARO = ("", [morpheme("太郎", NOUN), morpheme("が", PARTICLE)])
HANAKO = ("", [morpheme("花子", NOUN), morpheme("と", PARTICLE)])


def drank(*relations: str) -> tuple[str, list[str]]:
    return "".join(relations), [morpheme("飲んだ", VERB)]


def test_argument_in_the_sentence_is_labelled_at_its_content_word():
    tea = (
        "",
        [
            morpheme("お", "接頭辞 13 名詞接頭辞 1 * 0 * 0 NIL"),
            morpheme("茶", NOUN),
            morpheme("を", PARTICLE),
        ],
    )
    text = sentence(TARO, tea, drank(rel("ガ", "太郎", 0), rel("ヲ", "お茶", 1)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("ACC", 3, "DEP")]]


@pytest.mark.parametrize("mode", [' mode="AND"', ' mode="OR"', ' mode="？"'])
def test_each_target_of_a_mode_is_a_mention(mode):
    text = sentence(TARO, HANAKO, drank(rel("ガ", "太郎", 0), rel("ガ", "花子", 1, mode)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]]


@pytest.mark.parametrize("target", ["不特定:人", "著者", "なし"])
def test_exophora_gives_no_mention_and_takes_none_away(target):
    text = sentence(TARO, drank(rel("ガ", target), rel("ガ", "太郎", 0, ' mode="？"')))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    assert arguments(sentence(TARO, drank(rel("ガ", target)))) == [[]]


def test_argument_in_another_sentence_is_not_labelled():
    first = sentence(TARO, drank(rel("ガ", "太郎", 0)))
    second = sentence(HANAKO, drank(rel("ガ", "太郎", 0)), sid="d-2")
    assert arguments(first + second) == [[Argument("NOM", 0, "DEP")], []]


HE = (rel("=", "太郎", 0), [morpheme("彼", NOUN), morpheme("は", PARTICLE)])


def test_coreferent_mentions_are_mentions_unless_switched_off():
    text = sentence(TARO, HE, drank(rel("ガ", "太郎", 0)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]]
    assert arguments(text, coreferent_mentions=False) == [[Argument("NOM", 0, "DEP")]]


@pytest.mark.parametrize(("kind", "mode"), [("=≒", ""), ("=", ' mode="？"'), ("=", ' mode="OR"')])
def test_near_and_uncertain_identity_do_not_make_mentions(kind, mode):
    he = (rel(kind, "太郎", 0, mode), HE[1])
    assert arguments(sentence(TARO, he, drank(rel("ガ", "太郎", 0)))) == [[Argument("NOM", 0, "DEP")]]


@pytest.mark.parametrize(
    ("referent", "joined"), [("著者", True), ("不特定:物１", True), ("不特定:人", False)]
)
def test_exophoric_referents_join_mentions_when_there_is_only_one(referent, joined):
    taro = (rel("=", referent), TARO[1])
    he = (rel("=", referent), HE[1])
    mentions = [Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]
    assert arguments(sentence(taro, he, drank(rel("ガ", "太郎", 0)))) == [
        mentions if joined else mentions[:1]
    ]


def test_copula_that_corefers_with_its_subject():
    """学生だ = 太郎: only the mention in the predicate's own bunsetsu goes, unless the case shall be dropped."""
    student = (rel("=", "太郎", 0) + rel("ガ", "太郎", 0), [morpheme("学生", NOUN), morpheme("だ", COPULA)])
    text = sentence(TARO, student)
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    assert arguments(text, own_bunsetsu="drop_case") == [[]]


def test_nominal_predicates_on_request():
    toss = (rel("ガ", "太郎", 0), [morpheme("トス", "名詞 6 サ変名詞 2 * 0 * 0 NIL")])
    assert arguments(sentence(TARO, toss)) == []
    assert arguments(sentence(TARO, toss), nominal=True) == [[Argument("NOM", 0, "DEP")]]


def test_predicate_of_verbal_noun_and_suru_is_the_suru_token():
    destroy = (
        rel("ガ", "太郎", 0),
        [morpheme("破壊", "名詞 6 サ変名詞 2 * 0 * 0 NIL"), morpheme("する", VERB)],
    )
    document = read_knp(sentence(TARO, destroy), "d", "d.knp")
    assert document.sentences[0].predicates[0].token == 3


def test_zero_argument_is_zar():
    text = sentence(TARO, HANAKO, drank()).replace("* 2D\n+ 2D\n太郎", "* 1D\n+ 1D\n太郎")
    text = text.replace("* -1D\n+ -1D", "* -1D\n+ -1D " + rel("ガ", "太郎", 0))
    assert arguments(text) == [[Argument("NOM", 0, "ZAR")]]


@pytest.mark.parametrize(
    ("pos", "index"),
    [
        (["接頭辞", "名詞", "助詞"], 1),
        (["特殊", "名詞", "接尾辞", "特殊"], 1),
        (["名詞", "動詞", "接尾辞"], 1),
        (["特殊", "接尾辞", "助詞"], 1),
        (["特殊", "判定詞"], 1),
        (["特殊"], 0),
    ],
)
def test_content_word(pos, index):
    assert content_word(pos) == index


GOOD = sentence(TARO, drank(rel("ガ", "太郎", 0)))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("EOS\n", "", 1, "not closed"),
        ("* 1D\n+ 1D\n", "", 2, "before any bunsetsu"),
        ("* 1D\n", "", 2, "a + line before any bunsetsu"),
        ("* 1D", "* 5D", 2, "head 5"),
        ("* 1D", "* 1X", 2, "expected a bunsetsu line"),
        ("+ 1D", "+ 5D", 3, "base phrase head 5"),
        ("* -1D", "* 0D", 6, "circle (1 -> 0 -> 1)"),
        ("が が が 助詞", "が が 助詞", 5, "found 10 columns"),
        ('id="0"', 'id="7"', 7, "base phrase 7 of d-1, which has 2"),
        ('sid="d-1"', 'sid="d-9"', 7, "sentence d-9, which is not in the document"),
        ('type="ガ"', 'type="ガガ"', 7, "unknown case"),
        ('type="ガ"', "type=ガ", 7, "malformed <rel> tag"),
        ('target="太郎"', 'target="太郎', 7, "malformed <rel> tag"),
        ('type="ガ"', 'type="ガ" mode="XOR"', 7, "expected mode AND, OR or ？"),
        ("が が が", "\nが が が", 5, "empty line inside"),
    ],
)
def test_malformed_line_is_named(old, new, line, message):
    assert old in GOOD
    with pytest.raises(FileProblem) as caught:
        read_knp(GOOD.replace(old, new), "d", "d.knp")
    assert caught.value.line == line
    assert message in caught.value.message


def test_bunsetsu_that_is_its_own_head_is_a_root_and_remarked():
    document = read_knp(GOOD.replace("* 1D", "* 0D"), "d", "d.knp")
    assert document.sentences[0].heads == [-1, -1]
    assert [(remark.kind, remark.line) for remark in document.remarks] == [("own head", 2)]


def test_homograph_lines_are_no_tokens():
    text = GOOD.replace(
        "飲んだ 飲んだ 飲んだ " + VERB, "飲んだ 飲んだ 飲む " + VERB + "\n@ 飲んだ 飲んだ 呑む " + VERB
    )
    assert read_knp(text, "d", "d.knp").sentences[0].tokens == ["太郎", "が", "飲んだ"]


def test_relations_without_quotes_are_refused():
    with pytest.raises(ValueError, match="malformed"):
        parse_relations('<rel type="ガ" target=太郎/>')

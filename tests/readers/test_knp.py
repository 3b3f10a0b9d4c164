"""KNP format: the rules, one test per branch, and what malformed lines say."""

from __future__ import annotations

import pytest

from zarpipe.errors import FileProblem
from zarpipe.readers.knp import parse_relations, read
from zarpipe.readers.knp_phrases import content_word
from zarpipe.readers.reading import Place, reading
from zarpipe.task.documents import Argument, Document, Predicate, Removal

NOUN = "名詞 6 普通名詞 1 * 0 * 0 NIL"
PARTICLE = "助詞 9 格助詞 1 * 0 * 0 NIL"
VERB = "動詞 2 * 0 子音動詞マ行 9 タ形 10 NIL"
ADVERB = "副詞 8 * 0 * 0 * 0 NIL"
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


def read_knp(text: str, **options) -> Document:
    return read(text, Place("d.knp", "d"), reading("knp", **options))


def arguments(text: str, **options) -> list[list[Argument]]:
    document = read_knp(text, **options)
    return [predicate.arguments for sentence in document.sentences for predicate in sentence.predicates]


def removed(text: str, **options) -> dict[tuple[str, Removal], int]:
    return dict(read_knp(text, **options).removed)


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


@pytest.mark.parametrize("target", ["不特定:人", "著者", "前文"])
def test_exophora_gives_no_mention_and_takes_none_away(target):
    text = sentence(TARO, drank(rel("ガ", target), rel("ガ", "太郎", 0, ' mode="？"')))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    text = sentence(TARO, drank(rel("ガ", target)))
    assert arguments(text) == [[]]
    assert removed(text) == {("NOM", Removal.EXOPHORIC): 1}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nothing_beside_a_target_marks_it_as_optional(order):
    """狭義に 言う: the dative can be left out, so it is no argument. Another case of the predicate stays."""
    tags = [rel("ニ", "花子", 1), rel("ニ", "なし", mode=' mode="？"')]
    text = sentence(TARO, HANAKO, drank(rel("ガ", "太郎", 0), *(tags[index] for index in order)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    assert removed(text) == {("DAT", Removal.OPTIONAL): 1}


def test_nothing_alone_is_no_argument():
    text = sentence(TARO, drank(rel("ガ", "太郎", 0), rel("ヲ", "なし")))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    assert removed(text) == {}


def test_argument_in_another_sentence_is_not_labelled():
    first = sentence(TARO, drank(rel("ガ", "太郎", 0)))
    second = sentence(HANAKO, drank(rel("ガ", "太郎", 0)), sid="d-2")
    assert arguments(first + second) == [[Argument("NOM", 0, "DEP")], []]
    assert removed(first + second) == {("NOM", Removal.OTHER_SENTENCE): 1}


HE = (rel("=", "太郎", 0), [morpheme("彼", NOUN), morpheme("は", PARTICLE)])
SAID = [morpheme("言った", VERB)]


def test_coreferent_mention_of_an_argument_named_in_an_earlier_sentence():
    """太郎が 飲んだ。 彼は 言った (ガ:太郎 of the sentence before)."""
    text = sentence(TARO, drank()) + sentence(HE, (rel("ガ", "太郎", 0), SAID), sid="d-2")
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]
    assert arguments(text, coreferent_mentions=False) == [[]]


def test_coreferent_mention_of_an_argument_named_in_a_later_sentence():
    text = sentence(TARO, drank(rel("ガ", "彼", 0, sid="d-2"))) + sentence(HE, ("", SAID), sid="d-2")
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]


def test_coreference_goes_on_through_a_third_sentence():
    """太郎 = 彼 = 同氏: the third mention is found from the first, over a sentence between them."""
    third = (rel("=", "彼", 0, sid="d-2"), [morpheme("同氏", NOUN)])
    text = (
        sentence(TARO, drank())
        + sentence(HE, ("", SAID), sid="d-2")
        + sentence(third, (rel("ガ", "太郎", 0), SAID), sid="d-3")
    )
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]


@pytest.mark.parametrize(
    ("kind", "reach", "found"),
    [
        ("=構", "never", False),
        ("=構", "sentence", False),
        ("=構", "document", True),
        ("=役", "sentence", False),
        ("=役", "document", True),
        ("=", "never", True),
    ],
)
def test_what_brings_an_argument_from_another_sentence(kind, reach, found):
    he = (rel(kind, "太郎", 0), HE[1])
    text = sentence(TARO, drank()) + sentence(he, (rel("ガ", "太郎", 0), SAID), sid="d-2")
    expected = [Argument("NOM", 0, "DEP")] if found else []
    assert arguments(text, construction_mentions=reach) == [expected]


@pytest.mark.parametrize("kind", ["=構", "=役"])
@pytest.mark.parametrize(("reach", "found"), [("never", False), ("sentence", True), ("document", True)])
def test_coreference_by_construction_within_the_sentence(kind, reach, found):
    """江上 町長が 述べた: name and title are one person."""
    text = sentence(TARO, (rel(kind, "太郎", 0), HE[1]), drank(rel("ガ", "太郎", 0)))
    mentions = [Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]
    assert arguments(text, construction_mentions=reach) == [mentions if found else mentions[:1]]


def test_construction_adds_to_an_argument_that_identity_brings():
    """The argument is 太郎 of the sentence before; 彼 (= 太郎) brings it, so 町長 (=役 彼) is a mention too."""
    mayor = (rel("=役", "彼", 0, sid="d-2"), [morpheme("町長", NOUN)])
    text = sentence(TARO, drank()) + sentence(HE, mayor, (rel("ガ", "太郎", 0), SAID), sid="d-2")
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]]


@pytest.mark.parametrize("referent", ["著者", "不特定:人１"])
def test_mention_of_a_referent_outside_the_text(referent):
    """私 (= 著者) が 飲んだ (ガ:著者)."""
    me = (rel("=", referent), [morpheme("私", NOUN), morpheme("が", PARTICLE)])
    assert arguments(sentence(me, drank(rel("ガ", referent)))) == [[Argument("NOM", 0, "DEP")]]


def test_unnumbered_referents_are_not_one():
    someone = (rel("=", "不特定:人"), [morpheme("人", NOUN), morpheme("が", PARTICLE)])
    text = sentence(someone, drank(rel("ガ", "不特定:人")))
    assert arguments(text) == [[]]
    assert removed(text) == {("NOM", Removal.EXOPHORIC): 1}


@pytest.mark.parametrize("kind", ["=", "=構"])
def test_two_cases_that_share_an_entity_keep_what_each_names(kind):
    """太郎が 主将に なった, 主将 =構 太郎: neither phrase is a mention of the other case."""
    captain = (rel(kind, "太郎", 0), [morpheme("主将", NOUN), morpheme("に", PARTICLE)])
    text = sentence(TARO, captain, drank(rel("ガ", "太郎", 0), rel("ニ", "主将", 1)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("DAT", 2, "DEP")]]


@pytest.mark.parametrize("other", ["ト", "トシテ", "外の関係", "ガ２"])
def test_phrase_of_a_case_that_is_not_labelled_is_no_mention_either(other):
    """太郎は 主将と して 知られる."""
    captain = (rel("=構", "太郎", 0), [morpheme("主将", NOUN), morpheme("と", PARTICLE)])
    text = sentence(TARO, captain, drank(rel("ガ", "太郎", 0), rel(other, "主将", 1)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]


@pytest.mark.parametrize("place", [{"index": 9}, {"index": 0, "sid": "d-9"}])
def test_relation_that_is_not_labelled_may_name_what_is_not_there(place):
    text = sentence(TARO, drank(rel("ガ", "太郎", 0), rel("デ", "家", **place)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP")]]


def test_indirect_relation_is_no_other_case():
    text = sentence(TARO, HE, drank(rel("ガ", "太郎", 0), rel("ガ≒", "彼", 1)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("NOM", 2, "DEP")]]


def test_phrase_that_two_cases_name_is_a_mention_of_both():
    text = sentence(TARO, drank(rel("ガ", "太郎", 0), rel("ヲ", "太郎", 0)))
    assert arguments(text) == [[Argument("NOM", 0, "DEP"), Argument("ACC", 0, "DEP")]]


def test_argument_whose_only_mention_fills_another_case():
    """The argument is 太郎 of the sentence before; 彼 (= 太郎) fills the dative."""
    second = sentence(HE, (rel("ガ", "太郎", 0) + rel("ニ", "彼", 0, sid="d-2"), SAID), sid="d-2")
    text = sentence(TARO, drank()) + second
    assert arguments(text) == [[Argument("DAT", 0, "DEP")]]
    assert removed(text) == {("NOM", Removal.OTHER_CASE): 1}


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
    assert removed(text, own_bunsetsu="drop_case") == {("NOM", Removal.OWN_BUNSETSU): 1}


def test_nominal_predicates_on_request():
    toss = (rel("ガ", "太郎", 0), [morpheme("トス", "名詞 6 サ変名詞 2 * 0 * 0 NIL")])
    assert arguments(sentence(TARO, toss)) == []
    assert arguments(sentence(TARO, toss), predicates="verbal_and_nominal") == [[Argument("NOM", 0, "DEP")]]


def test_predicate_of_verbal_noun_and_suru_is_the_suru_token():
    destroy = (
        rel("ガ", "太郎", 0),
        [morpheme("破壊", "名詞 6 サ変名詞 2 * 0 * 0 NIL"), morpheme("する", VERB)],
    )
    document = read_knp(sentence(TARO, destroy))
    assert document.sentences[0].predicates[0].token == 3


def test_zero_argument_is_zar():
    text = sentence(TARO, HANAKO, drank()).replace("* 2D\n+ 2D\n太郎", "* 1D\n+ 1D\n太郎")
    text = text.replace("* -1D\n+ -1D", "* -1D\n+ -1D " + rel("ガ", "太郎", 0))
    assert arguments(text) == [[Argument("NOM", 0, "ZAR")]]


def word(text: str) -> tuple[str, str, str, str]:
    """Build a token from SURFACE/POS or SURFACE/POS/SUB."""
    surface, pos, *sub = text.split("/")
    return surface, surface, pos, sub[0] if sub else "*"


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("お/接頭辞 茶/名詞 を/助詞", "茶"),
        ("「/特殊/括弧始 学生/名詞 さん/接尾辞 」/特殊/括弧終", "学生"),
        ("破壊/名詞 する/動詞 た/接尾辞", "する"),
        ("学生/名詞 だ/判定詞 。/特殊/句点", "学生"),
        ("大学/名詞 病院/名詞 の/助詞", "病院"),
        # What follows the noun or verb and belongs to the next clause.
        ("アイルランド/名詞 、/特殊/読点 そして/接続詞", "アイルランド"),
        ("香り/名詞 と/助詞 共に/副詞", "香り"),
        ("行い/動詞 、/特殊/読点 また/副詞", "行い"),
        ("切なく/形容詞 、/特殊/読点 そして/接続詞", "切なく"),
        ("使わ/動詞 れて/接尾辞 いる/接尾辞 か/助詞 どう/指示詞 か/助詞", "使わ"),
        ("それ/指示詞 と/助詞 同時に/副詞", "それ"),
        ("ＬｉＯＨ/未定義語 、/特殊/読点 また/副詞", "ＬｉＯＨ"),
        # Letters and digits are content, brackets, punctuation and blanks are none.
        ("Cu/特殊/記号 　/特殊/記号 を/助詞", "Cu"),
        ("「/特殊/括弧始 g/特殊/記号", "g"),
        ("「/特殊/括弧始 g/特殊/記号 」/特殊/括弧終 と/助詞", "g"),
        ("３/特殊/記号 が/助詞", "３"),
        ("Ａ/特殊/記号 級/接尾辞", "Ａ"),
        ("♂/特殊/記号 しか/助詞", "♂"),
        ("者/接尾辞 ・/特殊/記号", "者"),
        ("（/特殊/括弧始 　/特殊/空白 が/助詞", "が"),
        ("「/特殊/括弧始 率/接尾辞 が/助詞", "率"),
        ("「/特殊/括弧始 だ/判定詞", "だ"),
        ("新/接頭辞 、/特殊/読点", "新"),
        ("と/助詞 、/特殊/読点", "と"),
        # Nothing that could be one: the first.
        ("。/特殊/句点 」/特殊/括弧終", "。"),
    ],
)
def test_content_word(words, content):
    tokens = [word(text) for text in words.split(" ")]
    assert tokens[content_word(tokens)][0] == content


def test_content_word_is_the_token_of_mention_and_predicate():
    noun = ("", [morpheme("本", NOUN), morpheme("、", "特殊 1 読点 2 * 0 * 0 NIL"), morpheme("また", ADVERB)])
    verb = (rel("ヲ", "本", 0), [morpheme("読み", VERB), morpheme("また", ADVERB)])
    document = read_knp(sentence(noun, verb))
    assert document.sentences[0].predicates == [Predicate(3, None, [Argument("ACC", 0, "DEP")])]


GOOD = sentence(TARO, drank(rel("ガ", "太郎", 0)))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("EOS\n", "", 1, "not closed"),
        ("* 1D\n+ 1D\n", "", 2, "before any bunsetsu"),
        ("* 1D\n", "", 2, "a + line before any bunsetsu"),
        ("* 1D", "* 1X", 2, "expected a bunsetsu line"),
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
        read_knp(GOOD.replace(old, new))
    assert caught.value.line == line
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "heads", "kind", "line"),
    [
        ("* 1D", "* 0D", [-1, -1], "own head", 2),
        ("* 1D", "* 5D", [-1, -1], "head out of range", 2),
        ("* 1D", "* -2D", [-1, -1], "head out of range", 2),
        ("* -1D", "* 0D", [1, -1], "circle", 6),
        ("+ 1D", "+ 5D", [1, -1], "base phrase head out of range", 3),
    ],
)
def test_fault_of_the_tree_is_repaired_and_remarked(old, new, heads, kind, line):
    document = read_knp(GOOD.replace(old, new))
    assert document.sentences[0].heads == heads
    assert [(remark.kind, remark.line) for remark in document.remarks] == [(kind, line)]
    expected = "DEP" if heads[0] == 1 else "ZAR"
    assert document.sentences[0].predicates[0].arguments == [Argument("NOM", 0, expected)]


def test_homograph_lines_are_no_tokens():
    text = GOOD.replace(
        "飲んだ 飲んだ 飲んだ " + VERB, "飲んだ 飲んだ 飲む " + VERB + "\n@ 飲んだ 飲んだ 呑む " + VERB
    )
    assert read_knp(text).sentences[0].tokens == ["太郎", "が", "飲んだ"]


def test_relations_without_quotes_are_refused():
    with pytest.raises(ValueError, match="malformed"):
        parse_relations('<rel type="ガ" target=太郎/>')

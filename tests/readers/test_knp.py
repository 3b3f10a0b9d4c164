"""KNP format: the rules, one test per branch, and what malformed lines say."""

from __future__ import annotations

import pytest

from zarpipe.errors import FileProblem
from zarpipe.readers.knp import read
from zarpipe.readers.knp_phrases import content_word
from zarpipe.readers.reading import Place, reading
from zarpipe.task.documents import Argument, Document, Predicate

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


TARO = ("", [morpheme("太郎", NOUN), morpheme("が", PARTICLE)])
HANAKO = ("", [morpheme("花子", NOUN), morpheme("と", PARTICLE)])
IS_TARO = rel("=", "太郎", 0)
NOM_TARO = rel("ガ", "太郎", 0)


def he(*relations: str) -> tuple[str, list[str]]:
    return "".join(relations), [morpheme("彼", NOUN), morpheme("は", PARTICLE)]


def noun(surface: str, *relations: str) -> tuple[str, list[str]]:
    return "".join(relations), [morpheme(surface, NOUN)]


def drank(*relations: str) -> tuple[str, list[str]]:
    return "".join(relations), [morpheme("飲んだ", VERB)]


def case(expected: str, *phrases: tuple[str, list[str]], before: str = "", **options):
    """Return a case: sentences before one of these phrases, and the arguments of each predicate.

    They are written as case and token, with - behind a ZAR; / stands between predicates, and ! before what is
    not labelled.
    """
    return before + sentence(*phrases, sid="d-2" if before else "d-1"), options, expected


FIRST = sentence(TARO, drank())
TEA = (
    "",
    [morpheme("お", "接頭辞 13 名詞接頭辞 1 * 0 * 0 NIL"), morpheme("茶", NOUN), morpheme("を", PARTICLE)],
)
STUDENT = (IS_TARO + NOM_TARO, [morpheme("学生", NOUN), morpheme("だ", COPULA)])
TOSS = (NOM_TARO, [morpheme("トス", "名詞 6 サ変名詞 2 * 0 * 0 NIL")])
OPTIONAL = (rel("ニ", "花子", 1), rel("ニ", "なし", mode=' mode="？"'))
LABELS = [
    case("NOM0 ACC3", TARO, TEA, drank(NOM_TARO, rel("ヲ", "お茶", 1))),
    *(
        case("NOM0 NOM2", TARO, HANAKO, drank(NOM_TARO, rel("ガ", "花子", 1, f' mode="{mode}"')))
        for mode in ("AND", "OR", "？")
    ),
    # Exophora gives no mention and takes none away.
    *(
        case(expected, TARO, drank(rel("ガ", target), *more))
        for target in ("不特定:人", "著者", "前文")
        for expected, more in [("!NOM EXOPHORIC", []), ("NOM0", [rel("ガ", "太郎", 0, ' mode="？"')])]
    ),
    # 狭義に 言う: the dative can be left out, so it is no argument. Another case of the predicate stays.
    case("NOM0 !DAT OPTIONAL", TARO, HANAKO, drank(NOM_TARO, *OPTIONAL)),
    # Of 専門・なし・機関 only what stands before なし can be left out.
    case("NOM0 DAT2", TARO, HANAKO, drank(NOM_TARO, *OPTIONAL[::-1])),
    case("NOM0 DAT2", TARO, HANAKO, drank(NOM_TARO, rel("ニ", "太郎", 0), *OPTIONAL[::-1])),
    case("NOM0", TARO, drank(NOM_TARO, rel("ヲ", "なし"))),
    # An argument in another sentence, which may be mentioned again: 太郎が 飲んだ。 彼は 言った (ガ:太郎).
    case("NOM0 / !NOM OTHER_SENTENCE", HANAKO, drank(NOM_TARO), before=sentence(TARO, drank(NOM_TARO))),
    case("NOM0", he(IS_TARO), drank(NOM_TARO), before=FIRST),
    case("!NOM OTHER_SENTENCE", he(IS_TARO), drank(NOM_TARO), before=FIRST, coreferent_mentions=False),
    case("NOM0", he(IS_TARO), drank(), before=sentence(TARO, drank(rel("ガ", "彼", 0, sid="d-2")))),
    # 太郎 = 彼 = 同氏: the third mention is found from the first, over a sentence between them.
    case(
        "NOM0",
        noun("同氏", rel("=", "彼", 0, sid="d-3")),
        drank(NOM_TARO),
        before=FIRST + sentence(he(IS_TARO), drank(), sid="d-3"),
    ),
    *(
        case(expected, he(rel(kind, "太郎", 0)), drank(NOM_TARO), before=FIRST, construction_mentions=reach)
        for kind, reach, expected in [
            ("=構", "never", "!NOM OTHER_SENTENCE"),
            ("=構", "sentence", "!NOM OTHER_SENTENCE"),
            ("=構", "document", "NOM0"),
            ("=役", "sentence", "!NOM OTHER_SENTENCE"),
            ("=役", "document", "NOM0"),
            ("=", "never", "NOM0"),
        ]
    ),
    # 江上 町長が 述べた: name and title are one person.
    *(
        case(expected, TARO, he(rel(kind, "太郎", 0)), drank(NOM_TARO), construction_mentions=reach)
        for kind in ("=構", "=役")
        for reach, expected in [("never", "NOM0"), ("sentence", "NOM0 NOM2"), ("document", "NOM0 NOM2")]
    ),
    # The word なし is a target like others.
    case("NOM0 DAT0 DAT2", TARO, noun("なし"), drank(NOM_TARO, rel("ニ", "太郎", 0), rel("ニ", "なし", 1))),
    # 太郎は 学生だが 飲んだ: what stands before a copula is no mention. 飲んだのは 学生だ: の stands for it.
    case("NOM0", TARO, (rel("=構", "太郎", 0), STUDENT[1]), drank(NOM_TARO)),
    case("NOM0 NOM1", noun("の"), (rel("=構", "の", 0), STUDENT[1]), drank(rel("ガ", "の", 0))),
    # The argument is 太郎 of the sentence before; 彼 (= 太郎) brings it, so 町長 (=役 彼) is a mention too.
    case(
        "NOM0 NOM2", he(IS_TARO), noun("町長", rel("=役", "彼", 0, sid="d-2")), drank(NOM_TARO), before=FIRST
    ),
    # 私 (= 著者) が 飲んだ (ガ:著者). Referents that are not numbered are not one.
    *(
        case(expected, noun("私", rel("=", referent)), drank(rel("ガ", referent)))
        for referent, expected in [("著者", "NOM0"), ("不特定:人１", "NOM0"), ("不特定:人", "!NOM EXOPHORIC")]
    ),
    *(
        case(expected, (rel("=", referent), TARO[1]), he(rel("=", referent)), drank(NOM_TARO))
        for referent, expected in [("著者", "NOM0 NOM2"), ("不特定:物１", "NOM0 NOM2"), ("不特定:人", "NOM0")]
    ),
    # 太郎が 主将に なった, 主将 = 太郎: neither phrase is a mention of the other case.
    *(
        case("NOM0 DAT2", TARO, noun("主将", rel(kind, "太郎", 0)), drank(NOM_TARO, rel("ニ", "主将", 1)))
        for kind in ("=", "=構")
    ),
    # 太郎は 主将と して 知られる: the phrase of a case that is not labelled is no mention either.
    *(
        case("NOM0", TARO, noun("主将", rel("=構", "太郎", 0)), drank(NOM_TARO, rel(other, "主将", 1)))
        for other in ("ト", "トシテ", "外の関係", "ガ２")
    ),
    # What is not labelled may name what is not there.
    case("NOM0", TARO, drank(NOM_TARO, rel("デ", "家", 9))),
    case("NOM0", TARO, drank(NOM_TARO, rel("デ", "家", 0, sid="d-9"))),
    # An indirect relation is no other case.
    case("NOM0 NOM2", TARO, he(IS_TARO), drank(NOM_TARO, rel("ガ≒", "彼", 1))),
    case("NOM0 ACC0", TARO, drank(NOM_TARO, rel("ヲ", "太郎", 0))),
    # The argument is 太郎 of the sentence before; 彼 (= 太郎) fills the dative.
    case("DAT0 !NOM OTHER_CASE", he(IS_TARO), drank(NOM_TARO, rel("ニ", "彼", 0, sid="d-2")), before=FIRST),
    case("NOM0 NOM2", TARO, he(IS_TARO), drank(NOM_TARO)),
    case("NOM0", TARO, he(IS_TARO), drank(NOM_TARO), coreferent_mentions=False),
    # Near and uncertain identity.
    *(
        case("NOM0", TARO, he(rel(kind, "太郎", 0, mode)), drank(NOM_TARO))
        for kind, mode in [("=≒", ""), ("=", ' mode="？"'), ("=", ' mode="OR"')]
    ),
    # 学生だ = 太郎: only the mention in the predicate's own bunsetsu goes, unless the case shall be dropped.
    case("NOM0", TARO, STUDENT),
    case("!NOM OWN_BUNSETSU", TARO, STUDENT, own_bunsetsu="drop_case"),
    case("", TARO, TOSS),
    case("NOM0", TARO, TOSS, predicates="verbal_and_nominal"),
]


@pytest.mark.parametrize(("text", "options", "expected"), LABELS)
def test_labels(text, options, expected):
    document = read_knp(text, **options)
    found = [
        " ".join(f"{one.case}{one.token}" for one in predicate.arguments)
        for sentence in document.sentences
        for predicate in sentence.predicates
    ]
    removed = " ".join(f"!{case} {rule.name}" for (case, rule), count in document.removed.items())
    assert " ".join([" / ".join(found), removed]).split() == expected.split()
    assert set(document.removed.values()) <= {1}


def test_zero_argument_is_zar_and_the_predicate_of_verbal_noun_and_suru_is_the_suru_token():
    text = sentence(TARO, HANAKO, drank(NOM_TARO)).replace("* 2D\n+ 2D\n太郎", "* 1D\n+ 1D\n太郎")
    assert read_knp(text).sentences[0].predicates[0].arguments == [Argument("NOM", 0, "ZAR")]
    destroy = (NOM_TARO, [morpheme("破壊", "名詞 6 サ変名詞 2 * 0 * 0 NIL"), morpheme("する", VERB)])
    assert read_knp(sentence(TARO, destroy)).sentences[0].predicates[0].token == 3


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
        ('target="太郎"', "target=太郎", 7, "malformed <rel> tag"),
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
    text = GOOD.replace(f"飲んだ {VERB}", f"飲む {VERB}\n@ 飲んだ 飲んだ 呑む {VERB}")
    assert read_knp(text).sentences[0].tokens == ["太郎", "が", "飲んだ"]

"""The tab-separated form with the features of JUMAN, IPADIC and UniDic: lemmas, tagset, refusals."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from messages import assert_says

from zarpipe.errors import FileProblem
from zarpipe.readers import ntc
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import Place, reading
from zarpipe.task.documents import Argument

# 係員が 荷札を、 読んだ。 as CaboCha writes it with each dictionary.
FEATURES = {
    "juman": """\
係員	名詞,普通名詞,*,*,係員,かかりいん,代表表記:係員/かかりいん
が	助詞,格助詞,*,*,が,が,*
荷札	名詞,普通名詞,*,*,荷札,にふだ,代表表記:荷札/にふだ
を	助詞,格助詞,*,*,を,を,*
、	特殊,読点,*,*,、,、,*
読んだ	動詞,*,子音動詞マ行,タ形,読む,よんだ,代表表記:読む/よむ
。	特殊,句点,*,*,。,。,*""",
    "ipadic": """\
係員	名詞,一般,*,*,*,*,係員,カカリイン,カカリイン
が	助詞,格助詞,一般,*,*,*,が,ガ,ガ
荷札	名詞,一般,*,*,*,*,*
を	助詞,格助詞,一般,*,*,*,を,ヲ,ヲ
、	記号,読点,*,*,*,*,、,、,、
読ん	動詞,自立,*,*,五段・マ行,連用タ接続,読む,ヨン,ヨン
だ	助動詞,*,*,*,特殊・タ,基本形,だ,ダ,ダ
。	記号,句点,*,*,*,*,。,。,。""",
    "unidic": """\
係員	名詞,普通名詞,一般,*,*,*,カカリイン,係員,係員,カカリイン,係員,カカリイン,混,*,*,*,*
が	助詞,格助詞,*,*,*,*,ガ,が,が,ガ,が,ガ,和,*,*,*,*,ガ,ガ,ガ,ガ,*,*,*,"動詞%F2@0,名詞%F1",*
荷札	名詞,普通名詞,一般,*,*,*
を	助詞,格助詞,*,*,*,*,ヲ,を,を,オ,を,オ,和,*,*,*,*
、	補助記号,読点,*,*,*,*,,、,、,,、,,記号,*,*,*,*
読ん	動詞,一般,*,*,五段-マ行,連用形-撥音便,ヨム,読む,読ん,ヨン,読む,ヨム,和,*,*,*,*
だ	助動詞,*,*,*,助動詞-タ,終止形-一般,タ,た,だ,ダ,だ,ダ,和,*,*,*,*
。	補助記号,句点,*,*,*,*,,。,。,,。,,記号,*,*,*,*""",
}
LEMMAS = {
    "juman": ["係員", "が", "荷札", "を", "、", "読む", "。"],
    "ipadic": ["係員", "が", "荷札", "を", "、", "読む", "だ", "。"],
    "unidic": ["係員", "が", "荷札", "を", "、", "読む", "た", "。"],
}
SYMBOLS = {"juman": "特殊", "ipadic": "記号", "unidic": "補助記号"}
BUNSETSU = {"係員": "* 0 2D", "荷札": "* 1 2D", "読ん": "* 2 -1D", "読んだ": "* 2 -1D"}
ANNOTATIONS = {"係員": 'id="1"', "荷札": 'id="2"', "読ん": 'type="pred" ga="1" o="2"'}
ANNOTATIONS["読んだ"] = ANNOTATIONS["読ん"]


def document(features: str) -> str:
    lines = []
    for line in features.splitlines():
        surface = line.split("\t")[0]
        if surface in BUNSETSU:
            lines.append(f"{BUNSETSU[surface]} 0/1 0.000")
        lines.append(f"{line}\tO\t{ANNOTATIONS.get(surface, '')}")
    return "\n".join([*lines, "EOS", ""])


def read(features: str):
    return ntc.read(document(features), Place("a.txt", "950101-0001-950101001"), reading("ntc"))


@pytest.mark.parametrize("tagset", FEATURES)
def test_lemmas_tags_and_tagset(tagset):
    found = read(FEATURES[tagset])
    (sentence,) = found.sentences
    assert found.tagset == tagset
    assert sentence.lemmas == LEMMAS[tagset]
    assert sentence.pos[4] == sentence.pos[-1] == SYMBOLS[tagset]
    assert sentence.pos_sub[4] == "読点"
    assert sentence.predicates[0].arguments == [Argument("NOM", 0, "DEP"), Argument("ACC", 2, "DEP")]


@pytest.mark.parametrize("tagset", FEATURES)
def test_the_number_of_features_tells_where_the_tags_do_not(tagset):
    """名詞, 助詞, 動詞 and 助動詞 are in all three."""
    without = "\n".join(line for line in FEATURES[tagset].splitlines() if SYMBOLS[tagset] not in line)
    found = read(without)
    assert found.tagset == tagset
    assert found.sentences[0].lemmas == [lemma for lemma in LEMMAS[tagset] if lemma not in "、。"]


@pytest.mark.parametrize(
    ("tagset", "line", "lemma"),
    [
        ("juman", '"\t特殊,括弧始,*,*,",",*', '"'),
        ("juman", ",\t特殊,記号,*,*,,,,,*", ","),
        ("ipadic", '1,000\t名詞,数,*,*,*,*,"1,000",セン,セン', "1,000"),
        ("ipadic", '"\t名詞,サ変接続,*,*,*,*,*', '"'),
        ("unidic", '"\t補助記号,括弧開,*,*,*,*,,"""",",",,",",,記号,*,*,*,*', '"'),
        ("unidic", ',\t補助記号,読点,*,*,*,*,",",",",",",,",",,記号,*,*,*,*', ","),
    ],
)
def test_commas_and_quotes_in_features(tagset, line, lemma):
    sentence = read(f"{FEATURES[tagset]}\n{line}").sentences[0]
    assert sentence.tokens[-1] == line.split("\t")[0]
    assert sentence.lemmas[-1] == lemma


JUMAN, IPADIC, UNIDIC = FEATURES.values()
MIXED = [
    (JUMAN.replace("特殊,句点", "補助記号,句点"), 10, "'補助記号' of UniDic … others of JUMAN; … tags of one dictionary"),
    (IPADIC.replace("記号,句点", "特殊,句点"), 11, "'特殊' of JUMAN … others of IPADIC or UniDic; … tags of one dictionary"),
    (JUMAN.replace("名詞,普通名詞", "NOUN,普通名詞"), 2, "found the part of speech 'NOUN' … JUMAN:  … IPADIC:  … UniDic: "),
    (UNIDIC.replace("読む,読ん,ヨン,読む,ヨム,和,*,*,*,*", "読む"), 9, "found 8 features of a 動詞 … UniDic (6 or 17 to 29 features)"),
    ("係員\t名詞,一般,*,*,*,*,係員,カ,カ,x,x\n読んだ\t動詞,*,*,*,読む", 1, "fit no dictionary"),
    (JUMAN.replace(",*,*,係員,かかりいん,代表表記:係員/かかりいん", ""), 2, "found the features '名詞,普通名詞' … JUMAN (5 to 7 features)"),
]  # fmt: skip


@pytest.mark.parametrize(("features", "line", "words"), MIXED)
def test_mixtures_and_what_is_unknown_are_refused(features, line, words):
    with pytest.raises(FileProblem) as caught:
        read(features)
    assert caught.value.line == line
    assert_says(caught.value.message, words)
    assert "\n" not in caught.value.message


NAMES = {"train": "950103-0001-950103001", "dev": "950112-0001-950112001", "test": "950115-0001-950115001"}


def write(folder: Path, tagsets: dict[str, str]) -> Path:
    folder.mkdir()
    for split, tagset in tagsets.items():
        (folder / f"{NAMES[split]}.txt").write_text(document(FEATURES[tagset]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("tagset", FEATURES)
def test_the_corpus_says_which_tagset_it_has(tmp_path, tagset):
    convert(write(tmp_path / "in", dict.fromkeys(NAMES, tagset)), tmp_path / "out", reading("ntc"))
    for split in NAMES:
        metadata = pq.read_schema(tmp_path / f"out/{split}.parquet").metadata
        assert metadata[b"zarpipe.tagset"] == tagset.encode()


def test_a_corpus_of_two_dictionaries_is_refused(tmp_path):
    folder = write(tmp_path / "in", {"train": "juman", "dev": "unidic", "test": "juman"})
    said = r"of UniDic, in .*950103001\.txt those of JUMAN; expected one"
    with pytest.raises(FileProblem, match=said) as caught:
        convert(folder, tmp_path / "out", reading("ntc"))
    assert caught.value.path.endswith("950112-0001-950112001.txt")
    summary = convert(folder, tmp_path / "out", reading("ntc"), on_error="skip")
    assert [problem.path for problem in summary.skipped] == [caught.value.path]
    assert summary.documents == {"train": 1, "test": 1}


@pytest.mark.parametrize("form", ["ntc", "knp"])
def test_an_unknown_tag_of_one_that_has_only_juman_is_remarked(tmp_path, form):
    texts = {
        "ntc": "# S-ID:950103001-001\n* 0 -1D\n走る はしる * 0 * * 基本形 _\nEOS\n",
        "knp": "# S-ID:950103001-001\n* -1D\n+ -1D\n走る はしる 走る 0 2 * 0 * 0 * 0 NIL\nEOS\n",
    }
    (tmp_path / f"train.{form}").write_text(texts[form], encoding="utf-8")
    summary = convert(tmp_path, tmp_path / "out", reading(form), "folders")
    assert [(remark.kind, remark.line) for remark in summary.remarks] == [("unknown part of speech", 1)]
    assert "'0' is not one of JUMAN's" in summary.remarks[0].message

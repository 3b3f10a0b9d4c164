"""docs/extending/case.md: a fourth case is one entry, and everything follows."""

import csv
import json

import pyarrow.parquet as pq
import pytest
from documented import Package, example

# 太郎が 公園で 走り、 本を 読んだ。 Both predicates have the same ガ and デ.
SENTENCE = """\
# S-ID:{name}-1
* 2D
+ 2D
{who} {who} {who} 名詞 6 普通名詞 1 * 0 * 0 NIL
が が が 助詞 9 格助詞 1 * 0 * 0 NIL
* 2D
+ 2D
{where} {where} {where} 名詞 6 普通名詞 1 * 0 * 0 NIL
で で で 助詞 9 格助詞 1 * 0 * 0 NIL
* 4D
+ 4D <rel type="ガ" target="{who}" sid="{name}-1" id="0"/><rel type="デ" target="{where}" sid="{name}-1" id="1"/>
走り 走り 走る 動詞 2 * 0 子音動詞ラ行 10 基本連用形 8 NIL
、 、 、 特殊 1 読点 2 * 0 * 0 NIL
* 4D
+ 4D
{what} {what} {what} 名詞 6 普通名詞 1 * 0 * 0 NIL
を を を 助詞 9 格助詞 1 * 0 * 0 NIL
* -1D
+ -1D <rel type="ガ" target="{who}" sid="{name}-1" id="0"/><rel type="ヲ" target="{what}" sid="{name}-1" id="3"/>\
<rel type="デ" target="{where}" sid="{name}-1" id="1"/>
読んだ 読んだ 読む 動詞 2 * 0 子音動詞マ行 9 タ形 10 NIL
。 。 。 特殊 1 句点 1 * 0 * 0 NIL
EOS
"""
DOCUMENTS = {"train": 12, "dev": 4, "test": 4}
WORDS = {"who": ["学生", "社員", "店員"], "where": ["東京", "山川"], "what": ["書類", "原稿"]}


def write_corpus(folder):
    for split, count in DOCUMENTS.items():
        (folder / split).mkdir(parents=True)
        for number in range(count):
            name = f"w99{len(split):02}{number:02}"
            words = {kind: choices[number % len(choices)] for kind, choices in WORDS.items()}
            path = folder / split / f"{name}.knp"
            path.write_text(SENTENCE.format(name=name, **words), encoding="utf-8")


def table1(path):
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    return {(row["split"], row["relation"]): row for row in rows}


@pytest.fixture(scope="module")
def study(tmp_path_factory, tiny_mlm):
    """A small study with LOC, through the commands."""
    folder = tmp_path_factory.mktemp("fourth")
    package = Package(folder)
    table = example("case.md", "src/zarpipe/task/cases.py")
    new = package.replace("task/cases.py", r"^CASES = \(\n.*?^\)\n", table)
    assert len(new) == 1
    write_corpus(folder / "knp")
    corpus, mlm = folder / "corpus", tiny_mlm("bert-ja")
    package.run("convert", folder / "knp", "--format", "knp", "--jobs", 1, "--output", corpus)
    tables = ["--output-table1", folder / "table1.csv", "--output-table2", folder / "table2.csv"]
    package.run("count", corpus, *tables, "--published")
    masking = ["--method", "masking", "--pos-set", "noun", "--alpha", "0.5"]
    package.run("augment", corpus / "train.parquet", *masking, "--output", folder / "variant.parquet")
    for split in ("train", "dev"):
        package.run("encode", corpus / f"{split}.parquet", "--mlm", mlm, "--output", folder / f"{split}.h5")
    variant = ["--variant", folder / "variant.parquet", "--originals", folder / "train.h5"]
    package.run("encode", corpus / "train.parquet", "--mlm", mlm, *variant, "--output", folder / "variant.h5")
    package.run(
        *("train", "--corpus", corpus / "train.parquet", "--features", folder / "train.h5"),
        *("--variant-features", folder / "variant.h5"),
        *("--dev-corpus", corpus / "dev.parquet", "--dev-features", folder / "dev.h5"),
        *("--layers", 2, "--hidden-size", 16, "--learning-rate", "0.02", "--epochs", 30, "--seed", 1),
        *("--threads", 1, "--output", folder / "tagger"),
    )
    package.run(
        *("predict", "--tagger", folder / "tagger", "--corpus", corpus / "dev.parquet"),
        *("--features", folder / "dev.h5", "--threads", 1, "--output", folder / "decisions.parquet"),
    )
    package.run(
        *("evaluate", "--corpus", corpus / "dev.parquet", "--predictions", folder / "decisions.parquet"),
        *("--output", folder / "scores.json"),
    )
    return package, folder


def test_arguments_are_read_and_counted(study):
    _, folder = study
    row = pq.read_table(folder / "corpus/dev.parquet").to_pylist()[0]
    assert [[tuple(one.values()) for one in predicate["arguments"]] for predicate in row["predicates"]] == [
        [("NOM", 0, "DEP"), ("LOC", 2, "DEP")],
        [("NOM", 0, "ZAR"), ("ACC", 6, "DEP"), ("LOC", 2, "ZAR")],
    ]
    counts = table1(folder / "table1.csv")
    cases = ("nom", "acc", "dat", "loc")
    for split, documents in DOCUMENTS.items():
        assert [int(counts[split, "dep"][case]) for case in cases] == [documents, documents, 0, documents]
        assert [int(counts[split, "zar"][case]) for case in cases] == [documents, 0, 0, documents]
    row = counts["train", "dep"]  # the paper's cells stay empty
    assert row["nom_published"] == "36877"
    assert (row["loc_published"], row["loc_difference"]) == ("", "")


def test_tagger_thresholds_decisions_and_scores_follow(study):
    _, folder = study
    thresholds = json.loads((folder / "tagger/thresholds.json").read_text(encoding="utf-8"))
    assert list(thresholds) == ["NOM", "ACC", "DAT", "LOC"]
    assert 0.10 <= thresholds["LOC"] <= 0.70
    decided = pq.read_table(folder / "decisions.parquet").to_pylist()
    assert "LOC" in {row["case"] for row in decided}
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    for relation in ("ALL", "DEP", "ZAR"):
        assert list(scores[relation]) == ["NOM", "ACC", "DAT", "LOC", "ALL"]
    of_loc = scores["ZAR"]["LOC"]
    assert of_loc["tp"] + of_loc["fn"] == DOCUMENTS["dev"]


def test_what_people_look_at_follows(study):
    package, folder = study
    corpus = folder / "corpus/dev.parquet"
    assert "LOC  gold 東京/2 ZAR" in package.run("show", corpus)
    package.run("show", corpus, "--predictions", folder / "decisions.parquet", "--html", folder / "show.html")
    page = (folder / "show.html").read_text(encoding="utf-8")
    assert '<span class="LOC" title="locative, で de">LOC</span>' in page
    assert ".LOC { background: #f7dff3; }" in page
    styles = package.python("from zarpipe.report.colours import *; print(case_colours(), TERMINAL_STYLES)")
    assert "--loc: #8a2a7d" in styles
    assert ".chip.LOC" in styles
    assert "'LOC': 'bold magenta'" in styles
    columns = package.python("from zarpipe.formats.scores import F1_COLUMNS; print(list(F1_COLUMNS))")
    assert "'zar_dat', 'zar_loc', 'dep_f1'" in columns


def test_it_is_read_from_ntc_too(study, tmp_path):
    package, _ = study
    (tmp_path / "950101-0001-950101001.ntc").write_text(
        "# S-ID:950101001-001\n"
        '* 0 1D\n公園 こうえん * 名詞 普通名詞 * * id="3"\nで で * 助詞 格助詞 * * _\n'
        '* 1 -1D\n走る はしる * 動詞 * 子音動詞ラ行 基本形 de="3"/type="pred"\nEOS\n',
        encoding="utf-8",
    )
    package.run("convert", tmp_path, "--format", "ntc", "--jobs", 1, "--output", tmp_path / "corpus")
    row = pq.read_table(tmp_path / "corpus/train.parquet").to_pylist()[0]
    assert row["predicates"][0]["arguments"] == [{"case": "LOC", "token": 0, "relation": "DEP"}]

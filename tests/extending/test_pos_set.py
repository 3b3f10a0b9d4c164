"""docs/extending/pos-set.md: a set of parts of speech is a line of the configuration."""

import csv
import shlex

import pyarrow.parquet as pq
import pytest
from documented import example

from zarpipe.cli import main
from zarpipe.config.files import load_config
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.task.tagsets import resolve

PAGE = "pos-set.md"
MASKING = [
    "augment",
    "corpus/train.parquet",
    "--method",
    "masking",
    "--alpha",
    "1.0",
    "--output",
    "v.parquet",
]
# 昨日 太郎は ゆっくり 走った。
LINES = """\
# S-ID:{name}-001
* 0 3D
昨日 きのう * 名詞 時相名詞 * * _
* 1 3D
太郎 たろう * 名詞 固有名詞 * * id="1"
は は * 助詞 副助詞 * * _
* 2 3D
ゆっくり ゆっくり * 副詞 * * * _
* 3 -1D
走った はしった 走る 動詞 * 子音動詞ラ行 タ形 ga="1"/type="pred"
。 。 * 特殊 句点 * * _
EOS
"""


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """The corpus of the commands on the page, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for split in ("train", "dev", "test"):
        folder = tmp_path / "in" / split
        folder.mkdir(parents=True)
        (folder / f"{split}.ntc").write_text(LINES.format(name=split), encoding="utf-8")
    convert(tmp_path / "in", tmp_path / "corpus", reading("ntc"), "folders")
    return tmp_path


def test_the_configuration_of_the_page(tmp_path):
    path = tmp_path / "adverb.yaml"
    path.write_text(example(PAGE, "adverb.yaml"), encoding="utf-8")
    config = load_config([path])
    assert config.augmentation.pos_sets == ["all", "adverb", "content"]
    tags = {name: resolve(name, config.pos_sets, "ipadic") for name in config.pos_sets}
    assert tags["adverb"].contains("副詞", "一般")
    assert [tags["content"].contains(pos) for pos in ("名詞", "助詞", "特殊")] == [True, False, False]
    assert [tags["proper"].contains("名詞", sub) for sub in ("固有名詞", "一般")] == [True, False]
    assert tags["prefix"].contains("接頭詞")


def test_the_commands_of_the_page(corpus):
    commands = shlex.split(example(PAGE, "commands").replace("\\\n", " "))
    first, second = (commands[: commands.index("zarpipe", 1)], commands[commands.index("zarpipe", 1) :])
    assert main(first[1:]) == main(second[1:]) == 0
    assert pq.read_table("variants/masking-adverb-1.0.parquet")["masked"].to_pylist() == [[3]]
    with (corpus / "table2.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[-1] == {"pos_set": "adverb", "tokens": "1", "ratio_percent": "16.67"}
    assert len(rows) == 11


@pytest.mark.parametrize(
    ("definition", "masked"),
    [
        ("own: [名詞-固有名詞]", [1]),
        ("own: {except: [助詞, 特殊]}", [0, 1, 3]),  # 走った is the target
        ("own: {except: [名詞-固有名詞]}", [0, 2, 3, 5]),
        ("own: {juman: [副詞], unidic: [名詞]}", [3]),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_sets_mask_their_tokens(definition, masked):
    assert main([*MASKING, "--pos-set", "own", "--define", definition]) == 0
    assert pq.read_table("v.parquet")["masked"].to_pylist() == [masked]


@pytest.mark.parametrize(
    ("name", "definition", "message"),
    [
        ("advrb", "adverb: [副詞]", "found the POS set 'advrb'; expected one of noun, "),
        ("verb", "verb: [動詞]", "--define.verb: found 'verb'; this is one of the paper's sets"),
        ("own", "own: [動詞", "--define: found 'own: [動詞'; not valid YAML: expected"),
        ("own", "own: 動詞", "--define.own: found '動詞'; expected a list of tags"),
        (
            "own",
            "{own: {ipadic: [副詞]}}",
            "pos_sets.own: found tags for ipadic only; the corpus has those of",
        ),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_what_is_no_set_is_one_message(capsys, name, definition, message):
    assert main([*MASKING, "--pos-set", name, "--define", definition]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.mark.usefixtures("corpus")
def test_a_set_without_tokens_is_a_warning(capsys):
    assert main([*MASKING, "--pos-set", "own", "--define", "own: [感動詞]"]) == 0
    expected = "the POS set own (感動詞 in JUMAN) has no token; the corpus has 副詞, 助詞, 動詞, 名詞, 特殊"
    assert expected in capsys.readouterr().err


def test_a_corpus_with_foreign_tags_is_one_message(corpus, capsys):
    path = corpus / "corpus/train.parquet"
    table = pq.read_table(path)
    foreign = [[{"名詞": "NOUN"}.get(pos, "X") for pos in row] for row in table["pos"].to_pylist()]
    place = table.schema.get_field_index("pos")
    pq.write_table(table.set_column(place, table.schema.field(place), [foreign]), path)
    assert main([*MASKING, "--pos-set", "noun"]) == 1
    expected = "no POS set (noun) knows the corpus's parts of speech: found NOUN, X; expected those of JUMAN"
    assert expected in capsys.readouterr().err
    assert main([*MASKING, "--pos-set", "own", "--define", "own: [NOUN]"]) == 0
    assert pq.read_table("v.parquet")["masked"].to_pylist() == [[0, 1]]

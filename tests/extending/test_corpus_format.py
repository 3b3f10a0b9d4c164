"""docs/extending/corpus-format.md: a format is one module and one line."""

import json

import pyarrow.parquet as pq
import pytest
from documented import Package, example

PAGE = "corpus-format.md"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    made = Package(tmp_path_factory.mktemp("format"))
    table = example(PAGE, "src/zarpipe/config/corpus.py")
    assert made.replace("config/corpus.py", r"^READERS = Registry\(\n.*?^\)\n", table) == [
        '        "jsonl": "zarpipe.readers.jsonl",'
    ]
    module = made.source / "zarpipe/readers/jsonl.py"
    module.write_text(example(PAGE, "src/zarpipe/readers/jsonl.py"), encoding="utf-8")
    return made


@pytest.fixture
def corpus(tmp_path):
    for split in ("train", "dev", "test"):
        folder = tmp_path / "in" / split
        folder.mkdir(parents=True)
        line = example(PAGE, "950101.jsonl").replace("950101-1", f"{split}-1")
        (folder / f"{split}-document.jsonl").write_text(line, encoding="utf-8")
    return tmp_path / "in"


def test_it_is_converted(package, corpus, tmp_path):
    package.run("convert", corpus, "--format", "jsonl", "--jobs", 1, "--output", tmp_path / "out")
    table = pq.read_table(tmp_path / "out/dev.parquet")
    assert table.schema.metadata[b"zarpipe.tagset"] == b"juman"
    assert table.to_pylist() == [
        {
            "doc_id": "dev-document",
            "sent_id": "dev-1",
            "tokens": ["太郎", "が", "走った"],
            "lemmas": ["太郎", "が", "走る"],
            "pos": ["名詞", "助詞", "動詞"],
            "pos_sub": ["人名", "格助詞", "*"],
            "bunsetsu": [0, 0, 1],
            "heads": [1, -1],
            "predicates": [
                {"token": 2, "alt": None, "arguments": [{"case": "NOM", "token": 0, "relation": "DEP"}]}
            ],
        }
    ]


def test_a_fault_has_its_line_and_can_be_skipped(package, corpus, tmp_path):
    path = corpus / "train/train-document.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + "{}\n", encoding="utf-8")
    command = ["convert", corpus, "--format", "jsonl", "--jobs", 1, "--output", tmp_path / "out"]
    said = package.run(*command, code=1)
    assert "train-document.jsonl:2: found '{}' ('bunsetsu'); expected a sentence with id" in said
    assert "Traceback" not in said
    assert "1 documents skipped" in package.run(*command, "--on-error", "skip")


def test_configuration_and_schema_know_it(package, tmp_path):
    (tmp_path / "own.yaml").write_text("corpus: {format: jsonl}\n", encoding="utf-8")
    program = "from zarpipe.config.files import load_config; print(load_config({[path]}).corpus.format)"
    assert package.python(program.replace("{[path]}", repr([str(tmp_path / "own.yaml")]))) == "jsonl\n"
    schema = json.loads(package.run("schema"))
    assert schema["$defs"]["CorpusConfig"]["properties"]["format"]["enum"] == [
        "ntc",
        "knp",
        "parquet",
        "jsonl",
    ]

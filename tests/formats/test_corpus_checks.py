"""Corpora of other programs: every kind of wrong row is named, right ones pass whatever their types."""

from __future__ import annotations

import copy

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarpipe.cli import main
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import CORPUS_SCHEMA, corpus_problems, instances_of, read_corpus, read_instances
from zarpipe.formats.corpus_checks import problems
from zarpipe.readers.convert import convert
from zarpipe.readers.reading import reading
from zarpipe.task.relations import relation

WORDS = ["太郎", "が", "本", "を", "読ん", "だ"]


def sentence(sent_id: str) -> dict:
    """太郎が / 本を / 読んだ: both arguments depend on the predicate, token 4."""
    arguments = [
        {"case": "NOM", "token": 0, "relation": "DEP"},
        {"case": "ACC", "token": 2, "relation": "DEP"},
    ]
    return {
        "doc_id": "d",
        "sent_id": sent_id,
        "tokens": list(WORDS),
        "lemmas": list(WORDS),
        "pos": ["名詞"] * 6,
        "pos_sub": ["*"] * 6,
        "bunsetsu": [0, 0, 1, 1, 2, 2],
        "heads": [2, 2, -1],
        "predicates": [{"token": 4, "alt": None, "arguments": arguments}],
    }


def written(path, rows, schema=CORPUS_SCHEMA):
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def predicate(row):
    return row["predicates"][0]


def argument(row):
    return row["predicates"][0]["arguments"][1]


WRONG = {
    "case": (
        lambda row: argument(row).update(case="INS"),
        "column 'predicates.arguments.case': found 'INS' (predicate 4); expected NOM or ACC or DAT",
    ),
    "relation": (
        lambda row: argument(row).update(relation="XYZ"),
        "column 'predicates.arguments.relation': found 'XYZ' (predicate 4); expected DEP or ZAR",
    ),
    "relation that the heads contradict": (
        lambda row: argument(row).update(relation="ZAR"),
        "found 'ZAR' of token 2 (predicate 4); expected DEP by the heads",
    ),
    "heads that the relation contradicts": (
        lambda row: row.update(heads=[1, 2, -1]),
        "found 'DEP' of token 0 (predicate 4); expected ZAR by the heads",
    ),
    "argument beyond the sentence": (
        lambda row: argument(row).update(token=6),
        "column 'predicates.arguments.token': found 6 (predicate 4); expected a token of the sentence, 0 to 5",
    ),
    "negative argument": (lambda row: argument(row).update(token=-1), "found -1 (predicate 4)"),
    "argument in the predicate's bunsetsu": (
        lambda row: argument(row).update(token=5),
        "found 5, in the bunsetsu of its predicate (predicate 4); expected a token of another bunsetsu",
    ),
    "argument twice": (
        lambda row: argument(row).update(case="NOM", token=0),
        "found the token 0 again (predicate 4); expected each mention of a case once",
    ),
    "predicate beyond the sentence": (
        lambda row: predicate(row).update(token=6),
        "column 'predicates.token': found 6; expected a token of the sentence, 0 to 5",
    ),
    "predicate twice": (
        lambda row: row["predicates"].append(row["predicates"][0]),
        "column 'predicates.token': found the predicate 4 again; expected each predicate once",
    ),
    **{
        f"short {name}": (
            lambda row, name=name: row.update({name: row[name][:5]}),
            f"column {name!r}: found 5 values; expected 6, one for each token",
        )
        for name in ("lemmas", "pos", "pos_sub", "bunsetsu")
    },
    "bunsetsu without a head": (
        lambda row: row.update(heads=[1, -1]),
        "column 'bunsetsu': found 2; expected a bunsetsu from 0 to 1 (there are 2 heads)",
    ),
    "falling bunsetsu": (
        lambda row: row.update(bunsetsu=[0, 1, 0, 1, 2, 2]),
        "column 'bunsetsu': found 0 after 1; expected numbers that do not fall",
    ),
    "head out of range": (
        lambda row: row.update(heads=[3, 2, -1]),
        "column 'heads': found the head 3; expected a bunsetsu from 0 to 2, or -1 for the root",
    ),
    "head below -1": (lambda row: row.update(heads=[-2, 2, -1]), "found the head -2"),
    "own head": (lambda row: row.update(heads=[2, 1, -1]), "found bunsetsu 1 as its own head"),
    "circle": (
        lambda row: row.update(heads=[1, 2, 0]),
        "column 'heads': found a circle of dependencies; expected a tree with -1 at the root",
    ),
    "no tokens": (
        lambda row: row.update(
            tokens=[], lemmas=[], pos=[], pos_sub=[], bunsetsu=[], heads=[], predicates=[]
        ),
        "column 'tokens': found an empty list; expected at least one token",
    ),
    "sentence twice": (
        lambda row: row.update(sent_id="s1"),
        "column 'sent_id': found the identifier of row 1 again; expected one of its own",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_every_kind_of_wrong_row_is_named(tmp_path, kind):
    change, expected = WRONG[kind]
    rows = [sentence("s1"), sentence("s2"), sentence("s3")]
    rows[1] = copy.deepcopy(rows[1])
    change(rows[1])
    path = written(tmp_path / "corpus.parquet", rows)
    with pytest.raises(ZarpipeError) as error:
        read_corpus(path)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{path}: row 2 (sentence {rows[1]['sent_id']!r}), column ")
    assert expected in str(error.value)


def nullify(values, path):
    for key in path[:-1]:
        values = values[key]
    values[path[-1]] = None


NULLS = [
    *[(name,) for name in CORPUS_SCHEMA.names],
    *[(name, 1) for name in ("tokens", "lemmas", "pos", "pos_sub", "bunsetsu", "heads", "predicates")],
    *[("predicates", 0, name) for name in ("token", "arguments")],
    ("predicates", 0, "arguments", 1),
    *[("predicates", 0, "arguments", 1, name) for name in ("case", "token", "relation")],
]


@pytest.mark.parametrize("path", NULLS)
def test_nothing_may_be_null(tmp_path, path):
    rows = [sentence("s1"), copy.deepcopy(sentence("s2"))]
    rows[1]["predicates"].append({"token": 1, "alt": None, "arguments": []})
    nullify(rows[1], path)
    file = written(tmp_path / "corpus.parquet", rows)
    name = ".".join(step for step in path if isinstance(step, str))
    with pytest.raises(ZarpipeError, match=rf"row 2 \(sentence .*column '{name}': found nothing"):
        read_corpus(file)


def test_a_reader_of_some_columns_checks_these(tmp_path):
    rows = [sentence("s1"), copy.deepcopy(sentence("s2"))]
    argument(rows[1])["token"] = 7
    file = written(tmp_path / "corpus.parquet", rows)
    assert len(read_corpus(file, ["sent_id"])) == 2
    with pytest.raises(ZarpipeError, match=r"row 2 \(sentence 's2'\).*found 7"):
        read_instances(file)


def test_other_types_of_the_same_values_are_read(tmp_path):
    """As pandas and polars write them: 64-bit integers, large lists, categories, fields in another order."""
    rows = [sentence("s1"), sentence("s2")]
    mention = pa.struct(
        [
            ("relation", pa.dictionary(pa.int8(), pa.string())),
            ("note", pa.string()),
            ("token", pa.int64()),
            ("case", pa.large_string()),
        ]
    )
    target = pa.struct([("arguments", pa.large_list(mention)), ("alt", pa.string()), ("token", pa.uint8())])
    types = {
        "pos": pa.large_list(pa.dictionary(pa.int32(), pa.string())),
        "bunsetsu": pa.list_(pa.int64()),
        "heads": pa.large_list(pa.int8()),
        "predicates": pa.list_(target),
    }
    schema = pa.schema([(field.name, types.get(field.name, field.type)) for field in CORPUS_SCHEMA])
    table = read_corpus(written(tmp_path / "odd.parquet", rows, schema))
    assert table.schema.equals(CORPUS_SCHEMA)
    plain = read_corpus(written(tmp_path / "plain.parquet", rows))
    assert table.equals(plain)
    assert np.array_equal(instances_of(table).labels, instances_of(plain).labels)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("heads", pa.list_(pa.string()), r"column 'heads': found the type list<.*; expected list<"),
        ("tokens", pa.string(), r"column 'tokens': found the type string .*; expected list<"),
        (
            "predicates",
            pa.list_(pa.struct([("token", pa.int32())])),
            r"column 'predicates': .*'alt' is missing",
        ),
        ("sent_id", pa.list_(pa.string()), r"column 'sent_id': found the type list<"),
    ],
)
def test_columns_of_another_kind_are_refused(tmp_path, name, kind, message):
    empty = pa.table({field.name: pa.nulls(0, field.type) for field in CORPUS_SCHEMA})
    columns = {field.name: [] for field in CORPUS_SCHEMA} | {name: ["x"] if kind == pa.string() else []}
    if kind == pa.list_(pa.string()):
        columns[name] = [["x"]]
    if name == "predicates":
        columns[name] = [[{"token": 1}]]
    rows = len(columns[name])
    table = pa.table(
        {
            field.name: pa.array(columns[name], kind) if field.name == name else pa.nulls(rows, field.type)
            for field in CORPUS_SCHEMA
        }
    )
    assert empty.schema.equals(CORPUS_SCHEMA)
    pq.write_table(table, tmp_path / "corpus.parquet")
    with pytest.raises(ZarpipeError, match=message):
        read_corpus(tmp_path / "corpus.parquet")


@st.composite
def right_rows(draw):
    """Sentences whose heads may point either way, with arguments anywhere outside the predicate's bunsetsu."""
    rows = []
    for number in range(draw(st.integers(0, 4))):
        count = draw(st.integers(1, 6))
        order = draw(st.permutations(range(count)))
        heads = [-1] * count
        for place in range(1, count):
            heads[order[place]] = draw(st.sampled_from([-1, *order[:place]]))
        sizes = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
        bunsetsu = [place for place, size in enumerate(sizes) for _ in range(size)]
        predicates = []
        for token in draw(st.lists(st.integers(0, len(bunsetsu) - 1), unique=True, max_size=3)):
            others = [place for place, own in enumerate(bunsetsu) if own != bunsetsu[token]]
            pairs = st.tuples(st.sampled_from(["NOM", "ACC", "DAT"]), st.sampled_from(others or [0]))
            chosen = draw(st.lists(pairs, unique=True, max_size=4)) if others else []
            arguments = [
                {
                    "case": case,
                    "token": place,
                    "relation": relation(bunsetsu[token], bunsetsu[place], heads).name,
                }
                for case, place in chosen
            ]
            predicates.append({"token": token, "alt": None, "arguments": arguments})
        words = ["語"] * len(bunsetsu)
        columns = dict.fromkeys(("tokens", "lemmas", "pos", "pos_sub"), words)
        rows.append(
            {"doc_id": "d", "sent_id": f"s{number}", **columns}
            | {"bunsetsu": bunsetsu, "heads": heads, "predicates": predicates}
        )
    return rows


@settings(max_examples=60, deadline=None)
@given(right_rows())
def test_right_corpora_pass(rows):
    table = pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA).combine_chunks()
    assert list(problems(table)) == []


@settings(max_examples=60, deadline=None)
@given(right_rows().filter(bool), st.data())
def test_circles_are_found_in_any_tree(rows, data):
    """Whatever the tree: when a bunsetsu's head is set to one below it, there is a circle."""
    row = rows[data.draw(st.integers(0, len(rows) - 1))]
    heads = row["heads"]
    below = data.draw(st.sampled_from(range(len(heads))))
    root = below
    while heads[root] != -1:
        root = heads[root]
    heads[root] = below
    row["predicates"] = []
    table = pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA).combine_chunks()
    found = [problem.found for problem in problems(table)]
    own = root == below
    assert found == ([f"bunsetsu {root} as its own head"] if own else ["a circle of dependencies"])


def test_check_tells_all_files_and_kinds(tmp_path, capsys):
    good = written(tmp_path / "good.parquet", [sentence("s1"), sentence("s2")])
    rows = [copy.deepcopy(sentence("s1")), copy.deepcopy(sentence("s2"))]
    rows[0]["pos"].pop()
    rows[1]["lemmas"] = rows[1]["lemmas"][:3]
    bad = written(tmp_path / "bad.parquet", rows)
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: 2 sentences, no problem\n"
    assert main(["check", str(bad), str(good), str(tmp_path / "none.parquet")]) == 1
    told = capsys.readouterr().err.splitlines()
    assert [line.partition("column ")[2] or line for line in told] == [
        "'lemmas': found 3 values; expected 6, one for each token",
        "'pos': found 5 values; expected 6, one for each token",
        f"{tmp_path / 'none.parquet'}: no such file; make it with `zarpipe convert`",
    ]
    assert len(corpus_problems(bad)) == 2


def test_check_names_unknown_tags_and_refuses_an_empty_file(tmp_path, capsys):
    row = sentence("s1")
    row["pos"] = ["NOUN", *row["pos"][1:]]
    odd = written(tmp_path / "odd.parquet", [row])
    assert main(["check", str(odd)]) == 0
    assert f"zarpipe: warning: {odd}: JUMAN does not have NOUN: " in capsys.readouterr().err
    empty = written(tmp_path / "empty.parquet", [])
    assert main(["check", str(empty)]) == 1
    assert f"{empty}: no row; expected at least one sentence" in capsys.readouterr().err


def test_whoever_wrote_the_file_themselves_is_told_how(tmp_path, capsys):
    path = tmp_path / "own.parquet"
    path.write_bytes(b"PAR1 and no more")
    assert main(["check", str(path)]) == 1
    assert "if it is yours, write it as docs/parquet.md says" in capsys.readouterr().err


def corpus_folder(folder, **splits):
    folder.mkdir()
    for split, rows in splits.items():
        written(folder / f"{split}.parquet", rows)
    return folder


def of_document(name, *numbers):
    return [sentence(f"{name}-{number}") | {"doc_id": name} for number in numbers]


def test_a_corpus_in_parquet_is_checked_and_copied(tmp_path):
    train = of_document("a", 1, 2) + of_document("b", 1)
    mine = corpus_folder(tmp_path / "mine", train=train, dev=of_document("c", 1), test=of_document("e", 1))
    summary = convert(mine, tmp_path / "out", reading("parquet"))
    assert pq.read_table(tmp_path / "out/train.parquet").to_pylist() == train
    assert pq.read_schema(tmp_path / "out/dev.parquet").metadata[b"zarpipe.schema"] == b"1"
    counts = [summary.documents, summary.sentences, summary.predicates, summary.tokens]
    assert [count["train"] for count in counts] == [2, 3, 3, 18]
    again = convert(tmp_path / "out", tmp_path / "again", reading("parquet"), limits={"train": 1})
    assert (again.documents["train"], again.sentences["train"]) == (1, 2)


def test_the_command_converts_parquet(tmp_path, capsys):
    rows = {split: of_document(split, 1) for split in ("train", "dev", "test")}
    mine = corpus_folder(tmp_path / "mine", **rows)
    assert main(["convert", str(mine), "--format", "parquet", "--output", str(tmp_path / "~" / "a:b")]) == 0
    assert "train: 1 documents, 1 sentences, 1 predicates, 6 tokens" in capsys.readouterr().out
    assert sorted(path.name for path in (tmp_path / "~" / "a:b").iterdir()) == [
        "dev.parquet",
        "test.parquet",
        "train.parquet",
    ]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (
            {"train": of_document("a", 1)},
            r"dev.parquet: no such file; expected train.parquet, dev.parquet and",
        ),
        (
            {"train": of_document("a", 1), "dev": of_document("a", 2), "test": of_document("b", 1)},
            "the document 'a' is in train and in dev",
        ),
        (
            {"train": of_document("a", 1, 1), "dev": of_document("b", 1), "test": of_document("c", 1)},
            r"train.parquet: row 2 \(sentence 'a-1'\)",
        ),
    ],
)
def test_a_wrong_corpus_in_parquet_writes_nothing(tmp_path, splits, message):
    mine = corpus_folder(tmp_path / "mine", **splits)
    with pytest.raises(ZarpipeError, match=message):
        convert(mine, tmp_path / "out", reading("parquet"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(ZarpipeError):
        convert(mine, mine, reading("parquet"))

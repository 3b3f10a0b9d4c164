"""Corpora of other programs: every kind of wrong row is named, right ones pass whatever their types."""

from __future__ import annotations

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


def changed(path, value):
    """Return three rows; in the second, what stands at the path is another value."""
    rows = [sentence("s1"), sentence("s2"), sentence("s3")]
    values = rows[1]
    for key in path[:-1]:
        values = values[key]
    values[path[-1]] = value
    return rows


ARGUMENT = ("predicates", 0, "arguments", 1)
TWICE = [sentence("s")["predicates"][0]] * 2
EMPTY = ("tokens", "lemmas", "pos", "pos_sub", "bunsetsu", "heads", "predicates")
IN_CASE, IN_TOKEN = (
    "column 'predicates.arguments.case': found ",
    "column 'predicates.arguments.token': found ",
)
# Where in the second row what stands, and words of the message.
WRONG = [
    ((*ARGUMENT, "case"), "INS", f"{IN_CASE}'INS' (predicate 4); expected NOM or ACC or DAT"),
    (
        (*ARGUMENT, "relation"),
        "XYZ",
        "column 'predicates.arguments.relation': found 'XYZ' (predicate 4); expected DEP or ZAR",
    ),
    ((*ARGUMENT, "relation"), "ZAR", "found 'ZAR' of token 2 (predicate 4); expected DEP by the heads"),
    (("heads",), [1, 2, -1], "found 'DEP' of token 0 (predicate 4); expected ZAR by the heads"),
    ((*ARGUMENT, "token"), 6, f"{IN_TOKEN}6 (predicate 4); expected a token of the sentence, 0 to 5"),
    ((*ARGUMENT, "token"), -1, "found -1 (predicate 4)"),
    (
        (*ARGUMENT, "token"),
        5,
        "found 5, in the bunsetsu of its predicate (predicate 4); expected a token of another bunsetsu",
    ),
    (
        ARGUMENT,
        {"case": "NOM", "token": 0, "relation": "DEP"},
        "found the token 0 again (predicate 4); expected each mention of a case once",
    ),
    (
        ("predicates", 0, "token"),
        6,
        "column 'predicates.token': found 6; expected a token of the sentence, 0 to 5",
    ),
    (
        ("predicates",),
        TWICE,
        "column 'predicates.token': found the predicate 4 again; expected each predicate once",
    ),
    *(
        ((name,), sentence("s")[name][:5], f"column {name!r}: found 5 values; expected 6, one for each token")
        for name in ("lemmas", "pos", "pos_sub", "bunsetsu")
    ),
    (("heads",), [1, -1], "column 'bunsetsu': found 2; expected a bunsetsu from 0 to 1 (there are 2 heads)"),
    (
        ("bunsetsu",),
        [0, 1, 0, 1, 2, 2],
        "column 'bunsetsu': found 0 after 1; expected numbers that do not fall",
    ),
    (
        ("heads",),
        [3, 2, -1],
        "column 'heads': found the head 3; expected a bunsetsu from 0 to 2, or -1 for the root",
    ),
    (("heads",), [-2, 2, -1], "found the head -2"),
    (("heads",), [2, 1, -1], "found bunsetsu 1 as its own head"),
    (
        ("heads",),
        [1, 2, 0],
        "column 'heads': found a circle of dependencies; expected a tree with -1 at the root",
    ),
    (
        (),
        sentence("s2") | {name: [] for name in EMPTY},
        "column 'tokens': found an empty list; expected at least one token",
    ),
    (("sent_id",), "s1", "column 'sent_id': found the identifier of row 1 again; expected one of its own"),
    # Nothing may be null but the voice.
    *(
        (path, None, f"column '{'.'.join(step for step in path if isinstance(step, str))}': found nothing")
        for path in [
            *((name,) for name in CORPUS_SCHEMA.names),
            *((name, 1) for name in EMPTY[:-1]),
            *(("predicates", 0, name) for name in ("token", "arguments")),
            ("predicates", 0),
            ARGUMENT,
            *((*ARGUMENT, name) for name in ("case", "token", "relation")),
        ]
    ),
]


@pytest.mark.parametrize(("path", "value", "expected"), WRONG)
def test_every_kind_of_wrong_row_is_named(tmp_path, path, value, expected):
    rows = changed(path, value) if path else [sentence("s1"), value, sentence("s3")]
    file = written(tmp_path / "corpus.parquet", rows)
    with pytest.raises(ZarpipeError) as error:
        read_corpus(file)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(f"{file}: row 2 (sentence {rows[1]['sent_id']!r}), column ")
    assert expected in str(error.value)


def test_a_reader_of_some_columns_checks_these(tmp_path):
    file = written(tmp_path / "corpus.parquet", changed((*ARGUMENT, "token"), 7))
    assert len(read_corpus(file, ["sent_id"])) == 3
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
    ("name", "values", "message"),
    [
        ("heads", [["x"]], r"column 'heads': found the type list<.*; expected list<"),
        ("tokens", ["x"], r"column 'tokens': found the type string .*; expected list<"),
        ("predicates", [[{"token": 1}]], r"column 'predicates': .*'alt' is missing"),
        ("sent_id", [["x"]], r"column 'sent_id': found the type list<"),
    ],
)
def test_columns_of_another_kind_are_refused(tmp_path, name, values, message):
    columns = {field.name: pa.nulls(1, field.type) for field in CORPUS_SCHEMA} | {name: pa.array(values)}
    pq.write_table(pa.table(columns), tmp_path / "corpus.parquet")
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
    rows = [sentence("s1") | {"pos": ["名詞"] * 5}, sentence("s2") | {"lemmas": WORDS[:3]}]
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


def test_check_names_unknown_tags_and_refuses_an_empty_file_and_what_is_none(tmp_path, capsys):
    row = sentence("s1") | {"pos": ["NOUN", *["名詞"] * 5]}
    odd = written(tmp_path / "odd.parquet", [row])
    assert main(["check", str(odd)]) == 0
    assert f"zarpipe: warning: {odd}: JUMAN does not have NOUN: " in capsys.readouterr().err
    empty = written(tmp_path / "empty.parquet", [])
    (tmp_path / "own.parquet").write_bytes(b"PAR1 and no more")
    assert main(["check", str(empty), str(tmp_path / "own.parquet")]) == 1
    told = capsys.readouterr().err
    assert f"{empty}: no row; expected at least one sentence" in told
    assert "if it is yours, write it as docs/parquet.md says" in told


def corpus_folder(folder, **splits):
    folder.mkdir()
    for split, rows in splits.items():
        written(folder / f"{split}.parquet", rows)
    return folder


def of_document(name, *numbers):
    return [sentence(f"{name}-{number}") | {"doc_id": name} for number in numbers]


def test_a_corpus_in_parquet_is_checked_and_copied(tmp_path, capsys):
    train = of_document("a", 1, 2) + of_document("b", 1)
    mine = corpus_folder(tmp_path / "mine", train=train, dev=of_document("c", 1), test=of_document("e", 1))
    out = tmp_path / "~" / "a:b"
    assert main(["convert", str(mine), "--format", "parquet", "--output", str(out)]) == 0
    assert "train: 2 documents, 3 sentences, 3 predicates, 18 tokens" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == ["dev.parquet", "test.parquet", "train.parquet"]
    with (out / "train.parquet").open("rb") as stream:
        table = pq.read_table(stream)
    assert table.to_pylist() == train
    assert table.schema.metadata[b"zarpipe.schema"] == b"1"
    again = convert(out, tmp_path / "again", reading("parquet"), limits={"train": 1})
    assert (again.documents["train"], again.sentences["train"]) == (1, 2)


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

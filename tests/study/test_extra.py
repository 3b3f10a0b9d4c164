"""More training text: what is refused before any job, by the key, the file and the sentence."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_corpora import row

from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.study.extra import check_apart, check_extra, extra_name

ARGUMENTS = {1: [("NOM", 0)]}


def write(path, *rows):
    pq.write_table(pa.Table.from_pylist(list(rows), CORPUS_SCHEMA), path)
    return str(path)


@pytest.fixture
def dev(tmp_path):
    return write(tmp_path / "dev.parquet", row("dev-1", ["犬が", "いる"], {}), row("dev-2", ["猫"], {}))


def test_a_sentence_of_dev_or_test_is_refused_by_name_however_it_is_cut(tmp_path, dev):
    extra = write(
        tmp_path / "extra.parquet", row("a", ["人", "いる"], ARGUMENTS), row("b", ["犬", "がいる"], ARGUMENTS)
    )
    with pytest.raises(ZarpipeError) as refused:
        check_extra("recipes.mine.extra[0]", extra, [dev])
    assert str(refused.value).startswith(
        f"recipes.mine.extra[0]: {extra}: sentence 'b' is sentence 'dev-1' of {dev}; expected no sentence"
    )
    check_apart(extra, [])


def test_what_is_never_trained_on_may_stand_there(tmp_path, dev):
    extra = write(tmp_path / "extra.parquet", row("a", ["人", "いる"], ARGUMENTS), row("b", ["猫"], {}))
    check_extra("recipes.mine.extra[0]", extra, [dev])


def test_files_that_cannot_be_trained_on_are_refused_with_the_key(tmp_path):
    nothing = write(tmp_path / "nothing.parquet", row("a", ["人", "いる"], {}))
    with pytest.raises(
        ZarpipeError, match=r"^recipes\.mine\.extra\[0\]: .*no sentence has a target predicate"
    ):
        check_extra("recipes.mine.extra[0]", nothing, [])
    with pytest.raises(ZarpipeError, match=r"extra\[0\]: none\.parquet"):
        check_extra("recipes.mine.extra[0]", "none.parquet", [])
    (tmp_path / "broken.parquet").write_text("no", encoding="utf-8")
    with pytest.raises(ZarpipeError, match=r"extra\[0\]: .*broken\.parquet"):
        check_extra("recipes.mine.extra[0]", str(tmp_path / "broken.parquet"), [])


def test_files_of_one_name_in_two_folders_have_two_names():
    assert extra_name("a/x.parquet") != extra_name("b/x.parquet")
    assert extra_name("a/x.parquet").startswith("extra-x-")

"""Taggers decide documents that they have not seen; copies whose decisions change are left out of training."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_study import train_arguments

from zarpipe.cli import main
from zarpipe.evaluate.evaluation import read_gold
from zarpipe.files import file_digest
from zarpipe.formats.copies import read_kept_copies
from zarpipe.formats.corpus import read_corpus, read_instances
from zarpipe.formats.features import Features
from zarpipe.formats.parquet import write_parquet
from zarpipe.formats.predictions import read_decisions
from zarpipe.formats.tagger import read_tensors
from zarpipe.tagger import loop
from zarpipe.tagger.batches import plan_batches
from zarpipe.task.antecedents import compare_decisions
from zarpipe.task.subsets import AllButOneFold

FOLDS, SEED = 2, 5


def fold_options(without):
    return ["--folds", str(FOLDS), "--without-fold", str(without), "--subset-seed", str(SEED)]


@pytest.fixture(scope="module")
def taggers(study, tmp_path_factory):
    """The folders of one tagger without each fold."""
    folder = tmp_path_factory.mktemp("folds")
    for without in range(FOLDS):
        more = [*fold_options(without), "--seed", "1", "--epochs", "8"]
        assert main(train_arguments(study, folder / str(without), *more)) == 0
    return [folder / str(without) for without in range(FOLDS)]


@pytest.fixture(scope="module")
def decide(study):
    """A function that runs `zarpipe predict-held-out` and returns its exit status."""

    def run(taggers, *outputs, variant=False):
        arguments = ["predict-held-out", "--tagger", *map(str, taggers)]
        arguments += ["--corpus", str(study.train), "--features", str(study.train_features)]
        arguments += ["--variant-features", str(study.variant_features)] if variant else []
        return main([*arguments, "--threads", "1", "--output", *map(str, outputs)])

    return run


@pytest.fixture(scope="module")
def decided(taggers, decide, tmp_path_factory):
    """The files of decisions about the originals and their copies."""
    folder = tmp_path_factory.mktemp("decided")
    original, refilled = folder / "train.parquet", folder / "variant.parquet"
    assert decide(taggers, original) == 0
    assert decide(taggers, refilled, variant=True) == 0
    return original, refilled


def test_each_document_is_decided_by_the_tagger_that_has_not_seen_it(study, taggers, decided, tmp_path):
    gold = read_gold(study.train)
    documents = np.array(read_corpus(study.train, ["doc_id"])["doc_id"].to_pylist())
    doc_ids = sorted(set(documents.tolist()))
    found = read_decisions(decided[0], gold)
    assert (found >= 0).sum() > 20
    for without, tagger in enumerate(taggers):
        output = tmp_path / f"{without}.parquet"
        files = ["--corpus", str(study.train), "--features", str(study.train_features)]
        assert main(["predict", "--tagger", str(tagger), *files, "--output", str(output)]) == 0
        seen = AllButOneFold(folds=FOLDS, without=without, seed=SEED).chosen(doc_ids)
        unseen = np.isin(documents[gold.instances.sentence], np.array(doc_ids)[~seen])
        assert 0 < unseen.sum() < len(unseen)
        assert np.array_equal(found[unseen], read_decisions(output, gold)[unseen])


def test_unchanged_copies_are_decided_like_their_originals(study, decided):
    gold = read_gold(study.train)
    before, after = (read_decisions(path, gold) for path in decided)
    unchanged = Features.open(study.variant_features).instance_sequence < 0
    assert np.array_equal(before[unchanged], after[unchanged])
    assert not np.array_equal(before, after)


def test_the_order_of_the_taggers_does_not_matter(taggers, decide, decided, tmp_path):
    assert decide(taggers[::-1], tmp_path / "again.parquet") == 0
    assert pq.read_table(tmp_path / "again.parquet").equals(pq.read_table(decided[0]))


def test_taggers_that_do_not_decide_everything_are_refused(study, taggers, decide, tmp_path, capsys):
    output = tmp_path / "decided.parquet"
    assert decide(taggers[:1], output) == 1
    assert "found taggers of seed 1 without fold 0; expected one for each of the folds 0 to 1" in said(capsys)
    assert decide(taggers, output, tmp_path / "other.parquet") == 1
    assert "--output: found 2 files; expected one for each of the 1 seeds (1)" in said(capsys)
    more = ["--seed", "1", "--epochs", "1"]
    assert main(train_arguments(study, tmp_path / "all", *more)) == 0
    capsys.readouterr()
    assert decide([*taggers, tmp_path / "all"], output) == 1
    assert "was not trained without a fold of the documents" in said(capsys)
    other = [*fold_options(0)[:-1], "6", *more]
    assert main(train_arguments(study, tmp_path / "other", *other)) == 0
    capsys.readouterr()
    assert decide([*taggers, tmp_path / "other"], output) == 1
    assert "expected taggers of the same folds" in said(capsys)
    assert not output.exists()


def said(capsys):
    error = capsys.readouterr().err
    assert "Traceback" not in error
    return error


# --- copies whose decisions stay


@pytest.fixture(scope="module")
def kept_file(study, decided, tmp_path_factory):
    output = tmp_path_factory.mktemp("kept") / "kept.parquet"
    original, refilled = map(str, decided)
    files = ["--corpus", str(study.train), "--originals", original, "--refilled", refilled]
    assert main(["filter-copies", *files, "--output", str(output)]) == 0
    return output


def test_copies_whose_decisions_change_are_left_out(study, decided, kept_file):
    gold = read_gold(study.train)
    before, after = (read_decisions(path, gold) for path in decided)
    kept = read_kept_copies(kept_file, len(gold.instances), file_digest(study.train))
    assert np.array_equal(kept, compare_decisions(before, after, gold.instances).stays)
    assert 0 < kept.sum() < len(kept)


def test_a_copy_is_left_out_when_more_than_half_of_the_seeds_decide_it_differently(study, decided, tmp_path):
    def kept(*changed):
        output = tmp_path / "kept.parquet"
        files = ["--corpus", str(study.train), "--originals", *[str(decided[0])] * len(changed)]
        files += ["--refilled", *(str(decided[one]) for one in changed), "--output", str(output)]
        assert main(["filter-copies", *files]) == 0
        return pq.read_table(output).to_pydict()

    once, half, most = kept(1), kept(1, 0), kept(1, 1, 0)
    assert all(half["kept"])
    assert most["kept"] == once["kept"]
    assert most["changed_seeds"] == [2 * count for count in once["changed_seeds"]]


def tensors(folder):
    return {name: values.tolist() for name, values in read_tensors(folder / "tagger.safetensors")[0].items()}


def write_list(path, source, kept):
    table = pq.read_table(source)
    column = pa.array(np.asarray(kept, bool))
    changed = table.set_column(table.column_names.index("kept"), "kept", column)
    write_parquet(path, changed, {"zarpipe.corpus": table.schema.metadata[b"zarpipe.corpus"].decode()})
    return path


def test_training_without_any_copy_is_that_of_the_baseline_and_with_all_that_of_the_variant(
    study, kept_file, tmp_path
):
    n = len(read_instances(study.train))
    none = write_list(tmp_path / "none.parquet", kept_file, np.zeros(n))
    every = write_list(tmp_path / "all.parquet", kept_file, np.ones(n))
    options = {
        "baseline": [],
        "none": ["--variant-features", str(study.variant_features), "--keep", str(none)],
        "variant": ["--variant-features", str(study.variant_features)],
        "every": ["--variant-features", str(study.variant_features), "--keep", str(every)],
        "some": ["--variant-features", str(study.variant_features), "--keep", str(kept_file)],
        "twice": ["--copies", "2"],
        "originals of every": ["--keep", str(every)],
    }
    for name, more in options.items():
        arguments = train_arguments(study, tmp_path / name, "--seed", "1", "--epochs", "2", *more)
        assert main(arguments) == 0
    found = {name: tensors(tmp_path / name) for name in options}
    assert found["none"] == found["baseline"]
    assert found["every"] == found["variant"]
    assert found["some"] not in (found["baseline"], found["variant"])
    assert found["originals of every"] == found["twice"]


def test_the_baseline_of_a_filtered_recipe_makes_as_many_updates(study, kept_file, tmp_path, monkeypatch):
    counts = []

    def counted(lengths, *more):
        counts.append((sorted(lengths.tolist()), len(planned := plan_batches(lengths, *more))))
        return planned

    monkeypatch.setattr(loop, "plan_batches", counted)
    for name, copies in (("filtered", ["--variant-features", str(study.variant_features)]), ("equal", [])):
        more = ["--keep", str(kept_file), "--epochs", "1", "--batch-size", "3", "--seed", "1", *copies]
        assert main(train_arguments(study, tmp_path / name, *more)) == 0
    filtered, equal = counts
    assert filtered == equal
    n = len(read_instances(study.train))
    assert n < len(filtered[0]) < 2 * n


def test_a_list_that_does_not_belong_is_refused(study, kept_file, tmp_path, capsys):
    variant = ["--seed", "1", "--epochs", "1", "--variant-features", str(study.variant_features)]
    table = pq.read_table(kept_file)
    foreign = tmp_path / "foreign.parquet"
    pq.write_table(table.replace_schema_metadata({"zarpipe.corpus": "1" * 64}), foreign)
    short = tmp_path / "short.parquet"
    write_parquet(short, table.slice(1), {"zarpipe.corpus": file_digest(study.train)})
    shutil.copy(study.train, tmp_path / "corpus.parquet")
    for path, message in (
        (foreign, "belongs to another corpus (digest 111111111111"),
        (short, "belongs to another corpus"),
        (tmp_path / "corpus.parquet", "cannot be read as a list of copies"),
        (tmp_path / "nothing.parquet", "no such file; expected a list of copies of `zarpipe filter-copies`"),
    ):
        assert main(train_arguments(study, tmp_path / "out", *variant, "--keep", str(path))) == 1
        assert message in said(capsys)

"""A small study: made-up sentences whose hidden states tell the labels, with noise."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tiny_corpora import row

from zarpipe.files import file_digest
from zarpipe.formats.corpus import CORPUS_SCHEMA, read_instances
from zarpipe.formats.features import Features, write_features
from zarpipe.task.cases import CASE_NAMES

HIDDEN_SIZE = 8


def build(folder: Path) -> SimpleNamespace:
    """Write corpus and feature files of a training and a development split, and of one variant.

    The training split has 60 sentences in six documents.
    """
    files = {}
    for seed, (split, sentences) in enumerate({"train": 60, "dev": 25}.items()):
        files[split] = folder / f"{split}.parquet"
        write_corpus(files[split], sentences, seed)
        files[f"{split}_features"] = folder / f"{split}.h5"
        write_split_features(files[f"{split}_features"], files[split], seed)
    files["variant_features"] = folder / "variant.h5"
    write_variant_features(files["variant_features"], files["train_features"], files["train"])
    return SimpleNamespace(**files, folder=folder)


def train_arguments(study: SimpleNamespace, output: Path, *more: str) -> list[str]:
    """Return the arguments of `zarpipe train` for a small tagger of the study."""
    return [
        "train",
        *("--corpus", str(study.train), "--features", str(study.train_features)),
        *("--dev-corpus", str(study.dev), "--dev-features", str(study.dev_features)),
        *("--output", str(output), "--layers", "2", "--hidden-size", "12", "--batch-size", "32"),
        *("--learning-rate", "0.01", "--threads", "1", *more),
    ]


def predict_arguments(study: SimpleNamespace, tagger: Path, output: Path) -> list[str]:
    """Return the arguments of `zarpipe predict` for the study's development split."""
    files = ("--corpus", str(study.dev), "--features", str(study.dev_features))
    more = ("--output", str(output), "--batch-size", "32", "--threads", "1")
    return ["predict", "--tagger", str(tagger), *files, *more]


def write_corpus(path: Path, sentences: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = []
    for number in range(sentences):
        length = int(random.integers(3, 12))
        predicates = sorted(random.choice(length, int(random.integers(0, 4)), replace=False).tolist())
        arguments = {token: _arguments(token, length, random) for token in predicates}
        rows.append(row(f"d-{number}", ["語"] * length, arguments, doc_id=f"d{number // 10}"))
    pq.write_table(pa.Table.from_pylist(rows, CORPUS_SCHEMA), path)


def _arguments(predicate, length, random):
    others = random.permutation([token for token in range(length) if token != predicate])
    chosen = zip(CASE_NAMES, others.tolist(), strict=False)
    return [one for one in chosen if random.random() < 0.7]


def write_split_features(path: Path, corpus: Path, seed: int, **provenance: object) -> None:
    """One sequence per sentence with a predicate; rows hint at the labels of its first predicate."""
    instances = read_instances(corpus)
    random = np.random.default_rng([7, seed])
    _, first, sequence = np.unique(instances.sentence, return_index=True, return_inverse=True)
    hidden = random.normal(0, 0.3, (int(instances.offsets[-1]), HIDDEN_SIZE))
    hidden[np.arange(len(hidden)), instances.labels] += 1
    rows = np.concatenate(
        [hidden[instances.offsets[i] : instances.offsets[i + 1]] for i in first] or [hidden]
    ).astype(np.float16)
    offsets = np.concatenate([[0], np.cumsum(instances.lengths[first])])
    write_features(
        path, [rows], HIDDEN_SIZE, offsets, sequence.astype(np.int64), _provenance(corpus, **provenance)
    )


def write_variant_features(
    path: Path, originals: Path, corpus: Path, scale: float = 0.5, **more: object
) -> None:
    """Every other instance has a sequence of its own, the others point to the originals."""
    source = Features.open(originals)
    own = np.arange(len(source.instance_sequence)) % 2 == 0
    sequence = -1 - source.instance_sequence
    sequence[own] = np.arange(own.sum())
    copied = source.instance_sequence[own]
    rows = source.gather(copied) * np.float16(scale)
    offsets = np.concatenate([[0], np.cumsum(source.lengths[copied])])
    provenance = _provenance(corpus, variant="v", originals=source.provenance["digest"], **more)
    write_features(path, [rows], HIDDEN_SIZE, offsets, sequence, provenance)


def _provenance(corpus, **changes):
    fixed = {"corpus": file_digest(corpus), "variant": None, "originals": None, "mlm": "m", "mlm_digest": "1"}
    return {**fixed, **changes}

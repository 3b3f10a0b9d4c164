"""Predictions of trained taggers on an encoded split: decided arguments and all probabilities.

Beside the decisions ``A.parquet`` (columns: `zarpipe.evaluate.decisions`) lies ``A.probabilities.h5`` with
what ensembles and significance tests need (layout: `zarpipe.evaluate.probabilities`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe import __version__
from zarpipe.corpus.instances import Instances
from zarpipe.corpus.schema import CASES, read_corpus
from zarpipe.errors import ZarpipeError
from zarpipe.evaluate.probabilities import FORMAT_VERSION, probabilities_path
from zarpipe.evaluate.thresholds import Candidates, candidates
from zarpipe.files import file_digest, whole_file
from zarpipe.tagger.devices import chosen_device
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.inputs import check_same_mlm, read_split
from zarpipe.tagger.weights import WEIGHTS_NAME, TaggerFile, read_tagger

Int64 = npt.NDArray[np.int64]


def predict_files(
    taggers: Sequence[Path],
    corpus: Path,
    features: Path,
    outputs: Sequence[Path],
    batch_size: int,
    device: str = "auto",
) -> None:
    """Apply each tagger to a split and write its decisions and probabilities.

    Raises:
        ZarpipeError: a tagger or feature file that does not belong.
    """
    if len(taggers) != len(outputs):
        raise ZarpipeError(
            f"--output: found {len(outputs)} files; expected one for each of the {len(taggers)} taggers"
        )
    if len(set(outputs)) != len(outputs):
        raise ZarpipeError("--output: the same file is named twice; expected one for each tagger")
    instances, encoded = read_split(corpus, features, "prediction")
    sent_ids = read_corpus(corpus, ["sent_id"])["sent_id"].combine_chunks()
    where = chosen_device(device)
    for folder, output in zip(taggers, outputs, strict=True):
        tagger = read_tagger(folder)
        check_same_mlm(encoded.sources[0], tagger.provenance.get("mlm_digest"), f"the tagger {folder}")
        probabilities = predict_probabilities(tagger.model.to(where), encoded, batch_size)
        _check_finite(probabilities, folder, features)
        provenance = {
            "zarpipe": __version__,
            "corpus": encoded.sources[0].provenance["corpus"],
            "features": encoded.sources[0].provenance["digest"],
            "tagger": file_digest(folder / WEIGHTS_NAME),
            "seed": tagger.provenance.get("seed"),
        }
        write_probabilities(probabilities_path(output), probabilities, instances.offsets, provenance)
        decided, found = _decide(tagger, probabilities, instances.offsets)
        write_decisions(output, decided, found.probability, instances, sent_ids, provenance)


def write_decisions(
    path: Path,
    decided: Int64,
    probability: npt.NDArray[np.float64],
    instances: Instances,
    sent_ids: pa.Array,
    provenance: dict[str, Any],
) -> None:
    """Write decided arguments as a prediction Parquet, in the order of instances and cases.

    Args:
        path: the Parquet file.
        decided: [n, 3] int64, token index of each case's argument, -1 for none.
        probability: [n, 3], the candidates' probabilities.
        instances: the split's instances.
        sent_ids: sentence identifiers, one per row of the corpus.
        provenance: what the decisions were made from; stored in the metadata as JSON
            (``zarpipe.provenance``), the corpus digest also as ``zarpipe.corpus``.
    """
    instance, case = np.nonzero(decided >= 0)
    table = pa.table(
        {
            "sent_id": sent_ids.take(pa.array(instances.sentence[instance])),
            "predicate": pa.array(instances.predicate[instance], pa.int32()),
            "case": pa.array(np.array(CASES)[case], pa.string()),
            "token": pa.array(decided[instance, case], pa.int32()),
            "probability": pa.array(probability[instance, case].astype(np.float32)),
        }
    )
    metadata = {
        "zarpipe.corpus": str(provenance.get("corpus")),
        "zarpipe.provenance": json.dumps(provenance, sort_keys=True),
    }
    with whole_file(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata(metadata), temporary, compression="zstd", write_page_checksum=True
        )


def write_probabilities(
    path: Path, probabilities: npt.NDArray[np.float32], offsets: Int64, provenance: dict[str, Any]
) -> None:
    """Write [N, 4] probabilities and [n + 1] offsets so that the file is never half-written."""
    with whole_file(path) as temporary, h5py.File(temporary, "w", locking=False) as file:
        file["probabilities"], file["offsets"] = probabilities, offsets
        stored = {"format_version": FORMAT_VERSION, **provenance}
        file.attrs["provenance"] = json.dumps(stored, sort_keys=True)


def _decide(
    tagger: TaggerFile, probabilities: npt.NDArray[np.float32], offsets: Int64
) -> tuple[Int64, Candidates]:
    found = candidates(probabilities, offsets)
    return found.decide(tagger.thresholds, tagger.config.accept == "exceeds"), found


def _check_finite(probabilities: npt.NDArray[np.float32], folder: Path, features: Path) -> None:
    if not np.isfinite(probabilities).all():
        raise ZarpipeError(
            f"{folder}: its probabilities on {features} are not numbers; check the file with `zarpipe cache` "
            "and train the tagger again"
        )

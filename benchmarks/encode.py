"""Measures the encoder on sentences as long as KWDLC's, with a randomly initialised BERT-base.

    python benchmarks/encode.py [--threads 2] [--rounds 5] [--beside FOLDER]

Prints the CPU's features, a table, and ends with five lines; behind each, with ``--beside``, the figure of
the checkout in FOLDER, which ran in turn:

- ``vs_fixed_padding``: tokens per second against batches of 32 sentences in text order, padded to 128
  subwords;
- ``vs_single``: tokens per second against a loop of single sentences;
- ``gemm_share``: floating-point operations per second of the matrix products that the sentences' own subwords
  need (padding not counted), against the rate of 2048 x 2048 float32 matrix products;
- ``bfloat16_vs_float32``: tokens per second of the encoder in bfloat16 against float32; none without AMX;
- ``gather_gb_s``: gigabytes per second of random gathers of 512 sequences from a feature file in the page
  cache.

Lengths are those of KWDLC's training sentences that have a predicate, in subwords of a 10,645-entry WordPiece
vocabulary (`kwdlc_subwords.csv`). Every round runs all of them one after the other, and the medians of the
rounds are compared, so that a change of the machine's speed meets all of them.
"""

from __future__ import annotations

import argparse
import copy
import csv
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import BertConfig, BertForMaskedLM

from zarpipe.config import EncodingConfig
from zarpipe.formats.features import Features, write_features
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.forward import Abilities
from zarpipe.mlm.loading import FrozenMlm
from zarpipe.mlm.sequences import SubwordSequences

# The `statistics` of this folder takes it from the path, so that it is not found instead of Python's own.
sys.path.append(str(Path(__file__).parent))
from machine import figures_beside, has_amx, print_figures, print_machine

Int64 = npt.NDArray[np.int64]

_VOCABULARY = 32768
_CLS, _SEP, _PAD = 2, 3, 0
_FIXED_LENGTH, _FIXED_BATCH = 128, 32
_GEMM_SIZE = 2048


class _Frame:
    """Stands in for a tokenizer: the ids are random, only the special tokens around them matter."""

    prefix, suffix = [_CLS], [_SEP]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--sentences", type=int, default=11_620, help="sentences that are batched (default: as in KWDLC)"
    )
    parser.add_argument(
        "--round-tokens", type=int, default=5000, help="tokens per round of zarpipe's encoder"
    )
    parser.add_argument("--batch-tokens", type=int, default=EncodingConfig().batch_tokens)
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="a checkout of another version")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    generator = np.random.default_rng(1)
    lengths = generator.permutation(_kwdlc_lengths(arguments.sentences, generator))
    model = _bert_base()
    encoder = _Encoder(model, lengths, arguments.batch_tokens, generator)
    rounded = _Encoder(copy.deepcopy(model).bfloat16(), lengths, arguments.batch_tokens, generator)
    contestants: dict[str, Callable[[], tuple[float, float]]] = {
        "zarpipe": lambda: encoder.run(arguments.round_tokens),
        "fixed padding": lambda: _fixed_padding(
            model, generator.choice(lengths, 2 * _FIXED_BATCH), generator
        ),
        "single sentences": lambda: _single(model, generator.choice(lengths, 60), generator),
        "matrix product": _matrix_product,
    }
    if has_amx():
        contestants["zarpipe in bfloat16"] = lambda: rounded.run(arguments.round_tokens)
    beside: list[dict[str, float]] = []
    if arguments.beside:
        options = ("--threads", str(arguments.threads), "--rounds", "1")
        contestants["beside"] = lambda: _beside(beside, arguments.beside, options)
    print_machine()
    with torch.inference_mode():
        rates = _measure(contestants, arguments.rounds)
    rates.pop("beside", None)
    _print_rates(rates, arguments.threads, float(lengths.mean()) + 2)
    gather = _gather_rate(lengths, generator)
    ours, in_bfloat16 = rates["zarpipe"], rates.get("zarpipe in bfloat16", (0.0, 0.0))
    figures = {
        "vs_fixed_padding": f"{ours[0] / rates['fixed padding'][0]:.2f}",
        "vs_single": f"{ours[0] / rates['single sentences'][0]:.2f}",
        "gemm_share": f"{ours[1] / rates['matrix product'][1]:.3f}",
        "gather_gb_s": f"{gather:.2f}",
        "bfloat16_vs_float32": f"{in_bfloat16[0] / ours[0]:.2f}" if has_amx() else "none",
    }
    print_figures(figures, beside)


def _beside(found: list[dict[str, float]], folder: Path, options: tuple[str, ...]) -> tuple[float, float]:
    """Run the other version once."""
    found.append(figures_beside(folder, "encode.py", *options))
    return 0.0, 0.0


class _Encoder:
    """Zarpipe's batches over all sentences; each round runs a random part of them."""

    def __init__(
        self, model: BertForMaskedLM, lengths: Int64, budget: int, generator: np.random.Generator
    ) -> None:
        long_to_short = np.sort(lengths)[::-1]
        offsets = np.concatenate([[0], np.cumsum(long_to_short)])
        representatives = np.concatenate([np.arange(length) for length in long_to_short])
        ids = generator.integers(5, _VOCABULARY, offsets[-1])
        mlm = FrozenMlm(
            name="bert-base",
            digest="",
            subwords=_Frame(),  # type: ignore[arg-type]
            padding_id=_PAD,
            limit=512,
            device=torch.device("cpu"),
            dtype=model.dtype,
            model=model,
            head_is_trained=True,
            abilities=Abilities(BertConfig().hidden_size, takes_padding=True, head_stands_alone=True),
        )
        sequences = SubwordSequences(ids, offsets, representatives, representatives + 1, offsets)
        self._batches = Batches(sequences, mlm, budget)
        self._lengths = long_to_short
        self._order = iter(generator.permutation(np.tile(np.arange(len(self._batches)), 50)))

    def run(self, wanted: int) -> tuple[float, float]:
        """Encode batches of together at least ``wanted`` subwords; return subwords and operations."""
        subwords, operations = 0.0, 0.0
        while subwords < wanted:
            batch = int(next(self._order))
            self._batches.hidden(batch).half()
            done = self._lengths[self._batches.bounds[batch] : self._batches.bounds[batch + 1]] + 2
            subwords += float(done.sum())
            operations += _operations(done)
        return subwords, operations


def _fixed_padding(
    model: BertForMaskedLM, lengths: Int64, generator: np.random.Generator
) -> tuple[float, float]:
    for start in range(0, len(lengths), _FIXED_BATCH):
        batch = lengths[start : start + _FIXED_BATCH] + 2
        mask = torch.from_numpy((np.arange(_FIXED_LENGTH) < batch[:, None]).astype(np.int64))
        ids = torch.from_numpy(generator.integers(5, _VOCABULARY, mask.shape)) * mask
        model.bert(input_ids=ids, attention_mask=mask)
    return float((lengths + 2).sum()), _operations(lengths + 2)


def _single(model: BertForMaskedLM, lengths: Int64, generator: np.random.Generator) -> tuple[float, float]:
    for length in lengths.tolist():
        model.bert(input_ids=torch.from_numpy(generator.integers(5, _VOCABULARY, (1, length + 2))))
    return float((lengths + 2).sum()), _operations(lengths + 2)


def _matrix_product() -> tuple[float, float]:
    matrix = torch.ones(_GEMM_SIZE, _GEMM_SIZE)
    for _ in range(8):
        matrix @ matrix
    return 0.0, 8 * 2.0 * _GEMM_SIZE**3


def _operations(lengths: Int64) -> float:
    """Return the operations of BERT-base's matrix products for sequences of these lengths."""
    config = BertConfig()
    d, layers, inner = config.hidden_size, config.num_hidden_layers, config.intermediate_size
    linear = 2.0 * layers * (4 * d * d + 2 * d * inner)
    attention = 2.0 * layers * 2 * d
    return float((lengths * linear + lengths.astype(float) ** 2 * attention).sum())


def _measure(
    contestants: dict[str, Callable[[], tuple[float, float]]], rounds: int
) -> dict[str, tuple[float, float]]:
    """Return each contestant's median tokens and operations per second; the first round only warms up."""
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            start = time.perf_counter()
            tokens, operations = run()
            seconds = time.perf_counter() - start
            if number:
                rates[name].append((tokens / seconds, operations / seconds))
    return {
        name: (statistics.median(one for one, _ in found), statistics.median(one for _, one in found))
        for name, found in rates.items()
    }


def _gather_rate(lengths: Int64, generator: np.random.Generator, reads: int = 40) -> float:
    """Return GB/s of gathering 512 random sequences from a file of these lengths in the page cache."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows = generator.standard_normal((int(offsets[-1]), BertConfig().hidden_size), np.float32).astype(
        np.float16
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gather.h5"
        write_features(path, [rows], rows.shape[1], offsets, np.arange(len(lengths)), {})
        features = Features.open(path)
        np.asarray(features.hidden).sum(dtype=np.float32)
        found = []
        for _ in range(reads):
            sequences = generator.integers(0, len(lengths), 512)
            start = time.perf_counter()
            size = features.gather(sequences).nbytes
            found.append(size / (time.perf_counter() - start) / 1e9)
    return statistics.median(found)


def _bert_base() -> BertForMaskedLM:
    torch.manual_seed(1)
    return BertForMaskedLM(BertConfig(vocab_size=_VOCABULARY)).eval().requires_grad_(False)


def _kwdlc_lengths(count: int, generator: np.random.Generator) -> Int64:
    """Draw sentence lengths in subwords with KWDLC's frequencies."""
    with (Path(__file__).parent / "kwdlc_subwords.csv").open() as stream:
        table = [(int(row["subwords"]), int(row["sentences"])) for row in csv.DictReader(stream)]
    subwords, sentences = np.array(table).T
    return generator.choice(subwords, count, p=sentences / sentences.sum())


def _print_rates(rates: dict[str, tuple[float, float]], threads: int, mean_length: float) -> None:
    print(
        f"torch {torch.__version__}, {threads} threads, {mean_length:.1f} subwords a sentence with [CLS] "
        "and [SEP]"
    )
    print(f"{'':20}{'tokens/s':>12}{'GFLOP/s':>12}")
    for name, (tokens, operations) in rates.items():
        shown = f"{tokens:.0f}" if tokens else "-"
        print(f"{name:20}{shown:>12}{operations / 1e9:>12.1f}")


if __name__ == "__main__":
    main()

"""Measures the tagger's training at the paper's size on sentences as long as KWDLC's.

    python benchmarks/train.py [--threads 2] [--batches 12] [--beside FOLDER]

Prints the CPU's features, a table, and ends with five lines; behind each, with ``--beside``, the figure of
the checkout in FOLDER, which runs before and after this one (medians of the runs):

- ``vs_plain``: training tokens per second against a plain implementation (one `nn.GRU` per layer with
  pack_padded_sequence, pad_packed_sequence and index reversal per layer, per-instance loss loop), on the same
  batches;
- ``gemm_share``: floating-point operations per second of the matrix products that a training step needs,
  against the rate of 2048 x 2048 float32 matrix products right before and after the step;
- ``data_share``: share of data loading in a whole epoch with development evaluation;
- ``bfloat16_vs_float32``: training tokens per second with bfloat16 products against float32, on the same
  batches; none without AMX;
- ``eval_10k_s``: seconds for the evaluation of 10,000 instances: thresholds, decisions, DEP/ZAR scores by
  case.

The first two are medians over the batches: each batch runs in both implementations and between matrix
products, so that a change of the machine's speed meets all of them.

Hidden states are random numbers. Lengths, predicates per sentence and sharing of sequences are those of 1,500
training documents of KWDLC (`kwdlc_lengths.csv`), each instance with one masked copy.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.formats.features import Features, write_features
from zarpipe.study.recipe import Mixture
from zarpipe.tagger.batches import (
    Batch,
    EncodedInstances,
    pack,
    plan_batches,
    sorted_batches,
)
from zarpipe.tagger.cached import CachedStates, drawn_copies, encoded_instances
from zarpipe.tagger.devices import keep_freed_memory
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.loop import initial_state
from zarpipe.tagger.mixture import mixed
from zarpipe.tagger.model import batch_loss, build_model
from zarpipe.tagger.train import development_search
from zarpipe.task.cases import CASES, LABELS, NONE_LABEL
from zarpipe.task.instances import Instances
from zarpipe.task.scores import count_decisions, scores
from zarpipe.task.thresholds import candidates, gold_of_labels, search_thresholds

# The `statistics` of this folder takes it from the path, so that it is not found instead of Python's own.
sys.path.append(str(Path(__file__).parent))
from machine import figures_beside, gemm_rate, has_amx, print_figures, print_machine

HIDDEN_SIZE = 768


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="CPU threads")
    parser.add_argument("--batches", type=int, default=12, help="batches that both implementations run")
    parser.add_argument("--layers", type=int, default=10, help="GRU layers")
    parser.add_argument("--hidden-size", type=int, default=256, help="size of each layer")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="a checkout of another version")
    arguments = parser.parse_args()
    options = ("--threads", str(arguments.threads), "--batches", str(arguments.batches))
    sizes = ("--layers", str(arguments.layers), "--hidden-size", str(arguments.hidden_size))

    def beside() -> list[dict[str, float]]:
        if arguments.beside is None:
            return []
        return [figures_beside(arguments.beside, "train.py", *options, *sizes)]

    others = beside()
    torch.set_num_threads(arguments.threads)
    keep_freed_memory()
    config = TaggerConfig(layers=arguments.layers, hidden_size=arguments.hidden_size)
    training = TrainingConfig()
    with tempfile.TemporaryDirectory() as folder:
        train, dev = made_up_split(Path(folder), "train", 1), made_up_split(Path(folder), "dev", 6)
        train = mixed(train, drawn_copies(train, [made_up_variant(Path(folder), train)]), Mixture()).encoded
        steps = compare_steps(train, config, training, arguments.batches)
        data_share, epoch_rate = measure_epoch(train, dev, config, training)
    evaluation = measure_evaluation()
    others += beside()
    ours, plain, product, gemm, rounded = np.median(steps, axis=0)
    print_machine()
    print(f"one training step:      {ours:10,.0f} tokens/s")
    print(f"  in bfloat16:          {rounded:10,.0f} tokens/s")
    print(f"plain implementation:   {plain:10,.0f} tokens/s")
    print(f"whole epoch:            {epoch_rate:10,.0f} tokens/s")
    print(f"large matrix product:   {gemm / 1e9:10,.1f} GFLOP/s")
    print(f"matrix products of ours:{product / 1e9:10,.1f} GFLOP/s")
    figures = {
        "vs_plain": f"{np.median(steps[:, 0] / steps[:, 1]):.2f}",
        "gemm_share": f"{np.median(steps[:, 2] / steps[:, 3]):.3f}",
        "data_share": f"{data_share:.4f}",
        "eval_10k_s": f"{evaluation:.3f}",
        "bfloat16_vs_float32": f"{np.median(steps[:, 4] / steps[:, 0]):.2f}" if has_amx() else "none",
    }
    print_figures(figures, others)


class PlainTagger(nn.Module):
    """The same model written the usual way."""

    def __init__(self, config: TaggerConfig) -> None:
        super().__init__()
        sizes = [HIDDEN_SIZE + 2] + [config.hidden_size] * (config.layers - 1)
        self.grus = nn.ModuleList(nn.GRU(size, config.hidden_size, batch_first=True) for size in sizes)
        self.output = nn.Linear(config.hidden_size, LABELS, bias=False)

    def forward(self, inputs: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return [B, T, LABELS] log-probabilities of padded inputs [B, T, D + 2]."""
        reverse = (lengths[:, None] - 1 - torch.arange(inputs.shape[1])).clamp(min=0)
        hidden = inputs
        for number, gru in enumerate(self.grus, 1):
            if number > 1 and number % 2 == 0:
                states = _reversed(self._run(gru, _reversed(hidden, reverse), lengths), reverse)
            else:
                states = self._run(gru, hidden, lengths)
            hidden = states if number == 1 else hidden + states
        return torch.log_softmax(self.output(hidden), dim=-1)

    def _run(self, gru: nn.Module, hidden: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = pack_padded_sequence(hidden, lengths, batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(gru(packed)[0], batch_first=True)[0]


def _reversed(hidden: torch.Tensor, reverse: torch.Tensor) -> torch.Tensor:
    return hidden.gather(1, reverse[:, :, None].expand_as(hidden))


def plain_loss(log_probabilities: torch.Tensor, labels: list[torch.Tensor]) -> torch.Tensor:
    """Return the summed loss, one instance after the other."""
    loss = log_probabilities.new_zeros(())
    for row, gold in zip(log_probabilities, labels, strict=True):
        loss = loss + nn.functional.nll_loss(row[: len(gold)], gold)
    return loss


def compare_steps(
    train: EncodedInstances, config: TaggerConfig, training: TrainingConfig, batches: int
) -> np.ndarray:
    """Time the same batches in both implementations, alternating.

    Returns:
        [batches, 5]: tokens per second of ours and of the plain one, operations per second of our matrix
        products and of large ones, tokens per second of ours with bfloat16 products (0 where the CPU lacks
        them).
    """
    plan = plan_batches(train.lengths, training.batch_size, np.random.default_rng(1))[: batches + 1]
    state = initial_state(build_model(config, HIDDEN_SIZE, 1), training)
    in_bfloat16 = training.model_copy(update={"compute_dtype": "bfloat16"})
    rounded = initial_state(build_model(config, HIDDEN_SIZE, 1), in_bfloat16)
    rates = []
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=serve_plain_steps, args=(there, config, torch.get_num_threads()))
    worker.start()
    for instances in plan:
        batch = pack(train, instances)
        here.send([value.numpy() if isinstance(value, torch.Tensor) else value for value in _padded(batch)])
        before = gemm_rate()
        ours = _timed(lambda batch=batch: _step(state.model, state.optimizer, batch, training))
        gemm = (before + gemm_rate()) / 2
        fast = 0.0
        if has_amx():
            fast = 1 / _timed(lambda batch=batch: _step(rounded.model, rounded.optimizer, batch, training))
        here.send("run")
        theirs = here.recv()
        tokens = len(batch.row)
        rates.append((tokens / ours, tokens / theirs, step_flops(batch, config) / ours, gemm, tokens * fast))
    here.send(None)
    worker.join()
    return np.array(rates[1:])  # the first batch warms up


def _step(model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch, training: TrainingConfig) -> None:
    optimizer.zero_grad()
    batch_loss(model(batch), batch).backward()
    nn.utils.clip_grad_norm_(model.parameters(), training.gradient_clip)
    optimizer.step()


def serve_plain_steps(pipe: Connection, config: TaggerConfig, threads: int) -> None:
    """Train the plain tagger on the batches that come through the pipe; send back the seconds of each step.

    It has a process of its own, as the memory settings of `keep_freed_memory` are part of our implementation.
    """
    torch.set_num_threads(threads)
    plain = PlainTagger(config)
    optimizer = torch.optim.Adam(plain.parameters())
    while (arrays := pipe.recv()) is not None:
        inputs, lengths = torch.from_numpy(arrays[0]), torch.from_numpy(arrays[1])
        labels = [torch.from_numpy(row) for row in arrays[2]]
        pipe.recv()  # the word to run, when nothing else does
        pipe.send(_timed(lambda batch=(inputs, lengths, labels): _plain_step(plain, optimizer, *batch)))


def _plain_step(
    model: PlainTagger,
    optimizer: torch.optim.Optimizer,
    inputs: torch.Tensor,
    lengths: torch.Tensor,
    labels: list[torch.Tensor],
) -> None:
    optimizer.zero_grad()
    plain_loss(model(inputs, lengths), labels).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def _padded(batch: Batch) -> tuple[torch.Tensor, torch.Tensor, list[np.ndarray]]:
    """Return a batch as padded inputs, lengths and label rows."""
    sizes = torch.tensor(batch.batch_sizes)
    lengths = (sizes[None] > torch.arange(batch.batch_sizes[0])[:, None]).sum(1)
    inputs = torch.zeros(len(lengths), len(sizes), HIDDEN_SIZE + 2)
    labels = torch.full((len(lengths), len(sizes)), NONE_LABEL)
    start = 0
    for time_step, count in enumerate(batch.batch_sizes):
        rows = slice(start, start + count)
        inputs[:count, time_step, :HIDDEN_SIZE] = batch.hidden[batch.row[rows]]
        inputs[:count, time_step, HIDDEN_SIZE:] = batch.flags[rows]
        labels[:count, time_step] = batch.labels[rows]
        start += count
    return (
        inputs,
        lengths,
        [row[:length].numpy() for row, length in zip(labels, lengths.tolist(), strict=True)],
    )


def step_flops(batch: Batch, config: TaggerConfig) -> float:
    """Floating-point operations of the matrix products that one training step needs.

    A product and its two gradients for each matrix; layer 1 needs no gradient of its input, and projects the
    distinct rows only.
    """
    size, tokens = config.hidden_size, len(batch.row)
    square = 2.0 * 3 * size * size
    first = 2 * 2.0 * len(batch.hidden) * HIDDEN_SIZE * 3 * size
    return first + 3 * tokens * (square * (2 * config.layers - 1) + 2.0 * size * LABELS)


def measure_epoch(
    train: EncodedInstances, dev: EncodedInstances, config: TaggerConfig, training: TrainingConfig
) -> tuple[float, float]:
    """Run one epoch with development evaluation; return the share of data loading and tokens per second."""
    state = initial_state(build_model(config, HIDDEN_SIZE, 1), training)
    started, loading = time.perf_counter(), 0.0
    for instances in plan_batches(train.lengths, training.batch_size, np.random.default_rng(2)):
        before = time.perf_counter()
        batch = pack(train, instances)
        loading += time.perf_counter() - before
        _step(state.model, state.optimizer, batch, training)
    trained = time.perf_counter() - started
    probabilities = predict_probabilities(state.model, dev, training.batch_size)
    development_search(probabilities, dev, config)
    total = time.perf_counter() - started
    for instances in sorted_batches(dev.lengths, training.batch_size):
        before = time.perf_counter()
        pack(dev, instances)
        loading += time.perf_counter() - before
    return loading / total, float(train.lengths.sum()) / trained


def measure_evaluation(instances: int = 10_000) -> float:
    """Return the seconds for thresholds, decisions and scores of this many instances (best of three)."""
    random = np.random.default_rng(3)
    lengths = random.choice(np.repeat(*_lengths_and_counts()), instances)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    probabilities = random.dirichlet(np.ones(LABELS), int(offsets[-1])).astype(np.float32)
    labels = _labels(random, int(offsets[-1]))
    category = random.integers(0, 3, len(labels)).astype(np.int8)

    def evaluate() -> None:
        found, gold = candidates(probabilities, offsets), gold_of_labels(labels)
        search = search_thresholds(found, gold, offsets)
        scores(count_decisions(found.decide(search.thresholds), gold, category, offsets))

    return min(_timed(evaluate) for _ in range(3))


def made_up_split(folder: Path, name: str, divisor: int) -> EncodedInstances:
    """Write a feature file of random hidden states with KWDLC's lengths (every divisor-th sentence)."""
    rows = np.array(_rows())
    lengths, predicates = np.repeat(rows[:, :2], rows[:, 2], axis=0)[::divisor].T
    random = np.random.default_rng(4)
    order = random.permutation(len(lengths))
    lengths, predicates = lengths[order], predicates[order]
    sentence = np.repeat(np.arange(len(lengths)), predicates)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    path = folder / f"{name}.h5"
    _write(path, offsets, sentence, {"originals": None})
    flat = np.concatenate([[0], np.cumsum(lengths[sentence])])
    instances = Instances(
        sentence,
        random.integers(0, lengths[sentence]),
        flat,
        _labels(random, int(flat[-1])),
        np.zeros((int(flat[-1]), len(CASES)), bool),
        np.zeros(int(flat[-1]), np.int8),
        random.random(int(flat[-1])) < 0.1,
    )
    return encoded_instances(instances, CachedStates((Features.open(path),)))


def made_up_variant(folder: Path, train: EncodedInstances) -> Features:
    """Write a variant's feature file in which every copy has a sequence of its own."""
    offsets = np.concatenate([[0], np.cumsum(train.lengths)])
    path = folder / "variant.h5"
    _write(
        path,
        offsets,
        np.arange(len(train)),
        {"originals": train.hidden_states.originals.provenance["digest"]},
    )
    return Features.open(path)


def _write(path: Path, offsets: np.ndarray, sequence: np.ndarray, provenance: dict[str, object]) -> None:
    random = np.random.default_rng(5)
    bounds = range(0, int(offsets[-1]), 8192)
    blocks = (
        random.standard_normal((min(8192, int(offsets[-1]) - start), HIDDEN_SIZE)).astype(np.float16)
        for start in bounds
    )
    write_features(path, blocks, HIDDEN_SIZE, offsets, sequence, provenance)


def _labels(random: np.random.Generator, tokens: int) -> np.ndarray:
    return random.choice(LABELS, tokens, p=[0.05, 0.03, 0.02, 0.9]).astype(np.int8)


def _rows() -> list[tuple[int, int, int]]:
    with (Path(__file__).parent / "kwdlc_lengths.csv").open(encoding="utf-8") as stream:
        return [
            (int(row["tokens"]), int(row["predicates"]), int(row["sentences"]))
            for row in csv.DictReader(stream)
        ]


def _lengths_and_counts() -> tuple[list[int], list[int]]:
    rows = _rows()
    return [row[0] for row in rows], [row[1] * row[2] for row in rows]


def _timed(action: object) -> float:
    started = time.perf_counter()
    action()  # type: ignore[operator]
    return time.perf_counter() - started


if __name__ == "__main__":
    main()

"""The trainings of a job's seeds: one after the other on the CPU, side by side on a GPU."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import torch

from zarpipe.tagger.epochs import Epoch, Report

TrainOne = Callable[[int, Report], None]


class _StoppedError(Exception):
    """Ends the other trainings when the person who waits for them does not any more."""


def train_each(
    train_one: TrainOne, seeds: Sequence[int], device: torch.device, report: Report, together: bool
) -> None:
    """Call ``train_one(seed, report)`` for every seed.

    One training leaves most of a GPU idle, since its matrices are small and each time step waits for the one
    before. ``together`` gives each a thread and, on a GPU, a stream of its own, so that their kernels
    overlap. Batches are those of each seed alone: put together in one product they would have to be padded
    to each other's lengths, and the result would depend on the company.

    Args:
        train_one: trains one seed; calls its ``report`` after every batch.
        seeds: the seeds.
        device: where they compute.
        report: told of all progress, from any thread.
        together: all at once instead of one after the other.

    Raises:
        Exception: the first that a training raised; with ``together`` after the others are done.
    """
    if not together:
        for seed in seeds:
            train_one(seed, report)
        return
    stopped = threading.Event()

    def run(seed: int) -> None:
        with _own_stream(device):
            train_one(seed, lambda epoch: _unless(stopped, report, epoch))

    with ThreadPoolExecutor(len(seeds)) as pool:
        trainings = [pool.submit(run, seed) for seed in seeds]
        try:
            wait(trainings)
        except BaseException:
            stopped.set()
            raise
    for training in trainings:
        training.result()


def _unless(stopped: threading.Event, report: Report, epoch: Epoch) -> None:
    if stopped.is_set():
        raise _StoppedError
    report(epoch)


@contextlib.contextmanager
def _own_stream(device: torch.device) -> Iterator[None]:
    if device.type != "cuda":
        yield
        return
    with torch.cuda.stream(torch.cuda.Stream(device)):  # type: ignore[no-untyped-call]
        yield

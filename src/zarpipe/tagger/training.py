"""Training of one tagger: epochs, development score, schedule, checkpoints.

Everything that is random follows from the seed: the initial weights, and the order of batches of each epoch.
So a training that was interrupted after any epoch goes on to the same weights, bit for bit on the CPU with
the same number of threads, whatever other seeds run in the process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import EncodedInstances, pack, plan_batches, tokens_at_once
from zarpipe.tagger.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.model import Tagger, batch_loss
from zarpipe.tagger.schedule import Schedule
from zarpipe.task.thresholds import Search, candidates, gold_of_labels, search_thresholds


@dataclass(frozen=True)
class Progress:
    """What is told while a tagger is trained.

    Attributes:
        seed: the tagger's seed.
        schedule: the schedule (epochs, best score, rate of the next epoch).
        loss: mean loss per instance of the epoch so far.
        batch: batches of the epoch done.
        batches: batches of the epoch.
        f1: development F1 of the epoch, or None before its end.
        event: what the schedule decided, or None before the epoch's end.
        tokens_per_second: training tokens per second of the epoch.
        seconds: seconds that the epoch has taken.
    """

    seed: int
    schedule: Schedule
    loss: float
    batch: int
    batches: int
    f1: float | None
    event: str | None
    tokens_per_second: float
    seconds: float


def _say_nothing(_: Progress) -> None:
    """Report nothing."""


def train_tagger(
    train: EncodedInstances,
    dev: EncodedInstances,
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    device: torch.device,
    checkpoint: Path | None = None,
    report: Callable[[Progress], None] = _say_nothing,
) -> TrainingState:
    """Train one tagger and return its final state, of which ``best`` and ``thresholds`` are the result.

    Args:
        train: training instances, augmented copies included.
        dev: development instances.
        tagger: size of the tagger.
        training: optimiser and schedule.
        seed: seed of the weights and of the order of batches.
        device: where to compute.
        checkpoint: file that holds the state after each epoch; training goes on from it if it exists.
        report: called after each batch and after each epoch.

    Raises:
        ZarpipeError: the loss is not a number, or memory is short.
    """
    try:
        state = initial_state(train.hidden_size, tagger, training, seed, device)
        if checkpoint is not None:
            load_checkpoint(checkpoint, state)
        while not state.schedule.finished:
            _run_epoch(state, train, dev, tagger, training, seed, report)
            if checkpoint is not None:
                save_checkpoint(checkpoint, state)
    except (MemoryError, torch.OutOfMemoryError, RuntimeError) as error:
        raise _memory_problem(error, training) from error
    return state


def initial_state(
    input_size: int, tagger: TaggerConfig, training: TrainingConfig, seed: int, device: torch.device
) -> TrainingState:
    """Return the state before the first epoch."""
    model = Tagger(input_size, tagger, seed).to(device)
    schedule = Schedule.from_config(training)
    return TrainingState(model, new_optimizer(model, training, schedule.learning_rate), schedule, {}, {}, [])


def new_optimizer(model: Tagger, training: TrainingConfig, learning_rate: float) -> torch.optim.Adam:
    """Return Adam without moments."""
    return torch.optim.Adam(
        model.parameters(),
        lr=learning_rate,
        betas=(training.beta1, training.beta2),
        eps=training.epsilon,
        fused=True,
    )


def development_search(model: Tagger, dev: EncodedInstances, tagger: TaggerConfig, batch_size: int) -> Search:
    """Predict the development instances and search the thresholds on them."""
    probabilities = predict_probabilities(model, dev, batch_size)
    offsets = np.concatenate([[0], np.cumsum(dev.lengths)])
    gold = gold_of_labels(dev.labels)
    return search_thresholds(candidates(probabilities, offsets), gold, offsets, tagger.accept == "exceeds")


def _run_epoch(
    state: TrainingState,
    train: EncodedInstances,
    dev: EncodedInstances,
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    report: Callable[[Progress], None],
) -> None:
    """Train one epoch, score the development set, and follow the schedule."""
    started = time.perf_counter()
    rate = state.schedule.learning_rate
    progress = _train_epoch(state, train, training, seed, report)
    search = development_search(state.model, dev, tagger, training.batch_size)
    event = state.schedule.after_epoch(search.f1)
    if event == "improve_and_save":
        state.best = {name: tensor.detach().clone() for name, tensor in state.model.state_dict().items()}
        state.thresholds = search.thresholds
    elif event == "decay_and_reload":
        state.model.load_state_dict(state.best)
        state.optimizer = new_optimizer(state.model, training, state.schedule.learning_rate)
    state.history.append(
        {
            "epoch": state.schedule.epoch,
            "loss": progress.loss,
            "dev_f1": search.f1,
            "best_dev_f1": state.schedule.best_f1,
            "learning_rate": rate,
            "event": event,
        }
    )
    seconds = time.perf_counter() - started
    report(
        Progress(
            seed,
            state.schedule,
            progress.loss,
            progress.batches,
            progress.batches,
            search.f1,
            event,
            progress.tokens_per_second,
            seconds,
        )
    )


def _train_epoch(
    state: TrainingState,
    train: EncodedInstances,
    training: TrainingConfig,
    seed: int,
    report: Callable[[Progress], None],
) -> Progress:
    """Take one optimiser step per batch and return the epoch's last progress."""
    epoch = state.schedule.epoch + 1
    most_tokens = tokens_at_once(tagger.layers, tagger.hidden_size)
    plan = plan_batches(train.lengths, training.batch_size, batch_order(training, seed, epoch), most_tokens)
    device = next(state.model.parameters()).device
    total, instances, tokens, started = 0.0, 0, 0, time.perf_counter()
    for number, chosen in enumerate(plan, 1):
        batch = pack(train, chosen).to(device)
        state.optimizer.zero_grad(set_to_none=True)
        loss = batch_loss(state.model(batch), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(state.model.parameters(), training.gradient_clip)
        if not math.isfinite(loss.item()) or not math.isfinite(norm.item()):
            raise _not_a_number(seed, epoch, number, len(plan), loss.item(), norm.item())
        state.optimizer.step()
        total, instances, tokens = total + loss.item(), instances + len(chosen), tokens + len(batch.row)
        seconds = time.perf_counter() - started
        progress = Progress(
            seed,
            state.schedule,
            total / instances,
            number,
            len(plan),
            None,
            None,
            tokens / seconds,
            seconds,
        )
        report(progress)
    return progress


def batch_order(training: TrainingConfig, seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that order the batches of an epoch."""
    order_seed = seed if training.order_seed is None else training.order_seed
    return np.random.default_rng([abs(order_seed), int(order_seed < 0), epoch])


def _not_a_number(seed: int, epoch: int, batch: int, batches: int, loss: float, norm: float) -> ZarpipeError:
    kept = f"the state after epoch {epoch - 1} is kept" if epoch > 1 else "no epoch was finished"
    return ZarpipeError(
        f"seed {seed}, epoch {epoch}, batch {batch} of {batches}: the loss is {loss}, "
        f"the gradient norm {norm}; expected finite numbers ({kept}). "
        "Check the features with `zarpipe cache`, or lower "
        "training.learning_rate (--learning-rate)"
    )


def _memory_problem(error: Exception, training: TrainingConfig) -> Exception:
    """Return a message for lack of memory; any other error unchanged."""
    text = str(error).lower()
    if not isinstance(error, (MemoryError, torch.OutOfMemoryError)) and "memory" not in text:
        return error
    return ZarpipeError(
        f"not enough memory for batches of {training.batch_size} instances; "
        "lower training.batch_size (--batch-size) or the size of the tagger, or give the job more memory"
    )

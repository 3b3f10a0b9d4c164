"""The training of one tagger: epochs, development score, schedule, checkpoints.

Everything that is random follows from the seed: the initial weights, and each epoch's order of batches,
perturbation and dropout. So a training that was interrupted after any epoch goes on to the same weights,
bit for bit on the CPU with the same number of threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from zarpipe.arrays import Float32, Int64
from zarpipe.config import TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import EncodedInstances, plan_batches
from zarpipe.tagger.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from zarpipe.tagger.devices import explained_lack_of_memory
from zarpipe.tagger.epochs import Epoch, Report
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.mixture import TrainingInstances
from zarpipe.tagger.model import batch_loss, divergence, multiply_in
from zarpipe.tagger.schedule import Event, Schedule
from zarpipe.task.thresholds import Search

_DROPOUT = 2  # keeps the seeds of dropout apart from the numbers of the batches and of perturbations


@dataclass(frozen=True)
class Training:
    """What is trained, on what, how, and what is written down of it."""

    model: nn.Module  # the model with its initial weights, where it is to be trained
    train: TrainingInstances  # what each epoch is trained on
    dev: EncodedInstances
    labels: int  # how many labels a token may have
    # finds thresholds, and the F1 that the schedule follows, by the probabilities [N, labels] of development
    # instances
    search: Callable[[Float32, EncodedInstances], Search]
    tokens_at_once: int | None  # how many tokens a batch may have at most; None: any number
    settings: TrainingConfig  # optimiser and schedule
    seed: int  # seed of the order of batches, of perturbations and of dropout
    warm_up: float = 0.0  # epochs over which the learning rate rises to its initial value
    config: dict[str, Any] = field(default_factory=dict)  # what kind of model it is, for its file
    provenance: dict[str, Any] = field(default_factory=dict)  # what it is made from, for its file

    def run(self, report: Report, checkpoint: Path | None = None) -> TrainingState:
        """Train, and return the final state, of which ``best`` and ``thresholds`` are the result.

        ``report`` is called after each batch and each epoch. The checkpoint holds the state after
        each epoch; training goes on from it if it is there.

        Raises ZarpipeError: the loss is not a number, or memory is short.
        """
        with explained_lack_of_memory(self.dev.hidden_states, self.settings.batch_size):
            state = initial_state(self.model, self.settings, self.warm_up)
            if checkpoint:
                load_checkpoint(checkpoint, state)
            while not state.schedule.finished:
                _run_epoch(self, state, report)
                if state.schedule.finished and state.stage < self.train.last_stage:
                    _begin_next_stage(state, self.settings)
                if checkpoint:
                    save_checkpoint(checkpoint, state)
        return state


def initial_state(model: nn.Module, settings: TrainingConfig, warm_up: float = 0.0) -> TrainingState:
    """Return the state before the first epoch."""
    if settings.compute_dtype == "bfloat16":
        multiply_in(model, torch.bfloat16)
    schedule = Schedule.from_config(settings, warm_up)
    return TrainingState(model, new_optimizer(model, settings, schedule.learning_rate), schedule, {}, {}, [])


def _begin_next_stage(state: TrainingState, settings: TrainingConfig) -> None:
    """Go on from the best weights with a fresh schedule; only what is better on dev than they are counts.

    Source: golden training notes, two-stage mode. (There the best weights are evaluated on dev once more,
    which gives the F1 that made them the best.)
    """
    state.stage += 1
    state.model.load_state_dict(state.best)
    best_f1 = state.schedule.best_f1
    state.schedule = Schedule.from_config(settings)
    state.schedule.best_f1 = best_f1
    state.optimizer = new_optimizer(state.model, settings, state.schedule.learning_rate)


def new_optimizer(model: nn.Module, settings: TrainingConfig, learning_rate: float) -> torch.optim.Adam:
    """Return Adam without moments."""
    betas = (settings.beta1, settings.beta2)
    return torch.optim.Adam(
        model.parameters(), lr=learning_rate, betas=betas, eps=settings.epsilon, fused=True
    )


def _run_epoch(training: Training, state: TrainingState, report: Report) -> None:
    """Train one epoch, score the development set, and follow the schedule."""
    started = time.perf_counter()
    rate = state.schedule.learning_rate
    epoch = _train_epoch(training, state, report)
    batch_size = training.settings.batch_size
    probabilities = predict_probabilities(state.model, training.dev, batch_size, training.labels)
    if not np.isfinite(probabilities).all():
        # The last step may spoil the weights, which no batch of this epoch shows any more.
        found = "the probabilities on the development set are nan"
        raise _not_a_number(training, state.next_epoch, "after the last batch", found)
    search = training.search(probabilities, training.dev)
    event = state.schedule.after_epoch(search.f1)
    _follow(event, state, search, training.settings)
    state.history.append(
        {
            "epoch": state.next_epoch,
            "loss": epoch.loss,
            "dev_f1": search.f1,
            "best_dev_f1": state.schedule.best_f1,
            "learning_rate": rate,
            "event": event,
        }
    )
    report(replace(epoch, f1=search.f1, event=event, seconds=time.perf_counter() - started))


def _follow(event: Event, state: TrainingState, search: Search, settings: TrainingConfig) -> None:
    """Do what the schedule decided after an epoch."""
    if event == "improve_and_save":
        state.best = {name: tensor.detach().clone() for name, tensor in state.model.state_dict().items()}
        state.thresholds = search.thresholds
    elif event == "decay_and_reload":
        state.model.load_state_dict(state.best)
        state.optimizer = new_optimizer(state.model, settings, state.schedule.learning_rate)


def _train_epoch(training: Training, state: TrainingState, report: Report) -> Epoch:
    """Take one optimiser step per batch and return the epoch as it is after the last."""
    settings, seed, number = training.settings, training.seed, state.next_epoch
    members = training.train.members(state.stage, number)
    encoded, views = training.train.perturbed(seed, number), training.train.views
    order = batch_order(settings, seed, number)
    lengths = encoded.reading_lengths[members]
    most = training.tokens_at_once and training.tokens_at_once // views
    plan = plan_batches(lengths, max(1, settings.batch_size // views), order, most)
    torch.manual_seed(_dropout_seed(seed, number))
    state.model.train()
    total, instances, tokens, started = 0.0, 0, 0, time.perf_counter()
    for done, chosen in enumerate(plan, 1):
        for group in state.optimizer.param_groups:
            group["lr"] = state.schedule.rate(done, len(plan))
        seen = training.train.together(members[chosen])
        loss = gradients(state, encoded, seen, training.train.mixture.consistency)
        norm = nn.utils.clip_grad_norm_(state.model.parameters(), settings.gradient_clip)
        if not math.isfinite(loss) or not math.isfinite(norm.item()):
            found = f"the loss is {loss}, the gradient norm {norm.item()}"
            raise _not_a_number(training, number, f"batch {done} of {len(plan)}", found)
        state.optimizer.step()
        total, instances = total + loss, instances + len(seen)
        tokens += int(encoded.lengths[seen].sum())
        seconds = time.perf_counter() - started
        epoch = Epoch(seed, state.schedule, total / instances, done, len(plan), tokens / seconds, seconds)
        report(epoch)
    return epoch


def gradients(
    state: TrainingState, encoded: EncodedInstances, instances: Int64, consistency: float | None = None
) -> float:
    """Give the parameters the gradients of these instances' loss, and return the loss.

    With a weight of ``consistency`` they are originals and their copies, whose divergence is added.

    The loss is a sum over tokens, so where memory does not hold all of them at once, gradients add up part by
    part to the same.
    """
    device = next(state.model.parameters()).device
    state.optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for part in encoded.parts(instances):
        batch = part.to(device)
        log_probabilities = state.model(batch)
        loss = batch_loss(log_probabilities, batch)
        if consistency is not None:
            loss = loss + consistency * divergence(log_probabilities, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.item()
    return total


def _dropout_seed(seed: int, epoch: int) -> int:
    """Return the seed of what dropout leaves out in an epoch; architectures without it draw nothing."""
    words = np.random.SeedSequence([abs(seed), int(seed < 0), epoch, _DROPOUT]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def batch_order(settings: TrainingConfig, seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that order the batches of an epoch."""
    order_seed = seed if settings.order_seed is None else settings.order_seed
    return np.random.default_rng([abs(order_seed), int(order_seed < 0), epoch])


def _not_a_number(training: Training, epoch: int, moment: str, found: str) -> ZarpipeError:
    kept = f"{epoch - 1} epochs were finished" if epoch > 1 else "no epoch was finished"
    advice = training.dev.hidden_states.not_a_number
    return ZarpipeError(
        f"seed {training.seed}, epoch {epoch}, {moment}: {found}; expected finite numbers ({kept}). {advice}"
    )

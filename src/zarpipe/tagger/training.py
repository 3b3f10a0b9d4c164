"""Training of one tagger: epochs, development score, schedule, checkpoints.

Everything that is random follows from the seed: the initial weights, and each epoch's order of batches,
dropped tokens and dropout.
So a training that was interrupted after any epoch goes on to the same weights, bit for bit on the CPU with
the same number of threads, whatever other seeds run in the process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from zarpipe.arrays import Float32, Int64
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import EncodedInstances, plan_batches, tokens_at_once
from zarpipe.tagger.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from zarpipe.tagger.devices import explained_lack_of_memory
from zarpipe.tagger.epochs import Epoch, Report
from zarpipe.tagger.hidden_states import HiddenStates
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.mixture import TrainingInstances, drop_numbers
from zarpipe.tagger.model import batch_loss, multiply_in
from zarpipe.tagger.parts import parts_of, reading_lengths
from zarpipe.tagger.schedule import Event, Schedule
from zarpipe.task.cases import LABELS
from zarpipe.task.thresholds import Search, candidates, gold_of_labels, search_thresholds

_DROPOUT = 2  # keeps the seeds of dropout apart from the numbers of the batches and of dropped tokens


@dataclass(frozen=True)
class Goal:
    """What is learned.

    Attributes:
        labels: how many labels a token may have.
        search: finds thresholds, and the F1 that the schedule follows, by the probabilities [N, labels] of
            development instances.
        tokens_at_once: how many tokens a batch may have at most.
    """

    labels: int
    search: Callable[[Float32, EncodedInstances], Search]
    tokens_at_once: int


def tagger_goal(tagger: TaggerConfig) -> Goal:
    """Return what a tagger of arguments learns."""
    return Goal(
        LABELS,
        lambda probabilities, dev: development_search(probabilities, dev, tagger),
        tokens_at_once(tagger.layers, tagger.hidden_size),
    )


def train_tagger(
    model: nn.Module,
    train: TrainingInstances,
    dev: EncodedInstances,
    goal: Goal,
    training: TrainingConfig,
    seed: int,
    report: Report,
    checkpoint: Path,
    warm_up: float = 0.0,
) -> TrainingState:
    """Train one tagger and return its final state, of which ``best`` and ``thresholds`` are the result.

    Args:
        model: the tagger with its initial weights, where it is to be trained.
        train: what each epoch is trained on.
        dev: development instances.
        goal: what it learns.
        training: optimiser and schedule.
        seed: seed of the order of batches, of dropped tokens and of dropout.
        report: called after each batch and after each epoch.
        checkpoint: file that holds the state after each epoch; training goes on from it if it exists.
        warm_up: epochs over which the learning rate rises to its initial value.

    Raises:
        ZarpipeError: the loss is not a number, or memory is short.
    """
    with explained_lack_of_memory(training.batch_size, _is_live(dev)):
        state = initial_state(model, training, warm_up)
        load_checkpoint(checkpoint, state)
        while not state.schedule.finished:
            _run_epoch(state, train, dev, goal, training, seed, report)
            if state.schedule.finished and state.stage < train.last_stage:
                _begin_next_stage(state, training)
            save_checkpoint(checkpoint, state)
    return state


def initial_state(model: nn.Module, training: TrainingConfig, warm_up: float = 0.0) -> TrainingState:
    """Return the state before the first epoch."""
    if training.compute_dtype == "bfloat16":
        multiply_in(model, torch.bfloat16)
    schedule = Schedule.from_config(training, warm_up)
    return TrainingState(model, new_optimizer(model, training, schedule.learning_rate), schedule, {}, {}, [])


def _begin_next_stage(state: TrainingState, training: TrainingConfig) -> None:
    """Go on from the best weights with a fresh schedule; only what is better on dev than they are counts.

    Source: golden training notes, two-stage mode. (There the best weights are evaluated on dev once more,
    which gives the F1 that made them the best.)
    """
    state.stage += 1
    state.model.load_state_dict(state.best)
    best_f1 = state.schedule.best_f1
    state.schedule = Schedule.from_config(training)
    state.schedule.best_f1 = best_f1
    state.optimizer = new_optimizer(state.model, training, state.schedule.learning_rate)


def new_optimizer(model: nn.Module, training: TrainingConfig, learning_rate: float) -> torch.optim.Adam:
    """Return Adam without moments."""
    return torch.optim.Adam(
        model.parameters(),
        lr=learning_rate,
        betas=(training.beta1, training.beta2),
        eps=training.epsilon,
        fused=True,
    )


def development_search(probabilities: Float32, dev: EncodedInstances, tagger: TaggerConfig) -> Search:
    """Search the thresholds by the development instances' probabilities [N, LABELS]."""
    offsets = np.concatenate([[0], np.cumsum(dev.lengths)])
    gold = gold_of_labels(dev.labels)
    return search_thresholds(candidates(probabilities, offsets), gold, offsets, tagger.accept == "exceeds")


def _run_epoch(
    state: TrainingState,
    train: TrainingInstances,
    dev: EncodedInstances,
    goal: Goal,
    training: TrainingConfig,
    seed: int,
    report: Report,
) -> None:
    """Train one epoch, score the development set, and follow the schedule."""
    started = time.perf_counter()
    rate = state.schedule.learning_rate
    epoch = _train_epoch(state, train, goal, training, seed, report)
    probabilities = predict_probabilities(state.model, dev, training.batch_size, goal.labels)
    if not np.isfinite(probabilities).all():
        # The last step may spoil the weights, which no batch of this epoch shows any more.
        found = "the probabilities on the development set are nan"
        raise _not_a_number(seed, state.next_epoch, "after the last batch", found, _is_live(dev))
    search = goal.search(probabilities, dev)
    event = state.schedule.after_epoch(search.f1)
    _follow(event, state, search, training)
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


def _follow(event: Event, state: TrainingState, search: Search, training: TrainingConfig) -> None:
    """Do what the schedule decided after an epoch."""
    if event == "improve_and_save":
        state.best = {name: tensor.detach().clone() for name, tensor in state.model.state_dict().items()}
        state.thresholds = search.thresholds
    elif event == "decay_and_reload":
        state.model.load_state_dict(state.best)
        state.optimizer = new_optimizer(state.model, training, state.schedule.learning_rate)


def _train_epoch(
    state: TrainingState,
    train: TrainingInstances,
    goal: Goal,
    training: TrainingConfig,
    seed: int,
    report: Report,
) -> Epoch:
    """Take one optimiser step per batch and return the epoch as it is after the last."""
    number = state.next_epoch
    members = train.members(state.stage, number)
    encoded = train.with_dropped_tokens(drop_numbers(seed, number))
    # Where the MLM is trained too, a step's instances are read in parts and may be as long as they like.
    most_tokens = None if _is_live(encoded) else goal.tokens_at_once
    order = batch_order(training, seed, number)
    plan = plan_batches(reading_lengths(encoded)[members], training.batch_size, order, most_tokens)
    torch.manual_seed(_dropout_seed(seed, number))
    state.model.train()
    total, instances, tokens, started = 0.0, 0, 0, time.perf_counter()
    for done, chosen in enumerate(plan, 1):
        for group in state.optimizer.param_groups:
            group["lr"] = state.schedule.rate(done, len(plan))
        loss = gradients(state, encoded, members[chosen])
        norm = nn.utils.clip_grad_norm_(state.model.parameters(), training.gradient_clip)
        if not math.isfinite(loss) or not math.isfinite(norm.item()):
            found = f"the loss is {loss}, the gradient norm {norm.item()}"
            raise _not_a_number(seed, number, f"batch {done} of {len(plan)}", found, _is_live(encoded))
        state.optimizer.step()
        total, instances = total + loss, instances + len(chosen)
        tokens += int(encoded.lengths[members[chosen]].sum())
        seconds = time.perf_counter() - started
        epoch = Epoch(seed, state.schedule, total / instances, done, len(plan), tokens / seconds, seconds)
        report(epoch)
    return epoch


def gradients(state: TrainingState, encoded: EncodedInstances, instances: Int64) -> float:
    """Give the parameters the gradients of these instances' loss, and return the loss.

    The loss is a sum over tokens, so where memory does not hold all of them at once, gradients add up part by
    part to the same.
    """
    device = next(state.model.parameters()).device
    state.optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for part in parts_of(encoded, instances):
        batch = part.to(device)
        loss = batch_loss(state.model(batch), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.item()
    return total


def _is_live(encoded: EncodedInstances) -> bool:
    return not isinstance(encoded.hidden_states, HiddenStates)


def _dropout_seed(seed: int, epoch: int) -> int:
    """Return the seed of what dropout leaves out in an epoch; architectures without it draw nothing."""
    words = np.random.SeedSequence([abs(seed), int(seed < 0), epoch, _DROPOUT]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def batch_order(training: TrainingConfig, seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that order the batches of an epoch."""
    order_seed = seed if training.order_seed is None else training.order_seed
    return np.random.default_rng([abs(order_seed), int(order_seed < 0), epoch])


def _not_a_number(seed: int, epoch: int, moment: str, found: str, live: bool) -> ZarpipeError:
    kept = f"the state after epoch {epoch - 1} is kept" if epoch > 1 else "no epoch was finished"
    advice = "Check the features with `zarpipe cache`, or lower training.learning_rate (--learning-rate)"
    if live:
        advice = "Lower finetuning.learning_rate (--finetuning-learning-rate)"
    return ZarpipeError(
        f"seed {seed}, epoch {epoch}, {moment}: {found}; expected finite numbers ({kept}). {advice}"
    )

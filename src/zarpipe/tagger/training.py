"""Training of one tagger: epochs, development score, schedule, checkpoints.

Everything that is random follows from the seed: the initial weights, and each epoch's order of batches and
dropped tokens.
So a training that was interrupted after any epoch goes on to the same weights, bit for bit on the CPU with
the same number of threads, whatever other seeds run in the process.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from zarpipe.arrays import Float32
from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import EncodedInstances, pack, plan_batches, tokens_at_once
from zarpipe.tagger.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from zarpipe.tagger.devices import explained_lack_of_memory
from zarpipe.tagger.epochs import Epoch, Report
from zarpipe.tagger.inference import predict_probabilities
from zarpipe.tagger.mixture import TrainingInstances, drop_numbers
from zarpipe.tagger.model import batch_loss, build_model
from zarpipe.tagger.schedule import Event, Schedule
from zarpipe.task.thresholds import Search, candidates, gold_of_labels, search_thresholds


def train_tagger(
    train: TrainingInstances,
    dev: EncodedInstances,
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    device: torch.device,
    report: Report,
    checkpoint: Path,
) -> TrainingState:
    """Train one tagger and return its final state, of which ``best`` and ``thresholds`` are the result.

    Args:
        train: what each epoch is trained on.
        dev: development instances.
        tagger: architecture and size of the tagger.
        training: optimiser and schedule.
        seed: seed of the weights and of the order of batches.
        device: where to compute.
        report: called after each batch and after each epoch.
        checkpoint: file that holds the state after each epoch; training goes on from it if it exists.

    Raises:
        ZarpipeError: the loss is not a number, or memory is short.
    """
    with explained_lack_of_memory(training.batch_size):
        source = train.encoded.hidden_states
        state = initial_state(source.size, tagger, training, seed, device, source.mixed_layers)
        load_checkpoint(checkpoint, state)
        while not state.schedule.finished:
            _run_epoch(state, train, dev, tagger, training, seed, report)
            if state.schedule.finished and state.stage < train.last_stage:
                _begin_next_stage(state, training)
            save_checkpoint(checkpoint, state)
    return state


def initial_state(
    input_size: int,
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    device: torch.device,
    mixed_layers: int | None = None,
) -> TrainingState:
    """Return the state before the first epoch."""
    model = build_model(tagger, input_size, seed, mixed_layers).to(device)
    schedule = Schedule.from_config(training)
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
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    report: Report,
) -> None:
    """Train one epoch, score the development set, and follow the schedule."""
    started = time.perf_counter()
    rate = state.schedule.learning_rate
    epoch = _train_epoch(state, train, tagger, training, seed, report)
    probabilities = predict_probabilities(state.model, dev, training.batch_size)
    if not np.isfinite(probabilities).all():
        # The last step may spoil the weights, which no batch of this epoch shows any more.
        found = "the probabilities on the development set are nan"
        raise _not_a_number(seed, state.next_epoch, "after the last batch", found)
    search = development_search(probabilities, dev, tagger)
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
    tagger: TaggerConfig,
    training: TrainingConfig,
    seed: int,
    report: Report,
) -> Epoch:
    """Take one optimiser step per batch and return the epoch as it is after the last."""
    number = state.next_epoch
    members = train.members(state.stage, number)
    encoded = train.with_dropped_tokens(drop_numbers(seed, number))
    most_tokens = tokens_at_once(tagger.layers, tagger.hidden_size)
    order = batch_order(training, seed, number)
    plan = plan_batches(encoded.lengths[members], training.batch_size, order, most_tokens)
    device = next(state.model.parameters()).device
    total, instances, tokens, started = 0.0, 0, 0, time.perf_counter()
    for done, chosen in enumerate(plan, 1):
        batch = pack(encoded, members[chosen]).to(device)
        state.optimizer.zero_grad(set_to_none=True)
        loss = batch_loss(state.model(batch), batch)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(state.model.parameters(), training.gradient_clip)
        if not math.isfinite(loss.item()) or not math.isfinite(norm.item()):
            found = f"the loss is {loss.item()}, the gradient norm {norm.item()}"
            raise _not_a_number(seed, number, f"batch {done} of {len(plan)}", found)
        state.optimizer.step()
        total, instances, tokens = total + loss.item(), instances + len(chosen), tokens + len(batch.row)
        seconds = time.perf_counter() - started
        epoch = Epoch(seed, state.schedule, total / instances, done, len(plan), tokens / seconds, seconds)
        report(epoch)
    return epoch


def batch_order(training: TrainingConfig, seed: int, epoch: int) -> np.random.Generator:
    """Return the random numbers that order the batches of an epoch."""
    order_seed = seed if training.order_seed is None else training.order_seed
    return np.random.default_rng([abs(order_seed), int(order_seed < 0), epoch])


def _not_a_number(seed: int, epoch: int, moment: str, found: str) -> ZarpipeError:
    kept = f"the state after epoch {epoch - 1} is kept" if epoch > 1 else "no epoch was finished"
    return ZarpipeError(
        f"seed {seed}, epoch {epoch}, {moment}: {found}; expected finite numbers ({kept}). "
        "Check the features with `zarpipe cache`, or lower training.learning_rate (--learning-rate)"
    )

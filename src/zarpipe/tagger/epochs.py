"""How far a training is, and how a person is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zarpipe.progress import Progress
from zarpipe.tagger.schedule import Schedule


@dataclass(frozen=True)
class Epoch:
    """How far an epoch is, or what it came to."""

    seed: int
    schedule: Schedule  # the schedule (epochs done, best score, rate of the next epoch)
    loss: float  # mean loss per instance of the epoch so far
    batch: int  # batches of the epoch done
    batches: int  # batches of the epoch
    tokens_per_second: float  # training tokens per second of the epoch
    seconds: float  # seconds that the epoch has taken
    f1: float | None = None  # development F1 of the epoch, or None before its end
    event: str | None = None  # what the schedule decided, or None before the epoch's end


Report = Callable[[Epoch], None]


def show_epoch(progress: Progress, epoch: Epoch) -> None:
    """Move the seed's bar after a batch; after an epoch say what it came to."""
    schedule, finished = epoch.schedule, epoch.f1 is not None
    done = schedule.epoch * epoch.batches + (0 if finished else epoch.batch)
    note = _bar_note(epoch) if finished else None
    progress.update(done, schedule.epochs * epoch.batches, note, f"seed {epoch.seed}")
    if finished:
        progress.say(epoch_line(epoch))


def epoch_line(epoch: Epoch) -> str:
    """Describe a finished epoch in one line."""
    schedule = epoch.schedule
    parts = [
        f"seed {epoch.seed}",
        f"epoch {schedule.epoch}/{schedule.epochs}",
        f"loss {epoch.loss:.4f}",
        f"dev F1 {100 * (epoch.f1 or 0):.2f} (best {100 * schedule.best_f1:.2f})",
        f"rate {schedule.learning_rate:g}",
        f"{epoch.tokens_per_second:,.0f} tokens/s",
        _time_left(epoch),
    ]
    if epoch.event not in (None, "none", "improve_and_save"):
        parts.append(str(epoch.event).replace("_", " "))
    return ", ".join(parts)


def _bar_note(epoch: Epoch) -> str:
    """Describe a finished epoch in as few words as fit beside a bar."""
    best = 100 * epoch.schedule.best_f1
    return f"loss {epoch.loss:.3f} F1 {100 * (epoch.f1 or 0):.1f} best {best:.1f}"


def _time_left(epoch: Epoch) -> str:
    schedule = epoch.schedule
    if schedule.finished:
        return "finished"
    minutes, seconds = divmod(round((schedule.epochs - schedule.epoch) * epoch.seconds), 60)
    hours, minutes = divmod(minutes, 60)
    duration = f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s"
    return f"at most {duration} left"

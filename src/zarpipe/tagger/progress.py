"""What a person sees of a training: a bar on a terminal, one plain line per epoch in a log file."""

from __future__ import annotations

import logging
import sys
from types import TracebackType

from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from zarpipe.tagger.training import Progress

_LOG = logging.getLogger(__name__)


class ProgressDisplay:
    """Shows one seed's progress after the other; a context manager whose ``show`` is the ``report``."""

    def __init__(self) -> None:
        self._bars = _bars() if sys.stderr.isatty() else None
        self._tasks: dict[int, TaskID] = {}

    def __enter__(self) -> ProgressDisplay:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def show(self, progress: Progress) -> None:
        """Show the state after a batch (bar only) or after an epoch."""
        if self._bars is not None:
            self._move_bar(self._bars, progress)
        elif progress.f1 is not None:
            _LOG.info(epoch_line(progress))

    def _move_bar(self, bars: Bars, progress: Progress) -> None:
        if progress.seed not in self._tasks:
            task = bars.add_task("", total=progress.schedule.epochs * progress.batches)
            self._tasks[progress.seed] = task
        finished = progress.f1 is not None
        done = progress.schedule.epoch * progress.batches + (0 if finished else progress.batch)
        description = _short_line(progress) if finished else None
        task = self._tasks[progress.seed]
        bars.update(task, completed=done, description=description)


def epoch_line(progress: Progress) -> str:
    """Describe a finished epoch in one line."""
    schedule = progress.schedule
    parts = [
        f"seed {progress.seed}",
        f"epoch {schedule.epoch}/{schedule.epochs}",
        f"loss {progress.loss:.4f}",
        f"dev F1 {100 * (progress.f1 or 0):.2f} (best {100 * schedule.best_f1:.2f})",
        f"rate {schedule.learning_rate:g}",
        f"{progress.tokens_per_second:,.0f} tokens/s",
        _left(progress),
    ]
    if progress.event not in (None, "none", "improve_and_save"):
        parts.append(str(progress.event).replace("_", " "))
    return ", ".join(parts)


def _short_line(progress: Progress) -> str:
    """Describe a finished epoch in as few words as fit beside a bar."""
    schedule = progress.schedule
    return (
        f"seed {progress.seed}: {schedule.epoch}/{schedule.epochs} loss {progress.loss:.3f} "
        f"F1 {100 * (progress.f1 or 0):.1f} best {100 * schedule.best_f1:.1f} "
        f"rate {schedule.learning_rate:g} {progress.tokens_per_second:,.0f} tok/s {_left(progress)}"
    )


def _left(progress: Progress) -> str:
    schedule = progress.schedule
    if schedule.finished:
        return "finished"
    return f"at most {_duration((schedule.epochs - schedule.epoch) * progress.seconds)} left"


def _bars() -> Bars:
    from rich.console import Console

    columns = (BarColumn(bar_width=10), TextColumn("{task.description}"), TimeElapsedColumn())
    return Bars(*columns, console=Console(stderr=True))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"

"""How far a command is: bars in a terminal, now and then a line of the log elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_LOG = logging.getLogger(__name__)

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_REFRESHES = 0.1
_BAR_WIDTH = 12


class Progress:
    """Shows how much of some work is done, how fast it goes and how long it will take; a context manager.

    In a terminal each name has a bar. Elsewhere the log gets a line, at most one in ten seconds, and at the
    end one with the total and the speed.

    Args:
        unit: what is counted, in the plural, for example ``documents``.
        lines: False where the caller writes the log's lines itself, with `say`.
    """

    def __init__(self, unit: str, lines: bool = True) -> None:
        self._unit = unit
        self._lines = lines
        self._bars = _new_bars(unit) if sys.stderr.isatty() else None
        self._tasks: dict[str, TaskID] = {}
        self._done = 0
        self._start = self._last_line = self._last_refresh = time.monotonic()

    def __enter__(self) -> Progress:
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
        elif self._lines and error is None:
            seconds = time.monotonic() - self._start
            rate = self._done / max(seconds, 1e-9)
            _LOG.info("%d %s in %.1f s, %.0f a second", self._done, self._unit, seconds, rate)

    def update(self, done: int, total: int, note: str | None = None, name: str = "") -> None:
        """Show that ``done`` of ``total`` are done.

        Args:
            done: how many.
            total: of how many.
            note: what else is worth knowing; None leaves the last note at the bar.
            name: whose progress it is, where several go on side by side.
        """
        self._done = done
        if self._bars is not None:
            self._move_bar(self._bars, done, total, note, name)
        elif self._lines and done < total:
            self._log_line(done, total, note)

    def advance(self, amount: int, total: int, note: str | None = None) -> None:
        """Show that ``amount`` more of ``total`` are done."""
        self.update(self._done + amount, total, note)

    def say(self, line: str) -> None:
        """Write a line to the log; in a terminal the bars tell as much."""
        if self._bars is None:
            _LOG.info(line)

    def _move_bar(self, bars: Bars, done: int, total: int, note: str | None, name: str) -> None:
        if name not in self._tasks:
            self._tasks[name] = bars.add_task(name, total=total, note="")
        fields: dict[str, Any] = {} if note is None else {"note": note}
        now = time.monotonic()
        refresh = done >= total or now - self._last_refresh >= _SECONDS_BETWEEN_REFRESHES
        bars.update(self._tasks[name], completed=done, total=total, refresh=refresh, **fields)
        if refresh:
            self._last_refresh = now

    def _log_line(self, done: int, total: int, note: str | None) -> None:
        now = time.monotonic()
        if now - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        rate = done / max(now - self._start, 1e-9)
        _LOG.info(
            "%d of %d %s (%d %%), %.0f a second, about %.0f s left%s",
            done,
            total,
            self._unit,
            100 * done // total,
            rate,
            (total - done) / max(rate, 1e-9),
            f", {note}" if note else "",
        )


def _new_bars(unit: str) -> Bars:
    """Return bars without any yet.

    They are refreshed by hand: no thread that worker processes would inherit half-way through a lock.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    return Bars(
        TextColumn("{task.description}"),
        BarColumn(bar_width=_BAR_WIDTH),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
        auto_refresh=False,
    )

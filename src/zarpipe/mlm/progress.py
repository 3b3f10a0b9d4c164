"""Progress of long work as log lines, readable on a terminal and in a file."""

from __future__ import annotations

import logging
import time

_log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Log how much is done, how fast, and how long it will take; at most one line in ten seconds.

    Args:
        total: all there is to do.
        unit: what is counted, in the plural.
    """

    def __init__(self, total: int, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._done = 0
        self._start = self._last_line = time.monotonic()

    def advance(self, amount: int, note: str = "") -> None:
        """Count ``amount`` more; ``note`` is added to the line."""
        self._done += amount
        now = time.monotonic()
        if now - self._last_line < _SECONDS_BETWEEN_LINES or self._done >= self._total:
            return
        self._last_line = now
        rate = self._done / max(now - self._start, 1e-9)
        left = (self._total - self._done) / rate
        _log.info(
            "%d of %d %s (%d %%), %.0f a second, about %.0f s left%s",
            self._done,
            self._total,
            self._unit,
            100 * self._done // self._total,
            rate,
            left,
            note,
        )

    def finish(self) -> None:
        """Log the total and the speed."""
        seconds = time.monotonic() - self._start
        rate = self._done / max(seconds, 1e-9)
        _log.info("%d %s in %.1f s, %.0f a second", self._done, self._unit, seconds, rate)

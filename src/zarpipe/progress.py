"""How far a command is: a bar in a terminal, now and then a line in a log file."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Progress = Callable[[int, int], None]


@contextlib.contextmanager
def progress(what: str) -> Iterator[Progress]:
    """Yield a function of (done, total) that shows the progress on standard error.

    Args:
        what: unit that is counted, for example ``documents``.
    """
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    # Refreshed by hand: no thread that worker processes would inherit half-way through a lock.
    bar = Bar(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            if done == total or done % max(1, total // 200) == 0:
                bar.update(task, completed=done, total=total, refresh=True)

        yield show


def _lines(what: str) -> Progress:
    """Return a function that prints a line at every tenth of the way."""
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if (tenth := 10 * done // total) > shown:
            shown = tenth
            print(f"{done:,} of {total:,} {what}", file=sys.stderr, flush=True)

    return show

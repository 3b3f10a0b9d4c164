"""Progress: lines in a log that tell the rate and the time left, bars in a terminal."""

import io
import logging
import re
import sys

import pytest

from zarpipe import progress
from zarpipe.log import start_logging
from zarpipe.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    seconds = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds[0])

    def advance(by):
        seconds[0] += by

    return advance


def on_terminal(monkeypatch):
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    return made


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, logger="zarpipe")
    return lambda: [record.getMessage() for record in caplog.records]


def test_lines_come_at_most_every_ten_seconds(clock, log):
    with Progress("tokens") as shown:
        for _ in range(9):
            clock(4)
            shown.advance(100, 1000)
        clock(4)
        shown.advance(100, 1000)
    assert log() == [
        "300 of 1000 tokens (30 %), 25 a second, about 28 s left",
        "600 of 1000 tokens (60 %), 25 a second, about 16 s left",
        "900 of 1000 tokens (90 %), 25 a second, about 4 s left",
        "1000 tokens in 40.0 s, 25 a second",
    ]


@pytest.mark.parametrize(
    ("update", "lines"),
    [
        ((5, 10, "loss 1.23"), ["5 of 10 steps (50 %), 0 a second, about 20 s left, loss 1.23", "5 steps in 20.0 s, 0 a second"]),
        ((0, 10), ["0 steps in 20.0 s, 0 a second"]),
    ],
)  # fmt: skip
def test_a_note_ends_the_line_and_nothing_done_yet_divides_nothing(clock, log, update, lines):
    with Progress("steps") as shown:
        clock(20)
        shown.update(*update)
    assert log()[0] == lines[0] or log()[-1] == lines[-1]
    assert log()[-1] == lines[-1]


def test_failed_work_has_no_last_line(log):
    with pytest.raises(ValueError, match="broken"), Progress("steps") as shown:
        shown.update(1, 2)
        raise ValueError("broken")
    assert log() == []


def test_a_caller_who_writes_the_lines_gets_no_others(clock, log):
    with Progress("batches", lines=False) as shown:
        clock(100)
        shown.update(1, 2, name="seed 1")
        shown.say("seed 1, epoch 1")
    assert log() == ["seed 1, epoch 1"]


def test_a_terminal_has_a_bar_for_each_name_and_no_lines(monkeypatch, log):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "100")
    with Progress("batches", lines=False) as shown:
        shown.update(2, 2, "best 56.1", name="seed 1")
        shown.update(1, 4, name="seed 2")
        shown.update(4, 4, name="seed 2")
        shown.say("seed 1, epoch 1")
    shown_text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue())
    last = shown_text.rsplit("seed 1", 1)[1]
    assert all(text in last for text in ("2/2 batches", "best 56.1", "seed 2", "4/4 batches"))
    assert log() == []


def test_log_lines_stand_above_the_bars(monkeypatch):
    """A handler that kept the terminal itself would write into the middle of the bars."""
    terminal = on_terminal(monkeypatch)
    handlers = logging.getLogger().handlers[:]
    try:
        start_logging()
        with Progress("tokens") as shown:
            shown.update(1, 2)
            assert sys.stderr is not terminal
            assert logging.getLogger().handlers[0].stream is sys.stderr
            logging.getLogger("zarpipe.encode").info("a line")
            shown.update(2, 2)
    finally:
        logging.getLogger().handlers[:] = handlers
    assert "INFO a line\n" in terminal.getvalue()

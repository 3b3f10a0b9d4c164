"""What a person is told of a training."""

import logging

import pytest

from zarpipe.progress import Progress
from zarpipe.tagger.epochs import Epoch, epoch_line, show_epoch
from zarpipe.tagger.schedule import Schedule


def schedule(**changes):
    fixed = {"learning_rate": 0.001, "floor": 0.00005, "decay": 0.5, "patience": 4, "epochs": 150}
    return Schedule(**{**fixed, "epoch": 3, "best_f1": 0.561, **changes})


def test_an_epoch_is_one_line():
    epoch = Epoch(7, schedule(), 0.12345, 20, 20, 5432.1, 2.5, f1=0.5512, event="none")
    assert epoch_line(epoch) == (
        "seed 7, epoch 3/150, loss 0.1235, dev F1 55.12 (best 56.10), rate 0.001, 5,432 tokens/s, "
        "at most 6 min 08 s left"
    )


@pytest.mark.parametrize(
    ("changes", "event", "end"),
    [
        ({}, "improve_and_save", "at most 6 min 08 s left"),
        ({}, "decay_and_reload", "at most 6 min 08 s left, decay and reload"),
        ({"stopped": True}, "stop", "finished, stop"),
        ({"epoch": 150}, "none", "finished"),
        ({"epochs": 15000}, "none", "at most 10 h 24 min left"),
    ],
)
def test_the_line_ends_with_the_time_left_and_what_was_decided(changes, event, end):
    assert epoch_line(Epoch(7, schedule(**changes), 0.1, 20, 20, 5.0, 2.5, 0.5, event)).endswith(
        "tokens/s, " + end
    )


def test_a_log_gets_lines_for_epochs_and_none_for_batches(caplog):
    with caplog.at_level(logging.INFO), Progress("batches", lines=False) as progress:
        show_epoch(progress, Epoch(1, schedule(), 0.1, 19, 20, 5.0, 2.5))
        show_epoch(progress, Epoch(1, schedule(), 0.1, 20, 20, 5.0, 2.5, f1=0.5, event="none"))
    assert [record.message[:20] for record in caplog.records] == ["seed 1, epoch 3/150,"]

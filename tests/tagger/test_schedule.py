"""The schedule against the golden training sequences."""

import json
from pathlib import Path

import pytest

from zarpipe.config import TrainingConfig
from zarpipe.tagger.schedule import Schedule

SEQUENCES = json.loads(
    (Path(__file__).parents[1] / "golden" / "training" / "sequences.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence["name"])
def test_schedule_equals_golden(sequence):
    schedule = Schedule(
        sequence["lr_start"],
        sequence["lr_min"],
        sequence["factor"],
        sequence["patience"],
        sequence["max_epochs"],
    )
    if sequence["initial_best_f1"] is not None:
        schedule.best_f1 = sequence["initial_best_f1"]
    events = []
    for f1 in sequence["dev_f1"]:
        assert not schedule.finished
        event = {"epoch": schedule.epoch + 1, "f1": f1, "lr_used": schedule.learning_rate}
        event["event"] = schedule.after_epoch(f1)
        if event["event"] == "decay_and_reload":
            event |= {"reloaded_epoch": schedule.best_epoch, "new_lr": schedule.learning_rate}
        events.append(event)
    assert events == sequence["events"]
    assert schedule.finished
    assert schedule.stopped == (sequence["stop_reason"] == "patience")
    assert schedule.epoch == sequence["epochs_run"]
    assert schedule.best_epoch == sequence["best_epoch"]
    assert schedule.best_f1 == sequence["best_f1"]
    assert schedule.learning_rate == sequence["final_lr"]


def test_paper_schedule_from_default_config():
    schedule = Schedule.from_config(TrainingConfig())
    assert (schedule.learning_rate, schedule.floor, schedule.decay) == (1e-3, 5e-5, 0.5)
    assert (schedule.patience, schedule.epochs) == (4, 150)

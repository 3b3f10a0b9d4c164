"""When a tagger is saved, when its learning rate decays and when its training stops.

Source: the authors' training program as recorded in the golden training notes (the paper refers to Appendix A
of Matsubayashi and Inui, 2018). Every learning rate gets `patience` epochs without a better development F1;
then the best weights are reloaded, the rate decays and the optimiser starts fresh; at the lowest rate
training stops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zarpipe.config import TrainingConfig

Event = Literal["none", "improve_and_save", "decay_and_reload", "stop"]

# A rate this close above the floor counts as the floor (the authors' tolerance).
_FLOOR_TOLERANCE = 1e-4


@dataclass
class Schedule:
    """State of the schedule; plain numbers, so that a checkpoint can hold it."""

    learning_rate: float  # rate of the next epoch
    floor: float  # lowest rate
    decay: float  # factor of the rate
    patience: int  # epochs without a better F1 before the rate decays or training stops
    epochs: int  # upper limit of epochs
    warm_up: float = 0.0  # epochs at the beginning over which the rate rises linearly from zero
    epoch: int = 0  # epochs done
    waited: int = 0  # epochs since the last better F1 or decay
    best_f1: float = -1.0  # best development F1 so far; -1 makes the first epoch an improvement
    best_epoch: int = 0  # its epoch (1-based; 0 = the initial model)
    stopped: bool = False  # whether patience ran out at the floor

    @classmethod
    def from_config(cls, training: TrainingConfig, warm_up: float = 0.0) -> Schedule:
        """Return the schedule before the first epoch."""
        rate = training.learning_rate
        floor = rate * training.minimum_rate_fraction
        return cls(rate, floor, training.decay, training.patience, training.epochs, warm_up)

    @property
    def finished(self) -> bool:
        """Whether no further epoch is to be run."""
        return self.stopped or self.epoch >= self.epochs

    def rate(self, step: int, steps: int) -> float:
        """Return the rate of a step (from 1) of the next epoch, which has ``steps``."""
        done = self.epoch + step / steps
        return self.learning_rate * min(1.0, done / self.warm_up) if self.warm_up else self.learning_rate

    def after_epoch(self, f1: float) -> Event:
        """Note the development F1 of the epoch just run and say what follows from it."""
        self.epoch += 1
        self.waited += 1
        if f1 > self.best_f1:
            self.best_f1, self.best_epoch, self.waited = f1, self.epoch, 0
            return "improve_and_save"
        if self.waited < self.patience:
            return "none"
        if self.learning_rate > self.floor * (1 + _FLOOR_TOLERANCE):
            self.learning_rate = max(self.learning_rate * self.decay, self.floor)
            self.waited = 0
            return "decay_and_reload"
        self.stopped = True
        return "stop"

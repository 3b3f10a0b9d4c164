"""Table 3 of the paper: the hyper-parameters as run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.report.published import published_rows
from zarpipe.report.tables import Cell, Column, Table, write_table

_COLUMNS = (Column("parameter", "Parameter"), Column("value", "Value"), Column("keys", "Configuration keys"))
_NOTE = "The values that the taggers were trained with, as the configuration gives them."


def write_table3(
    tagger: TaggerConfig, training: TrainingConfig, mlm: str, output: Path, published: bool
) -> None:
    """Write the hyper-parameters.

    Args:
        tagger: size of the tagger.
        training: how it was trained.
        mlm: name or folder of the masked language model.
        output: ``table3.csv``; ``.md`` and ``.tex`` are written beside it.
        published: put the paper's values beside ours.
    """
    rows: list[dict[str, Cell]] = [
        {"parameter": parameter, "value": value, "keys": ", ".join(keys)}
        for parameter, value, keys in _parameters(tagger, training, mlm)
    ]
    columns = list(_COLUMNS)
    if published:
        printed = {row["parameter"]: row["value"] for row in published_rows("table3_hyperparameters")}
        columns.append(Column("published_value", "Value (paper)"))
        rows = [row | {"published_value": printed.get(str(row["parameter"]))} for row in rows]
    write_table(Table("table3", "Table 3: hyper-parameters", columns, rows, _NOTE), output)


def _parameters(
    tagger: TaggerConfig, training: TrainingConfig, mlm: str
) -> list[tuple[str, str, Sequence[str]]]:
    """Return (parameter, value, configuration keys), in the order of the paper, then what it leaves out."""
    patience = f"{training.patience} epochs without a better dev F1"
    floor = training.learning_rate * training.minimum_rate_fraction
    adam = f"β1 = {training.beta1:g}, β2 = {training.beta2:g}, ε = {training.epsilon:g}"
    return [
        ("RNN cell", f"Bi-GRU, k = {tagger.layers}", ["tagger.layers"]),
        ("Optimizer", f"Adam ({adam})", ["training.beta1", "training.beta2", "training.epsilon"]),
        (
            "Learning rate schedule",
            f"times {training.decay:g} after {patience}, at least {floor:g}",
            ["training.decay", "training.patience", "training.minimum_rate_fraction"],
        ),
        ("Number of epochs", f"{training.epochs}", ["training.epochs"]),
        ("Stopping criterion", f"{patience} at the lowest learning rate", ["training.patience"]),
        ("Gradient clipping", f"{training.gradient_clip}", ["training.gradient_clip"]),
        ("MLM fine-tuning", "none: all parameters are fixed", []),
        ("MLM", mlm, ["mlm.path"]),
        ("Hidden size", f"{tagger.hidden_size}", ["tagger.hidden_size"]),
        ("Output bias", "yes" if tagger.output_bias else "no", ["tagger.output_bias"]),
        ("Initial learning rate", f"{training.learning_rate:g}", ["training.learning_rate"]),
        ("Batch size (instances)", f"{training.batch_size}", ["training.batch_size"]),
        ("Seeds", " ".join(map(str, training.seeds)), ["training.seeds"]),
    ]

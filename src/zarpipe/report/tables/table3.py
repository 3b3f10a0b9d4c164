"""Table 3 of the paper: the hyper-parameters as run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zarpipe.config import Config
from zarpipe.report.published import published_rows
from zarpipe.report.table import TABLE_ENDINGS, Column, Row, Table
from zarpipe.study.stages import dumped, printed
from zarpipe.study.study import Input, Study

NAME = "table3"
TITLE = "Table 3: hyper-parameters"
SHOWS = "Table 3: hyper-parameters as run"
CONTENTS = "Hyper-parameters"
CAPTION = "Table 3: the hyper-parameters as run, with the keys of the configuration that change them."
GUIDE = "What the taggers were trained with, and the keys of the configuration that change it."
ENDINGS = TABLE_ENDINGS
_COLUMNS = (Column("parameter", "Parameter"), Column("value", "Value"), Column("keys", "Configuration keys"))
_NOTE = "The values that the taggers were trained with, as the configuration gives them."


def inputs(study: Study) -> list[Input]:  # noqa: ARG001 (as for every table)
    """Return the files that the table reads: none."""
    return []


def spec(study: Study) -> dict[str, Any]:
    """Return what the table depends on: all that it shows."""
    config = study.config
    return {
        "mlm": _mlm(study),
        "encoding": config.encoding.of_tokens.model_dump(),
        "tagger": dumped(config.tagger, "accept", "compare"),
        "training": dumped(config.training, "device"),
        "compute_dtypes": [config.encoding.compute_dtype, config.finetuning.compute_dtype],
        "printed": printed(config),
    }


def build(study: Study) -> Table:
    """List the hyper-parameters."""
    config = study.config
    rows: list[Row] = [
        {"parameter": parameter, "value": value, "keys": ", ".join(keys)}
        for parameter, value, keys in _parameters(config, _mlm(study))
    ]
    columns = list(_COLUMNS)
    if config.report.published:
        paper = {row["parameter"]: row["value"] for row in published_rows("table3_hyperparameters")}
        columns.append(Column("published_value", "Value (paper)", paper_for="value"))
        rows = [row | {"published_value": paper.get(str(row["parameter"]))} for row in rows]
    return Table(NAME, TITLE, columns, rows, _NOTE)


def _mlm(study: Study) -> str:
    return study.config.mlm.path or "the small one of zarpipe"


def _parameters(config: Config, mlm: str) -> list[tuple[str, str, Sequence[str]]]:
    """Return (parameter, value, configuration keys), in the order of the paper, then what it leaves out."""
    tagger, training, encoding = config.tagger, config.training, config.encoding
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
        ("MLM layers", str(encoding.layers), ["encoding.layers"]),
        ("Subwords of a token", encoding.pooling, ["encoding.pooling"]),
        ("MLM number format", encoding.compute_dtype, ["encoding.compute_dtype"]),
        ("Tagger number format", training.compute_dtype, ["training.compute_dtype"]),
        ("Fine-tuning number format", config.finetuning.compute_dtype, ["finetuning.compute_dtype"]),
        ("Hidden size", f"{tagger.hidden_size}", ["tagger.hidden_size"]),
        ("Output bias", "yes" if tagger.output_bias else "no", ["tagger.output_bias"]),
        ("Initial learning rate", f"{training.learning_rate:g}", ["training.learning_rate"]),
        ("Batch size (instances)", f"{training.batch_size}", ["training.batch_size"]),
        ("Seeds", " ".join(map(str, training.seeds)), ["training.seeds"]),
    ]

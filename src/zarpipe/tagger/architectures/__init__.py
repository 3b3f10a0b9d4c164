"""The architectures of taggers: from the name in ``tagger.architecture`` to the module.

A module has ``build(config, input_size, seed)``, which returns the model. The model's ``forward(batch)``
gives the log-probabilities [N, LABELS] of a packed batch's tokens (`zarpipe.tagger.batches.Batch`). The
modules are imported when a model is built, so that the configuration can read the names without PyTorch. How
to add one: docs/extending/architecture.md.

Those of LIVE train the MLM too and read no feature files. Their modules have ``work`` and ``read``, which say
what is read, how a model is built, and what is written (`zarpipe.tagger.live.jobs`).
"""


def module_of(name: str) -> str:
    """Return the module by whose code the taggers of an architecture differ from others."""
    return LIVE.get(name) or ARCHITECTURES[name]


LIVE = {
    "finetuned": "zarpipe.tagger.live.jobs",
}

ARCHITECTURES = {
    "bigru": "zarpipe.tagger.architectures.bigru",
    "linear": "zarpipe.tagger.architectures.linear",
}

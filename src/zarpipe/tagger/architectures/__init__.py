"""The architectures of taggers that read hidden states (`zarpipe.config.tagger.ARCHITECTURES`).

A module has ``build(config, input_size, seed)``, which returns the model. The model's ``forward(batch)``
gives the log-probabilities [N, LABELS] of a packed batch's tokens (`zarpipe.tagger.batches.Batch`).
How to add one: docs/extending/architecture.md.
"""

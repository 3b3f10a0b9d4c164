"""Stage 2: augmented variants of the training instances (masked, or replaced by the MLM's predictions)."""

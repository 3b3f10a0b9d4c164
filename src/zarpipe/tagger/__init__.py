"""Stage 4: the BiGRU sequence labeller on cached hidden states."""

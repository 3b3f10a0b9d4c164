"""The segmenter: a light tagger that finds predicates and bunsetsu on the same hidden states."""

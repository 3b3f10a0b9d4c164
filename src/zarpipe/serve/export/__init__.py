"""Corpora and decisions in the formats of other programs: what `zarpipe export` writes."""

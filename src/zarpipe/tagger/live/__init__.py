"""Taggers whose MLM is trained too: nothing here is imported where taggers read feature files."""

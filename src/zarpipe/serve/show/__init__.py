"""Sentences of a corpus as a person reads them: ``zarpipe show``."""

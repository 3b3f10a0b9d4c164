"""The figures of the study: a module each, and what they share in `drawing`."""

"""From a text to predicates and their arguments: the command ``zarpipe analyse`` and what it writes."""

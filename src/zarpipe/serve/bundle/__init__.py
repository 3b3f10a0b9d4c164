"""A recipe's taggers in one folder, with all that they need to run anywhere: ``zarpipe bundle``."""

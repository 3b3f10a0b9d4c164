"""Stage 5: thresholds, decisions and scores."""

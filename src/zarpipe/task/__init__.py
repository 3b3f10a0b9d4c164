"""The task itself: cases, relations, instances, decisions and scores. Arrays only, no files."""

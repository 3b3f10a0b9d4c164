"""What the scores of a study can carry: tests and intervals of F1 differences over documents and seeds."""

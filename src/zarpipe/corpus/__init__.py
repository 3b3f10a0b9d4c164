"""Stage 1: annotated corpora to Parquet."""

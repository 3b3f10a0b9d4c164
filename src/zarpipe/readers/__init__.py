"""Stage 1: annotated corpora, text to documents to corpus Parquet."""

"""Stage 3: final hidden states of the frozen MLM, once per distinct sequence, in HDF5."""

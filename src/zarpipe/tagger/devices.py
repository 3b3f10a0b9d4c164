"""Where and with how many threads PyTorch computes."""

from __future__ import annotations

import torch

from zarpipe.errors import ZarpipeError


def chosen_device(device: str) -> torch.device:
    """Return the device of a configuration value. Raises ZarpipeError for cuda without a usable GPU."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cuda" and not torch.cuda.is_available():
        raise ZarpipeError(
            "device: found cuda, but PyTorch sees no GPU; "
            "expected cpu or auto, or a PyTorch built for your GPU"
        )
    return torch.device(device)


def set_threads(threads: int | None) -> None:
    """Let PyTorch use this many threads; None leaves its own choice (OMP_NUM_THREADS, else all cores)."""
    if threads is not None:
        torch.set_num_threads(threads)

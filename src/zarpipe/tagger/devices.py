"""Where and with how many threads PyTorch computes."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import torch

from zarpipe.errors import ZarpipeError
from zarpipe.tagger.hidden_states import HiddenStates

# How PyTorch's allocators say that there is no memory, where they have no exception of their own for it. A
# CUDA fault such as "an illegal memory access was encountered" speaks of memory too, and is none of these.
_NO_MEMORY = (
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "CUDA error: out of memory",
)
# (option of mallopt(3), value): no block by mmap, trim the heap's end only above 2 GiB, grow it by 64 MiB.
_MALLOC_OPTIONS = ((-4, 0), (-1, 2**31 - 1), (-2, 64 << 20))


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


def prepared_device(device: str, threads: int | None) -> torch.device:
    """Return the device of a configuration value, and let PyTorch use so many threads of the CPU.

    None leaves its own choice (OMP_NUM_THREADS, else all cores).
    """
    if threads is not None:
        torch.set_num_threads(threads)
    return chosen_device(device)


@contextlib.contextmanager
def explained_lack_of_memory(states: HiddenStates, batch_size: int) -> Iterator[None]:
    """Turn a lack of memory into a ZarpipeError that says what to lower; every other error stays itself."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not _is_lack_of_memory(error):
            raise
        raise ZarpipeError(states.lack_of_memory.format(batch_size=batch_size)) from error


def _is_lack_of_memory(error: BaseException) -> bool:
    """Tell whether an allocation failed, on the CPU or on a GPU."""
    no_memory = isinstance(error, (MemoryError, torch.OutOfMemoryError))
    return no_memory or any(text in str(error) for text in _NO_MEMORY)


def keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next batch.

    By default it hands blocks as large as a layer's gates back to the system and gets them again page by
    page, which costs a training step some 10 % of its time. Does nothing where the C library is not glibc.
    """
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    for option, value in _MALLOC_OPTIONS:
        mallopt(option, value)

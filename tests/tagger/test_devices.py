"""Which errors are a lack of memory: real ones, not every error that speaks of memory."""

import pytest
import torch

from zarpipe.errors import ZarpipeError
from zarpipe.tagger.batches import StoredStates
from zarpipe.tagger.devices import explained_lack_of_memory

# The texts of PyTorch 2.13, shortened where they go on.
LACK = [
    MemoryError(),
    torch.OutOfMemoryError(
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of ..."
    ),
    RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: ..."
    ),
    RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
    RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported ..."),
]
OTHERS = [
    RuntimeError("CUDA error: an illegal memory access was encountered"),
    RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
    RuntimeError(
        "unsupported operation: some elements of the input tensor refer to a single memory location."
    ),
    ValueError("memory"),
]


@pytest.mark.parametrize("error", LACK, ids=repr)
def test_a_lack_of_memory_says_what_to_lower(error):
    with (
        pytest.raises(
            ZarpipeError, match=r"not enough memory for batches of 32 instances; lower training\.batch"
        ),
        explained_lack_of_memory(StoredStates, 32),
    ):
        raise error


@pytest.mark.parametrize("error", OTHERS, ids=repr)
def test_every_other_error_stays_itself(error):
    with pytest.raises(type(error)) as caught, explained_lack_of_memory(StoredStates, 32):
        raise error
    assert caught.value is error
    assert not isinstance(caught.value, ZarpipeError)


def test_the_real_allocator_says_what_is_expected_here():
    with pytest.raises(ZarpipeError, match="not enough memory"), explained_lack_of_memory(StoredStates, 1):
        torch.empty(2**60)

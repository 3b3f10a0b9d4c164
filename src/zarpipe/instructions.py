"""What a device's instructions multiply fast."""

from __future__ import annotations

import torch


def multiplies_bfloat16(device: torch.device) -> bool:
    """Tell whether a device has instructions for products of bfloat16 matrices."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported())

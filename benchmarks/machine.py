"""What the benchmarks say of the machine, and the figures of another version beside their own."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

_FEATURES = ("avx2", "avx512_f", "avx512_bf16", "amx_tile", "amx_bf16")
_FIGURE = re.compile(r"^(\w+): ([\d.]+)$", re.MULTILINE)


def has_amx() -> bool:
    """Tell whether the CPU multiplies bfloat16 matrices in tiles."""
    return bool(torch.cpu._is_amx_tile_supported())


def print_machine() -> None:
    """Print the CPU's features and the rates of its matrix products."""
    found = torch.cpu.get_capabilities()
    print(f"CPU: {found.get('cpu_name')}; {', '.join(name for name in _FEATURES if found.get(name))}")
    for dtype in (torch.float32, torch.bfloat16):
        print(f"matrix products, {dtype}: {gemm_rate(dtype=dtype) / 1e9:,.0f} GFLOP/s")


def gemm_rate(repeats: int = 5, size: int = 2048, dtype: torch.dtype = torch.float32) -> float:
    """Return the floating-point operations per second of large matrix products."""
    one, other = torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)
    out = torch.empty(size, size, dtype=dtype)
    torch.mm(one, other, out=out)
    started = time.perf_counter()
    for _ in range(repeats):
        torch.mm(one, other, out=out)
    return 2.0 * size**3 * repeats / (time.perf_counter() - started)


def figures_beside(folder: Path, script: str, *options: str) -> dict[str, float]:
    """Run the same benchmark of another checkout; return the figures of its last lines by name."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, str(folder / "benchmarks" / script), *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return {name: float(value) for name, value in _FIGURE.findall(done.stdout)}


def print_figures(figures: Mapping[str, str], beside: Sequence[Mapping[str, float]]) -> None:
    """Print figures by name, each with the median of the other version's runs behind it if there are any."""
    for name, value in figures.items():
        found = [run[name] for run in beside if name in run]
        print(f"{name}: {value} (beside: {statistics.median(found)})" if found else f"{name}: {value}")

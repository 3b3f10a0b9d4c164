"""zarpipe: data augmentation for Japanese zero anaphora resolution.

An offline, feature-caching pipeline for the study of Konno et al. (COLING 2020) and for what others want
to try next: corpus -> augmented variants -> hidden states of a frozen masked language model -> BiGRU
taggers -> scores -> tables. Each stage is one subpackage and its commands of ``zarpipe``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from zarpipe.serve.bundle.analysis import Bundle

__version__ = "0.1.0"


def load(
    folder: str | Path,
    mlm: str | Path | None = None,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int | None = None,
) -> Bundle:
    """Load a bundle that `zarpipe bundle` made, to find predicates and arguments in text (docs/analyse.md).

    Args:
        folder: the bundle.
        mlm: folder or hub name of the masked language model, for a bundle that only refers to it.
        device: where everything is computed; auto: on a GPU when there is one.
        threads: CPU threads; None leaves PyTorch's setting.

    Raises:
        zarpipe.errors.ZarpipeError: a file is missing, damaged or of another version, or the model is not
            there or another.
    """
    from zarpipe.serve.bundle.loading import load_bundle

    return load_bundle(folder, mlm, device, threads)

"""Data sets and texts of HDF5 files, as far as they lie in the file itself."""

from __future__ import annotations

import h5py
import numpy as np


def own_dataset(file: h5py.File, name: str, dimensions: int) -> h5py.Dataset:
    """Return a data set of numbers of a file, with so many dimensions.

    HDF5 can also point to data elsewhere: by links, in files of raw bytes, or as a virtual data set. No
    checksum of this file would tell when those change, so they are refused. So are shapes beyond the numbers
    that are stored: HDF5 makes up the others when they are read.

    Raises ValueError: it is missing, no such data set, or its data lie elsewhere or nowhere.
    """
    link = file.get(name, getlink=True)
    if link is None:
        raise ValueError(f"{name!r} is missing")
    if not isinstance(link, h5py.HardLink):
        raise ValueError(f"{name!r} is a link; expected the data in this file")
    dataset = file[name]
    if not isinstance(dataset, h5py.Dataset):
        raise ValueError(f"{name!r} is a group; expected a data set")
    if dataset.external or dataset.is_virtual:
        raise ValueError(f"{name!r} has its data in another file; expected them in this one")
    if dataset.ndim != dimensions or dataset.dtype.kind not in "iuf":
        raise ValueError(
            f"{name!r} is {dataset.dtype} with {dataset.ndim} dimensions, expected numbers with {dimensions}"
        )
    if dataset.id.get_storage_size() < dataset.nbytes:
        raise ValueError(f"{name!r} has the shape {dataset.shape}, for which the file has no data")
    return dataset


def write_attribute(file: h5py.File, name: str, text: str) -> None:
    """Write a text as an attribute of fixed length.

    HDF5 keeps texts of variable length in a heap, where one wrong bit can let the library search for ever.
    """
    file.attrs[name] = np.bytes_(text.encode())


def read_attribute(file: h5py.File, name: str) -> str:
    """Read a text. Raises ValueError: it is missing, or is no text in UTF-8."""
    if name not in file.attrs:
        raise ValueError(f"the attribute {name!r} is missing")
    value = file.attrs[name]
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise ValueError(f"the attribute {name!r} is no text")
    return value

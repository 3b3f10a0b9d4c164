"""Data sets of HDF5 files, as far as they lie in the file itself."""

from __future__ import annotations

import h5py


def own_dataset(file: h5py.File, name: str) -> h5py.Dataset:
    """Return a data set of a file.

    HDF5 can also point to data elsewhere: by links, in files of raw bytes, or as a virtual data set. No
    checksum of this file would tell when those change, so they are refused.

    Raises:
        ValueError: it is missing, no data set, or its data lie elsewhere.
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
    return dataset

"""Files damaged after they were written are refused by whatever reads them next."""

import h5py
import numpy as np
import pytest
import torch

from zarpipe.errors import ZarpipeError
from zarpipe.files import file_digest
from zarpipe.formats.features import Features, write_features
from zarpipe.formats.tagger import read_tensors, write_tensors
from zarpipe.formats.variant import read_variant, write_variant


def flip(path, offset):
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


def test_a_flipped_bit_in_the_weights_is_noticed(tmp_path):
    path = tmp_path / "tagger.safetensors"
    write_tensors(path, {"weight": torch.arange(64, dtype=torch.float32)}, {"config": {"layers": 1}})
    tensors, metadata = read_tensors(path)
    assert metadata == {"config": {"layers": 1}}
    assert tensors["weight"][63] == 63
    flip(path, -7)
    with pytest.raises(ZarpipeError, match="do not fit its checksum"):
        read_tensors(path)


def test_a_flipped_bit_in_a_variant_is_noticed(tmp_path):
    path = tmp_path / "variant.parquet"
    masked = np.arange(3000, dtype=np.int64)
    offsets = np.array([0, 1000, 3000], dtype=np.int64)
    write_variant(path, ["a", "b"], np.array([1, 2]), offsets, masked, "digest")
    assert read_variant(path).masked.tolist() == masked.tolist()
    damaged = 0
    for offset in range(200, path.stat().st_size // 2, 97):
        flip(path, offset)
        try:
            same = read_variant(path).masked.tolist() == masked.tolist()
        except ZarpipeError:
            damaged += 1
        else:
            assert same
        flip(path, offset)
    assert damaged


def test_a_folder_has_no_digest_but_a_message(tmp_path):
    with pytest.raises(ZarpipeError, match="cannot read this file"):
        file_digest(tmp_path)


def test_a_flipped_bit_in_the_features_is_noticed(damaged_features):
    with pytest.raises(ZarpipeError, match="1 of 1 blocks are damaged"):
        Features.open(damaged_features).check_whole()


@pytest.fixture
def damaged_features(tmp_path):
    path = tmp_path / "train.h5"
    hidden = np.ones((4, 8), np.float16)
    write_features(path, [hidden], 8, np.array([0, 4]), np.array([0]), {"corpus": "x"})
    with h5py.File(path, "r") as file:
        start = file["hidden"].id.get_offset()
    flip(path, start + 11)
    return path

import h5py
import numpy as np
import pytest

from zarpipe.errors import ZarpipeError
from zarpipe.formats.features import Features, read_provenance, write_features
from zarpipe.formats.hdf5 import write_attribute

HIDDEN = np.arange(24, dtype=np.float16).reshape(6, 4)


def _write(path, offsets=(0, 2, 2, 6), sequences=(0, 2, 1, 2), blocks=(HIDDEN[:4], HIDDEN[4:]), **provenance):
    write_features(path, blocks, 4, np.array(offsets), np.array(sequences), {"corpus": "c", **provenance})


def test_round_trip(tmp_path):
    _write(tmp_path / "train.h5")
    features = Features.open(tmp_path / "train.h5")
    np.testing.assert_array_equal(features.hidden, HIDDEN)
    np.testing.assert_array_equal(features.gather([2, 1, 0]), np.concatenate([HIDDEN[2:6], HIDDEN[:2]]))
    assert isinstance(features.hidden, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        features.hidden[0] = 0
    np.testing.assert_array_equal(features.lengths, [2, 0, 4])
    np.testing.assert_array_equal(features.instance_sequence, [0, 2, 1, 2])
    assert features.hidden_size == 4
    assert read_provenance(tmp_path / "train.h5") == features.provenance


def test_a_corpus_without_predicates_gives_an_empty_file(tmp_path):
    _write(tmp_path / "train.h5", offsets=[0], sequences=[], blocks=[])
    features = Features.open(tmp_path / "train.h5")
    assert features.hidden.shape == (0, 4)
    assert features.damaged_blocks() == []


def test_a_flipped_bit_is_found_in_its_block(tmp_path):
    path = tmp_path / "train.h5"
    _write(path)
    with h5py.File(path, "r") as file:
        at = file["hidden"].id.get_offset()
    with path.open("rb+") as stream:
        stream.seek(at + 5 * 4 * 2)
        stream.write(b"\x01")
    assert Features.open(path).damaged_blocks() == [1]


def test_missing_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(ZarpipeError, match=r"none\.h5.*zarpipe encode"):
        Features.open(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no HDF5")
    with pytest.raises(ZarpipeError, match=r"text\.h5"):
        Features.open(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = [1]
    with pytest.raises(ZarpipeError, match="'hidden' is missing"):
        Features.open(tmp_path / "other.h5")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": [0, 2, 5]}, "offsets"),
        ({"offsets": 6}, "'offsets' is int64 with 0 dimensions, expected numbers with 1"),
        ({"block_offsets": [[0, 6]]}, "'block_offsets' is int64 with 2 dimensions"),
        ({"instance_sequence": np.array([b"0"])}, r"'instance_sequence' is \|S1"),
        ({"instance_sequence": [3]}, "sequence 3 of 3"),
        ({"instance_sequence": [-1]}, "originals"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, change, message):
    path = tmp_path / "train.h5"
    _write(path)
    with h5py.File(path, "r+") as file:
        for name, values in change.items():
            del file[name]
            file[name] = np.array(values)
    with pytest.raises(ZarpipeError, match=message):
        Features.open(path)


@pytest.mark.parametrize("name", ["offsets", "hidden"])
def test_a_shape_without_data_is_refused(tmp_path, name):
    path = tmp_path / "train.h5"
    _write(path)
    with h5py.File(path, "r+") as file:
        shape = (2**45, 4)[: file[name].ndim]
        del file[name]
        file.create_dataset(name, shape, chunks=(2,) * len(shape), dtype=np.int64)
    with pytest.raises(ZarpipeError, match=rf"'{name}' has the shape .*no data"):
        Features.open(path)


def test_a_provenance_that_is_nested_deeply_is_refused(tmp_path):
    path = tmp_path / "train.h5"
    _write(path)
    with h5py.File(path, "r+") as file:
        write_attribute(file, "provenance", "[" * 20_000)
    for read in (Features.open, read_provenance):
        with pytest.raises(ZarpipeError, match="nested too deeply"):
            read(path)


def test_a_truncated_file_is_refused(tmp_path):
    path = tmp_path / "train.h5"
    _write(path)
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(ZarpipeError, match=r"train\.h5"):
        Features.open(path)


def test_features_refuse_another_corpus_and_other_originals(tmp_path):
    _write(tmp_path / "train.h5")
    _write(tmp_path / "variant.h5", originals="0" * 64, sequences=[-1, 0])
    train, variant = Features.open(tmp_path / "train.h5"), Features.open(tmp_path / "variant.h5")
    train.check_corpus("c")
    with pytest.raises(ZarpipeError, match="another corpus"):
        train.check_corpus("d")
    with pytest.raises(ZarpipeError, match="other original features"):
        variant.check_originals(train)

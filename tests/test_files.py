import pytest
from safetensors import SafetensorError

from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import read_json, whole_file, write_json


def test_a_file_appears_only_when_whole(tmp_path):
    target = tmp_path / "folder" / "file.txt"
    with pytest.raises(KeyError), whole_file(target) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert list(target.parent.iterdir()) == []
    with whole_file(target) as temporary:
        temporary.write_text("whole")
        assert not target.exists()
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_a_failed_write_keeps_the_old_file(tmp_path):
    target = tmp_path / "file.json"
    write_json(target, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(target, {"a": float("nan")})
    assert read_json(target) == {"a": 1}


def test_an_impossible_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ZarpipeError, match="cannot create this folder"), whole_file(tmp_path / "file" / "x"):
        pass


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        # safetensors and tokenizers, HDF5 when it closes a file
        SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
        RuntimeError("Can't decrement id ref count (errno = 28, error message = 'No space left on device')"),
    ],
)
def test_a_full_disk_is_said_whoever_notices_it(tmp_path, error):
    said = r"x: cannot write this file \(No space left on device\)"
    with pytest.raises(ZarpipeError, match=said), whole_file(tmp_path / "x"):
        raise error
    assert list(tmp_path.iterdir()) == []


def test_other_errors_keep_their_traceback(tmp_path):
    with pytest.raises(RuntimeError, match="a defect"), whole_file(tmp_path / "x"):
        raise RuntimeError("a defect")


def test_file_problem_survives_a_process_boundary():
    import pickle

    problem = pickle.loads(pickle.dumps(FileProblem("a.ntc", 3, "odd")))  # noqa: S301
    assert (str(problem), problem.line) == ("a.ntc:3: odd", 3)

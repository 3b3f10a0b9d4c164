import pytest

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


def test_file_problem_survives_a_process_boundary():
    import pickle

    problem = pickle.loads(pickle.dumps(FileProblem("a.ntc", 3, "odd")))  # noqa: S301
    assert (str(problem), problem.line) == ("a.ntc:3: odd", 3)

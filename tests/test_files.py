import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest
from safetensors import SafetensorError

from zarpipe.errors import FileProblem, ZarpipeError
from zarpipe.files import (
    hidden_folder,
    read_json,
    whole_file,
    whole_stream,
    whole_text,
    write_json,
    write_text,
)


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


def test_two_writers_of_one_output_with_equal_process_ids_do_not_mix(tmp_path, monkeypatch):
    """As in two containers on one folder, where both processes may be number 1."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    target = tmp_path / "file"
    with whole_stream(target) as first, whole_stream(target) as second:
        first.write(b"a" * 9000)
        second.write(b"b" * 20000)
        first.flush()
        second.flush()
        assert len(list(tmp_path.iterdir())) == 2
    assert target.read_bytes() == b"a" * 9000  # the first ends last
    assert list(tmp_path.iterdir()) == [target]


def test_many_writers_of_one_output_all_end_well(tmp_path):
    target = tmp_path / "file"

    def write(number):
        for _ in range(30):
            write_text(target, str(number) * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert target.read_text() in [str(number) * 1000 for number in range(8)]
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_that_somebody_laid_is_not_followed(tmp_path, monkeypatch):
    start_up = tmp_path / "start-up"
    start_up.write_text("mine")
    names = iter(["guessed", "guessed", "free"])
    monkeypatch.setattr("zarpipe.files.secrets.token_hex", lambda _: next(names))
    store = tmp_path / "store"
    store.mkdir()
    (store / ".manifest.json.guessed.part").symlink_to(start_up)
    with pytest.raises(ZarpipeError, match=r"manifest.json: cannot write this file \(File exists\)"):
        write_json(store / "manifest.json", {"mlm": "$(touch x)"})
    assert start_up.read_text() == "mine"
    assert not (store / "manifest.json").exists()


def test_the_output_may_be_a_link_which_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    write_text(tmp_path / "out", "new")
    assert (tmp_path / "elsewhere").read_text() == "mine"
    assert (tmp_path / "out").read_text() == "new"


def test_a_pipe_or_a_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to(os.devnull)
    for name in ("pipe", "null"):
        with pytest.raises(ZarpipeError, match=f"{name}: found a device or a pipe"):
            write_text(tmp_path / name, "new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "null").is_symlink()


def test_a_temporary_file_that_was_replaced_meanwhile_is_not_published(tmp_path):
    target = tmp_path / "file"
    with (
        pytest.raises(ZarpipeError, match="another process took away or replaced"),
        whole_file(target) as path,
    ):
        path.unlink()
        path.write_text("by somebody else")
    assert not target.exists()


_KILLED = """
import os, signal, sys
from zarpipe.files import hidden_folder, whole_stream
with {maker}(sys.argv[1]) as made:
    print(made, flush=True)
    {end}
"""


def started(target, maker, end):
    script = _KILLED.format(maker=maker, end=end)
    process = subprocess.Popen([sys.executable, "-c", script, target], stdin=-1, stdout=-1, text=True)
    process.stdout.readline()
    return process


@pytest.mark.parametrize(("maker", "write"), [("whole_stream", whole_text), ("hidden_folder", hidden_folder)])
def test_the_next_run_removes_what_a_killed_one_left_and_leaves_a_living_ones(tmp_path, maker, write):
    target = tmp_path / "output [1]"
    killed = started(target, maker, "os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.wait() == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert len(left) == 1
    living = started(target, maker, "sys.stdin.read()")
    assert left[0] not in tmp_path.iterdir()  # the living one has removed it
    held = list(tmp_path.iterdir())
    with write(target):
        assert set(held) < set(tmp_path.iterdir())
    assert held[0].exists()
    living.communicate("")
    assert not held[0].exists()


def test_only_hidden_files_of_the_same_output_are_removed(tmp_path):
    kept = [".other.0123.part", ".file.txt", ".file.sub.0123.part", "file.0123.part", ".file.0123.partial"]
    for name in kept:
        (tmp_path / name).write_text("")
    (tmp_path / ".file.4711.part").write_text("of an older version")
    write_text(tmp_path / "file", "")
    assert {path.name for path in tmp_path.iterdir()} == {"file", *kept}


def test_a_place_without_locks_is_written_to_and_nothing_is_removed_there(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    (tmp_path / ".file.0123.part").write_text("perhaps of a living run")
    write_text(tmp_path / "file", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".file.0123.part"}


def test_files_get_the_permissions_that_the_user_set(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_json_carries_no_character_that_steers_a_terminal(tmp_path):
    value = {"name": "a\n\x1b[31m\x9b\u202eb", "日本": "語"}
    write_json(tmp_path / "file", value)
    text = (tmp_path / "file").read_text(encoding="utf-8")
    assert json.loads(text) == value
    assert not set("\x1b\x9b\u202e") & set(text)
    assert "日本" in text


def test_a_full_disk_is_said_by_hdf5_too(tmp_path):
    script = f"""
    import resource, signal
    import h5py, numpy as np
    from zarpipe.errors import ZarpipeError
    from zarpipe.files import whole_stream
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        with whole_stream({str(tmp_path / "x")!r}) as stream, h5py.File(stream, "w") as file:
            file["x"] = np.zeros(1_000_000)
    except ZarpipeError as error:
        print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False
    )
    assert "cannot write this file (File too large)" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["~", "~/r", "a:b", "file:x"])
def test_names_that_libraries_take_for_other_places_are_folders(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    with whole_stream(f"{folder}/x.h5") as stream, h5py.File(stream, "w") as file:
        file["x"] = np.arange(3)
    assert (tmp_path / folder / "x.h5").is_file()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
def test_a_full_standard_output_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "zarpipe", "schema"], stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "zarpipe: error: standard output cannot be written (No space left on device)\n"
    )

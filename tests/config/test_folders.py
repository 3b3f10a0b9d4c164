"""Folders that people outside the user's groups may write into."""

import os
import stat

import pytest

from zarpipe.config import Config
from zarpipe.config import folders as config_folders
from zarpipe.config.folders import strangers, warn_of_strangers


@pytest.fixture
def home(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path


def made(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    return folder


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o770, 0o2775])
def test_a_folder_of_the_user_or_the_group_is_trusted(home, mode):
    store = made(home / "store", mode)
    assert strangers(store) is None
    assert strangers(store / "not" / "there yet") is None


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757, 0o702])
def test_a_folder_that_every_user_may_write_into_is_named(home, mode):
    store = made(home / "store", mode)
    said = (
        f"every user of this machine may write into {store}; expected a folder for you or your group alone "
    )
    assert strangers(store) == f"{said}(chmod o-w {store})"
    # As in /tmp, where only their owners replace folders.
    assert (strangers(store / "features") is None) == bool(mode & stat.S_ISVTX)
    # The folder behind a link is judged.
    (home / "link").symlink_to(store)
    assert strangers(home / "link") == strangers(store)


def test_a_folder_of_another_user_is_named_unless_a_common_group_has_it(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    status = os.stat_result((0o40775, 0, 0, 0, 4712, 4713, 0, 0, 0, 0))
    monkeypatch.setattr(os, "getgroups", lambda: [])
    monkeypatch.setattr(os, "getegid", lambda: 4711)
    assert not config_folders._is_trusted(status)
    monkeypatch.setattr(os, "getgroups", lambda: [4713])
    assert config_folders._is_trusted(status)


def test_the_warning_names_the_key(home, caplog):
    warn_of_strangers(Config(results=str(home / "r"), store=str(made(home / "store", 0o777))))
    (message,) = caplog.messages
    assert message.startswith("store: every user of this machine may write into ")

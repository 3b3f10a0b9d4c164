"""Who besides the user may write into the folders of a study."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from zarpipe.config import Config

_LOG = logging.getLogger(__name__)


def warn_of_strangers(config: Config) -> None:
    """Warn, once for each folder, where others may replace what a study believes to be its own."""
    for key in ("results", "store"):
        folder = getattr(config, key)
        if folder is not None and (reason := strangers(Path(folder))) is not None:
            _LOG.warning("%s: %s", key, reason)


def strangers(folder: Path) -> str | None:
    """Say why people outside the user's groups may write into a folder; None when they may not.

    Files that they lay there would be taken for finished outputs. A folder that is not there yet is judged by
    the folders above it; those with the sticky bit (``/tmp``) protect what is in them.
    """
    return next(_reasons(folder.absolute()), None)


def _reasons(folder: Path) -> Iterator[str]:
    place = folder.resolve()
    for path in (place, *place.parents):
        try:
            status = path.stat()
        except OSError:
            continue
        if status.st_mode & stat.S_IWOTH and (path == place or not status.st_mode & stat.S_ISVTX):
            yield (
                f"every user of this machine may write into {path}; expected a folder for you or your "
                f"group alone (chmod o-w {path})"
            )
        if path == place and not _is_trusted(status):
            yield (
                f"{path} belongs to another user (number {status.st_uid}) and to none of your groups; "
                "expected a folder of yours or of a group that you are in"
            )


def _is_trusted(status: os.stat_result) -> bool:
    """Tell whether a folder is the user's, the administrator's or of one of the user's groups."""
    return status.st_uid in (0, os.geteuid()) or status.st_gid in (os.getegid(), *os.getgroups())

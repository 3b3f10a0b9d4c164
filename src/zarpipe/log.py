"""Progress messages on standard error: the time and the message, one line each."""

from __future__ import annotations

import logging
import sys
from typing import TextIO


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at that moment: lines stand above progress bars, not in them."""

    @property
    def stream(self) -> TextIO:
        """Standard error, which bars replace while they are shown."""
        return sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        pass


def start_logging() -> None:
    """Show zarpipe's own messages from INFO on; other libraries' from WARNING on."""
    handler = _StandardError()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("zarpipe").setLevel(logging.INFO)

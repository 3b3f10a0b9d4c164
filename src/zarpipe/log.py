"""Progress messages on standard error: the time and the message, one line each."""

from __future__ import annotations

import logging
import sys


def start_logging() -> None:
    """Show zarpipe's own messages from INFO on; other libraries' from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("zarpipe").setLevel(logging.INFO)

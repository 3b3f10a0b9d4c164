"""``python -m zarpipe``: the same as the command ``zarpipe``."""

from zarpipe.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

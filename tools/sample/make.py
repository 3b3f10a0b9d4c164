"""Make the corpus and the masked language model that `zarpipe.sample` holds.

Run: python tools/sample/make.py OUTPUT [--corpus-only]

Writes OUTPUT/corpus, the same bytes with the same unidic-lite, and OUTPUT/small-mlm, whose weights depend on
the processor and the version of torch in their last bits. README.md says how the committed ones were made.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from made.documents import unlabelled_lines, write_documents

from zarpipe.log import start_logging

SENTENCES = 40_000


def main() -> None:
    """Write both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="folder that does not exist yet")
    parser.add_argument("--corpus-only", action="store_true", help="no model")
    arguments = parser.parse_args()
    start_logging()
    corpus = arguments.output / "corpus"
    corpus.mkdir(parents=True)
    write_documents(corpus)
    if not arguments.corpus_only:
        from pretrain import Settings, pretrain

        lines = itertools.islice(unlabelled_lines(), SENTENCES)
        pretrain([line.split(" ") for line in lines], arguments.output / "small-mlm", Settings())


if __name__ == "__main__":
    main()

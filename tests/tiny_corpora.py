"""Corpus Parquets of a few sentences, built directly."""

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.formats.corpus import CORPUS_SCHEMA


def write_corpus(path, sentences, predicates=None):
    """Write tokenised sentences; each has its last token as predicate unless ``predicates`` says otherwise."""
    rows = [
        {
            "doc_id": "d",
            "sent_id": f"d-{number}",
            "tokens": tokens,
            "lemmas": tokens,
            "pos": ["名詞"] * len(tokens),
            "pos_sub": ["*"] * len(tokens),
            "bunsetsu": list(range(len(tokens))),
            "heads": [*range(1, len(tokens)), -1],
            "predicates": [
                {"token": token, "alt": None, "arguments": []}
                for token in ([len(tokens) - 1] if predicates is None else predicates[number])
            ],
        }
        for number, tokens in enumerate(sentences)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA), path)
    return path

"""Corpus Parquets of a few sentences, built directly."""

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.formats.corpus import CORPUS_SCHEMA


def write_corpus(path, sentences, predicates=None, bunsetsu=None):
    """Write tokenised sentences.

    Each has its last token as predicate unless ``predicates`` says otherwise, and each token is a bunsetsu
    unless ``bunsetsu`` gives their numbers.
    """
    bunsetsu = bunsetsu or [list(range(len(tokens))) for tokens in sentences]
    rows = [
        {
            "doc_id": "d",
            "sent_id": f"d-{number}",
            "tokens": tokens,
            "lemmas": tokens,
            "pos": ["名詞"] * len(tokens),
            "pos_sub": ["*"] * len(tokens),
            "bunsetsu": bunsetsu[number],
            "heads": [*range(1, bunsetsu[number][-1] + 1), -1],
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

"""Corpus Parquets of a few sentences, built directly."""

import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.formats.corpus import CORPUS_SCHEMA
from zarpipe.task.relations import relation


def row(sent_id, tokens, predicates, bunsetsu=None, heads=None, doc_id="d", pos=None):
    """A row of a corpus of nouns; predicates are {token: [(case, token), ...]}.

    Each token is a bunsetsu, and each bunsetsu depends on the next, unless something else is given.
    """
    bunsetsu = bunsetsu or list(range(len(tokens)))
    heads = heads or [*range(1, bunsetsu[-1] + 1), -1]

    def argument(target, case, token):
        found = relation(bunsetsu[target], bunsetsu[token], heads).name
        return {"case": case, "token": token, "relation": found}

    return {
        **{"doc_id": doc_id, "sent_id": sent_id, "tokens": tokens, "lemmas": tokens},
        **{
            "pos": pos or ["名詞"] * len(tokens),
            "pos_sub": ["*"] * len(tokens),
            "bunsetsu": bunsetsu,
            "heads": heads,
        },
        "predicates": [
            {"token": token, "alt": None, "arguments": [argument(token, *one) for one in arguments]}
            for token, arguments in predicates.items()
        ],
    }


def write_rows(path, rows):
    """Write rows as a corpus Parquet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows), schema=CORPUS_SCHEMA), path)
    return path


def write_corpus(path, sentences, predicates=None, bunsetsu=None):
    """Write tokenised sentences, each with its last token as predicate unless ``predicates`` says otherwise."""
    predicates = predicates or [[len(tokens) - 1] for tokens in sentences]
    rows = [
        row(f"d-{number}", tokens, {token: [] for token in predicates[number]}, bunsetsu and bunsetsu[number])
        for number, tokens in enumerate(sentences)
    ]
    return write_rows(path, rows)

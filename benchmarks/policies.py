"""Weights of every built-in masking policy on as many instances as NTC 1.5 has.

    python benchmarks/policies.py [--instances 67000]

Prints processor seconds of each policy, and how many times as long a function of one's own takes, which is
called for each instance (`distance`; the weights must be the same).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from zarpipe.arrays import Float64
from zarpipe.augment.policies.product import policy_weights
from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.config.policies import canonical_policy
from zarpipe.formats.corpus import CORPUS_SCHEMA, instances_of

INSTANCES_OF_A_SENTENCE, TOKENS, BUNSETSU_TOKENS = 3, 28, 2.5
TAGS = ("名詞", "動詞", "助詞", "特殊", "副詞", "接尾辞", "助動詞")
OWN = """\
import math


def near(sentence, predicate, scale=3):
    return [math.exp(-abs(token - predicate.token) / scale) for token in range(len(sentence.words))]
"""
POLICIES: dict[str, dict[str, Any]] = {
    "pos": {"use": "pos", "tags": ["副詞"]},
    "distance, tokens": {"use": "distance"},
    "distance, bunsetsu": {"use": "distance", "unit": "bunsetsu", "prefer": "far"},
    "dependency, tree": {"use": "dependency"},
    "dependency, heads": {"use": "dependency", "among": "heads"},
    "dependency, dependents": {"use": "dependency", "among": "dependents"},
    "dependency, siblings": {"use": "dependency", "among": "siblings"},
    "predicates": {"use": "predicates"},
    "arguments": {"use": "arguments", "mask": "rate", "rate": 0.5},
    "content": {"use": "content"},
    "function": {"use": "function"},
}


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=67_000)
    sentences = parser.parse_args().instances // INSTANCES_OF_A_SENTENCE
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "train.parquet"
        pq.write_table(made_corpus(sentences), corpus)
        table = pq.read_table(corpus)
        instances = instances_of(table)
        print(f"{len(instances)} instances, {int(instances.offsets[-1])} tokens")
        own = Path(folder) / "own.py"
        own.write_text(OWN, encoding="utf-8")
        plain, expected = seconds_of({"use": f"{own}:near"}, InstanceTokens(table, instances, corpus, {}))
        print(f"{'a function of ones own':25} {plain:6.2f} s")
        for name, definition in POLICIES.items():
            seconds, weights = seconds_of(definition, InstanceTokens(table, instances, corpus, {}))
            if name == "distance, tokens":
                assert np.allclose(weights, expected)
            print(f"{name:25} {seconds:6.2f} s, {plain / seconds:6.0f} times as fast")


def seconds_of(definition: dict[str, Any], tokens: InstanceTokens) -> tuple[float, Float64]:
    """Return the processor seconds that a policy's weights take, and the weights."""
    started = time.process_time()
    weights = policy_weights(canonical_policy(definition), tokens)
    return time.process_time() - started, weights


def made_corpus(sentences: int) -> pa.Table:
    """Return sentences of equal length with random tags, trees, predicates and arguments."""
    random = np.random.default_rng(0)
    starts = np.sort(random.random((sentences, TOKENS)) < 1 / BUNSETSU_TOKENS, axis=1)[:, ::-1]
    starts[:, 0] = True
    starts = np.take_along_axis(
        starts,
        np.concatenate(
            [np.zeros((sentences, 1), int), 1 + np.argsort(random.random((sentences, TOKENS - 1)))], 1
        ),
        1,
    )
    bunsetsu = np.cumsum(starts, axis=1) - 1
    rows = []
    for number in range(sentences):
        last = int(bunsetsu[number, -1])
        heads = [int(random.integers(one + 1, last + 1)) for one in range(last)] + [-1]
        places = np.sort(random.choice(TOKENS, INSTANCES_OF_A_SENTENCE, replace=False)).tolist()
        argument = {"case": "NOM", "token": int(random.integers(TOKENS)), "relation": "ZAR"}
        rows.append(
            {
                "doc_id": f"d{number // 10}",
                "sent_id": f"d-{number}",
                "tokens": ["語"] * TOKENS,
                "lemmas": ["語"] * TOKENS,
                "pos": random.choice(TAGS, TOKENS).tolist(),
                "pos_sub": ["*"] * TOKENS,
                "bunsetsu": bunsetsu[number].tolist(),
                "heads": heads,
                "predicates": [{"token": place, "alt": None, "arguments": [argument]} for place in places],
            }
        )
    return pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA)


if __name__ == "__main__":
    main()

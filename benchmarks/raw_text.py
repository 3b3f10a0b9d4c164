"""Measures what a bundle loses from gold words and predicates to raw text.

    python benchmarks/raw_text.py results/bundle results/corpus/dev.parquet [--seed N]

The corpus should be in the words that raw text is cut into (`corpus.tokens: unidic`). Each sentence is
analysed with its words and its predicates; with its words alone; and each document as one text without any
mark between its sentences. Words are compared by their characters: a predicate is right if its word is that
of a gold one, an argument if its predicate, its case and the word of one of its mentions are.

Prints a table for each corpus: precision, recall and F1 of all arguments, the recall of those in a direct
dependency (DEP) and of the omitted ones (ZAR), F1 of predicates, and the share of sentences that are cut as
in the corpus.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from zarpipe import load
from zarpipe.formats.corpus import read_corpus
from zarpipe.serve.bundle.analysis import Bundle
from zarpipe.task.documents import Predicate
from zarpipe.task.scores import score

Span = tuple[str, int, int]
"""A document, and the first character of a word and the one behind its last."""


class Analysis(NamedTuple):
    """Predicates, and what fills each case of one: a word, or for gold all its mentions."""

    predicates: set[Span]
    arguments: dict[tuple[Span, str], set[Span]]
    sentences: set[Span]


def main() -> None:
    """Run the measurement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bundle", type=Path)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument(
        "--seed", type=int, help="only the tagger of this seed (default: all decide together)"
    )
    arguments = parser.parse_args()
    bundle = load(arguments.bundle)
    bundle = bundle if arguments.seed is None else bundle.with_seed(arguments.seed)
    for corpus in arguments.corpus:
        print(f"\n{corpus}: {len(bundle.taggers)} tagger{'s' * (len(bundle.taggers) > 1)}")
        print(f"{'':24}{'P':>8}{'R':>8}{'F1':>8}{'DEP R':>8}{'ZAR R':>8}{'pred. F1':>10}{'sentences':>11}")
        rows = read_corpus(corpus).to_pylist()
        gold, relations = gold_of(rows)
        for name, analysis in analyses(bundle, rows):
            _print_row(name, compared(analysis, gold, relations))


def analyses(bundle: Bundle, rows: list[dict[str, Any]]) -> Iterator[tuple[str, Analysis]]:
    """Yield the analyses of a corpus with less and less of it given."""
    given = [(row["tokens"], [predicate["token"] for predicate in row["predicates"]]) for row in rows]
    places = list(_spans(rows))
    for name, sentences in {
        "gold words, predicates": given,
        "gold words": [(tokens, None) for tokens, _ in given],
    }.items():
        found = bundle.analyse(sentences)
        yield name, _collected((spans, one.predicates) for spans, one in zip(places, found, strict=True))
    yield "raw text", _collected(_of_texts(bundle, rows))


def _of_texts(bundle: Bundle, rows: list[dict[str, Any]]) -> Iterator[tuple[list[Span], list[Predicate]]]:
    for document, sentences in groupby(rows, key=lambda row: row["doc_id"]):
        text = "".join(token for row in sentences for token in row["tokens"])
        for sentence in bundle(text).sentences:
            yield [(document, *span) for span in sentence.spans], sentence.predicates


def gold_of(rows: list[dict[str, Any]]) -> tuple[Analysis, dict[tuple[Span, str], str]]:
    """Return the gold analysis, and the relation of each argument: DEP if one of its mentions has it."""
    gold = Analysis(set(), {}, set())
    relations: dict[tuple[Span, str], str] = {}
    for row, spans in zip(rows, _spans(rows), strict=True):
        gold.sentences.add((spans[0][0], spans[0][1], spans[-1][2]))
        for predicate in row["predicates"]:
            place = spans[predicate["token"]]
            gold.predicates.add(place)
            for argument in predicate["arguments"]:
                key = place, argument["case"]
                gold.arguments.setdefault(key, set()).add(spans[argument["token"]])
                if relations.get(key) != "DEP":
                    relations[key] = argument["relation"]
    return gold, relations


def _spans(rows: list[dict[str, Any]]) -> Iterator[list[Span]]:
    """Yield the places of the words of each sentence in the text of its document."""
    ends: Counter[str] = Counter()
    for row in rows:
        document, spans = row["doc_id"], []
        for token in row["tokens"]:
            start = ends[document]
            ends[document] += len(token)
            spans.append((document, start, ends[document]))
        yield spans


def _collected(found: Iterable[tuple[list[Span], list[Predicate]]]) -> Analysis:
    analysis = Analysis(set(), {}, set())
    for spans, predicates in found:
        analysis.sentences.add((spans[0][0], spans[0][1], spans[-1][2]))
        for predicate in predicates:
            place = spans[predicate.token]
            analysis.predicates.add(place)
            for argument in predicate.arguments:
                analysis.arguments[place, argument.case] = {spans[argument.token]}
    return analysis


def compared(found: Analysis, gold: Analysis, relations: dict[tuple[Span, str], str]) -> dict[str, float]:
    """Return the columns of the table, in percent."""
    right = {key for key, words in found.arguments.items() if words & gold.arguments.get(key, set())}
    arguments = score(len(right), len(found.arguments) - len(right), len(gold.arguments) - len(right))
    both = len(found.predicates & gold.predicates)
    predicates = score(both, len(found.predicates) - both, len(gold.predicates) - both)
    recalls = {}
    for relation in ("DEP", "ZAR"):
        of_relation = [key for key, name in relations.items() if name == relation]
        recalls[relation] = sum(key in right for key in of_relation) / max(len(of_relation), 1)
    return {
        "precision": 100 * float(arguments["precision"]),
        "recall": 100 * float(arguments["recall"]),
        "f1": 100 * float(arguments["f1"]),
        "dep_recall": 100 * recalls["DEP"],
        "zar_recall": 100 * recalls["ZAR"],
        "predicate_f1": 100 * float(predicates["f1"]),
        "sentences": 100 * len(found.sentences & gold.sentences) / len(gold.sentences),
    }


def _print_row(name: str, row: dict[str, float]) -> None:
    widths = (8, 8, 8, 8, 8, 10, 11)
    cells = (f"{value:{width}.2f}" for value, width in zip(row.values(), widths, strict=True))
    print(f"{name:24}{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()

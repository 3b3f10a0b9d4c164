"""results/examples.html, Figure 4 of the paper: sentences as they are, masked, and refilled by the MLM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from zarpipe import __version__
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.mlm.candidates import Word, top_words
from zarpipe.mlm.loading import load_mlm
from zarpipe.report.examples import Answer, Example, MaskedCopy
from zarpipe.report.pages import write_page
from zarpipe.study.grid import FIGURE4_POS_SETS
from zarpipe.task.cases import CASE_NAMES


def write_examples(
    examples: Sequence[Example],
    seeds: int,
    words: int,
    mlm: MlmConfig,
    encoding: EncodingConfig,
    output: Path,
) -> None:
    """Ask the MLM about the examples' masks, and write the page.

    Args:
        examples: what `zarpipe.report.examples.choose_examples` chose.
        seeds: how many seeds each recipe has.
        words: words to list for each mask.
        mlm: the masked language model; loaded only when there is an example.
        encoding: how it is run.
        output: the page.

    Raises:
        ZarpipeError: the model cannot be used.
    """
    copies = [(example, copy) for example in examples for copy in example.copies]
    filled: Iterator[list[list[Word]]] = iter(())
    if copies:
        sentences = [example.tokens for example, _ in copies]
        masked = [copy.masked for _, copy in copies]
        filled = iter(top_words(load_mlm(mlm, encoding), sentences, masked, words, encoding.batch_tokens))
    write_page(
        output,
        "examples.html",
        version=__version__,
        title="Masked and refilled: what augmentation does to a sentence",
        pair=FIGURE4_POS_SETS,
        pos_sets=list(dict.fromkeys(copy.pos_set for _, copy in copies)),
        alphas=list(dict.fromkeys(example.alpha for example in examples)),
        seeds=seeds,
        examples=[_shown_example(example, filled) for example in examples],
    )


def _shown_example(example: Example, filled: Iterator[list[list[Word]]]) -> dict[str, Any]:
    copies = [_shown_copy(example, copy, next(filled)) for copy in example.copies]
    return {
        "alpha": example.alpha,
        "doc_id": example.doc_id,
        "sent_id": example.sent_id,
        "predicate": example.tokens[example.predicate],
        "case": example.case,
        "relation": example.relation,
        "antecedent": _listed(example.tokens, example.gold[example.case]),
        "right": [copy.pos_set for copy in example.copies if copy.right and copy.pos_set in FIGURE4_POS_SETS],
        "wrong": [
            copy.pos_set for copy in example.copies if not copy.right and copy.pos_set in FIGURE4_POS_SETS
        ],
        "columns": [_column(example, token, copies) for token in range(len(example.tokens))],
        "copies": copies,
    }


def _shown_copy(example: Example, copy: MaskedCopy, words: list[list[Word]]) -> dict[str, Any]:
    """Describe a copy: words by masked token, answers by token, and every answer as text."""
    by_token = {
        token: [[word.text, round(word.probability, 4)] for word in of_mask]
        for token, of_mask in zip(copy.masked, words, strict=True)
    }
    return {
        "pos_set": copy.pos_set,
        "right": copy.right,
        "words": by_token,
        "answers": copy.answers,
        "said": [
            (answer, _listed(example.tokens, [] if answer.token is None else [answer.token]))
            for answer in copy.answers
        ],
    }


def _column(example: Example, token: int, copies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Describe one token: its gold cases, and for each copy its words and the answers that name it."""
    return {
        "text": example.tokens[token],
        "is_predicate": token == example.predicate,
        "gold": [case for case in CASE_NAMES if token in example.gold.get(case, ())],
        "cells": [
            {
                "pos_set": copy["pos_set"],
                "words": copy["words"].get(token),
                "answers": _naming(copy["answers"], token),
            }
            for copy in copies
        ],
    }


def _naming(answers: Sequence[Answer], token: int) -> list[Answer]:
    return [answer for answer in answers if answer.token == token]


def _listed(tokens: Sequence[str], places: Sequence[int]) -> str:
    return "、".join(tokens[place] for place in places)

"""examples.html, Figure 4 of the paper: sentences as they are, masked, and refilled by the MLM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe import __version__
from zarpipe.characters import printable
from zarpipe.config import MlmConfig
from zarpipe.config.encoding import TOKEN_KEYS
from zarpipe.study.code import code_digest, package_files_digest
from zarpipe.study.grid import FIGURE4_POS_SETS, recipes_in
from zarpipe.study.stages import MLM_LIBRARIES, dumped, versions
from zarpipe.study.study import Input, Study
from zarpipe.task.cases import CASE_NAMES

if TYPE_CHECKING:
    from zarpipe.mlm.filling import Word
    from zarpipe.report.examples import Answer, Example, MaskedCopy

NAME = "examples"
KIND = "page"
RULE = "examples"  # it runs the masked language model
TITLE = "Masked and refilled: what augmentation does to a sentence"
SHOWS = "Figure 4: masked and refilled sentences"
CAPTION = """\
Figure 4: sentences as they are (X), masked (X'), and with the words that the masked language model puts in
the place of each mask (X''), where the taggers trained with verb and with all_but_verb masking disagree.
"""
ENDINGS = (".html",)


def inputs(study: Study) -> list[Input]:
    """Return the files that the page reads."""
    recipes = recipes_in(study.grid.figure4())
    return [*study.decisions(recipes, "dev"), study.corpus("dev"), study.mlm()]


def spec(study: Study) -> dict[str, Any]:
    """Return what the page depends on besides its inputs."""
    config = study.config
    return {
        "alphas": study.grid.alphas,
        "pos_sets": {name: config.pos_sets.get(name) for name in study.grid.figure4_pos_sets()},
        "seeds": study.seeds,
        "mask_seed": config.augmentation.seed,
        "draw": config.augmentation.draw,
        "examples": config.report.examples,
        "example_words": config.report.example_words,
        **study.jobs.model_settings(),
        **dumped(config.encoding, "threads", *TOKEN_KEYS),
        "code": code_digest(__name__),
        "templates": package_files_digest("report/templates"),
        "libraries": versions(*MLM_LIBRARIES),
    }


def write_examples(study: Study, output: Path, mlm: str | None = None) -> None:
    """Choose examples, ask the masked language model about their masks, and write the page."""
    from zarpipe.report.examples import choose_examples  # loads pyarrow
    from zarpipe.report.pages.page import write_page  # loads jinja2

    examples = choose_examples(study)
    path = mlm or study.jobs.model_path()
    filled = iter(_filled(study, examples, study.config.mlm.model_copy(update={"path": path})))
    copies = [copy for example in examples for copy in example.copies]
    write_page(
        output,
        "examples.html",
        version=__version__,
        title=TITLE,
        pair=FIGURE4_POS_SETS,
        pos_sets=list(dict.fromkeys(copy.pos_set for copy in copies)),
        alphas=list(dict.fromkeys(example.alpha for example in examples)),
        seeds=len(study.seeds),
        examples=[_shown_example(_printable(example), filled) for example in examples],
    )


def _printable(example: Example) -> Example:
    return replace(
        example,
        doc_id=printable(example.doc_id),
        sent_id=printable(example.sent_id),
        tokens=[printable(token) for token in example.tokens],
    )


def _filled(study: Study, examples: Sequence[Example], mlm: MlmConfig) -> list[list[list[Word]]]:
    """Return the model's words for each mask of each copy of each example."""
    from zarpipe.mlm.filling import top_words
    from zarpipe.mlm.loading import load_mlm

    copies = [(example.tokens, copy.masked) for example in examples for copy in example.copies]
    if not copies:
        return []
    sentences, masked = zip(*copies, strict=True)
    encoding, words = study.config.encoding, study.config.report.example_words
    return list(
        top_words(load_mlm(mlm, encoding), list(sentences), list(masked), words, encoding.batch_tokens)
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
        token: [[printable(word.text), round(word.probability, 4)] for word in of_mask]
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


def _listed(tokens: Sequence[str], chosen: Sequence[int]) -> str:
    return "、".join(tokens[token] for token in chosen)

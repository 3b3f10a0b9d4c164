"""Sentences as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from pathlib import Path

from zarpipe.files import whole_text
from zarpipe.report.colours import SHADES
from zarpipe.serve.show.printing import printable_sentence
from zarpipe.serve.show.sentences import (
    LONG_SENTENCE,
    Shown,
    ShownCase,
    ShownPredicate,
    shown_tokens,
    tree_connectors,
)
from zarpipe.task.cases import CASES
from zarpipe.task.documents import Argument, Sentence

_MASK = "[MASK]"


def write_html(sentences: Iterable[Shown], output: Path, title: str) -> None:
    """Write a page that needs no other file. Every text of the corpus is escaped, what is unseen is named."""
    with whole_text(output) as stream:
        stream.write(
            '<!DOCTYPE html>\n<html lang="ja"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n"
            f"<style>\n{_style()}{_case_styles()}</style></head>\n<body><h1>{escape(title)}</h1>\n"
            f'<p>{_case_key()} <span class="predicate">predicate</span></p>\n'
        )
        for sentence in sentences:
            stream.write(sentence_html(printable_sentence(sentence)))
        stream.write("</body></html>\n")


def _style() -> str:
    return resources.files(__package__).joinpath("page.css").read_text("utf-8")


def _case_styles() -> str:
    light = "".join(f".{case.name} {{ background: {SHADES[case.colour].light_soft}; }}\n" for case in CASES)
    dark = "".join(f".{case.name} {{ background: {SHADES[case.colour].dark_soft}; }}\n" for case in CASES)
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _case_key() -> str:
    """Return the cases' names in their colours."""
    return " ".join(
        f'<span class="{case.name}" title="{escape(case.gloss)}">{case.name}</span>' for case in CASES
    )


def sentence_html(shown: Shown) -> str:
    """Return the section of one sentence: id, tree, and a block for every predicate."""
    sentence = shown.sentence
    predicates = "".join(_predicate_html(sentence, predicate) for predicate in shown.predicates)
    heading = f"{escape(sentence.sent_id)} ({escape(sentence.doc_id)})"
    opening = f'<section id="{escape(sentence.sent_id)}"><h2>{heading}</h2>'
    drawn = _tree(sentence) if len(sentence.words) <= LONG_SENTENCE else _list_of_heads(sentence)
    return f"{opening}\n{drawn}{predicates}</section>\n"


def _tree(sentence: Sentence) -> str:
    """Draw the tree as a grid: bunsetsu i ends in column i + 1, one narrow column per later bunsetsu."""
    targets = {predicate.token for predicate in sentence.predicates}
    phrases = sentence.phrases
    cells = []
    for number, connectors in enumerate(tree_connectors(sentence.heads)):
        text = _phrase(sentence, phrases[number], targets)
        head = sentence.heads[number]
        back = f" → {head}" if -1 < head < number else ""
        place = f"grid-row:{number + 1};grid-column:1/span {number + 1}"
        cells.append(f'<span class="phrase" style="{place}">{text}{back}</span>')
        for offset, connector in enumerate(connectors):
            if connector:
                place = f"grid-row:{number + 1};grid-column:{number + 2 + offset}"
                cells.append(f'<i class="{connector}" style="{place}"></i>')
    return f'<div class="tree">{"".join(cells)}</div>\n'


def _list_of_heads(sentence: Sentence) -> str:
    """Write each bunsetsu of a long sentence on a line, with the number of its head."""
    targets = {predicate.token for predicate in sentence.predicates}
    items = (
        f'<li value="{number}">{_phrase(sentence, phrase, targets)} → {sentence.heads[number]}</li>\n'
        for number, phrase in enumerate(sentence.phrases)
    )
    return f'<ol class="heads">{"".join(items)}</ol>\n'


def _phrase(sentence: Sentence, phrase: Sequence[int], targets: set[int]) -> str:
    texts = ((token, escape(sentence.words[token].surface)) for token in phrase)
    return "".join(f"<b>{text}</b>" if token in targets else text for token, text in texts)


def _predicate_html(sentence: Sentence, predicate: ShownPredicate) -> str:
    cases: dict[int, list[str]] = {}
    for shown in predicate.cases:
        for token in shown.tokens:
            cases.setdefault(token, []).append(shown.case)
    pieces = shown_tokens(sentence, predicate)
    spans = " … ".join(
        "".join(
            _token_html(sentence.words[token].surface, token, predicate, cases.get(token, []))
            for token in piece
        )
        for piece in pieces
    )
    spans = "… " * (pieces[0].start > 0) + spans + " …" * (pieces[-1].stop < len(sentence.words))
    rows = "".join(_case_row(sentence, shown) for shown in predicate.cases)
    voice = f" <small>{escape(predicate.alt)}</small>" if predicate.alt else ""
    return f'<p class="tokens">{spans}{voice}</p>\n<table>{rows}</table>\n'


def _token_html(surface: str, token: int, predicate: ShownPredicate, cases: list[str]) -> str:
    classes = [*cases, *["predicate"][: token == predicate.token], *["masked"][: token in predicate.masked]]
    text = escape(surface)
    if token in predicate.masked:
        replacement = predicate.masked[token]
        text = f"{_MASK if replacement is None else escape(replacement)} <s>{text}</s>"
    names = f' class="{" ".join(classes)}"' if classes else ""
    return f'<span{names} title="{token}">{text}</span>'


def _case_row(sentence: Sentence, shown: ShownCase) -> str:
    cells = [f'<td><span class="{shown.case}">{shown.case}</span></td>']
    if shown.gold is not None:
        mentions = ", ".join(f"{_numbered(sentence, one)} {one.relation}" for one in shown.gold)
        cells.append(f"<td>gold {mentions or '–'}</td>")
    if shown.decided is not None:
        decision = f"{_numbered(sentence, shown.decided)} {shown.decided.probability:.2f} {shown.verdict}"
        cells.append(f'<td class="{shown.verdict}">predicted {decision}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _numbered(sentence: Sentence, argument: Argument) -> str:
    return f"{escape(sentence.words[argument.token].surface)}/{argument.token}"

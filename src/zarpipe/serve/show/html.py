"""Sentences as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
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

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --faint: #626262; --line: #ccc; --wire: #888;
  --right: #067006; --wrong: #b00000; --mask: #8a6300; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e8e6e1; --faint: #a5adb7;
  --line: #363c45; --wire: #7d8590; --right: #7fd6a0; --wrong: #ff9d88; --mask: #e9b23a; } }
body { font-family: "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", sans-serif;
  margin: 2em auto; max-width: 70em; padding: 0 1em; line-height: 1.7; color: var(--ink);
  background: var(--paper); overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
section { border-top: 1px solid var(--line); padding: 1em 0; }
h1 { font-size: 1.4em; } h2 { font-size: 1em; font-weight: normal; color: var(--faint); }
.tree { display: grid; justify-content: start; line-height: 1.5; overflow-x: auto; overflow-y: hidden; }
.tree .phrase { justify-self: end; white-space: pre; }
.tree i { width: 1.2em; position: relative; }
.tree i::before, .tree i::after { content: ""; position: absolute; }
.tree .line::before, .tree .cross::before {
  left: 0; right: 0; top: 50%; border-top: 1px solid var(--wire); }
.tree .corner::before, .tree .tee::before {
  left: 0; width: 50%; top: 50%; border-top: 1px solid var(--wire); }
.tree .corner::after { left: 50%; top: 50%; bottom: 0; border-left: 1px solid var(--wire); }
.tree .tee::after, .tree .down::after, .tree .cross::after {
  left: 50%; top: 0; bottom: 0; border-left: 1px solid var(--wire); }
.tokens { margin: .8em 0 0; } .tokens span { white-space: pre-wrap; }
.tokens span + span { margin-left: .25em; }
.predicate { background: var(--ink); color: var(--paper); padding: 0 .2em; border-radius: .2em; }
.masked { outline: 1px dashed var(--mask); } .masked s { color: var(--faint); }
.tree b, .heads b { text-decoration: underline; }
table { border-collapse: collapse; margin: .2em 0 .2em 2em; } td { padding: 0 .8em 0 0; vertical-align: top; }
td:first-child { white-space: nowrap; }
.right { color: var(--right); } .wrong { color: var(--wrong); }
@media (max-width: 640px) {
  body { margin: 1em auto; font-size: 15px; } table { margin-left: .5em; } td { padding-right: .5em; }
}
@media print {
  @page { size: A4; margin: 14mm 12mm; }
  body { margin: 0; max-width: none; padding: 0; font-size: 9.5pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  h1, h2 { break-after: avoid; } .tokens { break-after: avoid; } tr, .tree { break-inside: avoid; }
  .tree { overflow: visible; }
}
"""
_MASK = "[MASK]"


def write_html(sentences: Iterable[Shown], output: Path, title: str) -> None:
    """Write a page that needs no other file. Every text of the corpus is escaped, what is unseen is named.

    Args:
        sentences: what to show.
        output: the page; appears only when whole.
        title: heading of the page.
    """
    with whole_text(output) as stream:
        stream.write(
            '<!DOCTYPE html>\n<html lang="ja"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n"
            f"<style>{_STYLE}{_case_styles()}</style></head>\n<body><h1>{escape(title)}</h1>\n"
            f'<p>{_case_key()} <span class="predicate">predicate</span></p>\n'
        )
        for sentence in sentences:
            stream.write(sentence_html(printable_sentence(sentence)))
        stream.write("</body></html>\n")


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
        verdict = {True: "right", False: "wrong", None: ""}[shown.is_right]
        decision = f"{_numbered(sentence, shown.decided)} {shown.decided.probability:.2f} {verdict}"
        cells.append(f'<td class="{verdict}">predicted {decision}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _numbered(sentence: Sentence, argument: Argument) -> str:
    return f"{escape(sentence.words[argument.token].surface)}/{argument.token}"

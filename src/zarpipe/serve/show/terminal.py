"""Sentences in the terminal: tree, predicates and arguments, in columns that fit full-width characters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from zarpipe.report.colours import TERMINAL_STYLES
from zarpipe.serve.show.printing import BLANK, printable_sentence
from zarpipe.serve.show.sentences import (
    LONG_SENTENCE,
    Connector,
    Shown,
    ShownCase,
    ShownPredicate,
    shown_tokens,
    tree_connectors,
)
from zarpipe.task.documents import Argument, Sentence

_CONNECTORS: dict[Connector, str] = {
    "": "  ",
    "line": "──",
    "corner": "─┐",
    "tee": "─┤",
    "down": " │",
    "cross": "─┼",
}
_PREDICATE_STYLE = "bold reverse"
_PREDICATE_MARKS = "【】"
_MASK = "[MASK]"
_LEFT_OUT = "… "
# Printing them one by one takes several times as long.
_LINES_AT_A_TIME = 200


def print_sentences(sentences: Iterable[Shown], console: Console | None = None) -> None:
    """Print sentences; colours only where the terminal shows them, lines never broken.

    What cannot be seen, or is not in the terminal's encoding, is written as ``<U+202E>``. Lines come as they
    are made, so that a pager shows the first page of a very long sentence at once.
    """
    console = console or Console(highlight=False)
    for sentence in sentences:
        lines = sentence_lines(printable_sentence(sentence, console.encoding))
        while page := list(itertools.islice(lines, _LINES_AT_A_TIME)):
            console.print(Text("\n").join(page), soft_wrap=True)
        console.print()


def sentence_lines(shown: Shown) -> Iterator[Text]:
    """Give the lines of one sentence: its id, the tree, and a block for every predicate."""
    sentence = shown.sentence
    yield Text(f"# {sentence.sent_id}  ({sentence.doc_id})", style="dim")
    yield from (tree_lines if len(sentence.words) <= LONG_SENTENCE else head_lines)(sentence)
    for predicate in shown.predicates:
        yield from predicate_lines(sentence, predicate)


def tree_lines(sentence: Sentence) -> list[Text]:
    """Draw the bunsetsu tree: each bunsetsu ends two columns right of the one before; lines lead to heads."""
    targets = {predicate.token for predicate in sentence.predicates}
    phrases = sentence.phrases
    widths = [sum(cell_len(visible(sentence.words[token].surface)) for token in phrase) for phrase in phrases]
    margin = max(width - 2 * number for number, width in enumerate(widths))
    lines = []
    for number, connectors in enumerate(tree_connectors(sentence.heads)):
        line = Text(f"{number:>3}  " + " " * (margin + 2 * number - widths[number]))
        _append_phrase(line, sentence, phrases[number], targets)
        line.append("".join(_CONNECTORS[connector] for connector in connectors).rstrip(), "dim")
        if -1 < sentence.heads[number] < number:
            line.append(f"  -> {sentence.heads[number]}", "dim")
        lines.append(line)
    return lines


def head_lines(sentence: Sentence) -> Iterator[Text]:
    """Write each bunsetsu of a long sentence on a line, with the number of its head."""
    targets = {predicate.token for predicate in sentence.predicates}
    for number, phrase in enumerate(sentence.phrases):
        line = Text(f"{number:>5}  ")
        _append_phrase(line, sentence, phrase, targets)
        if sentence.heads[number] >= 0:
            line.append(f"  -> {sentence.heads[number]}", "dim")
        yield line


def _append_phrase(line: Text, sentence: Sentence, phrase: Sequence[int], targets: set[int]) -> None:
    for token in phrase:
        line.append(visible(sentence.words[token].surface), "bold underline" if token in targets else "")


def pad(text: str, width: int) -> str:
    """Fill a text with blanks to ``width`` columns of the terminal; a full-width character takes two."""
    return text + " " * (width - cell_len(text))


def visible(token: str) -> str:
    """Return a token with its ASCII blanks as ␣, so that it is seen to be one token."""
    return token.replace(" ", BLANK)


def predicate_lines(sentence: Sentence, predicate: ShownPredicate) -> list[Text]:
    """Return the sentence with a predicate marked in it, and a line for each of its arguments."""
    lines = [_marked_sentence(sentence, predicate)]
    gold_width = max((cell_len(_gold(sentence, shown)) for shown in predicate.cases), default=0)
    for shown in predicate.cases:
        line = Text("       ")
        line.append(shown.case, TERMINAL_STYLES[shown.case])
        line.append("  ")
        if shown.gold is not None:
            line.append(pad(_gold(sentence, shown), gold_width))
        if shown.decided is not None:
            label = "" if shown.gold is None else "predicted "
            decision = f"{_numbered(sentence, shown.decided)} {shown.decided.probability:.2f} {shown.verdict}"
            style = {"right": "green", "wrong": "red", "": ""}[shown.verdict]
            line.append(f"  {label}{decision}".rstrip(), style)
        lines.append(line)
    return lines


def _marked_sentence(sentence: Sentence, predicate: ShownPredicate) -> Text:
    """Return the sentence with the predicate, its arguments and what is masked marked in it."""
    cases = _case_of_token(predicate.cases)
    line = Text("  * ")
    pieces = shown_tokens(sentence, predicate)
    for piece in pieces:
        if piece.start > 0:
            line.append(_LEFT_OUT, "dim")
        for token in piece:
            style = TERMINAL_STYLES.get(cases.get(token, ""), "")
            _append_token(line, visible(sentence.words[token].surface), token, predicate, style)
    if pieces[-1].stop < len(sentence.words):
        line.append(_LEFT_OUT, "dim")
    if predicate.alt:
        line.append(f" [{predicate.alt}]", "dim")
    return line


def _append_token(line: Text, surface: str, token: int, predicate: ShownPredicate, style: str) -> None:
    """Add one token; the predicate stands in brackets too, for readers without colours."""
    if token == predicate.token:
        line.append(_PREDICATE_MARKS[0])
        line.append(surface, _PREDICATE_STYLE)
        line.append(_PREDICATE_MARKS[1])
    elif token in predicate.masked:
        replacement = predicate.masked[token]
        line.append(_MASK if replacement is None else visible(replacement), f"{style} italic yellow")
        line.append(f"({surface})", "dim strike")
    else:
        line.append(surface, style)
    line.append(" ")


def _case_of_token(cases: Sequence[ShownCase]) -> dict[int, str]:
    """Return the case in whose colour each token stands: gold goes before decided, there the first one."""
    decided = {one.decided.token: one.case for one in reversed(cases) if one.decided}
    return decided | {mention.token: one.case for one in cases for mention in one.gold or ()}


def _gold(sentence: Sentence, shown: ShownCase) -> str:
    if shown.gold is None:
        return ""
    mentions = [f"{_numbered(sentence, one)} {one.relation}" for one in shown.gold]
    return "gold " + (", ".join(mentions) or "-")


def _numbered(sentence: Sentence, argument: Argument) -> str:
    return f"{visible(sentence.words[argument.token].surface)}/{argument.token}"

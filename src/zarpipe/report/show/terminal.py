"""Sentences in the terminal: tree, predicates and arguments, in columns that fit full-width characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from zarpipe.report.colours import TERMINAL_STYLES
from zarpipe.report.show.printing import BLANK, printable_sentence
from zarpipe.report.show.sentences import (
    Connector,
    ShownArgument,
    ShownPredicate,
    ShownSentence,
    tree_connectors,
)

_CONNECTORS: dict[Connector, str] = {
    "": "  ",
    "line": "──",
    "corner": "─┐",
    "tee": "─┤",
    "down": " │",
    "cross": "─┼",
}
_PREDICATE_STYLE = "bold reverse"
_MASK = "[MASK]"


def print_sentences(sentences: Iterable[ShownSentence], console: Console | None = None) -> None:
    """Print sentences; colours only where the terminal shows them, lines never broken.

    What cannot be seen, or is not in the terminal's encoding, is written as ``<U+202E>``.
    """
    console = console or Console(highlight=False)
    for sentence in sentences:
        for line in sentence_lines(printable_sentence(sentence, console.encoding)):
            console.print(line, soft_wrap=True)
        console.print()


def sentence_lines(sentence: ShownSentence) -> list[Text]:
    """Return the lines of one sentence: its id, the tree, and a block for every predicate."""
    lines = [Text(f"# {sentence.sent_id}  ({sentence.doc_id})", style="dim"), *tree_lines(sentence)]
    for predicate in sentence.predicates:
        lines += _predicate_lines(sentence, predicate)
    return lines


def tree_lines(sentence: ShownSentence) -> list[Text]:
    """Draw the bunsetsu tree: each bunsetsu ends two columns right of the one before; lines lead to heads."""
    targets = {predicate.token for predicate in sentence.predicates}
    phrases = sentence.phrases
    widths = [sum(cell_len(visible(sentence.tokens[token])) for token in phrase) for phrase in phrases]
    margin = max(width - 2 * number for number, width in enumerate(widths))
    lines = []
    for number, connectors in enumerate(tree_connectors(sentence.heads)):
        line = Text(f"{number:>3}  " + " " * (margin + 2 * number - widths[number]))
        for token in phrases[number]:
            line.append(visible(sentence.tokens[token]), "bold underline" if token in targets else "")
        line.append("".join(_CONNECTORS[connector] for connector in connectors).rstrip(), "dim")
        if -1 < sentence.heads[number] < number:
            line.append(f"  -> {sentence.heads[number]}", "dim")
        lines.append(line)
    return lines


def pad(text: str, width: int) -> str:
    """Fill a text with blanks to ``width`` columns of the terminal; a full-width character takes two."""
    return text + " " * (width - cell_len(text))


def visible(token: str) -> str:
    """Return a token with its ASCII blanks as ␣, so that it is seen to be one token."""
    return token.replace(" ", BLANK)


def _predicate_lines(sentence: ShownSentence, predicate: ShownPredicate) -> list[Text]:
    lines = [_marked_sentence(sentence, predicate)]
    gold_width = max((cell_len(_gold(sentence, argument)) for argument in predicate.arguments), default=0)
    for argument in predicate.arguments:
        line = Text("       ")
        line.append(argument.case, TERMINAL_STYLES[argument.case])
        line.append("  ")
        if argument.gold is not None:
            line.append(pad(_gold(sentence, argument), gold_width))
        if argument.predicted is not None:
            token, probability = argument.predicted
            style = {True: "green", False: "red", None: ""}[argument.is_right]
            verdict = {True: " right", False: " wrong", None: ""}[argument.is_right]
            predicted = f"{visible(sentence.tokens[token])}/{token} {probability:.2f}{verdict}"
            line.append(f"  predicted {predicted}", style)
        lines.append(line)
    return lines


def _marked_sentence(sentence: ShownSentence, predicate: ShownPredicate) -> Text:
    """Return the sentence with the predicate, its arguments and what is masked marked in it."""
    cases = _case_of_token(predicate.arguments)
    line = Text("  * ")
    for token, surface in enumerate(sentence.tokens):
        style = (
            _PREDICATE_STYLE if token == predicate.token else TERMINAL_STYLES.get(cases.get(token, ""), "")
        )
        if token in predicate.masked:
            replacement = predicate.masked[token]
            line.append(_MASK if replacement is None else visible(replacement), f"{style} italic yellow")
            line.append(f"({visible(surface)})", "dim strike")
        else:
            line.append(visible(surface), style)
        line.append(" ")
    if predicate.alt:
        line.append(f" [{predicate.alt}]", "dim")
    return line


def _case_of_token(arguments: Sequence[ShownArgument]) -> dict[int, str]:
    cases: dict[int, str] = {}
    for argument in arguments:
        if argument.predicted is not None:
            cases.setdefault(argument.predicted[0], argument.case)
        for token, _ in argument.gold or []:
            cases[token] = argument.case
    return cases


def _gold(sentence: ShownSentence, argument: ShownArgument) -> str:
    if argument.gold is None:
        return ""
    mentions = [f"{visible(sentence.tokens[token])}/{token} {relation}" for token, relation in argument.gold]
    return "gold " + (", ".join(mentions) or "-")

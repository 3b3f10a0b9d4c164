"""An analysed text in the terminal: for each predicate the sentence, marked, and its arguments."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from zarpipe.serve.show.printing import printable_sentence
from zarpipe.serve.show.sentences import Shown, ShownPredicate
from zarpipe.serve.show.terminal import predicate_lines, visible
from zarpipe.task.documents import Considered, Sentence


def print_sentences(sentences: Iterable[Sentence], console: Console) -> None:
    """Print sentences as they come; colours only where the console shows them.

    The predicate stands in 【】 in any case. What cannot be seen is written as ``<U+202E>``.
    """
    for sentence in sentences:
        console.print(block(sentence, console.encoding), soft_wrap=True)
        console.file.flush()


def block(sentence: Sentence, encoding: str) -> Text:
    """Return what is printed of a sentence, with an empty line behind it."""
    decided = [ShownPredicate(one.token, None, None, one.arguments) for one in sentence.predicates]
    shown, predicates = printable_sentence(Shown(sentence, decided), encoding)
    lines = [Text(f"# {shown.sent_id}", style="dim")]
    for predicate, decided_on in zip(predicates, sentence.predicates, strict=True):
        lines += predicate_lines(shown, predicate)
        lines += [_considered(shown, case) for case in decided_on.considered]
    if not predicates:
        lines.append(Text(f"  {' '.join(map(visible, shown.tokens))}  (no predicate)"))
    return Text("\n").join([*lines, Text()])


def _considered(sentence: Sentence, case: Considered) -> Text:
    """Write among what a case was decided: words with probability and votes, and the votes for none."""
    words = [
        f"{visible(sentence.words[token].surface)}/{token} {probability:.2f} ({votes})"
        for token, probability, votes in case.candidates
    ]
    line = f"{case.case} from {case.threshold:.2f}: {', '.join(words)}; none ({case.none})"
    return Text(f"       ? {line}", style="dim")

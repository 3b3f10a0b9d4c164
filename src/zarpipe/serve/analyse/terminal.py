"""An analysed text in the terminal: for each predicate the sentence, marked, and its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from zarpipe.serve.bundle.text import TextSentence
from zarpipe.serve.show.printing import printable_sentence
from zarpipe.serve.show.sentences import ShownArgument, ShownPredicate, ShownSentence
from zarpipe.serve.show.terminal import predicate_lines, visible


def print_sentences(sentences: Iterable[TextSentence], console: Console) -> None:
    """Print sentences as they come; colours only where the console shows them.

    The predicate stands in 【】 in any case. What cannot be seen is written as ``<U+202E>``.
    """
    for sentence in sentences:
        console.print(_block(sentence, console.encoding), soft_wrap=True)
        console.file.flush()


def printed(sentences: Iterable[TextSentence]) -> Iterator[str]:
    """Yield the same as text for a file."""
    return (f"{_block(sentence, 'utf-8').plain}\n" for sentence in sentences)


def _block(sentence: TextSentence, encoding: str) -> Text:
    """Return what is printed of a sentence, with an empty line behind it."""
    shown = printable_sentence(_shown(sentence), encoding)
    lines = [Text(f"# {shown.sent_id}", style="dim")]
    for predicate in shown.predicates:
        lines += predicate_lines(shown, predicate)
    if not shown.predicates:
        lines.append(Text(f"  {' '.join(map(visible, shown.tokens))}  (no predicate)"))
    return Text("\n").join([*lines, Text()])


def _shown(sentence: TextSentence) -> ShownSentence:
    bunsetsu = list(sentence.bunsetsu or range(len(sentence.words)))
    predicates = [
        ShownPredicate(
            predicate.token,
            None,
            [ShownArgument(one.case, None, (one.token, one.probability)) for one in predicate.arguments],
        )
        for predicate in sentence.predicates
    ]
    tokens = [word.surface for word in sentence.words]
    return ShownSentence(
        sentence.doc_id, sentence.sent_id, tokens, bunsetsu, [-1] * (bunsetsu[-1] + 1), predicates
    )

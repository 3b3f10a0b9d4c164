"""Raw text as a bundle reads it: sentences by rule, words by MeCab with UniDic."""

from __future__ import annotations

from collections.abc import Iterator

from zarpipe.readers import unidic
from zarpipe.readers.raw_text import sentence_spans
from zarpipe.task.documents import Sentence


def source_sentences(text: str, start: int = 0) -> Iterator[Sentence]:
    """Cut a text into sentences and words, without bunsetsu and predicates, which are to be found.

    Of what is blank alone there is no sentence. ``start``: where the text begins in a longer one.

    Raises:
        ZarpipeError: UniDic cannot be opened.
    """
    for span in sentence_spans(text):
        words = unidic.words(text[span.start : span.end])
        yield Sentence("", 0, words, [], [], [], start=start + span.start)

"""The command ``zarpipe analyse``."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from zarpipe.characters import fits
from zarpipe.config.options import Argument
from zarpipe.config.values import Integer, Name, Positive, Section
from zarpipe.errors import ZarpipeError

if TYPE_CHECKING:
    from zarpipe.config.pos_sets import Tagset
    from zarpipe.readers.raw_text import ByteStream
    from zarpipe.serve.analyse.sources import BegunStream, Input
    from zarpipe.serve.bundle.analysis import Bundle
    from zarpipe.serve.bundle.manifest import Manifest
    from zarpipe.task.documents import Sentence

_log = logging.getLogger(__name__)

_PROMPT = "> "
_SECONDS_BETWEEN_LINES = 10.0
_FILE_NAME = re.compile(
    r"(~|\.{1,2})?/\S+|\S+\.(txt|text|md|knp|tab|ntc|cabocha|csv|json|html)(\.gz)?", re.IGNORECASE
)


class Analysed(Section):
    """What is analysed, and what is written."""

    text: Annotated[str, Argument("TEXT|FILE|-", positional=True)] | None = None
    """A text, a file that is there, or - for standard input."""
    bundle: Annotated[Path, Argument("FOLDER")]
    """What `zarpipe bundle` made."""
    format: Literal["terminal", "html", "json", "knp", "conllu"] = "terminal"
    """What to write."""
    output: Annotated[Path, Argument("FILE")] | None = None
    """File to write (default: standard output)."""
    interactive: Annotated[bool, Argument(switch=True)] = False
    """Ask for sentences until the input ends (Ctrl-D)."""
    input: Literal["text", "knp", "tab"] | None = None
    """What a file or standard input holds: raw text, the output of KNP, or CaboCha's tab-separated form, in
    whose words and bunsetsu it is then analysed (default: by its ending or its first line)."""
    gold_predicates: Annotated[bool, Argument(switch=True)] = False
    """Take the annotated predicates of such a text instead of finding them."""
    explain: Annotated[bool, Argument(switch=True)] = False
    """Say of each case among which words it was decided: probability, threshold, and how many taggers decide
    for it by themselves (in the terminal and as json; the page always does)."""
    encoding: Literal["utf-8", "euc-jp", "shift_jis"] = "utf-8"
    """Of raw text in files and standard input."""


class Computing(Section):
    """Taggers and processor."""

    ensemble: Annotated[bool, Argument(switch=True)] = False
    """Let all taggers of the bundle decide, by the mean of their probabilities (the default)."""
    seed: Annotated[Integer, Argument("N")] | None = None
    """Only the tagger of this seed."""
    mlm: Annotated[Name, Argument("PATH")] | None = None
    """The masked language model, for a bundle that only refers to it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU if any."""
    threads: Annotated[Positive, Argument("N")] | None = None
    """CPU threads (default: PyTorch's)."""


def analyse(asked: Analysed, computing: Computing) -> None:
    """Find predicates and their arguments in Japanese text.

    Finds the predicates of a text and their arguments, those too that the sentence leaves out beside the
    predicate, with the taggers of a bundle. Reads a text, a file, or standard input line by line.
    docs/analyse.md says how, and describes the formats.

    Examples:
      zarpipe analyse 男は訴えられたが、無罪になった。 --bundle results/bundle
      zarpipe analyse book.txt --bundle results/bundle --format html --output book.html
      cat book.txt | zarpipe analyse - --bundle results/bundle --format json
      jumanpp book.txt | knp -tab | zarpipe analyse - --bundle results/bundle
      zarpipe analyse --interactive --bundle results/bundle
    """
    from zarpipe.log import start_logging
    from zarpipe.serve.analyse.sources import of_corpus
    from zarpipe.serve.bundle.loading import load_bundle

    start_logging()
    source = _checked(asked)
    kind = _kind(asked, source)
    if computing.ensemble and computing.seed is not None:
        raise ZarpipeError("--ensemble: found with --seed; expected one of the two")
    bundle = load_bundle(asked.bundle, computing.mlm, computing.device, computing.threads)
    if computing.seed is not None:
        bundle = bundle.with_seed(computing.seed)
    find = not asked.gold_predicates
    if asked.explain or asked.format == "html":
        bundle = bundle.explaining()
    if bundle.segmenter is None and find:
        bundle.refuse_finding()
    tagset: Tagset = "unidic"
    if source is None or kind == "text":
        batches = _raw_text(asked, source)
    else:
        tagset, batches = of_corpus(source, kind, guessed=asked.input is None)
    _warn_of_other_words(bundle, tagset, kind)
    sentences = (sentence for batch in batches for sentence in bundle.analyse_text(batch, find))
    _write(asked, _watched(sentences, told=asked.output is not None), tagset, bundle.manifest)


def _checked(asked: Analysed) -> Path | BegunStream | None:
    """Return the file, or standard input, if one is asked for; refuse what does not go together."""
    from zarpipe.serve.analyse.sources import STANDARD_INPUT, BegunStream

    if asked.interactive != (asked.text is None):
        raise ZarpipeError(
            "found --interactive beside a text; expected one of them"
            if asked.interactive
            else "found nothing to analyse; expected a text, a file, - for standard input, or --interactive"
        )
    if asked.interactive and (asked.format == "html" or asked.output):
        raise ZarpipeError("--interactive: answers in the terminal; leave out --output and --format html")
    if asked.explain and asked.format in ("knp", "conllu"):
        raise ZarpipeError(f"--explain: found with --format {asked.format}, which has no place for it")
    if asked.text == STANDARD_INPUT:
        return BegunStream(cast("ByteStream", sys.stdin.buffer))
    file = None if asked.text is None else _file(asked.text)
    if file is None and (asked.input not in (None, "text") or asked.gold_predicates):
        raise ZarpipeError("--input and --gold-predicates are for files; expected the name of a file, or -")
    return file


def _file(text: str) -> Path | None:
    """Return the file of this name; None for a text."""
    if not fits(text, "utf-8"):
        raise ZarpipeError("TEXT: found bytes that are not UTF-8; put the text into a file, with --encoding")
    if not text:
        raise ZarpipeError("TEXT: found an empty text; expected a text, a file, or - for standard input")
    if os.path.exists(text):  # noqa: PTH110 - false for every error
        if Path(text).is_dir():
            raise ZarpipeError(f"{text}: is a folder; expected a file or a text")
        return Path(text)
    if _looks_like_a_file(text):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, ValueError):
            Path(text).stat()
        raise ZarpipeError(f"{text}: no such file; expected a file that is there, or a Japanese text")
    return None


def _looks_like_a_file(text: str) -> bool:
    """Tell whether a text can only be meant as a file's name: 本.txt, ~/本, but not 彼は/彼女は."""
    if text.isascii() and ("/" in text or Path(text).suffix):
        return True
    return bool(_FILE_NAME.fullmatch(text))


def _kind(asked: Analysed, source: Path | BegunStream | None) -> Input:
    from zarpipe.serve.analyse.sources import kind_of

    if source is None:
        return "text"
    kind: Input = asked.input or (kind_of(source) if isinstance(source, Path) else source.kind)
    if kind == "text" and asked.gold_predicates:
        raise ZarpipeError(f"--gold-predicates: {asked.text} is raw text, which has none; leave it out")
    return kind


def _raw_text(asked: Analysed, source: Path | BegunStream | None) -> Iterator[list[Sentence]]:
    from zarpipe.serve.analyse import sources

    if asked.interactive:
        for line in _asked():
            yield from sources.of_text(line)
    elif source is None:
        yield from sources.of_text(asked.text or "")
    elif isinstance(source, Path):
        with sources.opened(source) as stream:
            yield from sources.of_stream(stream, asked.encoding, str(source))
    else:
        yield from sources.of_stream(source, asked.encoding, sources.STANDARD_INPUT)


def _warn_of_other_words(bundle: Bundle, tagset: Tagset, kind: Input) -> None:
    """Warn where the taggers know other words than those of the text."""
    trained = bundle.manifest.words
    if trained.tagset != tagset:
        _log.warning(
            "the bundle was trained on words of %s, this text is in words of %s: expect lower scores%s",
            trained.tagset,
            tagset,
            ". For raw text train with `corpus.tokens: unidic`" if kind == "text" else "",
        )


def _watched(sentences: Iterator[Sentence], told: bool) -> Iterator[Sentence]:
    """Pass sentences on; say if there was none, and (``told``) now and then how many there have been."""
    begun = last = time.monotonic()
    number = 0
    for number, sentence in enumerate(sentences, 1):
        yield sentence
        now = time.monotonic()
        if told and now - last >= _SECONDS_BETWEEN_LINES:
            _log.info("%s sentences, %.1f a second", f"{number:,}", number / (now - begun))
            last = now
    if not number:
        _log.warning("found no sentence: there is no text, or only blanks")


def _asked() -> Iterator[str]:
    """Yield lines that a person types, until the input ends."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 (lines can then be edited and called back)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    while True:
        try:
            line = input(_PROMPT)
        except EOFError:
            print()
            return
        if fits(line, "utf-8"):
            yield line
        else:
            _log.warning("found bytes that are not %s; type the line again", sys.stdin.encoding.upper())


def _write(asked: Analysed, sentences: Iterator[Sentence], tagset: Tagset, manifest: Manifest) -> None:
    from zarpipe.serve.analyse.formats import FORMATS
    from zarpipe.serve.export.table import write_texts

    if asked.output is None and asked.format == "terminal":
        from rich.console import Console

        from zarpipe.serve.analyse.terminal import print_sentences

        print_sentences(sentences, Console(highlight=False))
    else:
        write_texts(FORMATS[asked.format](sentences, tagset, manifest), asked.output)

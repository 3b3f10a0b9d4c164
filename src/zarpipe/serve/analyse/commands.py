"""The command ``zarpipe analyse``."""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from zarpipe.characters import fits
from zarpipe.config.options import add_command
from zarpipe.errors import ZarpipeError

if TYPE_CHECKING:
    from zarpipe.config.pos_sets import Tagset
    from zarpipe.readers.raw_text import ByteStream
    from zarpipe.serve.analyse.sources import Input
    from zarpipe.serve.bundle.analysis import Bundle
    from zarpipe.task.documents import Sentence

_EXAMPLES = """\
examples:
  zarpipe analyse 男は訴えられたが、無罪になった。 --bundle results/bundle
  zarpipe analyse book.txt --bundle results/bundle --format html --output book.html
  cat book.txt | zarpipe analyse - --bundle results/bundle --format json
  zarpipe analyse --interactive --bundle results/bundle
"""
_log = logging.getLogger(__name__)

_STANDARD_INPUT = "-"
_PROMPT = "> "
_SECONDS_BETWEEN_LINES = 10.0
_LONGEST_NAME = 255
_FILE_NAME = re.compile(
    r"(~|\.{1,2})?/\S+|\S+\.(txt|text|md|knp|tab|ntc|cabocha|csv|json|html)(\.gz)?", re.IGNORECASE
)


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's command to the parser."""
    parser = add_command(
        subparsers,
        "analyse",
        _run,
        summary="find predicates and their arguments in Japanese text",
        description="Finds the predicates of a text and their arguments, those too that the sentence leaves "
        "out beside the predicate, with the taggers of a bundle. Reads a text, a file, or standard input "
        "line by line. docs/analyse.md says how, and describes the formats.",
        example=_EXAMPLES,
    )
    parser.add_argument(
        "text", nargs="?", metavar="TEXT|FILE|-", help="a text, a file that is there, or - for standard input"
    )
    parser.add_argument(
        "--bundle", required=True, type=Path, metavar="FOLDER", help="what `zarpipe bundle` made"
    )
    parser.add_argument(
        "--format",
        choices=["terminal", "html", "json", "knp", "conllu"],
        default="terminal",
        help="what to write (default: terminal)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="file to write (default: standard output)"
    )
    parser.add_argument(
        "--interactive", action="store_true", help="ask for sentences until the input ends (Ctrl-D)"
    )
    _add_reading(parser)
    _add_computing(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        choices=["text", "knp", "tab"],
        help="what a file holds: raw text, the output of KNP, or CaboCha's tab-separated form, in whose "
        "words and bunsetsu it is then analysed (default: by its ending or its first line)",
    )
    parser.add_argument(
        "--gold-predicates",
        action="store_true",
        help="take the annotated predicates of such a file instead of finding them",
    )
    parser.add_argument(
        "--encoding",
        choices=["utf-8", "euc-jp", "shift_jis"],
        default="utf-8",
        help="of raw text in files and standard input (default: utf-8)",
    )


def _add_computing(parser: argparse.ArgumentParser) -> None:
    taggers = parser.add_mutually_exclusive_group()
    taggers.add_argument(
        "--ensemble",
        action="store_true",
        help="let all taggers of the bundle decide, by the mean of their probabilities (the default)",
    )
    taggers.add_argument("--seed", type=int, metavar="N", help="only the tagger of this seed")
    parser.add_argument(
        "--mlm", metavar="PATH", help="the masked language model, for a bundle that only refers to it"
    )
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="(default: auto: a GPU if any)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads (default: PyTorch's)")


def _run(arguments: argparse.Namespace) -> None:
    from zarpipe.log import start_logging
    from zarpipe.serve.bundle.loading import load_bundle

    start_logging()
    file = _checked(arguments)
    kind = _kind(arguments, file)
    bundle = load_bundle(arguments.bundle, arguments.mlm, arguments.device, arguments.threads)
    if arguments.seed is not None:
        bundle = bundle.with_seed(arguments.seed)
    find = not arguments.gold_predicates
    if bundle.segmenter is None and find:
        bundle.refuse_finding()
    tagset, batches = _source(arguments, file, kind)
    _warn_of_other_words(bundle, tagset, kind)
    sentences = (sentence for batch in batches for sentence in bundle.analyse_text(batch, find))
    _write(arguments, _watched(sentences, told=arguments.output is not None), tagset)


def _checked(arguments: argparse.Namespace) -> Path | None:
    """Return the file that is asked for, if it is one; refuse what does not go together."""
    if arguments.interactive != (arguments.text is None):
        raise ZarpipeError(
            "found --interactive beside a text; expected one of them"
            if arguments.interactive
            else "found nothing to analyse; expected a text, a file, - for standard input, or --interactive"
        )
    if arguments.interactive and (arguments.format == "html" or arguments.output):
        raise ZarpipeError("--interactive: answers in the terminal; leave out --output and --format html")
    if arguments.threads is not None and arguments.threads < 1:
        raise ZarpipeError(f"--threads: found {arguments.threads}; expected at least 1")
    file = None if arguments.text in (None, _STANDARD_INPUT) else _file(arguments.text)
    if file is None and (arguments.input not in (None, "text") or arguments.gold_predicates):
        raise ZarpipeError("--input and --gold-predicates are for files; expected the name of a file")
    return file


def _file(text: str) -> Path | None:
    """Return the file of this name; None for a text."""
    if not fits(text, "utf-8"):
        raise ZarpipeError("TEXT: found bytes that are not UTF-8; put the text into a file, with --encoding")
    if not text:
        raise ZarpipeError("TEXT: found an empty text; expected a text, a file, or - for standard input")
    if "\0" not in text and len(text) <= _LONGEST_NAME and Path(text).exists():
        if Path(text).is_dir():
            raise ZarpipeError(f"{text}: is a folder; expected a file or a text")
        return Path(text)
    if _looks_like_a_file(text):
        raise ZarpipeError(f"{text}: no such file; expected a file that is there, or a Japanese text")
    return None


def _looks_like_a_file(text: str) -> bool:
    """Tell whether a text can only be meant as a file's name: 本.txt, ~/本, but not 彼は/彼女は."""
    if text.isascii() and ("/" in text or Path(text).suffix):
        return True
    return bool(_FILE_NAME.fullmatch(text))


def _kind(arguments: argparse.Namespace, file: Path | None) -> Input:
    from zarpipe.serve.analyse.sources import kind_of

    if file is None:
        return "text"
    kind: Input = arguments.input or kind_of(file)
    if kind == "text" and arguments.gold_predicates:
        raise ZarpipeError(f"--gold-predicates: {file} is raw text, which has none; leave it out")
    return kind


def _source(
    arguments: argparse.Namespace, file: Path | None, kind: Input
) -> tuple[Tagset, Iterator[list[Sentence]]]:
    """Return whose parts of speech the words have, and the sentences as they come."""
    from zarpipe.serve.analyse.sources import of_corpus

    if file is None or kind == "text":
        return "unidic", _raw_text(arguments, file)
    return of_corpus(file, kind)


def _raw_text(arguments: argparse.Namespace, file: Path | None) -> Iterator[list[Sentence]]:
    from zarpipe.serve.analyse import sources

    if arguments.interactive:
        for line in _asked():
            yield from sources.of_text(line)
    elif arguments.text == _STANDARD_INPUT:
        yield from sources.of_stream(
            cast("ByteStream", sys.stdin.buffer), arguments.encoding, _STANDARD_INPUT
        )
    elif file is None:
        yield from sources.of_text(arguments.text)
    else:
        with sources.opened(file) as stream:
            yield from sources.of_stream(stream, arguments.encoding, str(file))


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
            _log.info("%s sentences, %.0f a second", f"{number:,}", number / (now - begun))
            last = now
    if not number:
        _log.warning("found no sentence: there is no text, or only blanks")


def _asked() -> Iterator[str]:
    """Yield lines that a person types, until the input ends."""
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 (lines can then be edited and called back)
    while True:
        try:
            yield input(_PROMPT)
        except EOFError:
            print()
            return


def _write(arguments: argparse.Namespace, sentences: Iterator[Sentence], tagset: Tagset) -> None:
    from zarpipe.files import whole_stream

    if arguments.output is not None:
        with whole_stream(arguments.output) as stream:
            for text in _texts(arguments.format, sentences, tagset):
                stream.write(text.encode())
    elif arguments.format == "terminal":
        from rich.console import Console

        from zarpipe.serve.analyse.terminal import print_sentences

        print_sentences(sentences, Console(highlight=False))
    else:
        # Not in the terminal's encoding: these formats are UTF-8.
        for text in _texts(arguments.format, sentences, tagset):
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()


def _texts(name: str, sentences: Iterator[Sentence], tagset: Tagset) -> Iterator[str]:
    if name == "terminal":
        from zarpipe.serve.analyse.terminal import printed

        return printed(sentences)
    from zarpipe.serve.analyse.formats import FORMATS

    return FORMATS[name](sentences, tagset)

"""Corpus tokens as subwords of the MLM: aligned by construction, each token tokenised by itself.

A corpus token goes through the model's own normalisation and subword tokenizer, not through its word splitter
(MeCab would cut 東京都 into 東京 and 都), and its subwords stay together. Nothing is searched for in strings.

Rules:
    * A token that normalises to nothing (a full-width space, say) is one ``[UNK]``.
    * Words that were added to the tokenizer are one subword each, also inside of a token, as it gives them.
    * Text that looks like a special token is text: where the tokenizer cannot give its pieces, it is
      ``[UNK]`` (and the text ``[UNK]`` is ``[UNK]``).
    * A token is represented by its first subword that carries text. A lone word-boundary mark (``▁``) carries
      none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from zarpipe.errors import ZarpipeError

# SentencePiece's mark of a word boundary, and that of byte-level BPE.
_BOUNDARY_MARKS = "▁Ġ"
# Word splitters that normalise with NFKC before they split; their splitting is left out, not their
# normalisation.
_MORPHOLOGICAL_SPLITTERS = ("mecab", "sudachi", "jumanpp")


def _byte_of_character() -> dict[str, int]:
    """Return how byte-level vocabularies write bytes.

    Source: GPT-2's bytes_to_unicode. Visible characters of Latin-1 are themselves, the others follow from
    U+0100 on, in their order.
    """
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {
        chr(0x100 + place): byte for place, byte in enumerate(others)
    }


_BYTE_OF_CHARACTER = _byte_of_character()


class Pieces(NamedTuple):
    """The subwords of one corpus token."""

    ids: tuple[int, ...]  # vocabulary ids, at least one
    representative: int  # position in ``ids`` of the subword whose hidden state represents the token


class SubwordTokenizer:
    """Tokenise corpus tokens one by one with a Hugging Face tokenizer of any kind.

    Attributes:
        unknown_id: id of ``[UNK]``; None when the model has none.
        mask_id: id of ``[MASK]``; None when the model has none.
        prefix: ids before the first token of a sequence, such as ``[CLS]``.
        suffix: ids after the last token, such as ``[SEP]``.
        size: entries of the vocabulary.
        never_picked: ids that are no text: special tokens, ``[UNK]`` among them.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.unknown_id: int | None = tokenizer.unk_token_id
        self._unknown_text = tokenizer.unk_token
        self.mask_id: int | None = tokenizer.mask_token_id
        self.never_picked = frozenset(tokenizer.all_special_ids)
        self.size = len(tokenizer)
        self.prefix, self.suffix = _frame(tokenizer)
        self._python = PythonTokenizer(tokenizer) if hasattr(tokenizer, "tokens_trie") else None
        # Entries that are written as they are: those added to a byte-level vocabulary, else all of them.
        added = set(tokenizer.added_tokens_decoder)
        self._literal = added if _is_byte_level(tokenizer) else range(self.size)

    def pieces(self, tokens: Sequence[str]) -> list[Pieces]:
        """Return the subwords of each token. Cost: one tokenizer call per token; give distinct tokens."""
        return [
            Pieces((self._unknown(),), 0) if token == self._unknown_text else self._pieces(ids)
            for token, ids in zip(tokens, self._token_ids(list(tokens)), strict=True)
        ]

    def mask(self) -> Pieces:
        """Return the one subword of a masked token. Raises ZarpipeError when the model has no mask token."""
        if self.mask_id is None:
            raise ZarpipeError(
                "mlm.path: this model's tokenizer has no mask token; choose a masked language model (BERT, "
                "RoBERTa, DeBERTa, ModernBERT, ...)"
            )
        return Pieces((self.mask_id,), 0)

    def text(self, identifier: int) -> str:
        r"""Return a vocabulary entry as text that a person can read.

        Byte-level models write æĿ± for 東, Ġ for a blank: their bytes are decoded, and a part of a character
        is written as its bytes (``\xe6\x9d``). Marks of words and subwords (``▁``, ``##``) stay.
        """
        entry = self._entry(identifier)
        if identifier in self._literal or not all(character in _BYTE_OF_CHARACTER for character in entry):
            return entry
        content = bytes(_BYTE_OF_CHARACTER[character] for character in entry)
        return content.decode("utf-8", "backslashreplace")

    def _entry(self, identifier: int) -> str:
        return str(self._tokenizer.convert_ids_to_tokens(identifier))

    def _token_ids(self, tokens: list[str]) -> list[list[int]]:
        if not tokens:
            return []
        if self._python:
            return [self._python.ids(token) for token in tokens]
        encoded = self._tokenizer(
            tokens,
            add_special_tokens=False,
            split_special_tokens=True,
            padding=False,
            truncation=False,
            verbose=False,
        )
        return [list(ids) for ids in encoded["input_ids"]]

    def _pieces(self, ids: Sequence[int]) -> Pieces:
        text_ids = [self._unknown() if self._is_special(identifier) else identifier for identifier in ids]
        for position, identifier in enumerate(text_ids):
            if identifier == self.unknown_id or self._entry(identifier).strip(_BOUNDARY_MARKS):
                return Pieces(tuple(text_ids), position)
        return Pieces((self._unknown(),), 0)

    def _is_special(self, identifier: int) -> bool:
        return identifier in self.never_picked and identifier != self.unknown_id

    def _unknown(self) -> int:
        if self.unknown_id is None:
            raise ZarpipeError(
                "mlm.path: this model's tokenizer has no [UNK] token, which is needed for a token that "
                "vanishes in its normalisation; choose another model"
            )
        return self.unknown_id


def _is_byte_level(tokenizer: Any) -> bool:
    """Tell whether the vocabulary's entries are bytes, written as characters."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return hasattr(tokenizer, "byte_decoder")
    return '"type":"ByteLevel"' in backend.to_str()


class PythonTokenizer:
    """A tokenizer that transformers runs in Python, as it would be without special tokens and word splitter.

    Told to take special tokens for text (`split_special_tokens`), such a tokenizer loses its added words too.
    So its own way is gone here, with a table of added tokens that has the words alone.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.added_tokens_decoder.items()
        self._added_tokens_decoder = {number: token for number, token in added if not token.special}
        self._added_tokens_encoder = {
            str(token): number for number, token in self._added_tokens_decoder.items()
        }
        self.tokens_trie = type(tokenizer.tokens_trie)(self._added_tokens_encoder)
        self.all_special_tokens: list[str] = []
        self.split_special_tokens = False
        self.prepare_for_tokenization = tokenizer.prepare_for_tokenization

    def ids(self, token: str) -> list[int]:
        """Return the vocabulary ids of a corpus token."""
        from transformers import PreTrainedTokenizer

        subwords = PreTrainedTokenizer.tokenize(self, token)
        return [int(identifier) for identifier in self._tokenizer.convert_tokens_to_ids(subwords)]

    def _tokenize(self, text: str) -> list[str]:
        """Cut what lies between added words into subwords."""
        tokenizer = self._tokenizer
        if not hasattr(tokenizer, "subword_tokenizer_type"):
            return list(tokenizer._tokenize(text))
        words = _bert_japanese_words(tokenizer, text)
        if not tokenizer.do_subword_tokenize:
            return words
        return [subword for word in words for subword in tokenizer.subword_tokenizer.tokenize(word)]


def _bert_japanese_words(tokenizer: Any, text: str) -> list[str]:
    """Normalise as the word splitter would; cut at white space only."""
    if not tokenizer.do_word_tokenize:
        return [text]
    if tokenizer.word_tokenizer_type not in _MORPHOLOGICAL_SPLITTERS:
        return list(tokenizer.word_tokenizer.tokenize(text))
    if tokenizer.word_tokenizer.normalize_text:
        text = unicodedata.normalize("NFKC", text)
    lower = tokenizer.lower_case and text not in (tokenizer.never_split or ())
    return (text.lower() if lower else text).split()


def _frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Find what the tokenizer puts around a sequence, by comparing a text with and without special tokens."""
    for text in ("の", "a", "1"):
        inner = list(tokenizer(text, add_special_tokens=False)["input_ids"])
        framed = list(tokenizer(text)["input_ids"])
        for start in range(len(framed) - len(inner) + 1):
            if inner and framed[start : start + len(inner)] == inner:
                return framed[:start], framed[start + len(inner) :]
    raise ZarpipeError(
        "mlm.path: cannot find out which special tokens this model's tokenizer puts around a sentence; "
        "its tokenizer files may be damaged"
    )

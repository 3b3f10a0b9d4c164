"""Pretrain a small masked language model on made sentences.

Its masks are those that it will meet later: a masked token is one ``[MASK]``, whatever its number of
subwords, and what has to be predicted there is the token's first subword.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from zarpipe.arrays import Int64, expand
from zarpipe.mlm.subwords import Pieces, SubwordTokenizer
from zarpipe.progress import Progress

_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MAX_POSITIONS = 512
_HEAD_SIZE = 32
# BERT's recipe (Devlin et al. 2019): of the chosen tokens, 80 % are masked, 10 % replaced, 10 % kept.
_CHOSEN, _MASKED, _REPLACED = 0.15, 0.8, 0.1
# Of the replaced, this share become unknown words, which other texts have.
_UNKNOWN, _UNK = 0.5, _SPECIAL_TOKENS.index("[UNK]")
_WARM_UP, _WEIGHT_DECAY, _BETAS, _GRADIENT_CLIP = 0.1, 0.01, (0.9, 0.98), 1.0
_UNPREDICTED = -100
# Sentences of a batch are of similar length: this many batches are drawn at random and cut by length.
_POOL_BATCHES = 20


@dataclass(frozen=True)
class Settings:
    """Sizes and training; the committed model was made with these."""

    layers: int = 2
    hidden_size: int = 128
    steps: int = 5000
    batch_size: int = 32
    learning_rate: float = 1e-3
    vocabulary_size: int = 2000
    seed: int = 1


def pretrain(sentences: list[list[str]], output: Path, settings: Settings) -> None:
    """Train a WordPiece vocabulary and a BERT on words with one thread; write a model folder in float16."""
    torch.set_num_threads(1)
    output.mkdir()
    tokenizer = _train_tokenizer(sentences, settings.vocabulary_size, output)
    model = _train(_Corpus.of(sentences, SubwordTokenizer(tokenizer)), tokenizer, settings)
    tokenizer.save_pretrained(output)
    model.half().save_pretrained(output)


def masked_batch(
    sentences: list[list[Pieces]], subwords: SubwordTokenizer, vocabulary: int, generator: np.random.Generator
) -> tuple[Int64, Int64]:
    """Choose 15 % of the tokens (at least one per sentence) and mask, replace or keep them.

    Args:
        sentences: subwords of each token.
        subwords: the tokenizer, for the special tokens.
        vocabulary: size of the vocabulary; the special tokens come first in it.
        generator: source of all choices.

    Returns:
        Padded ids [b, t], and labels [b, t]: the first subword of each chosen token where it now stands, else
        -100.
    """
    rows, labels = [], []
    mask = subwords.mask().ids
    for tokens in sentences:
        chosen = generator.random(len(tokens)) < _CHOSEN
        chosen[generator.integers(len(tokens))] = True
        fates = generator.random(len(tokens))
        randoms = generator.integers(len(_SPECIAL_TOKENS), vocabulary, len(tokens))
        randoms[generator.random(len(tokens)) < _UNKNOWN] = _UNK
        ids, wanted = list(subwords.prefix), [_UNPREDICTED] * len(subwords.prefix)
        for token, is_chosen, fate, random in zip(tokens, chosen, fates, randoms, strict=True):
            shown = token.ids
            if is_chosen and fate < _MASKED:
                shown = mask
            elif is_chosen and fate < _MASKED + _REPLACED:
                shown = (int(random),)
            ids += shown
            wanted += [token.ids[0] if is_chosen else _UNPREDICTED] + [_UNPREDICTED] * (len(shown) - 1)
        rows.append((ids + subwords.suffix)[:_MAX_POSITIONS])
        labels.append((wanted + [_UNPREDICTED] * len(subwords.suffix))[:_MAX_POSITIONS])
    return _pad(rows, 0), _pad(labels, _UNPREDICTED)


@dataclass(frozen=True)
class _Corpus:
    """The text as subwords: [sentences][tokens]."""

    sentences: list[list[Pieces]]
    subwords: SubwordTokenizer

    @classmethod
    def of(cls, sentences: list[list[str]], subwords: SubwordTokenizer) -> _Corpus:
        distinct = list(dict.fromkeys(token for tokens in sentences for token in tokens))
        pieces = dict(zip(distinct, subwords.pieces(distinct), strict=True))
        return cls([[pieces[token] for token in tokens] for tokens in sentences], subwords)

    def batches(self, size: int, generator: np.random.Generator) -> Iterator[list[list[Pieces]]]:
        """Give batches of similar length without end; every sentence once per epoch."""
        lengths = np.array([sum(len(token.ids) for token in tokens) for tokens in self.sentences])
        while True:
            order = generator.permutation(len(lengths))
            for start in range(0, len(order), size * _POOL_BATCHES):
                pool = order[start : start + size * _POOL_BATCHES]
                pool = pool[np.argsort(lengths[pool], kind="stable")]
                cuts = np.arange(0, len(pool), size)
                for cut in generator.permutation(cuts):
                    yield [self.sentences[index] for index in pool[cut : cut + size]]


def _train_tokenizer(sentences: list[list[str]], vocabulary_size: int, folder: Path) -> Any:
    """Train WordPiece on the tokens, normalised as the tokenizer will normalise them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import BertJapaneseTokenizer

    lines = [unicodedata.normalize("NFKC", " ".join(tokens)) for tokens in sentences]
    wordpiece = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 (a vocabulary entry)
    wordpiece.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    # Left alone, the trainer numbers the characters inside words in the order of a hash table, which differs
    # from run to run, and breaks ties between equally frequent pieces by these numbers.
    inside = sorted({character for line in lines for word in line.split() for character in word[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary_size,
        special_tokens=[*_SPECIAL_TOKENS, *(f"##{character}" for character in inside)],
        show_progress=False,
    )
    wordpiece.train_from_iterator(lines, trainer)
    vocabulary = sorted(wordpiece.get_vocab().items(), key=lambda entry: entry[1])
    file = folder / "vocab.txt"
    file.write_text("".join(f"{subword}\n" for subword, _ in vocabulary), encoding="utf-8")
    return BertJapaneseTokenizer(
        str(file),
        word_tokenizer_type="mecab",
        subword_tokenizer_type="wordpiece",
        do_lower_case=False,
        mecab_kwargs={"mecab_dic": "unidic_lite"},
        model_max_length=_MAX_POSITIONS,
    )


def _train(corpus: _Corpus, tokenizer: Any, settings: Settings) -> Any:
    """Run the optimiser steps; return the model in evaluation mode."""
    model = _new_model(len(tokenizer), settings)
    generator = np.random.default_rng(settings.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), settings.learning_rate, betas=_BETAS, weight_decay=_WEIGHT_DECAY
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, settings.steps))
    batches = corpus.batches(settings.batch_size, generator)
    with Progress("steps") as progress:
        for step in range(1, settings.steps + 1):
            ids, labels = masked_batch(next(batches), corpus.subwords, len(tokenizer), generator)
            loss = _loss(model, torch.from_numpy(ids), torch.from_numpy(labels))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), _GRADIENT_CLIP)
            optimizer.step()
            schedule.step()
            progress.update(step, settings.steps, f"loss {loss.item():.2f}")
    return model.eval()


def _new_model(vocabulary: int, settings: Settings) -> Any:
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(settings.seed)
    return BertForMaskedLM(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=settings.hidden_size,
            num_hidden_layers=settings.layers,
            num_attention_heads=settings.hidden_size // _HEAD_SIZE,
            intermediate_size=4 * settings.hidden_size,
            max_position_embeddings=_MAX_POSITIONS,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            pad_token_id=0,
            tokenizer_class="BertJapaneseTokenizer",
        )
    ).train()


def _loss(model: Any, ids: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy at the chosen positions, the only ones that are projected."""
    mask = None if bool((ids != 0).all()) else (ids != 0).long()
    hidden = model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
    chosen = labels != _UNPREDICTED
    return nn.functional.cross_entropy(model.cls(hidden[chosen]), labels[chosen])


def _rate(step: int, steps: int) -> float:
    """Return the learning rate's factor: linear warm-up, then linear decay to zero."""
    warm_up = max(1, round(_WARM_UP * steps))
    if step < warm_up:
        return (step + 1) / warm_up
    return max(0.0, (steps - step) / max(1, steps - warm_up))


def _pad(rows: list[list[int]], filler: int) -> Int64:
    lengths = np.array([len(row) for row in rows], np.int64)
    padded = np.full((len(rows), int(lengths.max())), filler, np.int64)
    flat = np.array([identifier for row in rows for identifier in row], np.int64)
    padded[np.repeat(np.arange(len(rows)), lengths), expand(np.zeros_like(lengths), lengths)] = flat
    return padded

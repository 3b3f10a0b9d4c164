"""Load a frozen masked language model with its tokenizer: any Hugging Face one, checked before it is used."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.files import model_digest, model_folder, model_name, read_settings
from zarpipe.mlm.forward import (
    Abilities,
    UnusableError,
    embeddings,
    head_scores,
    hidden_states,
    layer_states,
    longest_input,
    try_out,
)
from zarpipe.mlm.subwords import SubwordTokenizer

_log = logging.getLogger(__name__)

Loaded = TypeVar("Loaded")

# Entries of the vocabulary with which a model is tried.
_TRIED_ENTRIES = 9
# Above this, `model_max_length` is transformers' way to say "not known".
_UNKNOWN_LENGTH = 10**6
# Of an encoder, what its hidden states do not depend on, or what is computed anew.
_HARMLESS = re.compile(
    r"\bpooler\.|\.(position_ids|token_type_ids|inv_freq|masked_bias|_weight|num_batches_tracked)$"
)
# What the word splitters of BertJapaneseTokenizer need: importable module, and what installs it.
_SPLITTER_PACKAGES = {
    "mecab": {"fugashi": "pip install fugashi"},
    "sudachi": {"sudachipy": "pip install sudachipy sudachidict_core"},
    "jumanpp": {"rhoknp": "pip install rhoknp  (and the program jumanpp)"},
}
_DICTIONARIES = {
    "unidic_lite": "pip install unidic-lite",
    "unidic": "pip install unidic && python -m unidic download",
    "ipadic": "pip install ipadic",
}


# What transformers takes unseen and stumbles over later, and what is read here.
_CHECKED_SETTINGS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("model_max_length", lambda value: type(value) in (int, float) and value >= 1, "a number from 1"),
    ("word_tokenizer_type", lambda value: isinstance(value, str), "a text such as mecab"),
    ("mecab_kwargs", lambda value: value is None or isinstance(value, dict), "an object or null"),
)


@dataclass(frozen=True)
class FrozenMlm:
    """A masked language model that is only read."""

    name: str  # hub name or folder name
    digest: str  # SHA-256 over its files
    subwords: SubwordTokenizer  # its tokenizer, for corpus tokens
    padding_id: int  # id that fills batches of unequal length; masked, so that any will do
    limit: int  # longest input in subwords, special tokens included
    device: torch.device
    dtype: torch.dtype  # number format of its weights and computation
    model: Any  # the Hugging Face model, in evaluation mode
    head_is_trained: bool  # whether the checkpoint holds the vocabulary projection
    abilities: Abilities  # what the model was found to do

    @property
    def hidden_size(self) -> int:
        """D, the size of a hidden state."""
        return self.abilities.hidden_size

    def hidden(self, ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Return the final hidden states [b, t, D] of ids [b, t]; no mask where nothing is padding."""
        return hidden_states(self.model, ids, attention_mask)

    def layers(self, ids: Tensor, attention_mask: Tensor | None = None) -> list[Tensor]:
        """Return the hidden states [b, t, D] of every layer, the embeddings first, the final ones last.

        Raises ZarpipeError: the model does not give them.
        """
        try:
            return layer_states(self.model, ids, attention_mask)
        except UnusableError as error:
            raise ZarpipeError(
                f"encoding.layers: the model {self.name} ({type(self.model).__name__}) {error}; use last"
            ) from error

    def scores(self, hidden: Tensor) -> Tensor:
        """Return the vocabulary scores [k, V] of hidden states [k, D], through the model's own head."""
        return head_scores(self.model, hidden)

    def check_filling(self, purpose: str) -> None:
        """Refuse a model that cannot say which entry belongs in the place of a mask.

        Raises ZarpipeError: its head is not in the checkpoint, or needs more than final hidden states.
        """
        if not self.head_is_trained:
            raise ZarpipeError(
                f"mlm.path: {self.name} has no trained vocabulary projection, so it cannot predict tokens; "
                f"{purpose} the masked language model's complete checkpoint"
            )
        if not self.abilities.head_stands_alone:
            raise ZarpipeError(
                f"mlm.path: {self.name} ({type(self.model).__name__}) predicts tokens from more than its "
                f"final hidden states; {purpose} a model such as BERT, RoBERTa, DeBERTa or ModernBERT"
            )


def load_mlm(mlm: MlmConfig, encoding: EncodingConfig) -> FrozenMlm:
    """Load the model for inference on the configured device.

    Raises ZarpipeError: it cannot be found, read or run, with what to install or change.
    """
    device, dtype = _device(encoding), getattr(torch, encoding.compute_dtype)
    folder = model_folder(mlm)
    digest = model_digest(mlm)  # before anything is loaded: a damaged file is named
    tokenizer = load_tokenizer(mlm)
    model, head_is_trained = _load_model(mlm, folder, dtype)
    with _usable(folder, model):
        check_vocabulary(folder, tokenizer, embeddings(model))
    subwords = _explained(folder, lambda: SubwordTokenizer(tokenizer))
    special = len(subwords.prefix) + len(subwords.suffix)
    limit = _explained(folder, lambda: _longest_input(folder, model, tokenizer, special))
    model = model.to(device)
    padding = tokenizer.pad_token_id or 0
    abilities = _abilities(folder, model, subwords, limit, padding)
    if abilities.is_causal:
        _log.warning(
            "%s: a hidden state does not depend on the words behind it, and that of a masked language model "
            "does: check is_decoder in config.json, and what this architecture needs to run",
            folder,
        )
    return FrozenMlm(
        name=model_name(mlm),
        digest=digest,
        subwords=subwords,
        padding_id=padding,
        limit=limit,
        device=device,
        dtype=dtype,
        model=model,
        head_is_trained=head_is_trained,
        abilities=abilities,
    )


def load_tokenizer(mlm: MlmConfig) -> Any:
    """Load the tokenizer alone. Raises ZarpipeError with the install command of a missing package."""
    folder = model_folder(mlm)
    _check_packages(folder)
    from transformers import AutoTokenizer

    return _explained(
        folder, lambda: AutoTokenizer.from_pretrained(folder, trust_remote_code=mlm.trust_remote_code)
    )


def check_vocabulary(folder: Path, tokenizer: Any, embeddings: int) -> None:
    """Refuse a tokenizer with entries for which the model has no embedding.

    The model has so many input embeddings; more than the tokenizer has entries is harmless.

    Raises ZarpipeError: naming the entries behind the end, [MASK] first.
    """
    entries = tokenizer.get_vocab()
    behind = sorted((number, entry) for entry, number in entries.items() if number >= embeddings)
    if not behind:
        return
    named = [pair for pair in behind if pair[1] == tokenizer.mask_token] or behind
    number, entry = named[0]
    others = f" (nor have {len(behind) - 1:,} others)" if len(behind) > 1 else ""
    raise ZarpipeError(
        f"mlm.path: the tokenizer in {folder} has {len(entries):,} entries, the model {embeddings:,} "
        f"embeddings; {entry} is number {number:,} and has none{others}. Take "
        "the tokenizer that belongs to the model, or give the model its new tokens "
        "(resize_token_embeddings) and train them"
    )


def _device(encoding: EncodingConfig) -> torch.device:
    """Return the configured device; ``auto`` is a GPU when there is one."""
    available = torch.cuda.is_available()
    if encoding.device == "cuda" and not available:
        raise ZarpipeError("encoding.device: found cuda, but torch sees no GPU here; use auto or cpu")
    wanted = encoding.device if encoding.device != "auto" else ("cuda" if available else "cpu")
    if wanted == "cpu" and encoding.compute_dtype == "float16":
        raise ZarpipeError("encoding.compute_dtype: float16 needs a GPU; on a CPU use float32 or bfloat16")
    return torch.device(wanted)


def _load_model(mlm: MlmConfig, folder: Path, dtype: torch.dtype) -> tuple[Any, bool]:
    from transformers import AutoModelForMaskedLM

    model, report = _explained(
        folder,
        lambda: AutoModelForMaskedLM.from_pretrained(
            folder,
            dtype=dtype,
            trust_remote_code=mlm.trust_remote_code,
            use_safetensors=None if mlm.allow_pickle else True,
            output_loading_info=True,
        ),
    )
    missing = sorted(report["missing_keys"])
    prefix = model.base_model_prefix + "."
    untrained = [key for key in missing if key.startswith(prefix) and ".pooler." not in key]
    if untrained or report["mismatched_keys"]:
        example = untrained[0] if untrained else sorted(report["mismatched_keys"])[0][0]
        raise ZarpipeError(
            f"mlm.path: the weights in {folder} do not fit its config.json (for example {example}); "
            "they belong to another architecture, or the download is incomplete"
        )
    _warn_of_unused(folder, model, sorted(report["unexpected_keys"]))
    return model.eval().requires_grad_(False), not [key for key in missing if not key.startswith(prefix)]


def _warn_of_unused(folder: Path, model: Any, unused: list[str]) -> None:
    """Name weights of the encoder that are in the file, and that the model as it is built has no place for.

    Heads for other tasks are harmless. In the file of a model without a head, names lack the prefix.
    """
    own = {model.base_model_prefix, *(name for name, _ in model.base_model.named_children())}
    unused = [key for key in unused if key.split(".")[0] in own and not _HARMLESS.search(key)]
    if unused:
        _log.warning(
            "%s: %d of its weights are not used (%s, ...): hidden states are those of a model without them. "
            "Either its config.json is not the one that belongs to it, or the installed transformers does "
            "not compute this kind of model",
            folder,
            len(unused),
            unused[0],
        )


def _explained(folder: Path, load: Callable[[], Loaded]) -> Loaded:
    """Run one of transformers' loaders; turn what it raises for a user's model into a readable message."""
    try:
        return _quietly(load)
    except (ZarpipeError, MemoryError):
        raise
    except ImportError as error:
        raise ZarpipeError(
            f"mlm.path: the model in {folder} needs a package that is not installed "
            f"({_first_line(error)}); install it with pip"
        ) from error
    except Exception as error:
        # Whatever is wrong with a model's files, transformers may stumble over it anywhere.
        raise ZarpipeError(
            f"mlm.path: the model in {folder} cannot be loaded as a masked language model "
            f"({_first_line(error)}); give a complete Hugging Face model of a kind that "
            "AutoModelForMaskedLM knows"
        ) from error


def _quietly(load: Callable[[], Loaded]) -> Loaded:
    """Leave out transformers' progress bars and advice; zarpipe checks and says what matters itself."""
    from transformers.utils import logging as transformers_logging

    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        return load()
    finally:
        transformers_logging.set_verbosity(verbosity)


def _check_packages(folder: Path) -> None:
    """Check what transformers would only miss later, BertJapaneseTokenizer deep inside its constructor."""
    settings = _tokenizer_settings(folder)
    for key, is_sound, expected in _CHECKED_SETTINGS:
        if key in settings and not is_sound(settings[key]):
            raise ZarpipeError(
                f"mlm.path: {folder}/tokenizer_config.json: {key}: found {settings[key]!r}; expected "
                f"{expected}. Take the model's own file again"
            )
    if any(folder.glob("*.model")) and not (folder / "tokenizer.json").is_file():
        _require(folder, "sentencepiece", "pip install sentencepiece protobuf")
    if settings.get("tokenizer_class") != "BertJapaneseTokenizer":
        return
    splits = settings.get("do_word_tokenize", True)
    splitter = settings.get("word_tokenizer_type", "basic") if splits else "basic"
    needed = dict(_SPLITTER_PACKAGES.get(splitter, {}))
    if splitter == "mecab":
        dictionary = (settings.get("mecab_kwargs") or {}).get("mecab_dic", "unidic_lite")
        if dictionary in _DICTIONARIES:
            needed[dictionary] = _DICTIONARIES[dictionary]
    if settings.get("subword_tokenizer_type") == "sentencepiece":
        needed["sentencepiece"] = "pip install sentencepiece"
    for module, command in needed.items():
        _require(folder, module, command)
    if splitter == "jumanpp":
        _log.warning(
            "%s was trained on words cut by Juman++; with tokens of another tagger its hidden states may "
            "suffer",
            folder,
        )


def _require(folder: Path, module: str, command: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise ZarpipeError(
            f"mlm.path: the tokenizer of {folder} needs the package {module}, which is not installed; "
            f"install it with: {command}"
        )
    if module == "unidic" and not Path(importlib.import_module("unidic").DICDIR).is_dir():
        raise ZarpipeError(
            f"mlm.path: the tokenizer of {folder} needs the dictionary of the package unidic, which is not "
            "downloaded; get it with: python -m unidic download"
        )


def _tokenizer_settings(folder: Path) -> dict[str, Any]:
    """Read the tokenizer's settings; older models name its class in the model's configuration only."""
    settings: dict[str, Any] = {}
    for name in ("config.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            found = read_settings(folder / name)
            tokenizer_class = {"tokenizer_class": found.get("tokenizer_class")}
            settings.update(tokenizer_class if name == "config.json" else found)
    return settings


def _longest_input(folder: Path, model: Any, tokenizer: Any, special: int) -> int:
    """Return how many subwords the model takes at once: what its positions and its tokenizer say."""
    stated = getattr(tokenizer, "model_max_length", None) or _UNKNOWN_LENGTH
    limit = int(min(longest_input(model) or _UNKNOWN_LENGTH, stated))
    if limit <= special:
        raise ZarpipeError(
            f"mlm.path: the model in {folder} takes {limit} subwords at once, of which {special} are special "
            "tokens; expected more. Check model_max_length in tokenizer_config.json and "
            "max_position_embeddings in config.json"
        )
    return limit


def _abilities(folder: Path, model: Any, subwords: SubwordTokenizer, limit: int, padding: int) -> Abilities:
    """Try the model with a few entries from all over its vocabulary."""
    room = limit - len(subwords.prefix) - len(subwords.suffix)
    entries = [entry for entry in range(subwords.size) if entry not in subwords.never_picked]
    some = entries[:: max(1, len(entries) // _TRIED_ENTRIES)][:_TRIED_ENTRIES]
    if subwords.mask_id is not None:
        some[len(some) // 3 : len(some) // 3] = [subwords.mask_id]
    with _usable(folder, model):
        return _quietly(lambda: try_out(model, some[:room], subwords.prefix, subwords.suffix, padding))


@contextlib.contextmanager
def _usable(folder: Path, model: Any) -> Iterator[None]:
    """Say which model it is that cannot be used."""
    try:
        yield
    except UnusableError as error:
        raise ZarpipeError(
            f"mlm.path: the model in {folder} ({type(model).__name__}) {_first_line(error)}; choose another "
            "masked language model (BERT, RoBERTa, DeBERTa, ModernBERT, ...)"
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(" .:") if lines else type(error).__name__

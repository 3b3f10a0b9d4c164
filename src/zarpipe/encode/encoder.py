"""Run the frozen MLM over the distinct sequences of a corpus or a variant: ``zarpipe encode``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from zarpipe.arrays import Float16, Int64
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.encode.blocks import BlockStore
from zarpipe.encode.plan import Plan, plan_encoding
from zarpipe.encode.token_states import TokenStates
from zarpipe.errors import ZarpipeError
from zarpipe.formats.corpus import read_corpus
from zarpipe.formats.features import ALL_SENTENCES, write_features
from zarpipe.job_folders import unfinished_folder
from zarpipe.mlm.batches import Batches
from zarpipe.mlm.loading import FrozenMlm, load_mlm
from zarpipe.progress import Progress

_log = logging.getLogger(__name__)


# At least this many tokens are kept at once; an interruption costs at most one block.
BLOCK_TOKENS = 8192
_FLOAT16_LIMIT = 65504


def encode(
    corpus: Path,
    mlm: MlmConfig,
    encoding: EncodingConfig,  # batch size, number format and device
    output: Path,
    variant: Path | None = None,  # variant Parquet; None encodes the original sentences
    # feature file of the original sentences, for a variant or for all sentences
    originals: Path | None = None,
    threads: int = 1,
    # tokens that are kept at once for a run that goes on after an interruption
    block_tokens: int = BLOCK_TOKENS,
    all_sentences: bool = False,  # every sentence of the corpus once, also those without a predicate
) -> dict[str, Any]:
    """Write the features of a corpus, or of one variant of it.

    A job that was interrupted goes on where it stopped; the data sets are the same as without interruption.

    Returns the provenance as stored.

    Raises ZarpipeError: an input is damaged or does not belong, the model cannot be used, or a hidden state
    does not fit into float16.
    """
    torch.set_num_threads(threads)
    model = load_mlm(mlm, encoding)
    states = TokenStates.of(model, encoding)
    plan = plan_encoding(corpus, model, variant, originals, states.provenance(), all_sentences)
    provenance = _provenance(plan, model, encoding) | states.provenance()
    provenance |= {ALL_SENTENCES: True} if all_sentences else {}
    batches = Batches(plan.sequences, model, encoding.batch_tokens)
    waiting = unfinished_folder(output)
    store = BlockStore(waiting, states.size) if waiting else None
    bounds = block_bounds(batches.token_bounds, block_tokens)
    run = _Run(plan, batches, states, store, output, provenance, bounds)
    run.log()
    return run.finish()


@dataclass(frozen=True)
class _Run:
    """One run over the blocks of one output."""

    plan: Plan
    batches: Batches
    states: TokenStates  # how hidden states become rows
    store: BlockStore | None
    output: Path
    provenance: dict[str, Any]
    bounds: Int64  # [B + 1] batches of each block

    def log(self) -> None:
        """Say what is encoded, and when sequences are too long for the model to read at once."""
        plan = self.plan
        _log.info(
            "%d sequences asked for, %d to encode (%d tokens, %d subwords); %d instances use the originals' "
            "rows",
            len(plan.instance_sequence),
            len(plan.sequences),
            len(plan.sequences.representatives),
            len(plan.sequences.ids),
            int((plan.instance_sequence < 0).sum()),
        )
        windows = np.bincount(self.batches.windows.sequence, minlength=1)
        if (count := int((windows > 1).sum())) == 0:
            return
        row = int(plan.sentence[plan.example[0]])  # the first sequence is the longest
        _log.info(
            "%d of %d sequences have more subwords than the model reads at once and are encoded in "
            "overlapping windows; the longest is sentence %s (%d subwords, %d windows)",
            count,
            len(plan.sequences),
            read_corpus(plan.corpus, ["sent_id"])["sent_id"][row].as_py(),
            plan.sequences.lengths[0],
            windows[0],
        )

    def finish(self) -> dict[str, Any]:
        """Write the file; blocks that an interrupted job has kept are not computed again."""
        sizes = np.diff(self.batches.token_bounds[self.bounds]).tolist()
        kept = [rows for block, rows in enumerate(sizes) if self.store and self.store.has(block, rows)]
        if kept:
            _log.info(
                "going on after an interruption: %d of %d blocks left", len(sizes) - len(kept), len(sizes)
            )
        with Progress("tokens") as progress:
            return write_features(
                self.output,
                self._blocks(sizes, progress, sum(sizes) - sum(kept)),
                self.states.size,
                self.plan.sequences.token_offsets,
                self.plan.instance_sequence,
                self.provenance,
            )

    def _blocks(self, sizes: list[int], progress: Progress, tokens: int) -> Iterator[Float16]:
        """Give the blocks in order; those that are not kept, or damaged, are computed and kept."""
        for block, size in enumerate(sizes):
            rows = self.store.read(block) if self.store else None
            if rows is None or len(rows) != size:
                rows = self.compute(block)
                if self.store:
                    self.store.write(block, rows)
                progress.advance(size, tokens)
            yield rows

    def compute(self, block: int) -> Float16:
        """Run the MLM over a block's batches; return its rows [r, D]."""
        first, last = int(self.bounds[block]), int(self.bounds[block + 1])
        at = self.batches.token_bounds[first : last + 1]
        shape = (int(at[-1] - at[0]), self.states.size)
        rows = torch.empty(shape, dtype=torch.float16, pin_memory=self._on_gpu)
        with torch.inference_mode():
            for batch in range(first, last):
                target = rows[at[batch - first] - at[0] : at[batch - first + 1] - at[0]]
                # On a GPU neither the computation nor the copy waits: the next batch is prepared meanwhile.
                target.copy_(self.states.of_batch(self.batches, batch).half(), non_blocking=True)
        if self._on_gpu:
            torch.cuda.synchronize()
        self._check_finite(rows, int(at[0]))
        return rows.numpy()

    @property
    def _on_gpu(self) -> bool:
        return self.batches.device.type == "cuda"

    def _check_finite(self, rows: Tensor, first_token: int) -> None:
        broken = ~torch.isfinite(rows).all(dim=1)
        if not broken.any():
            return
        token = first_token + int(broken.nonzero()[0, 0])
        raise ZarpipeError(
            f"{self.plan.corpus}: {self.plan.describe_token(token)}: the model {self.provenance['mlm']} "
            f"gives a hidden state that is not a number or is outside float16's range (±{_FLOAT16_LIMIT}); "
            + _overflow_advice(self.provenance["compute_dtype"])
        )


def _overflow_advice(compute_dtype: str) -> str:
    """Say what may help: other number formats overflow less only where the model was run in float16."""
    if compute_dtype == "float16":
        return "set encoding.compute_dtype: float32, and choose another model if it says so again"
    return f"choose another model (encoding.compute_dtype is {compute_dtype} already)"


def block_bounds(token_bounds: Int64, block_tokens: int) -> Int64:
    """Group batches into blocks of at least ``block_tokens`` tokens (the last may be smaller).

    ``token_bounds``: [B + 1], tokens of each batch.

    Returns [K + 1] int64: block k holds the batches ``bounds[k]:bounds[k + 1]``.
    """
    bounds, last = [0], len(token_bounds) - 1
    while bounds[-1] < last:
        wanted = token_bounds[bounds[-1]] + block_tokens
        bounds.append(min(max(int(np.searchsorted(token_bounds, wanted)), bounds[-1] + 1), last))
    return np.array(bounds, np.int64)


def _provenance(plan: Plan, model: FrozenMlm, encoding: EncodingConfig) -> dict[str, Any]:
    """Return what readers compare or show: plain values, the same in every run."""
    return {
        "corpus": plan.corpus_digest,
        "variant": plan.variant_digest,
        "originals": plan.originals_digest,
        "mlm": model.name,
        "mlm_digest": model.digest,
        "compute_dtype": encoding.compute_dtype,
        "sequences_asked": len(plan.instance_sequence),
        "sequences_encoded": len(plan.sequences),
        "tokens_encoded": len(plan.sequences.representatives),
        "subwords_encoded": len(plan.sequences.ids),
    }

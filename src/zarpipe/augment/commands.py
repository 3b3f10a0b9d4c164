"""The command ``zarpipe augment``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from zarpipe.config import EncodingConfig
from zarpipe.config.augmentation import MaskDraws
from zarpipe.config.encoding import TOKEN_KEYS
from zarpipe.config.options import Argument, MlmOptions, Options, OwnPolicies, OwnPosSets
from zarpipe.config.policies import asks_mlm
from zarpipe.config.values import Name, Positive, Section
from zarpipe.errors import ZarpipeError
from zarpipe.registry import did_you_mean
from zarpipe.study.recipe import Variant


class AugmentedFiles(Section):
    """The corpus, its variant and the model."""

    corpus: Annotated[Path, Argument("CORPUS", positional=True)]
    """Corpus Parquet of the training split."""
    output: Annotated[Path, Argument("FILE")]
    """Variant Parquet to write."""
    mlm: Annotated[Name, Argument("PATH")] | None = None
    """CDA, policy surprisal: hub name or folder of the masked language model."""
    threads: Annotated[Positive, Argument("N")] = 1
    """CPU threads."""


def augment(
    files: AugmentedFiles,
    variant: Variant,
    draws: MaskDraws,
    pos_sets: OwnPosSets,
    policies: OwnPolicies,
    mlm: MlmOptions,
    encoding: Annotated[EncodingConfig, Options(without=("threads", *TOKEN_KEYS))],
) -> None:
    r"""Make an augmented variant of the training instances.

    Chooses the tokens of every training instance that are masked ([MASK]-based augmentation), or replaced by
    what a masked language model predicts (contextual data augmentation, CDA). The target predicate is always
    kept. Writes a variant Parquet, which `zarpipe encode` reads.

    Examples:
      zarpipe augment corpus/train.parquet --method masking --pos-set all_but_verb --alpha 0.5 \
          --output variants/masking-all_but_verb-0.5.parquet
      zarpipe augment corpus/train.parquet --method masking --policy near --alpha 0.5 \
          --define-policy 'near: {use: distance, unit: bunsetsu, scale: 3}' \
          --output variants/masking-near-0.5.parquet
      zarpipe augment corpus/train.parquet --method cda --pos-set all --alpha 0.3 --mlm models/bert \
          --output variants/cda-all-0.3-multi-argmax.parquet
    """
    from zarpipe.augment.build import build_variant
    from zarpipe.log import start_logging

    start_logging()
    policy = _policy(variant, policies.define_policy)
    run = None
    if _needs_mlm(files.mlm, variant, policy):
        from zarpipe.augment.policies.tokens import MlmRun

        run = MlmRun(mlm.at(files.mlm), encoding, files.threads)
    fill_masks = None
    if run and variant.replaces:
        from zarpipe.augment.cda import predict_replacements

        fill_masks = functools.partial(predict_replacements, mlm=run, variant=variant, seed=draws.seed)
    build_variant(files.corpus, files.output, variant, draws, fill_masks, pos_sets.define, policy, run)


def _policy(variant: Variant, policies: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the definition of the policy that is asked for; None for a POS set."""
    if variant.policy is None:
        return None
    if "pos_set" in variant.model_fields_set:
        raise ZarpipeError(
            "--pos-set: means nothing beside --policy; use: [pos, ...] in the policy multiplies both"
        )
    if variant.policy not in policies:
        hint = did_you_mean(variant.policy, policies)
        raise ZarpipeError(
            f"--policy: found {variant.policy!r}; expected a name that --define-policy defines{hint}"
        )
    return policies[variant.policy]


def _needs_mlm(given: str | None, variant: Variant, policy: Mapping[str, Any] | None) -> bool:
    """Tell whether an MLM fills masks or is asked by a policy; refuse what is missing or means nothing."""
    asked = policy is not None and asks_mlm(policy)
    if variant.method == "masking":
        of_cda = {"mlm": None if asked else given, "fill": variant.fill, "pick": variant.pick}
        if foreign := [name for name, value in of_cda.items() if value is not None]:
            raise ZarpipeError(f"--{foreign[0]} belongs to --method cda; masking replaces nothing")
        if not asked:
            return False
    if given is None:
        needs = "--method cda" if variant.method == "cda" else "the policy surprisal"
        raise ZarpipeError(f"{needs} needs a masked language model: give it with --mlm")
    return True

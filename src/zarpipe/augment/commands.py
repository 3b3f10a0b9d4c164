"""The command ``zarpipe augment``."""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.config.augmentation import MaskDraws
from zarpipe.config.encoding import TOKEN_KEYS
from zarpipe.config.options import (
    HelpFormatter,
    add_definitions,
    add_options,
    add_policies,
    read_definitions,
    read_options,
    read_policies,
)
from zarpipe.config.policies import asks_mlm
from zarpipe.errors import ZarpipeError
from zarpipe.light_imports import light_imports, without_collection
from zarpipe.registry import did_you_mean
from zarpipe.study.recipe import Variant

if TYPE_CHECKING:
    from zarpipe.augment.build import FillMasks
    from zarpipe.augment.policies.tokens import MlmRun

_EXAMPLE = """\
examples:
  zarpipe augment corpus/train.parquet --method masking --pos-set all_but_verb --alpha 0.5 \\
      --output variants/masking-all_but_verb-0.5.parquet
  zarpipe augment corpus/train.parquet --method masking --policy near --alpha 0.5 \\
      --define-policy 'near: {use: distance, unit: bunsetsu, scale: 3}' \\
      --output variants/masking-near-0.5.parquet
  zarpipe augment corpus/train.parquet --method cda --pos-set all --alpha 0.3 --mlm models/bert \\
      --output variants/cda-all-0.3-multi-argmax.parquet
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``augment`` to the parser."""
    parser = subparsers.add_parser(
        "augment",
        help="make an augmented variant of the training instances",
        description="Choose the tokens of every training instance that are masked ([MASK]-based "
        "augmentation), or replaced by what a masked language model predicts (contextual data augmentation, "
        "CDA). The target predicate is always kept. Writes a variant Parquet, which `zarpipe encode` reads.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="corpus Parquet of the training split")
    add_options(parser, Variant)
    add_options(parser, MaskDraws)
    add_definitions(parser)
    add_policies(parser)
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="variant Parquet to write")
    parser.add_argument(
        "--mlm", metavar="PATH", help="CDA, policy surprisal: hub name or folder of the masked language model"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")
    add_options(parser, MlmConfig, exclude=("path",))
    add_options(parser, EncodingConfig, exclude=("threads", *TOKEN_KEYS))
    parser.set_defaults(run=run_augment)


def run_augment(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe augment``."""
    from zarpipe.augment.build import build_variant
    from zarpipe.log import start_logging

    start_logging()
    variant, draws = read_options(arguments, Variant), read_options(arguments, MaskDraws)
    policy = _policy(arguments, variant)
    mlm = _mlm(arguments, variant, policy)
    with light_imports() if mlm else contextlib.nullcontext():
        build_variant(
            arguments.corpus,
            arguments.output,
            variant,
            draws,
            _filling(mlm, variant),
            read_definitions(arguments),
            policy,
            mlm,
        )


def _policy(arguments: argparse.Namespace, variant: Variant) -> Mapping[str, Any] | None:
    """Return the definition of the policy that is asked for; None for a POS set."""
    policies = read_policies(arguments)
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
    definition: Mapping[str, Any] = policies[variant.policy]
    return definition


def _mlm(arguments: argparse.Namespace, variant: Variant, policy: Mapping[str, Any] | None) -> MlmRun | None:
    """Return what fills masks or is asked by a policy; None where nothing needs an MLM."""
    asked = policy is not None and asks_mlm(policy)
    given = {"mlm": None if asked else arguments.mlm, "fill": variant.fill, "pick": variant.pick}
    if variant.method == "masking":
        if foreign := [name for name, value in given.items() if value is not None]:
            raise ZarpipeError(f"--{foreign[0]} belongs to --method cda; masking replaces nothing")
        if not asked:
            return None
    if arguments.mlm is None:
        needs = "--method cda" if variant.method == "cda" else "the policy surprisal"
        raise ZarpipeError(f"{needs} needs a masked language model: give it with --mlm")

    from zarpipe.augment.policies.tokens import MlmRun

    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": arguments.mlm})
    return MlmRun(mlm, read_options(arguments, EncodingConfig), arguments.threads)


def _filling(mlm: MlmRun | None, variant: Variant) -> FillMasks | None:
    """Return how CDA fills the masks; None for masking."""
    if mlm is None or not variant.replaces:
        return None
    with without_collection():
        from zarpipe.augment.cda import predict_replacements

    return functools.partial(
        predict_replacements,
        mlm=mlm.mlm,
        encoding=mlm.encoding,
        fill=variant.fill or "multi",
        pick=variant.pick or "argmax",
        threads=mlm.threads,
    )

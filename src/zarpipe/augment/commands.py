"""The command ``zarpipe augment``."""

from __future__ import annotations

import argparse
from pathlib import Path

from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.config.options import HelpFormatter, add_definitions, add_options
from zarpipe.task.tagsets import POS_SETS

_EXAMPLE = """\
examples:
  zarpipe augment corpus/train.parquet --method masking --pos-set all_but_verb --alpha 0.5 \\
      --output variants/masking-all_but_verb-0.5.parquet
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
    parser.add_argument(
        "--method", required=True, choices=("masking", "cda"), help="mask tokens, or replace them too"
    )
    parser.add_argument(
        "--pos-set",
        required=True,
        metavar="NAME",
        help=f"parts of speech that may be masked: {', '.join(POS_SETS)}, or a set of --define",
    )
    add_definitions(parser)
    parser.add_argument(
        "--alpha", required=True, help="probability, from 0 to 1, that a token of the set is masked"
    )
    parser.add_argument("--seed", type=int, default=1, help="mask seed (default: 1)")
    parser.add_argument(
        "--draw",
        choices=("predicate", "sentence"),
        default="predicate",
        help="draw masks for each (sentence, predicate), or once per sentence for a smaller feature cache "
        "(default: predicate)",
    )
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="variant Parquet to write")
    cda = parser.add_argument_group("CDA only")
    cda.add_argument("--mlm", metavar="PATH", help="hub name or folder of the masked language model")
    cda.add_argument(
        "--fill",
        choices=("multi", "single"),
        help="predict all masks at once, or one at a time with the other tokens original (default: multi)",
    )
    cda.add_argument(
        "--pick",
        choices=("argmax", "sample"),
        help="take the most probable token, or draw one (default: argmax)",
    )
    cda.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")
    add_options(parser, MlmConfig, exclude=("path",))
    add_options(parser, EncodingConfig, exclude=("threads",))
    parser.set_defaults(run=run_augment)


def run_augment(arguments: argparse.Namespace) -> None:
    """Run ``zarpipe augment``."""
    from zarpipe.augment.build import build_variant
    from zarpipe.config import canonical_alpha
    from zarpipe.config.options import read_definitions, read_options
    from zarpipe.errors import ZarpipeError
    from zarpipe.log import start_logging

    start_logging()
    try:
        alpha = float(canonical_alpha(arguments.alpha))
    except ValueError as error:
        raise ZarpipeError(f"--alpha: found {arguments.alpha!r}; {error}") from error
    given = [name for name in ("mlm", "fill", "pick") if getattr(arguments, name) is not None]
    fill_masks = None
    if arguments.method == "masking" and given:
        raise ZarpipeError(f"--{given[0]} belongs to --method cda; masking replaces nothing")
    if arguments.method == "cda":
        if arguments.mlm is None:
            raise ZarpipeError("--method cda needs a masked language model: give it with --mlm")
        mlm = read_options(arguments, MlmConfig).model_copy(update={"path": arguments.mlm})
        encoding = read_options(arguments, EncodingConfig)

        from zarpipe.augment.replacement import ReplacementSettings

        settings = ReplacementSettings(
            mlm, encoding, arguments.fill or "multi", arguments.pick or "argmax", arguments.threads
        )
        fill_masks = settings.fill_masks
    build_variant(
        arguments.corpus,
        arguments.output,
        arguments.pos_set,
        alpha,
        arguments.seed,
        arguments.draw,
        fill_masks,
        read_definitions(arguments),
    )

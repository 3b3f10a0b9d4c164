"""The commands that write tables and figures: ``zarpipe report TABLE`` and ``zarpipe compare``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zarpipe.config import (
    CdaConfig,
    EncodingConfig,
    MlmConfig,
    ReportConfig,
    TaggerConfig,
    TrainingConfig,
    canonical_alpha,
)
from zarpipe.config.options import HelpFormatter, add_options, read_options
from zarpipe.errors import ZarpipeError
from zarpipe.task.tagsets import POS_SETS

if TYPE_CHECKING:
    from zarpipe.report.folder import ResultsFolder

_EXAMPLE = """\
examples:
  zarpipe report table4 --results results --alphas 0.1 0.3 0.5 --seeds 1 2 3 --output results/table4.csv
  zarpipe report table5 --help
"""
_DEV_EXAMPLE = """\
example:
  zarpipe report {name} --results results --alphas 0.1 0.3 0.5 --seeds 1 2 3 --output results/{name}.csv
"""
_TABLE3_EXAMPLE = """\
example:
  zarpipe report table3 --mlm tohoku-nlp/bert-base-japanese-v3 --seeds 1 2 3 --output results/table3.csv
"""
_CHOOSE_EXAMPLE = """\
example:
  zarpipe report choose --results results --alphas 0.3 0.5 --pos-sets all all_but_verb --seeds 1 2 3 \\
      --output results/chosen.json
"""
_TEST_EXAMPLE = """\
example:
  zarpipe report {name} --results results --chosen results/chosen.json --seeds 1 2 3 \\
      --output results/{name}.csv
"""
_FIGURE3_EXAMPLE = """\
example:
  zarpipe report figure3 --results results --alphas 0.3 0.5 --pos-sets all all_but_verb --seeds 1 2 3 \\
      --output results/figure3.csv
"""
_CURVES_EXAMPLE = """\
example:
  zarpipe report learning-curves results/taggers/baseline/seed* --output baseline.svg
"""
_COMPARE_EXAMPLE = """\
example:
  zarpipe compare results results-with-another-mlm --output compare.csv
"""
_INDEX_EXAMPLE = """\
example:
  zarpipe report index --results results --configfile config.yaml mine.yaml --output results/index.html
"""
_EXAMPLES_EXAMPLE = """\
example:
  zarpipe report examples --results results --alphas 0.3 0.5 --pos-sets verb all_but_verb all --seeds 1 2 3 \\
      --mlm results/mlm/model --output results/examples.html
"""
# Options of ReportConfig that belong to the significance tests.
_NOT_IN_TESTS = ("published", "examples", "example_words")
_NOT_IN_TABLE3 = ("seeds", "seeds_per_job", "device")
_BEST = "Each row has the alpha with the best mean ZAR F1 on dev."
_WRITES = "Writes CSV, Markdown (.md) and LaTeX (.tex) and, as _runs.csv, every single run."

Parser = argparse.ArgumentParser
Subparsers = Any  # argparse keeps the class of add_subparsers() private


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this stage's commands to the parser."""
    report = subparsers.add_parser(
        "report",
        help="write the tables and figures of the study",
        description="Write one table or figure from the files of a results folder.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    tables = report.add_subparsers(title="tables and figures", metavar="TABLE", required=True)
    _register_dev_tables(tables)
    _register_table3(tables)
    _register_test_set(tables)
    _register_figures(tables)
    _register_pages(tables)
    _register_compare(subparsers)


def _register_dev_tables(tables: Subparsers) -> None:
    table4 = _dev_table(
        tables,
        "table4",
        _run_table4,
        "compare baseline, doubled baseline, CDA and masking on dev",
        "Table 4 of the paper: augmentation methods on dev.",
    )
    add_options(table4, CdaConfig)
    table5 = _dev_table(
        tables,
        "table5",
        _run_table5,
        "compare the POS sets that are masked on dev",
        "Table 5 of the paper: the baseline and masking of each POS set on dev.",
    )
    _add_pos_sets(table5)
    _dev_table(
        tables,
        "table7",
        _run_table7,
        "compare CDA's ways to replace words on dev",
        "Table 7 of the paper: CDA with one mask or all masks at a time and the most probable or a drawn "
        "word, with the POS set all_but_verb_symbol, on dev.",
    )


def _register_table3(tables: Subparsers) -> None:
    parser: Parser = tables.add_parser(
        "table3",
        help="list the hyper-parameters as run",
        description="Table 3 of the paper: the hyper-parameters of the given configuration. Writes CSV, "
        "Markdown (.md) and LaTeX (.tex).",
        epilog=_TABLE3_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="CSV file to write")
    parser.add_argument("--mlm", required=True, metavar="NAME", help="masked language model, to be named")
    _add_seeds(parser)
    _add_published(parser)
    add_options(parser, TaggerConfig, exclude=("accept",))
    add_options(parser, TrainingConfig, exclude=_NOT_IN_TABLE3)
    parser.set_defaults(run=_run_table3)


def _register_test_set(tables: Subparsers) -> None:
    choose = _add(
        tables,
        "choose",
        _run_choose,
        "choose on dev the recipes that go on to the test set",
        "Choose the CDA and the masking recipe with the best mean ZAR F1 on dev, and copy their taggers to "
        "taggers/chosen-cda and taggers/chosen-masking: only these and the baseline are run on the test set.",
        _CHOOSE_EXAMPLE,
        "chosen.json",
    )
    _add_alphas(choose)
    _add_pos_sets(choose)
    _add_seeds(choose)
    add_options(choose, CdaConfig)
    table6 = _add(
        tables,
        "table6",
        _run_table6,
        "compare baseline, CDA and masking on the test set",
        "Table 6 of the paper: the baseline and the chosen recipes on the test set, as single models and as "
        "ensembles. Writes CSV, Markdown (.md) and LaTeX (.tex).",
        _TEST_EXAMPLE.format(name="table6"),
        "table6.csv",
    )
    _add_published(table6)
    significance = _add(
        tables,
        "significance",
        _run_significance,
        "test the difference between masking and baseline on the test set",
        "Paired permutation test and bootstrap over the test instances, for ALL and ZAR F1, of single models "
        "paired by seed and of ensembles. Writes CSV, Markdown (.md) and LaTeX (.tex).",
        _TEST_EXAMPLE.format(name="significance"),
        "significance.csv",
    )
    add_options(significance, ReportConfig, exclude=_NOT_IN_TESTS)
    for parser in (table6, significance):
        _add_folders(parser, "corpus")
        parser.add_argument("--chosen", required=True, type=Path, metavar="FILE", help="from `report choose`")
        _add_seeds(parser)
        add_options(parser, TaggerConfig, exclude=("layers", "hidden_size", "output_bias"))


def _register_figures(tables: Subparsers) -> None:
    figure3 = _add(
        tables,
        "figure3",
        _run_figure3,
        "draw ZAR F1 on dev against the share of masked tokens",
        "Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set. "
        "Writes the numbers as CSV and the figure as SVG and PDF.",
        _FIGURE3_EXAMPLE,
        "figure3.csv",
    )
    _add_folders(figure3, "corpus", "variants")
    _add_alphas(figure3)
    _add_pos_sets(figure3)
    _add_seeds(figure3)
    curves: Parser = tables.add_parser(
        "learning-curves",
        help="draw the trainings of all seeds of a recipe",
        description="Draw dev F1 and training loss by epoch, all seeds in one figure, as SVG and PDF.",
        epilog=_CURVES_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    curves.add_argument(
        "tagger", nargs="+", type=Path, metavar="TAGGER", help="tagger folders, named seedN, with history.csv"
    )
    curves.add_argument("--output", required=True, type=Path, metavar="FILE", help="SVG file to write")
    curves.set_defaults(run=_run_learning_curves)


def _register_pages(tables: Subparsers) -> None:
    index = _add(
        tables,
        "index",
        _run_index,
        "write the page with all tables and figures",
        "Write one self-contained HTML page with the tables, Figure 3, the learning curves, the significance "
        "in words, and the configuration. What the results folder does not have yet is left out.",
        _INDEX_EXAMPLE,
        "results/index.html",
    )
    index.add_argument(
        "--mlm",
        type=Path,
        dest="mlm_folder",
        metavar="DIR",
        help="folder with the manifest of the masked language model, if not mlm/ below the results folder",
    )
    index.add_argument(
        "--configfile",
        required=True,
        nargs="+",
        type=Path,
        metavar="FILE",
        help="configuration that the results were made with: config.yaml, then overlays, as for snakemake",
    )
    examples = _add(
        tables,
        "examples",
        _run_examples,
        "write the page of examples",
        "Figure 4 of the paper: sentences of the development set as they are, masked, and with the words "
        "that the masked language model puts in the place of each mask. Chosen are sentences with an omitted "
        "argument that only one of the taggers trained with verb and with all_but_verb masking finds. Writes "
        "one self-contained HTML page.",
        _EXAMPLES_EXAMPLE,
        "results/examples.html",
    )
    _add_folders(examples, "corpus")
    _add_alphas(examples)
    _add_pos_sets(examples)
    _add_seeds(examples)
    examples.add_argument("--mask-seed", type=int, default=1, metavar="N", help="mask seed (default: 1)")
    examples.add_argument(
        "--draw",
        choices=("predicate", "sentence"),
        default="predicate",
        help="masks drawn for each (sentence, predicate), or once per sentence (default: predicate)",
    )
    examples.add_argument(
        "--mlm", required=True, metavar="PATH", help="hub name or folder of the masked language model"
    )
    examples.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads (default: 1)")
    add_options(examples, ReportConfig, exclude=("published", "permutations", "seed"))
    add_options(examples, MlmConfig, exclude=("path",))
    add_options(examples, EncodingConfig, exclude=("threads",))


def _register_compare(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "compare",
        help="put two results folders side by side",
        description="Compare every recipe that two results folders have in common, on dev and on test: F1, "
        "difference (B minus A), its 95 % confidence interval and p-value (paired permutation test over "
        "instances). Prints a table.",
        epilog=_COMPARE_EXAMPLE,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("results_a", type=Path, metavar="RESULTS_A", help="one results folder")
    parser.add_argument("results_b", type=Path, metavar="RESULTS_B", help="the other results folder")
    for side in ("a", "b"):
        parser.add_argument(
            f"--corpus-{side}",
            type=Path,
            metavar="DIR",
            help=f"where RESULTS_{side.upper()}'s corpus files are, if not in corpus/ below it (studies that "
            "share their features have them in the shared folder)",
        )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the table here too: CSV, and .md and .tex beside it",
    )
    add_options(parser, ReportConfig, exclude=_NOT_IN_TESTS)
    parser.set_defaults(run=_run_compare)


def _dev_table(
    tables: Subparsers, name: str, run: Callable[[argparse.Namespace], None], summary: str, description: str
) -> Parser:
    text = f"{description} {_BEST} {_WRITES}"
    parser = _add(tables, name, run, summary, text, _DEV_EXAMPLE.format(name=name), f"{name}.csv")
    _add_alphas(parser)
    _add_seeds(parser)
    _add_published(parser)
    return parser


def _add(
    tables: Subparsers,
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    description: str,
    example: str,
    output: str,
) -> Parser:
    """Add a command that reads a results folder and writes one table or figure."""
    parser: Parser = tables.add_parser(
        name, help=summary, description=description, epilog=example, formatter_class=HelpFormatter
    )
    parser.add_argument(
        "--results", required=True, type=Path, metavar="DIR", help="results folder of the study"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FILE", help=f"file to write, such as {output}"
    )
    parser.set_defaults(run=run)
    return parser


def _add_folders(parser: Parser, *kinds: str) -> None:
    """Add the options that say where files lie which studies may share."""
    for kind in kinds:
        parser.add_argument(
            f"--{kind}",
            type=Path,
            dest=f"{kind}_folder",
            metavar="DIR",
            help=f"where the study's {kind} files are, if not in {kind}/ below the results folder",
        )


def _results_folder(arguments: argparse.Namespace) -> ResultsFolder:
    from zarpipe.report.folder import ResultsFolder

    kinds = ("corpus_folder", "variants_folder", "mlm_folder")
    return ResultsFolder(arguments.results, **{kind: getattr(arguments, kind, None) for kind in kinds})


def _add_alphas(parser: Parser) -> None:
    parser.add_argument("--alphas", required=True, nargs="+", metavar="ALPHA", help="masking probabilities")


def _add_seeds(parser: Parser) -> None:
    parser.add_argument(
        "--seeds", required=True, nargs="+", type=int, metavar="N", help="seeds that were run"
    )


def _add_pos_sets(parser: Parser) -> None:
    parser.add_argument(
        "--pos-sets",
        required=True,
        nargs="+",
        choices=POS_SETS,
        metavar="SET",
        help="POS sets that were masked",
    )


def _add_published(parser: Parser) -> None:
    parser.add_argument(
        "--published", action="store_true", help="put the paper's numbers (NTC 1.5) beside ours"
    )


def _run_table4(arguments: argparse.Namespace) -> None:
    from zarpipe.study.grid import table4_methods

    _write_dev_table(
        "TABLE4", table4_methods(arguments.alphas, read_options(arguments, CdaConfig)), arguments
    )


def _run_table5(arguments: argparse.Namespace) -> None:
    from zarpipe.study.grid import table5_methods

    _write_dev_table("TABLE5", table5_methods(arguments.alphas, arguments.pos_sets), arguments)


def _run_table7(arguments: argparse.Namespace) -> None:
    from zarpipe.study.grid import table7_methods

    _write_dev_table("TABLE7", table7_methods(arguments.alphas), arguments)


def _write_dev_table(table: str, methods: dict[str, list[str]], arguments: argparse.Namespace) -> None:
    from zarpipe.report import dev_tables
    from zarpipe.report.folder import ResultsFolder

    dev_tables.write_dev_table(
        getattr(dev_tables, table),
        ResultsFolder(arguments.results),
        methods,
        arguments.seeds,
        arguments.output,
        arguments.published,
    )


def _run_table3(arguments: argparse.Namespace) -> None:
    from zarpipe.report.table3 import write_table3

    tagger, training = read_options(arguments, TaggerConfig), read_options(arguments, TrainingConfig)
    write_table3(tagger, training, arguments.mlm, arguments.output, arguments.published)


def _run_choose(arguments: argparse.Namespace) -> None:
    from zarpipe.report.choose import choose
    from zarpipe.report.folder import ResultsFolder
    from zarpipe.study.grid import candidate_recipes

    cda = read_options(arguments, CdaConfig)
    candidates = candidate_recipes(arguments.alphas, arguments.pos_sets, cda)
    choose(ResultsFolder(arguments.results), candidates, arguments.seeds, arguments.output)


def _run_table6(arguments: argparse.Namespace) -> None:
    from zarpipe.report.table6 import write_table6

    write_table6(
        _results_folder(arguments),
        arguments.chosen,
        arguments.seeds,
        arguments.output,
        arguments.published,
        _exceed(arguments),
    )


def _run_significance(arguments: argparse.Namespace) -> None:
    from zarpipe.report.significance_table import write_significance

    report = read_options(arguments, ReportConfig)
    write_significance(
        _results_folder(arguments),
        arguments.chosen,
        arguments.seeds,
        arguments.output,
        report.permutations,
        report.seed,
        _exceed(arguments),
    )


def _run_figure3(arguments: argparse.Namespace) -> None:
    from zarpipe.report.figure3 import write_figure3
    from zarpipe.study.grid import figure3_methods

    methods = figure3_methods(arguments.alphas, arguments.pos_sets)
    write_figure3(_results_folder(arguments), methods, arguments.seeds, arguments.output)


def _run_learning_curves(arguments: argparse.Namespace) -> None:
    from zarpipe.report.learning_curves import write_learning_curves

    histories = {folder.name: folder / "history.csv" for folder in arguments.tagger}
    write_learning_curves(histories, arguments.output, arguments.tagger[0].resolve().parent.name)


def _run_index(arguments: argparse.Namespace) -> None:
    from zarpipe.config.files import load_config
    from zarpipe.report.index_page import write_index

    write_index(_results_folder(arguments), load_config(arguments.configfile), arguments.output)


def _run_examples(arguments: argparse.Namespace) -> None:
    import torch

    from zarpipe.log import start_logging
    from zarpipe.report.examples import choose_examples
    from zarpipe.report.examples_page import write_examples

    start_logging()
    torch.set_num_threads(arguments.threads)
    report = read_options(arguments, ReportConfig)
    examples = choose_examples(
        _results_folder(arguments),
        _alphas(arguments.alphas),
        arguments.pos_sets,
        arguments.seeds,
        report.examples,
        arguments.mask_seed,
        arguments.draw,
    )
    mlm = read_options(arguments, MlmConfig).model_copy(update={"path": arguments.mlm})
    encoding = read_options(arguments, EncodingConfig)
    write_examples(examples, len(arguments.seeds), report.example_words, mlm, encoding, arguments.output)


def _alphas(written: list[str]) -> list[str]:
    """Return the alphas as they stand in file names."""
    try:
        return [canonical_alpha(alpha) for alpha in written]
    except ValueError as error:
        raise ZarpipeError(f"--alphas: found {' '.join(written)}; {error}") from error


def _run_compare(arguments: argparse.Namespace) -> None:
    from zarpipe.report.compare import compare_results
    from zarpipe.report.folder import ResultsFolder
    from zarpipe.report.tables import markdown, write_table

    report = read_options(arguments, ReportConfig)
    a = ResultsFolder(arguments.results_a, arguments.corpus_a)
    b = ResultsFolder(arguments.results_b, arguments.corpus_b)
    table = compare_results(a, b, report.permutations, report.seed)
    print(markdown(table), end="")
    if arguments.output is not None:
        write_table(table, arguments.output)


def _exceed(arguments: argparse.Namespace) -> bool:
    return read_options(arguments, TaggerConfig).accept == "exceeds"

"""What a change of each configuration key leads to: the expectations of test_reruns.py, and their page.

``python tests/workflow/rerun_table.py docs/reruns.md`` writes the page.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from zarpipe.config import Config
from zarpipe.files import write_text
from zarpipe.task.cases import CASES

# In the order in which the rules run.
RULES = (
    "convert",
    "describe_mlm",
    "augment",
    "encode",
    "encode_variant",
    "train",
    "predict",
    "evaluate",
    "study",
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "table7",
    "figure3",
    "choose",
    "table6",
    "significance",
    "variance",
    "learning_curves",
    "examples",
    "index",
)

# `study.json` and the page `index` hold the whole configuration, so every key renews them.
PAGE = frozenset({"study", "index"})
TEST_SET = frozenset({"choose", "table6", "significance", "variance", "learning_curves"}) | PAGE
SCORES = frozenset({"predict", "evaluate", "table4", "table5", "table7", "figure3", "examples"}) | TEST_SET
TRAINING = SCORES | {"train"}
SHOWN_TRAINING = TRAINING | {"table3"}
VARIANTS = TRAINING | {"augment", "encode_variant"}
ENCODINGS = SHOWN_TRAINING | {"encode", "encode_variant"}
MLM_RUNS = VARIANTS | {"encode"}
MLM = MLM_RUNS | {"describe_mlm"}
COUNTS = frozenset({"table1", "table2"})
CORPUS = MLM_RUNS | COUNTS | {"convert"}
CDA_OF_TABLE4 = frozenset({"augment", "encode_variant", "train", "predict", "evaluate", "table4"}) | TEST_SET
ONE_POS_SET = (
    frozenset({"augment", "encode_variant", "train", "predict", "evaluate", "table5", "examples"}) | TEST_SET
)
POLICIES = frozenset({"augment", "encode_variant", "train", "predict", "evaluate", "policies"}) | PAGE
NAMED_RECIPES = frozenset({"train", "predict", "evaluate", "named_recipes"}) | TEST_SET
ARCHITECTURES = frozenset({"train", "predict", "evaluate", "architectures", "models"}) | PAGE
LEARNING_CURVE = frozenset({"train", "predict", "evaluate", "learning_curve"}) | PAGE
ANTECEDENTS = (
    frozenset({"augment", "encode_variant", "train", "predict_held_out", "antecedents", "antecedents-sheet"})
    | PAGE
)
SEGMENTATION = frozenset({"encode_sentences", "train_segmenter", "evaluate_segmenter", "segmentation"}) | PAGE
TABLES = COUNTS | {"table3", "table4", "table5", "table6", "table7"} | PAGE

EMBEDDED = "embedded"
CONFIGURED = "configured"
STUDIES = {
    EMBEDDED: "the made corpus (NTC format) and the small MLM that come with zarpipe",
    CONFIGURED: "a corpus in KNP format with id lists, and an MLM's folder: `corpus.path`, `mlm.path`",
}


@dataclass(frozen=True)
class Row:
    """One change of one key.

    Attributes:
        value: the new value, as YAML.
        reruns: the jobs that must have another folder; all others must not.
        study: the finished study that is changed.
        why: what is not plain from the rules.
    """

    value: str
    reruns: frozenset[str]
    study: str = EMBEDDED
    why: str = ""


_NOT_KNP = "only KNP files have them"
_NOT_FINETUNED = "counts where `finetuned` is the architecture or one of `tagger.compare`"
_NO_SEGMENTER = "counts with `segmentation.table`, or where a bundle is asked for"
_NO_ANTECEDENTS = "counts with `antecedents.policies` only"

TABLE: dict[str, list[Row]] = {
    "results": [
        Row("elsewhere", frozenset(RULES), why="jobs stand in the results folder where no `store` is named")
    ],
    "store": [Row("store", frozenset(RULES), CONFIGURED, "what is in `jobs/` can be moved there before")],
    "corpus.format": [Row("ntc", CORPUS, CONFIGURED)],
    "corpus.path": [
        Row("corpus", CORPUS),
        Row("moved_corpus", PAGE, CONFIGURED, "the same bytes in another place"),
        Row("other_corpus", CORPUS, CONFIGURED, "other bytes"),
    ],
    "corpus.split": [Row("folders", CORPUS), Row("folders", CORPUS, CONFIGURED)],
    "corpus.ids": [
        Row("other_ids", PAGE, why="counts with `split: ids` only"),
        Row("other_ids", CORPUS, CONFIGURED, "other lists"),
        Row("moved_ids", PAGE, CONFIGURED, "the same lists in another place"),
    ],
    "corpus.limit.train": [Row("4", CORPUS)],
    "corpus.limit.dev": [Row("2", CORPUS, why="one job reads all splits")],
    "corpus.limit.test": [Row("2", CORPUS, why="one job reads all splits")],
    "corpus.predicates": [
        Row("verbal_and_nominal", PAGE, why=_NOT_KNP),
        Row("verbal_and_nominal", CORPUS, CONFIGURED),
    ],
    "corpus.tokens": [Row("unidic", CORPUS)],
    "corpus.coreferent_mentions": [Row("false", PAGE, why=_NOT_KNP), Row("false", CORPUS, CONFIGURED)],
    "corpus.construction_mentions": [
        Row("never", PAGE, why=_NOT_KNP),
        Row("never", CORPUS, CONFIGURED),
    ],
    "corpus.own_bunsetsu": [
        Row("drop_mention", CORPUS),
        Row("drop_case", PAGE, why="what auto means for NTC"),
        Row("drop_mention", PAGE, CONFIGURED, "what auto means for KNP"),
    ],
    "corpus.on_error": [Row("skip", CORPUS)],
    "mlm.path": [
        Row("model", MLM | {"table3"}, why="the corpus and the masks are kept"),
        Row(
            "moved_model",
            PAGE | {"table3"},
            CONFIGURED,
            "the same bytes in another place, which Table 3 names",
        ),
        Row("other_model", MLM | {"table3"}, CONFIGURED, "other bytes"),
    ],
    "mlm.revision": [
        Row("main", PAGE, why="only models of the hub have revisions"),
        Row("main", PAGE, CONFIGURED, "only models of the hub have revisions"),
    ],
    "mlm.trust_remote_code": [Row("true", MLM)],
    "mlm.allow_pickle": [Row("true", MLM)],
    "augmentation.alphas": [Row("[0.5, 0.3]", VARIANTS, why="the new alpha's jobs only")],
    "augmentation.pos_sets": [Row("[all, noun]", ONE_POS_SET, why="the new set's jobs only")],
    "pos_sets": [
        Row(
            "{adverb: [副詞]}",
            PAGE | {"table2"},
            why="Table 2 has a row for it; names that no method uses change nothing else",
        )
    ],
    "augmentation.policies": [
        Row("[all]", PAGE | {"policies"}, why="a POS set whose taggers are there"),
        Row("[noun]", POLICIES, why="the new policy's jobs only, and the table of policies"),
    ],
    "policies": [
        Row(
            "{near: {use: distance}}",
            PAGE,
            why="policies that `augmentation.policies` does not name change nothing",
        ),
    ],
    "augmentation.match": [Row("share", PAGE, why="counts with `augmentation.policies` only")],
    "recipes": [
        Row(
            "{dropped: {perturb: {use: drop, probability: 0.1}}}",
            NAMED_RECIPES,
            why="the new recipe's trainings, the table of recipes, and the choice of what goes on to the test set",
        ),
        Row(
            "{control: {use: masking, perturb: {use: noise}}}",
            NAMED_RECIPES,
            why="the same: nothing is encoded for a perturbation",
        ),
        Row(
            "{more_text: {extra: [more.parquet]}}",
            NAMED_RECIPES | {"encode"},
            why="the same, and the encoding of the further text",
        ),
    ],
    "augmentation.cda.pos_set": [Row("noun", CDA_OF_TABLE4)],
    "augmentation.cda.fill": [Row("single", CDA_OF_TABLE4)],
    "augmentation.cda.pick": [Row("sample", CDA_OF_TABLE4)],
    "augmentation.seed": [Row("2", VARIANTS, why="the baselines and the originals' features are kept")],
    "augmentation.draw": [
        Row("sentence", VARIANTS, why="the baselines and the originals' features are kept")
    ],
    "encoding.batch_tokens": [Row("1024", MLM_RUNS, why="hidden states differ in their last bits")],
    "encoding.compute_dtype": [
        Row("bfloat16", MLM_RUNS | {"table3"}),
    ],
    "encoding.threads": [Row("2", PAGE)],
    "encoding.layers": [Row("mix", ENCODINGS, why="the masks and CDA's words are kept")],
    "encoding.pooling": [Row("mean", ENCODINGS, why="the masks and CDA's words are kept")],
    "encoding.device": [Row("cpu", MLM_RUNS, why="a GPU's hidden states differ in their last bits")],
    "tagger.architecture": [Row("linear", SHOWN_TRAINING)],
    "tagger.compare": [
        Row("[linear]", ARCHITECTURES, why="the further taggers only, and the tables of architectures"),
        Row(
            "[finetuned]",
            (ARCHITECTURES - {"train"}) | {"finetune"},
            why="the trainings of the MLM, for which nothing is encoded, and the tables of architectures",
        ),
        Row(
            "[{layers: mix}]",
            ARCHITECTURES | {"encode", "encode_variant"},
            why="what is encoded in the other way, its taggers, and the tables of architectures",
        ),
    ],
    "tagger.layers": [Row("2", SHOWN_TRAINING)],
    "tagger.hidden_size": [Row("9", SHOWN_TRAINING)],
    "tagger.output_bias": [Row("true", SHOWN_TRAINING)],
    "tagger.accept": [Row("exceeds", TRAINING, why="decides the dev F1 that stops a training")],
    "training.seeds": [Row("[1, 2, 3]", SHOWN_TRAINING, why="the new seed's trainings only")],
    "training.epochs": [Row("3", SHOWN_TRAINING)],
    "training.batch_size": [Row("31", SHOWN_TRAINING)],
    "training.learning_rate": [Row("0.004", SHOWN_TRAINING)],
    "training.minimum_rate_fraction": [Row("0.1", SHOWN_TRAINING)],
    "training.decay": [Row("0.6", SHOWN_TRAINING)],
    "training.patience": [Row("5", SHOWN_TRAINING)],
    "training.beta1": [Row("0.8", SHOWN_TRAINING)],
    "training.beta2": [Row("0.999", SHOWN_TRAINING)],
    "training.epsilon": [Row("1.0e-7", SHOWN_TRAINING)],
    "training.gradient_clip": [Row("2", SHOWN_TRAINING)],
    "training.predicate_flags": [Row("target", SHOWN_TRAINING)],
    "training.order_seed": [Row("1", SHOWN_TRAINING)],
    "training.compute_dtype": [Row("bfloat16", SHOWN_TRAINING)],
    "training.device": [Row("cpu", TRAINING, why="a GPU's sums differ in their last bits")],
    "learning_curve.fractions": [
        Row("[1.0]", PAGE | {"learning_curve"}, why="the taggers of all documents are there"),
        Row("[0.5, 1.0]", LEARNING_CURVE, why="the new fraction's trainings only; nothing is encoded"),
    ],
    "learning_curve.subset_seeds": [Row("[4]", PAGE, why="counts with fractions only")],
    "learning_curve.masking_alpha": [Row("0.5", PAGE, why="counts with fractions only")],
    "learning_curve.cda_alpha": [Row("0.5", PAGE, why="counts with fractions only")],
    "antecedents.policies": [
        Row("[noun]", ANTECEDENTS, why="refilled copies of that set, and the taggers of the folds")
    ],
    "antecedents.alphas": [Row("[0.5]", PAGE, why=_NO_ANTECEDENTS)],
    "antecedents.folds": [Row("3", PAGE, why=_NO_ANTECEDENTS)],
    "antecedents.fold_seed": [Row("2", PAGE, why=_NO_ANTECEDENTS)],
    "antecedents.seeds": [Row("[1]", PAGE, why=_NO_ANTECEDENTS)],
    "antecedents.filtered": [
        Row(
            "false",
            frozenset(),
            why="`true` needs `antecedents.policies`: it adds the trainings on the copies that are kept",
        )
    ],
    "antecedents.sheet_items": [Row("50", PAGE, why=_NO_ANTECEDENTS)],
    "antecedents.sheet_seed": [Row("2", PAGE, why=_NO_ANTECEDENTS)],
    "finetuning.learning_rate": [Row("2e-5", PAGE, why=_NOT_FINETUNED)],
    "finetuning.warm_up": [Row("0.5", PAGE, why=_NOT_FINETUNED)],
    "finetuning.batch_tokens": [Row("1024", PAGE, why=_NOT_FINETUNED)],
    "finetuning.compute_dtype": [Row("bfloat16", PAGE | {"table3"}, why=_NOT_FINETUNED)],
    "segmentation.layers": [Row("1", PAGE, why=_NO_SEGMENTER)],
    "segmentation.hidden_size": [Row("9", PAGE, why=_NO_SEGMENTER)],
    "segmentation.seeds": [Row("[2]", PAGE, why=_NO_SEGMENTER)],
    "segmentation.table": [
        Row("true", SEGMENTATION, why="the segmenters, their scores, and the table of them; no tagger")
    ],
    "report.published": [Row("true", TABLES)],
    "report.permutations": [Row("100", PAGE | {"significance"})],
    "report.seed": [Row("2", PAGE | {"significance"})],
    "report.examples": [Row("3", PAGE | {"examples"})],
    "report.example_words": [Row("4", PAGE | {"examples"})],
}


def configuration_keys(model: type[BaseModel] = Config, prefix: str = "") -> list[str]:
    """Return every key of the configuration that holds a plain value or a list, dotted."""
    keys = []
    for name, field in model.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            keys += configuration_keys(section, f"{prefix}{name}.")
        else:
            keys.append(prefix + name)
    return keys


def overlay(key: str, value: str) -> str:
    """Return a configuration file that sets one key."""
    *sections, name = key.split(".")
    return "".join(f"{section}: {{" for section in sections) + f"{name}: {value}" + "}" * len(sections) + "\n"


_HEAD = """\
# What a change makes run again

The files of a job stand in a folder whose name says what made them ([more](results-folder.md)). After a change some jobs
have another folder: these run, unless it is there already. The old folders stay, so changed back, nothing runs but the
copying of tables.

Made by `python tests/workflow/rerun_table.py docs/reruns.md`; do not edit. `tests/workflow/test_reruns.py` checks
for each row that exactly these jobs have other folders. A key of the configuration that has no row fails the tests.

Studies: {studies}.

Jobs are named by their rules, those of the rule `report` by what they make (`table4`). Every row renews `study` and
`index` as well: they hold the whole configuration. *Everything after* a rule means what reads its files, down to the
tables.

Which threshold is tried is no key: thresholds ({thresholds}) are searched on
dev after *every epoch*, and the F1 that they give decides when the learning rate decays, which weights are kept and
when training stops. So a change of them, in the code, trains again.

| key | changed to | study | runs again | remark |
| --- | --- | --- | --- | --- |
"""
_NAMES = (
    (frozenset(RULES), "everything"),
    (CORPUS | MLM, "`convert`, `describe_mlm` and everything after"),
    (CORPUS, "`convert` and everything after"),
    (MLM | {"table3"}, "`describe_mlm`, CDA's `augment`, `encode` and everything after; `table3`"),
    (MLM, "`describe_mlm`, CDA's `augment`, `encode` and everything after"),
    (MLM_RUNS | {"table3"}, "CDA's `augment`, `encode` and everything after; `table3`"),
    (MLM_RUNS, "CDA's `augment`, `encode` and everything after"),
    (ENCODINGS, "`encode`, `encode_variant` and everything after; `table3`"),
    (VARIANTS, "`augment`, `encode_variant` and everything after"),
    (SHOWN_TRAINING, "`train` and everything after; `table3`"),
    (TRAINING, "`train` and everything after"),
    (PAGE, "nothing"),
)
_TAIL = """
## Beside the keys

| change | runs again |
| --- | --- |
| a comment, another order of keys, another spelling of the same value (`1e-3`, `.5`), a default written out | nothing |
| a default that moves in the code while the study names the value | nothing |
| a message | nothing |
| a caption | `index` (`snakemake --report` shows it too) |
| a source file of the report | the tables, figures or pages that it makes |
| a source file of the tagger | `train` or `predict`, and everything after; never the MLM |
| a source file of the encoder | `encode`, `encode_variant` and everything after |
| comments and docstrings of any source file, another version of zarpipe with the same code | nothing |
| a corpus or model that is touched, moved or copied with the same bytes | nothing |
| a results folder that is moved, copied, archived, or used from another clone | nothing |
| a job that failed, once its cause is mended | nothing but what had never been finished |
| features deleted (`make clean-features`) | nothing; what new jobs read is made again, and no finished tagger is trained again |
"""


def page() -> str:
    """Return the table as a page."""
    studies = "; ".join(f"*{name}*, {what}" for name, what in STUDIES.items())
    lines = [
        f"| `{key}` | `{row.value}` | {row.study} | {_named(row.reruns)} | {row.why} |\n"
        for key, rows in TABLE.items()
        for row in rows
    ]
    thresholds = ", ".join("{} {:.2f} to {:.2f}".format(case.name, *case.thresholds) for case in CASES)
    return _HEAD.format(studies=studies, thresholds=thresholds) + "".join(lines) + _TAIL


def _named(reruns: frozenset[str]) -> str:
    for rules, name in _NAMES:
        if rules == reruns:
            return name
    # Tables that not every study has stand behind the others.
    named = [rule for rule in (*RULES, *sorted(reruns - set(RULES))) if rule in reruns - PAGE]
    return ", ".join(f"`{rule}`" for rule in named)


if __name__ == "__main__":
    write_text(Path(sys.argv[1]), page())

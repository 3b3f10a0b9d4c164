"""The configuration: one typed model that gives keys, defaults, checks, JSON Schema and documentation.

The defaults here are the paper's protocol (Konno et al. 2020, Sections 5.1 and Table 3, and the golden
training notes where the paper is silent). ``config.yaml`` in the project's root overrides them with the
small embedded study; ``workflow/configs/*.yaml`` are overlays on that.
"""

from __future__ import annotations

import datetime
import math
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

_TYPOGRAPHIC_QUOTES = ("“", "”", "‘", "’", "「", "＂", "＇")


def canonical_alpha(value: Any) -> str:
    """Return a masking probability as the shortest decimal text, at least one decimal (0.5, 1.0).

    Every spelling of a number gives the same text, so that it names one variant. Raises ValueError for
    anything that is not a number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("expected a number from 0 to 1, such as 0.3")
    try:
        number = float(value)
    except ValueError:
        raise ValueError("expected a number from 0 to 1, such as 0.3") from None
    if math.isnan(number) or not 0.0 <= number <= 1.0:
        raise ValueError("expected a number from 0 to 1, such as 0.3 (with a decimal point, not a comma)")
    whole, decimals = f"{number:.6f}".split(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number, not true or false")
    return value


def _plain_name(value: Any) -> Any:
    """Read a folder name that YAML takes for a date or a number as the text that was written."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value[:1] in _TYPOGRAPHIC_QUOTES:
        raise ValueError("the name begins with a typographic quotation mark; use ASCII quotes or none")
    return value


def _seed(value: int) -> int:
    """Refuse what random number generators do not take."""
    if abs(value) >= 2**63:
        raise ValueError("expected a whole number of at most 18 digits")
    return value


def _plain_folder(value: str) -> str:
    """Refuse folder names that Snakemake or a command line would take for something else."""
    if value.startswith("-") or any(character in value for character in "{}*?[]\n\t,"):
        raise ValueError(
            "a results folder must not begin with a dash or contain { } [ ] * ? , a tab or a line break"
        )
    return value.rstrip("/") or value


Alpha = Annotated[
    str,
    BeforeValidator(canonical_alpha, json_schema_input_type=Annotated[float, Field(ge=0, le=1)]),
]
Integer = Annotated[int, BeforeValidator(_no_bool)]
Number = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Seed = Annotated[Integer, AfterValidator(_seed)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_plain_name)]
OutputFolder = Annotated[Name, AfterValidator(_plain_folder)]
Probability = Annotated[float, BeforeValidator(_no_bool), Field(ge=0, le=1)]
PosSet = Literal[
    "noun",
    "verb",
    "particle",
    "symbol",
    "all",
    "all_but_noun",
    "all_but_verb",
    "all_but_particle",
    "all_but_symbol",
    "all_but_verb_symbol",
]


class Section(BaseModel):
    """A section of the configuration: unknown keys are errors, values are fixed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Limit(Section):
    """Documents to read of each split, for a quick look; null reads all of them."""

    train: Annotated[Integer, Field(ge=1)] | None = None
    """Training documents."""
    dev: Annotated[Integer, Field(ge=1)] | None = None
    """Development documents."""
    test: Annotated[Integer, Field(ge=1)] | None = None
    """Test documents."""


class CorpusConfig(Section):
    """The annotated corpus."""

    format: Literal["ntc", "knp"] = "ntc"
    """ntc: NAIST Text Corpus 1.5 (as distributed or tab-separated). knp: KWDLC and its relatives."""
    path: Name | None = None
    """Folder of the corpus. null: zarpipe makes its own sample corpus (section `sample`)."""
    split: Literal["taira", "ids", "folders"] = "taira"
    """taira: by date, as Taira et al. (2008), for NTC. ids: by lists of document ids. folders: train/, dev/
    and test/."""
    ids: Name | None = None
    """Folder with train.id, dev.id and test.id, for `split: ids`."""
    limit: Limit = Limit()
    """Documents per split, for a quick look."""
    predicates: Literal["verbal", "verbal_and_nominal"] = "verbal"
    """KNP format: which annotated base phrases are target predicates."""
    coreferent_mentions: bool = True
    """KNP format: coreferent mentions in the sentence are mentions of the argument too."""
    own_bunsetsu: Literal["auto", "drop_case", "drop_mention"] = "auto"
    """When one of several mentions lies in the predicate's own bunsetsu: drop the whole case, or only that
    mention. auto: drop_case for ntc, drop_mention for knp."""
    on_error: Literal["stop", "skip"] = "stop"
    """What a malformed document does: stop the conversion, or be skipped and listed in skipped.csv."""


class SampleConfig(Section):
    """The corpus that zarpipe makes itself when `corpus.path` is null."""

    seed: Integer = 1
    """Seed of the maker."""
    train_documents: Annotated[Integer, Field(ge=1)] = 160
    """Documents in the training split."""
    dev_documents: Annotated[Integer, Field(ge=1)] = 40
    """Documents in the development split."""
    test_documents: Annotated[Integer, Field(ge=1)] = 40
    """Documents in the test split."""
    unlabelled_sentences: Annotated[Integer, Field(ge=100)] = 20000
    """Sentences of unlabelled text, for the small masked language model."""


class MlmConfig(Section):
    """The frozen masked language model."""

    path: Name | None = None
    """Hub name or folder of a Hugging Face masked language model. null: a small one is pretrained on the
    sample's unlabelled text (section `pretraining`)."""
    revision: Name | None = None
    """Revision of a hub model; null takes the default branch."""
    trust_remote_code: bool = False
    """Run Python code that comes with the model. Off unless you trust its authors."""
    allow_pickle: bool = False
    """Load weights from pickle files when the model has no safetensors. Off unless you trust its authors."""


class PretrainingConfig(Section):
    """The small masked language model that is pretrained when `mlm.path` is null."""

    layers: Annotated[Integer, Field(ge=1)] = 2
    """Transformer layers."""
    hidden_size: Annotated[Integer, Field(ge=32, multiple_of=32)] = 128
    """Hidden size, a multiple of 32."""
    steps: Annotated[Integer, Field(ge=1)] = 600
    """Optimiser steps."""
    batch_size: Annotated[Integer, Field(ge=1)] = 64
    """Sentences per step."""
    learning_rate: Annotated[Number, Field(gt=0)] = 1e-3
    """Peak learning rate."""
    vocabulary_size: Annotated[Integer, Field(ge=100)] = 2000
    """Upper limit of the WordPiece vocabulary."""
    seed: Integer = 1
    """Seed of weights, batches and masks."""


class CdaConfig(Section):
    """Contextual data augmentation in Table 4: how masked tokens are replaced."""

    pos_set: PosSet = "all"
    """Which parts of speech may be replaced."""
    fill: Literal["multi", "single"] = "multi"
    """multi: all masks at once. single: one mask at a time, the other tokens original."""
    pick: Literal["argmax", "sample"] = "argmax"
    """argmax: the most probable token. sample: drawn from the MLM's distribution."""


class AugmentationConfig(Section):
    """The augmented variants of the training instances."""

    alphas: Annotated[list[Alpha], Field(min_length=1)] = ["0.1", "0.3", "0.5", "0.7", "0.9", "1.0"]
    """Masking probabilities, each from 0 to 1; the best on dev is chosen per method."""
    pos_sets: Annotated[list[PosSet], Field(min_length=1)] = list(get_args(PosSet))
    """POS sets of linguistically-controlled masking (Table 5). Table 4 always uses `all`."""
    cda: CdaConfig = CdaConfig()
    """How the CDA of Table 4 replaces tokens."""
    seed: Integer = 1
    """Seed of the mask draws."""
    draw: Literal["predicate", "sentence"] = "predicate"
    """predicate: one draw per (sentence, predicate, token). sentence: one per (sentence, token), shared by
    all predicates of a sentence, for a smaller feature cache."""

    @model_validator(mode="after")
    def _each_once(self) -> AugmentationConfig:
        object.__setattr__(self, "alphas", list(dict.fromkeys(self.alphas)))
        object.__setattr__(self, "pos_sets", list(dict.fromkeys(self.pos_sets)))
        return self


class EncodingConfig(Section):
    """How the frozen MLM is run over the sequences."""

    batch_tokens: Annotated[Integer, Field(ge=64)] = 2048
    """Upper limit of subwords in one batch of similar-length sequences; a GPU takes several times as many."""
    compute_dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Number format of the MLM's computation; the cache is always float16."""
    threads: Annotated[Integer, Field(ge=1)] = 4
    """CPU threads of one job that runs the MLM; several such jobs run side by side when there are cores."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""


class TaggerConfig(Section):
    """The BiGRU sequence labeller (paper, Section 3.2)."""

    layers: Annotated[Integer, Field(ge=1)] = 10
    """Unidirectional GRU layers, direction alternating (k in the paper)."""
    hidden_size: Annotated[Integer, Field(ge=1)] = 256
    """Size of each GRU layer (M in the paper)."""
    output_bias: bool = False
    """Whether the output layer has a bias. The paper's formula has none, the authors' code has one."""
    accept: Literal["reaches", "exceeds"] = "reaches"
    """When a candidate is the argument: its probability reaches the threshold (the authors' code), or exceeds
    it (the paper's word). Only a probability equal to the threshold makes a difference."""


class TrainingConfig(Section):
    """How the taggers are trained (paper, Table 3; golden training notes)."""

    seeds: Annotated[list[Seed], Field(min_length=1)] = list(range(1, 11))
    """Random seeds: one tagger each."""
    seeds_per_job: Annotated[Integer, Field(ge=1)] = 1
    """Seeds that one training job runs, loading the features once."""
    epochs: Annotated[Integer, Field(ge=1)] = 150
    """Upper limit of epochs."""
    batch_size: Annotated[Integer, Field(ge=1)] = 512
    """Instances of similar length per optimiser step."""
    learning_rate: Annotated[Number, Field(gt=0)] = 1e-3
    """Initial learning rate of Adam."""
    minimum_rate_fraction: Annotated[Number, Field(gt=0, le=1)] = 0.05
    """Lowest learning rate, as a fraction of the initial one; at this floor training stops instead of
    decaying."""
    decay: Annotated[Number, Field(gt=0, lt=1)] = 0.5
    """Factor of the learning rate after `patience` epochs without a better dev F1."""
    patience: Annotated[Integer, Field(ge=1)] = 4
    """Epochs without a better dev F1 before the rate decays or training stops."""
    beta1: Probability = 0.9
    """Adam's decay of the first moment."""
    beta2: Probability = 0.98
    """Adam's decay of the second moment (the authors' code uses the library default 0.999)."""
    epsilon: Annotated[Number, Field(gt=0)] = 1e-8
    """Adam's epsilon."""
    gradient_clip: Annotated[Number, Field(gt=0)] = 1.0
    """Global norm to which gradients are clipped."""
    predicate_flags: Literal["all", "target"] = "all"
    """Is-predicate flags in augmented copies. all: every predicate of the sentence (the paper). target: only
    the target predicate (the authors' code)."""
    order_seed: Integer | None = None
    """Seed of the order of batches. null: the tagger's own seed. A number: the same order for all seeds (the
    authors' code)."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: a GPU when there is one."""

    @model_validator(mode="after")
    def _each_once(self) -> TrainingConfig:
        object.__setattr__(self, "seeds", list(dict.fromkeys(self.seeds)))
        return self


class ReportConfig(Section):
    """Tables and figures."""

    published: bool = True
    """Put the paper's printed numbers beside ours: for NAIST Text Corpus 1.5 only, with the paper's split."""
    permutations: Annotated[Integer, Field(ge=1)] = 10000
    """Random draws of the significance tests: permutations for p-values, resamples for confidence
    intervals."""
    seed: Integer = 1
    """Seed of the significance tests."""
    examples: Annotated[Integer, Field(ge=1)] = 6
    """Sentences on the page of examples, at most, for each alpha."""
    example_words: Annotated[Integer, Field(ge=1, le=50)] = 5
    """Words that the page of examples lists for each mask."""


class Config(Section):
    """The whole study."""

    results: OutputFolder = "results"
    """Folder of all outputs."""
    features: OutputFolder | None = None
    """Folder that several studies share for what the MLM makes: the converted corpus, CDA's and masked
    variants, and the features, each below a digest of all that decides it. null: they are kept in `results`.
    Needs `corpus.path` and `mlm.path`."""
    corpus: CorpusConfig = CorpusConfig()
    """The annotated corpus."""
    sample: SampleConfig = SampleConfig()
    """The corpus that zarpipe makes itself."""
    mlm: MlmConfig = MlmConfig()
    """The frozen masked language model."""
    pretraining: PretrainingConfig = PretrainingConfig()
    """The small masked language model of the embedded study."""
    augmentation: AugmentationConfig = AugmentationConfig()
    """The augmented variants."""
    encoding: EncodingConfig = EncodingConfig()
    """Running the MLM."""
    tagger: TaggerConfig = TaggerConfig()
    """The sequence labeller."""
    training: TrainingConfig = TrainingConfig()
    """Training the labeller."""
    report: ReportConfig = ReportConfig()
    """Tables and figures."""

    @model_validator(mode="after")
    def _shares_what_is_configured(self) -> Config:
        if self.features is not None and (self.corpus.path is None or self.mlm.path is None):
            raise ValueError(
                "features: a folder that studies share needs corpus.path and mlm.path; the sample corpus and "
                "the small masked language model are made in `results` (another study may be given their "
                "folders, results/sample and results/mlm/model)"
            )
        return self

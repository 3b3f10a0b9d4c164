"""The configuration: one typed model that gives keys, defaults, checks, JSON Schema and documentation.

The defaults here are the paper's protocol (Konno et al. 2020, Sections 5.1 and Table 3, and the golden
training notes where the paper is silent). ``config.yaml`` in the project's root overrides them with the
small embedded study; ``workflow/configs/*.yaml`` are overlays on that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from zarpipe.config.antecedents import AntecedentsConfig
from zarpipe.config.augmentation import AugmentationConfig, CdaConfig
from zarpipe.config.corpus import CorpusConfig, Limit
from zarpipe.config.encoding import EncodingConfig, TokenEncoding
from zarpipe.config.finetuning import FinetuningConfig
from zarpipe.config.learning_curve import LearningCurveConfig
from zarpipe.config.mlm import MlmConfig
from zarpipe.config.perturbations import unknown_to_live
from zarpipe.config.policies import Policies, policy_parts, unknown_policy
from zarpipe.config.pos_sets import PosSets, unknown_set
from zarpipe.config.recipes import RecipeDefinition, Recipes
from zarpipe.config.report import ReportConfig
from zarpipe.config.segmentation import SegmentationConfig
from zarpipe.config.tagger import ComparedTagger, TaggerConfig, trains_the_mlm
from zarpipe.config.training import TrainingConfig
from zarpipe.config.values import OutputFolder, Section, canonical_alpha

__all__ = [
    "SPLITS",
    "AntecedentsConfig",
    "AugmentationConfig",
    "CdaConfig",
    "Config",
    "CorpusConfig",
    "EncodingConfig",
    "FinetuningConfig",
    "LearningCurveConfig",
    "Limit",
    "MlmConfig",
    "RecipeDefinition",
    "ReportConfig",
    "SegmentationConfig",
    "TaggerConfig",
    "TaggerKind",
    "TrainingConfig",
    "canonical_alpha",
]

SPLITS = tuple(Limit.model_fields)


class TaggerKind(NamedTuple):
    """A kind of tagger: its architecture, and what stands for a token in the features that it reads."""

    architecture: str
    states: TokenEncoding

    @property
    def trains_the_mlm(self) -> bool:
        """Whether the masked language model is part of it, which then reads no features."""
        return trains_the_mlm(self.architecture)


class Config(Section):
    """The whole study."""

    results: OutputFolder = "results"
    """Folder of all outputs."""
    store: OutputFolder | None = None
    """Folder that studies, and people, share for what jobs make (below `jobs/`): each in a folder whose name
    has a digest of all that decides it. null: `results`."""
    corpus: CorpusConfig = CorpusConfig()
    """The annotated corpus."""
    mlm: MlmConfig = MlmConfig()
    """The frozen masked language model."""
    pos_sets: PosSets = {}
    """Sets of parts of speech beside those of the paper, for `augmentation`. Each has a name and its tags:
    `adverb: [副詞]`; `content: {except: [助詞, 特殊]}`; with the sub part of speech,
    `proper: [名詞-固有名詞]`; or by tagset, `prefix: {juman: [接頭辞], ipadic: [接頭詞]}`. A corpus has the
    tags of JUMAN, IPADIC or UniDic; `zarpipe convert` finds out which."""
    policies: Policies = {}
    """Masking policies for `augmentation.policies`: how willingly each token is masked. Each has a name, what
    it uses, and the options of that: `near: {use: distance, unit: bunsetsu, scale: 3}`, a function in a file
    of your own, `mine: {use: my_masks.py:near_verbs, scale: 2}` (its path starts at the working directory),
    or several that are multiplied, `both: {use: [content, distance], distance: {scale: 3}}`. Built in: `pos`,
    `distance`, `dependency`, `predicates`, `arguments`, `content`, `function`, `surprisal`."""
    augmentation: AugmentationConfig = AugmentationConfig()
    """The augmented variants."""
    recipes: Recipes = {}
    """What else taggers are trained on, compared on dev in `named_recipes.csv`, and on test, each with the
    alpha that is best on dev, with all other systems; beside each stands the baseline with as many optimiser
    updates. Each has a name and says how originals and augmented copies are mixed, and what is done to their
    hidden states: `four_draws: {use: masking, draws: 4, per_epoch: true}`,
    `dropped: {perturb: {use: drop, probability: 0.1}}`."""
    encoding: EncodingConfig = EncodingConfig()
    """Running the MLM."""
    tagger: TaggerConfig = TaggerConfig()
    """The sequence labeller."""
    training: TrainingConfig = TrainingConfig()
    """Training the labeller."""
    finetuning: FinetuningConfig = FinetuningConfig()
    """Training the MLM itself, where `tagger.architecture` or `tagger.compare` is `finetuned`."""
    learning_curve: LearningCurveConfig = LearningCurveConfig()
    """Training on parts of the documents."""
    antecedents: AntecedentsConfig = AntecedentsConfig()
    """How often other words change the antecedent."""
    segmentation: SegmentationConfig = SegmentationConfig()
    """The segmenter: what finds predicates and bunsetsu in words."""
    report: ReportConfig = ReportConfig()
    """Tables and figures."""

    @property
    def compared(self) -> list[TaggerKind]:
        """Kinds of taggers, the study's own first, then those of `tagger.compare`."""
        own = TaggerKind(self.tagger.architecture, self.encoding.of_tokens)
        return [own, *map(self._kind, self.tagger.compare)]

    def _kind(self, compared: ComparedTagger) -> TaggerKind:
        own = self.encoding
        states = TokenEncoding(layers=compared.layers or own.layers, pooling=compared.pooling or own.pooling)
        return TaggerKind(compared.architecture or self.tagger.architecture, states)

    @model_validator(mode="after")
    def _sections_fit(self) -> Config:
        checks = (_compared_taggers, _policy_names, _live, _pos_set_names, _antecedents, _learning_curve)
        wrong = [
            InitErrorDetails(
                type=PydanticCustomError("name", "{problem}", {"problem": problem}), loc=key, input=found
            )
            for check in checks
            for key, found, problem in check(self)
            if problem
        ]
        if wrong:
            raise ValidationError.from_exception_data("Config", wrong)
        return self


# The key, what stands there, and what is wrong with it.
_Found = tuple[tuple[str | int, ...], Any, str | None]


def _compared_taggers(config: Config) -> Iterator[_Found]:
    own, *kinds = config.compared
    for place, (kind, written) in enumerate(zip(kinds, config.tagger.compare, strict=True)):
        key = ("tagger", "compare", place)
        if kind == own:
            yield key, written.model_dump(), "this is the study's own kind of tagger; expected others"
        elif kind in kinds[:place]:
            yield key, written.model_dump(), "this kind of tagger is compared already; expected each once"
        if kind.trains_the_mlm and (given := written.layers or written.pooling):
            name = "layers" if written.layers else "pooling"
            problem = f"means nothing to {kind.architecture}, which reads no features; leave it out"
            yield (*key, name), str(given), problem


def _policy_names(config: Config) -> Iterator[_Found]:
    for section in ("augmentation", "antecedents"):
        for place, name in enumerate(getattr(config, section).policies):
            unknown = unknown_policy(name, config.policies, config.pos_sets)
            yield (section, "policies", place), name, unknown
    for recipe, definition in config.recipes.items():
        if (name := definition.policy) is not None:
            unknown = unknown_policy(name, config.policies, config.pos_sets)
            yield ("recipes", recipe, "policy"), name, unknown
    for name, policy in config.policies.items():
        if name in config.pos_sets:
            problem = (
                "this is the name of a POS set in pos_sets, and names stand in file names; choose another"
            )
            yield ("policies", name), name, problem
        for part in policy_parts(policy):
            if part.use == "pos" and (pos_set := part.options.get("pos_set")) is not None:
                yield ("policies", name), pos_set, unknown_set(pos_set, config.pos_sets)


def _live(config: Config) -> Iterator[_Found]:
    for name, recipe in config.recipes.items() if config.tagger.trains_the_mlm else ():
        for key, found, problem in unknown_to_live(recipe.perturb, recipe.consistency, recipe.extra):
            yield ("recipes", name, key), found, problem


def _pos_set_names(config: Config) -> Iterator[_Found]:
    section = config.augmentation
    for place, name in enumerate(section.pos_sets):
        yield ("augmentation", "pos_sets", place), name, unknown_set(name, config.pos_sets)
    of_cda = section.cda.pos_set
    yield ("augmentation", "cda", "pos_set"), of_cda, unknown_set(of_cda, config.pos_sets)


def _antecedents(config: Config) -> Iterator[_Found]:
    chosen, documents = config.antecedents, config.corpus.limit.train
    alphas, seeds = config.augmentation.alphas, list(map(str, config.training.seeds))
    for place, alpha in enumerate(chosen.alphas):
        problem = _not_among(alpha, alphas, "augmentation.alphas")
        yield ("antecedents", "alphas", place), alpha, problem
    for place, seed in enumerate(map(str, chosen.seeds)):
        yield ("antecedents", "seeds", place), seed, _not_among(seed, seeds, "training.seeds")
    if chosen.filtered and not chosen.policies:
        problem = "there is nothing to filter while antecedents.policies is empty"
        yield ("antecedents", "filtered"), "true", problem
    if not chosen.policies and not any(recipe.filtered for recipe in config.recipes.values()):
        return
    if documents is not None and documents < chosen.folds:
        problem = f"there are only {documents} training documents; expected at least one for each fold"
        yield ("antecedents", "folds"), str(chosen.folds), problem
    if config.tagger.trains_the_mlm:
        problem = "the change of antecedents is measured by taggers that read features; expected another"
        yield ("tagger", "architecture"), config.tagger.architecture, problem


def _not_among(value: str, known: list[str], key: str) -> str | None:
    return None if value in known else f"expected one of {key}: {', '.join(known)}"


def _learning_curve(config: Config) -> Iterator[_Found]:
    alphas = config.augmentation.alphas
    problem = (
        f"expected one of augmentation.alphas ({', '.join(alphas)}): the variants of these are encoded anyway"
    )
    for key in ("masking_alpha", "cda_alpha"):
        alpha = getattr(config.learning_curve, key)
        if alpha is not None and alpha not in alphas:
            yield ("learning_curve", key), alpha, problem

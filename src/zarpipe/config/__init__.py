"""The configuration: one typed model that gives keys, defaults, checks, JSON Schema and documentation.

The defaults here are the paper's protocol (Konno et al. 2020, Sections 5.1 and Table 3, and the golden
training notes where the paper is silent). ``config.yaml`` in the project's root overrides them with the
small embedded study; ``workflow/configs/*.yaml`` are overlays on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    features: OutputFolder | None = None
    """Folder that several studies share for what the MLM makes: the converted corpus, CDA's and masked
    variants, and the features, each below a digest of all that decides it. null: they are kept in
    `results`."""
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
    updates. Each has a name and says how originals and augmented copies are mixed:
    `four_draws: {use: masking, draws: 4, per_epoch: true}`, `dropped: {drop: 0.1}`."""
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
    def _compares_others(self) -> Config:
        kinds, compared = self.compared, self.tagger.compare
        found: list[tuple[tuple[str | int, ...], Any, str | None]] = []
        for place, (kind, written) in enumerate(zip(kinds[1:], compared, strict=True)):
            problem = None
            if kind == kinds[0]:
                problem = "this is the study's own kind of tagger; expected others"
            elif kind in kinds[1 : place + 1]:
                problem = "this kind of tagger is compared already; expected each once"
            found.append((("tagger", "compare", place), written.model_dump(), problem))
            if kind.trains_the_mlm and (given := written.layers or written.pooling):
                key = "layers" if written.layers else "pooling"
                problem = f"means nothing to {kind.architecture}, which reads no features; leave it out"
                found.append((("tagger", "compare", place, key), str(given), problem))
        _refuse(found)
        return self

    @model_validator(mode="after")
    def _policies_are_known(self) -> Config:
        found: list[tuple[tuple[str | int, ...], str, str | None]] = [
            (
                ("augmentation", "policies", place),
                name,
                unknown_policy(name, self.policies, self.pos_sets),
            )
            for place, name in enumerate(self.augmentation.policies)
        ]
        for name, recipe in self.recipes.items():
            if recipe.policy is not None:
                unknown = unknown_policy(recipe.policy, self.policies, self.pos_sets)
                found.append((("recipes", name, "policy"), recipe.policy, unknown))
        for name, definition in self.policies.items():
            if name in self.pos_sets:
                problem = (
                    "this is the name of a POS set in pos_sets, and names stand in file names; choose another"
                )
                found.append((("policies", name), name, problem))
            for part in policy_parts(definition):
                pos_set = part.options.get("pos_set") if part.use == "pos" else None
                if pos_set is not None:
                    found.append((("policies", name), pos_set, unknown_set(pos_set, self.pos_sets)))
        _refuse(found)
        return self

    @model_validator(mode="after")
    def _antecedents_are_of_the_study(self) -> Config:
        chosen, study = self.antecedents, self.augmentation
        found: list[tuple[tuple[str | int, ...], str, str | None]] = [
            (("antecedents", "policies", place), name, unknown_policy(name, self.policies, self.pos_sets))
            for place, name in enumerate(chosen.policies)
        ]
        found += [
            (("antecedents", "alphas", place), alpha, _not_among(alpha, study.alphas, "augmentation.alphas"))
            for place, alpha in enumerate(chosen.alphas)
        ]
        seeds = list(map(str, self.training.seeds))
        found += [
            (("antecedents", "seeds", place), str(seed), _not_among(str(seed), seeds, "training.seeds"))
            for place, seed in enumerate(chosen.seeds)
        ]
        if chosen.filtered and not chosen.policies:
            problem = "there is nothing to filter while antecedents.policies is empty"
            found.append((("antecedents", "filtered"), "true", problem))
        documents = self.corpus.limit.train
        measured = chosen.policies or any(recipe.filtered for recipe in self.recipes.values())
        if measured and documents is not None and documents < chosen.folds:
            problem = f"there are only {documents} training documents; expected at least one for each fold"
            found.append((("antecedents", "folds"), str(chosen.folds), problem))
        if measured and self.tagger.trains_the_mlm:
            problem = "the change of antecedents is measured by taggers that read features; expected another"
            found.append((("tagger", "architecture"), self.tagger.architecture, problem))
        _refuse(found)
        return self

    @model_validator(mode="after")
    def _pos_sets_are_known(self) -> Config:
        named: dict[tuple[str | int, ...], str] = {
            ("augmentation", "pos_sets", place): name for place, name in enumerate(self.augmentation.pos_sets)
        } | {("augmentation", "cda", "pos_set"): self.augmentation.cda.pos_set}
        _refuse([(key, name, unknown_set(name, self.pos_sets)) for key, name in named.items()])
        return self

    @model_validator(mode="after")
    def _learning_curve_needs_no_variant_of_its_own(self) -> Config:
        curve, alphas = self.learning_curve, self.augmentation.alphas
        expected = f"expected one of augmentation.alphas ({', '.join(alphas)})"
        problem = f"{expected}: the variants of these are encoded anyway"
        _refuse(
            (("learning_curve", key), alpha, problem)
            for key, alpha in (("masking_alpha", curve.masking_alpha), ("cda_alpha", curve.cda_alpha))
            if alpha is not None and alpha not in alphas
        )
        return self


def _not_among(value: str, known: Sequence[str], key: str) -> str | None:
    """Return what is wrong with a value that is none of those of another key."""
    return None if value in known else f"expected one of {key}: {', '.join(known)}"


def _refuse(found: Iterable[tuple[tuple[str | int, ...], Any, str | None]]) -> None:
    """Raise ValidationError with the names that have a problem: (key, name, problem or None)."""
    wrong = [
        InitErrorDetails(
            type=PydanticCustomError("name", "{problem}", {"problem": problem}), loc=key, input=name
        )
        for key, name, problem in found
        if problem
    ]
    if wrong:
        raise ValidationError.from_exception_data("Config", wrong)

"""What each job of the study depends on: its own settings, its code, versions of libraries, and earlier jobs.

A spec holds plain values and no path: equal specs give equal files, wherever they lie.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from zarpipe import sample
from zarpipe.config import SPLITS, Config, EncodingConfig, MlmConfig
from zarpipe.config.corpus import READERS, SEGMENTERS
from zarpipe.config.encoding import TOKEN_KEYS, TokenEncoding
from zarpipe.config.options import command_line
from zarpipe.config.policies import PolicyPart, asks_mlm, policy_parts
from zarpipe.config.tagger import module_of, trains_the_mlm
from zarpipe.mlm.files import local_model_files
from zarpipe.study.digests import code_digest, content_digest, package_files_digest
from zarpipe.study.grid import Grid, recipes_in
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import BASELINE, Recipe, Variant, encoded
from zarpipe.task.tagsets import definition_of

MLM_LIBRARIES = ("torch", "transformers", "tokenizers", "sentencepiece", "fugashi", "unidic-lite")
_MEMORY = ".snakemake/zarpipe-digests.json"

version = functools.cache(importlib.metadata.version)


def once(method: Callable[..., Job]) -> Callable[..., Job]:
    """Make each job of a study once, whoever asks for it."""

    @functools.wraps(method)
    def remembered(self: Jobs, *arguments: Any) -> Job:
        names = tuple(getattr(argument, "name", argument) for argument in arguments)
        if (method.__name__, names) not in self.known:
            self.known[method.__name__, names] = method(self, *arguments)
        return self.known[method.__name__, names]

    return remembered


class Jobs:
    """The jobs of a study, from the corpus to the scores; those of the tables stand with the tables.

    Args:
        config: the configuration.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.grid = Grid(config)
        self.known: dict[Any, Job] = {}
        self.code = functools.cache(code_digest)

    # --- corpus

    @once
    def convert(self) -> Job:
        """Return the job that reads the corpus."""
        corpus = self.config.corpus
        spec = {
            **self.conversion_options(),
            "ids": self._ids_content() if corpus.split == "ids" else None,
            "files": self._corpus_content(),
            "code": self.code("zarpipe.readers.convert", READERS[corpus.format]),
        }
        if corpus.tokens != "gold":
            from zarpipe.readers.reading import segmenter

            spec["code_of_tokens"] = self.code(SEGMENTERS[corpus.tokens])
            spec["libraries"] = versions(*segmenter(corpus.tokens).LIBRARIES)
        return Job("convert", spec)

    def corpus_path(self) -> str:
        """Return where the corpus lies; by default the made one of the package."""
        return str(self.config.corpus.path or sample.CORPUS)

    def reading(self) -> Any:
        """Return how documents are read; equal settings in another spelling are equal here."""
        from zarpipe.readers.reading import reading

        corpus = self.config.corpus
        return reading(
            corpus.format,
            corpus.own_bunsetsu,
            corpus.predicates,
            corpus.coreferent_mentions,
            corpus.construction_mentions,
            corpus.tokens,
        )

    def _corpus_content(self) -> str | None:
        """Return a digest of the corpus files: of what is read, whatever else lies beside them."""
        from zarpipe.readers.scan import corpus_files

        path = self.corpus_path()
        return content_digest(path, _MEMORY, corpus_files(path, self.config.corpus.format))

    def _ids_content(self) -> str | None:
        from zarpipe.readers.splits import id_files

        folder = str(self.ids_folder())
        return content_digest(folder, _MEMORY, id_files(folder))

    def conversion_options(self) -> dict[str, Any]:
        """Return the options of `zarpipe convert`."""
        corpus = self.config.corpus
        return {
            **vars(self.reading()),
            "split": corpus.split,
            "ids": self.ids_folder() if corpus.split == "ids" else None,
            "on_error": corpus.on_error,
            **{f"limit_{split}": getattr(corpus.limit, split) for split in SPLITS},
        }

    def ids_folder(self) -> str | None:
        """Return the folder of the id lists, which may be given relative to the corpus."""
        corpus, ids = self.config.corpus.path, self.config.corpus.ids
        inside = Path(corpus or "") / (ids or "")
        return str(inside) if corpus and ids and inside.is_dir() else ids

    # --- masked language model

    @once
    def describe_mlm(self) -> Job:
        """Return the job that says which model this is."""
        spec = {**self.model_settings(), "code": self.code("zarpipe.mlm.describe")}
        return Job("describe_mlm", spec)

    def model_path(self) -> str:
        """Return the folder or hub name of the model; by default the small one of the package."""
        return str(self.config.mlm.path or sample.MODEL)

    def mlm_config(self) -> MlmConfig:
        """Return the configured model, its place filled in."""
        return self.config.mlm.model_copy(update={"path": self.model_path()})

    def model_settings(self) -> dict[str, Any]:
        """Return which model it is and how it is loaded: a folder is known by its files and may be moved."""
        mlm = self.mlm_config()
        read = local_model_files(mlm)
        files = content_digest(str(mlm.path), _MEMORY, read) if read else None
        left_out = {"path"} if not files else {"path", "revision"}  # only hub models have one
        return {"mlm": files or mlm.path, **dumped(mlm, *left_out)}

    # --- variants and hidden states

    @once
    def augment(self, variant: Variant) -> Job:
        """Return the job that makes a variant."""
        modules = ["zarpipe.augment.build", *(part.module for part in self._policy_parts(variant))]
        modules += ["zarpipe.augment.cda"] if variant.replaces else []
        spec = {**self.augmentation_options(variant), **self._masked_tokens(variant)}
        if not self.runs_mlm(variant):
            return Job(f"augment/{variant.name}", spec | {"code": self.code(*modules)}, (self.convert(),))
        needs = (self.convert(), self.describe_mlm())
        return Job(f"augment/{variant.name}", spec | self._mlm_run(*modules), needs)

    def runs_mlm(self, variant: Variant) -> bool:
        """Tell whether making a variant runs the MLM: for CDA, and for a policy of surprisal."""
        asks = variant.policy is not None and asks_mlm(self.config.policies[variant.policy])
        return variant.replaces or asks

    def _policy_parts(self, variant: Variant) -> list[PolicyPart]:
        return policy_parts(self.config.policies[variant.policy]) if variant.policy else []

    def augmentation_options(self, variant: Variant) -> dict[str, Any]:
        """Return the options of `zarpipe augment` that say what a variant is."""
        augmentation, own = self.config.augmentation, self.config.pos_sets
        left_out = {"pos_set"} if variant.policy else set()
        left_out |= {"draw_number"} if variant.draw_number == 1 else set()
        options = {**variant.model_dump(exclude_none=True, exclude=left_out), "seed": augmentation.seed}
        if variant.policy:
            definition = {variant.policy: self.config.policies[variant.policy]}
            options["define_policy"] = json.dumps(definition, ensure_ascii=False)
        if used := {name: own[name] for name in self._pos_sets(variant) if name in own}:
            options["define"] = json.dumps(used, ensure_ascii=False)
        return {**options, "draw": augmentation.draw}

    def _pos_sets(self, variant: Variant) -> list[str]:
        """Return the POS sets that decide a variant's masks."""
        if not variant.policy:
            return [variant.pos_set]
        parts = self._policy_parts(variant)
        return [
            str(part.options["pos_set"]) for part in parts if part.use == "pos" and part.options["pos_set"]
        ]

    def _masked_tokens(self, variant: Variant) -> dict[str, Any]:
        """Return what decides which tokens are masked, besides the options."""
        tags = [definition_of(name, self.config.pos_sets) for name in self._pos_sets(variant)]
        if not variant.policy:
            return {"tags": tags[0]}
        parts = self._policy_parts(variant)
        # Where the user's files lie does not count, their bytes do.
        own = {
            part.file: content_digest(part.file, _MEMORY, [Path(part.file)]) for part in parts if part.file
        }
        uses = [f"{own[part.file]}:{part.function}" if part.file else part.use for part in parts]
        return {
            "define_policy": [[use, dict(part.options)] for use, part in zip(uses, parts, strict=True)],
            "tags": tags,
        }

    @once
    def encode(self, split: str, states: TokenEncoding | None = None) -> Job:
        """Return the job that encodes a split; ``states``: what stands for a token, if not as configured."""
        needs = (self.convert(), self.describe_mlm())
        return Job(f"encode/{encoded(split, states)}", self._encoding(states), needs)

    @once
    def encode_variant(self, variant: Variant, states: TokenEncoding | None = None) -> Job:
        """Return the job that encodes a variant."""
        needs = (self.augment(variant), self.encode("train", states), self.describe_mlm())
        return Job(f"encode_variant/{encoded(variant.name, states)}", self._encoding(states), needs)

    @once
    def encode_sentences(self, split: str) -> Job:
        """Return the job that encodes the sentences of a split that have no predicate."""
        needs = (self.convert(), self.encode(split), self.describe_mlm())
        return Job(f"encode_sentences/{split}", self._encoding(None), needs)

    def _encoding(self, states: TokenEncoding | None) -> dict[str, Any]:
        # A default is left out: what was encoded before there was a choice stays.
        chosen = self.encoding(states).model_dump(include=set(TOKEN_KEYS), exclude_defaults=True)
        return self._mlm_run("zarpipe.encode.encoder") | chosen

    def encoding(self, states: TokenEncoding | None) -> EncodingConfig:
        """Return how the MLM is run where this stands for a token; None: as configured."""
        return self.config.encoding.model_copy(update=dict(states) if states else {})

    def _mlm_run(self, *modules: str) -> dict[str, Any]:
        return {
            **self.model_settings(),
            **dumped(self.config.encoding, "threads", *TOKEN_KEYS),
            "code": self.code(*modules),
            "libraries": versions(*MLM_LIBRARIES),
        }

    # --- taggers

    @once
    def train(self, recipe: Recipe, seed: int) -> Job:
        """Return the job that trains one tagger."""
        if self.is_live(recipe):
            return self._finetune(recipe, seed)
        spec = {
            **self._training(),
            **dumped(self.config.tagger, "compare", "architecture"),
            "recipe": recipe.definition(),
            "seed": seed,
            "architecture": self.architecture(recipe),
            "code": self.code("zarpipe.tagger.train", module_of(self.architecture(recipe))),
        }
        needs = [self.encode("train", recipe.states), self.encode("dev", recipe.states)]
        needs += [self.encode_variant(variant, recipe.states) for variant in recipe.variants]
        if recipe.filtered:
            needs += [self.filter_copies(self.grid.refilled(variant)) for variant in recipe.variants]
        return Job(f"train/{recipe.name}/seed{seed}", spec, needs)

    def _finetune(self, recipe: Recipe, seed: int) -> Job:
        """Return the job that trains a tagger and its MLM, for which nothing is encoded."""
        spec = {
            **self.model_settings(),
            **self._training(),
            **self._of_live_taggers(),
            "learning_rate": self.config.finetuning.learning_rate,
            "recipe": recipe.definition(),
            "seed": seed,
            "architecture": self.architecture(recipe),
            "code": self.code("zarpipe.tagger.train", module_of(self.architecture(recipe))),
            "libraries": versions(*MLM_LIBRARIES),
        }
        del spec["compute_dtype"]  # of GRU layers
        needs = [self.convert(), self.describe_mlm(), *map(self.augment, recipe.variants)]
        return Job(f"train/{recipe.name}/seed{seed}", spec, needs)

    def _of_live_taggers(self) -> dict[str, Any]:
        """Return the settings that only taggers have whose MLM is trained too, and those that these share."""
        finetuning = dumped(self.config.finetuning, "learning_rate")
        tagger = dumped(self.config.tagger, "compare", "architecture", "layers", "hidden_size")
        return tagger | {f"finetuning_{name}": value for name, value in finetuning.items()}

    @functools.cache  # noqa: B019 (as long-lived as the study)
    def _training(self) -> dict[str, Any]:
        return {
            **dumped(self.config.training, "seeds"),
            "libraries": versions("torch"),
        }

    @once
    def train_segmenter(self, seed: int) -> Job:
        """Return the job that trains one segmenter."""
        spec = {
            **self._training(),
            **dumped(self.config.segmentation, "seeds", "table"),
            "seed": seed,
            "code": self.code("zarpipe.tagger.segmenter.train"),
        }
        del spec["predicate_flags"]  # of augmented copies
        splits = ("train", "dev")
        needs = [*map(self.encode, splits), *map(self.encode_sentences, splits)]
        return Job(f"train_segmenter/seed{seed}", spec, needs)

    @once
    def evaluate_segmenter(self, seed: int, split: str) -> Job:
        """Return the job that scores a segmenter on a split."""
        spec = {
            "device": self.config.training.device,
            "code": self.code("zarpipe.tagger.segmenter.evaluation"),
            "libraries": versions("torch"),
        }
        needs = (self.train_segmenter(seed), self.encode(split), self.encode_sentences(split))
        return Job(f"evaluate_segmenter/seed{seed}/{split}", spec, needs)

    def segmenter_options(self) -> str:
        """Return the options of `zarpipe train-segmenter` that all seeds share."""
        training = dumped(self.config.training, "seeds", "predicate_flags")
        return command_line(dumped(self.config.segmentation, "seeds", "table") | training)

    def training_options(self) -> str:
        """Return the options of `zarpipe train` that all recipes share."""
        tagger = dumped(self.config.tagger, "compare", "architecture")
        return command_line(tagger | dumped(self.config.training, "seeds"))

    def finetuning_options(self) -> str:
        """Return the same where the MLM is trained too."""
        rate = {"finetuning_learning_rate": self.config.finetuning.learning_rate}
        left_out = ("seeds", "learning_rate", "compute_dtype")
        training = dumped(self.config.training, *left_out)
        return command_line(rate | self._of_live_taggers() | training | dumped(self.config.mlm, "path"))

    def taggers(self, recipe: Recipe | str) -> list[Job]:
        """Return the jobs that make the taggers of a recipe, or the one that copies those of a chosen one."""
        if isinstance(recipe, str):
            return [self.choose()]
        return [self.train(recipe, seed) for seed in self.config.training.seeds]

    @once
    def predict(self, recipe: Recipe | str, split: str) -> Job:
        """Return the job that lets a recipe's taggers decide; a text is the name of a chosen recipe."""
        live = self.is_live(recipe)
        spec = {
            "device": self.config.training.device,
            "seeds": list(self.config.training.seeds),
            "code": self.code("zarpipe.tagger.predict", module_of(self.architecture(recipe))),
            "libraries": versions(*(MLM_LIBRARIES if live else ("torch",))),
        }
        read = self.convert() if live else self.encode(split, states_of(recipe))
        return Job(f"predict/{name_of(recipe)}/{split}", spec, [*self.taggers(recipe), read])

    @once
    def predict_held_out(self, decided: Variant | str) -> Job:
        """Return the job that lets taggers decide training documents that they have not seen.

        Args:
            decided: a refilled variant, or ``train`` for the originals.
        """
        spec = {
            "device": self.config.training.device,
            "seeds": self.held_out_seeds(),
            "code": self.code("zarpipe.tagger.held_out", module_of(self.architecture(BASELINE))),
            "libraries": versions("torch"),
        }
        taggers = [self.train(fold, seed) for fold in self.grid.fold_taggers() for seed in spec["seeds"]]
        variant = [] if isinstance(decided, str) else [self.encode_variant(decided)]
        name = decided if isinstance(decided, str) else decided.name
        return Job(f"predict_held_out/{name}", spec, [*taggers, self.encode("train"), *variant])

    def held_out_seeds(self) -> list[int]:
        """Return the seeds of the taggers that have not seen a fold."""
        return list(self.config.antecedents.seeds or self.config.training.seeds)

    @once
    def filter_copies(self, variant: Variant) -> Job:
        """Return the job that finds the copies of a refilled variant whose decisions stay."""
        spec = {"code": self.code("zarpipe.tagger.filtering")}
        needs = [self.convert(), self.predict_held_out("train"), self.predict_held_out(variant)]
        return Job(f"filter_copies/{variant.name}", spec, needs)

    def architecture(self, recipe: Recipe | str) -> str:
        """Return the architecture of a recipe's taggers; the chosen ones have the study's own."""
        own = None if isinstance(recipe, str) else recipe.architecture
        return own or self.config.tagger.architecture

    def is_live(self, recipe: Recipe | str) -> bool:
        """Tell whether the MLM is part of a recipe's taggers, which then read no features."""
        return trains_the_mlm(self.architecture(recipe))

    @once
    def evaluate(self, recipe: Recipe | str, split: str) -> Job:
        """Return the job that scores a recipe's decisions."""
        spec = {"code": self.code("zarpipe.evaluate.evaluation")}
        return Job(f"evaluate/{name_of(recipe)}/{split}", spec, (self.predict(recipe, split), self.convert()))

    def evaluations(self, recipes: Sequence[Recipe | str], split: str) -> list[Job]:
        """Return the jobs that score these recipes on a split."""
        return [self.evaluate(recipe, split) for recipe in recipes]

    @once
    def choose(self) -> Job:
        """Return the job that chooses the recipes for the test set and copies their taggers."""
        candidates = self.grid.candidates()
        recipes = recipes_in(candidates)
        spec = {
            "candidates": {method: [recipe.name for recipe in rows] for method, rows in candidates.items()},
            "seeds": list(self.config.training.seeds),
            "code": self.code("zarpipe.report.choose"),
        }
        taggers = [job for recipe in recipes for job in self.taggers(recipe)]
        return Job("choose", spec, [*self.evaluations(recipes, "dev"), *taggers])

    @once
    def study(self) -> Job:
        """Return the job that writes down the configuration and the recipes."""
        return Job("study", {"configuration": self.config.model_dump(mode="json", exclude={"results"})})


def name_of(recipe: Recipe | str) -> str:
    """Return the name in the paths of a recipe's files."""
    return recipe if isinstance(recipe, str) else recipe.name


def states_of(recipe: Recipe | str) -> TokenEncoding | None:
    """Return what stands for a token for a recipe's taggers; None: as configured, as for chosen ones."""
    return None if isinstance(recipe, str) else recipe.states


def dumped(section: Any, *left_out: str) -> dict[str, Any]:
    """Return a section of the configuration as plain values."""
    plain: dict[str, Any] = section.model_dump(mode="json", exclude=set(left_out))
    return plain


def versions(*distributions: str) -> dict[str, str]:
    """Return the installed versions of libraries that an output depends on."""
    return {name: version(name) for name in distributions}


def printed(config: Config) -> str | None:
    """Return a digest of the paper's numbers where they are shown."""
    return package_files_digest("report/published") if config.report.published else None

"""The jobs of a study from the corpus to the scores: what each depends on, and what its command is told.

Settings hold plain values and no path: equal settings give equal files, wherever they lie. The jobs of
tables, figures and pages stand with these (`Jobs.report`).
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from zarpipe import sample
from zarpipe.config import SPLITS, Config, EncodingConfig
from zarpipe.config.corpus import READERS, SEGMENTERS
from zarpipe.config.encoding import TOKEN_KEYS, TokenEncoding
from zarpipe.config.options import command_line
from zarpipe.config.perturbations import perturbation_code, perturbation_part
from zarpipe.config.policies import asks_mlm, policy_parts
from zarpipe.config.tagger import ARCHITECTURES, HIDDEN_STATES, states_read_by, trains_the_mlm
from zarpipe.formats.tagger import LIVE_TAGGER_FILES, TAGGER_FILES
from zarpipe.mlm.files import local_model_files
from zarpipe.study.code import code_digest, package_files_digest
from zarpipe.study.digests import content_digest
from zarpipe.study.extra import extra_name
from zarpipe.study.grid import Grid, recipes_in
from zarpipe.study.jobs import Job
from zarpipe.study.own_functions import function_digest
from zarpipe.study.recipe import BASELINE, Mixture, Recipe, Variant, encoded
from zarpipe.task.tagsets import definition_of

MLM_LIBRARIES = ("torch", "transformers", "tokenizers", "sentencepiece", "fugashi", "unidic-lite")
MEMORY = ".snakemake/zarpipe-digests.json"
"""Digests of the user's files in the state in which they were read; it can be deleted at any time."""

STAGES = {
    "corpus": ("convert",),
    "mlm": ("describe_mlm",),
    "augment": ("augment",),
    "encode": ("encode", "encode_variant", "encode_sentences"),
    "tagger": ("train", "finetune", "predict", "predict_held_out", "filter_copies", "train_segmenter"),
    "evaluate": ("evaluate", "evaluate_segmenter"),
    "report": ("report", "examples", "study"),
    "bundle": ("bundle",),
}
"""Stage -> its rules."""

version = functools.cache(importlib.metadata.version)


def once(method: Callable[..., Job]) -> Callable[..., Job]:
    """Make each job of a study once, whoever asks for it."""

    @functools.wraps(method)
    def remembered(self: Jobs, *arguments: Any) -> Job:
        names = tuple(getattr(argument, "name", argument) for argument in arguments)
        if (method.__name__, names) not in self._known:
            self._known[method.__name__, names] = method(self, *arguments)
        return self._known[method.__name__, names]

    return remembered


class Jobs:
    """The jobs of a study below a folder; ``keys`` of those of a finished one are known by their ids."""

    def __init__(self, config: Config, root: str, keys: Mapping[str, str] | None = None) -> None:
        self.config = config
        self.grid = Grid(config)
        self._root, self._keys = root, keys or {}
        self._known: dict[Any, Job] = {}

    def _job(
        self,
        rule: str,
        name: str,
        settings: Callable[[], Mapping[str, Any]],
        reads: Iterable[Job],
        options: Callable[[Job], str],
    ) -> Job:
        key = self._keys.get(f"{rule}/{name}")
        return Job(self._root, rule, name, settings, reads, options, key)

    # --- corpus

    @once
    def convert(self) -> Job:
        """Return the job that reads the corpus: ``train.parquet``, ``dev.parquet``, ``test.parquet``."""
        corpus = self.config.corpus

        def settings() -> dict[str, Any]:
            read: dict[str, Any] = {
                **self._conversion_options(),
                "ids": self._ids_content() if corpus.split == "ids" else None,
                "files": self._corpus_content(),
                "code": code_digest("convert", READERS[corpus.format], *_own_words(corpus.tokens)),
            }
            if corpus.tokens != "gold":
                from zarpipe.readers.reading import segmenter

                read["libraries"] = versions(*segmenter(corpus.tokens).LIBRARIES)
            return read

        def options(job: Job) -> str:
            return f"{shlex.quote(self.corpus_path())} " + command_line(
                {**self._conversion_options(), "output": job.folder}
            )

        return self._job("convert", "corpus", settings, (), options)

    def corpus_path(self) -> str:
        """Return where the corpus lies; by default the made one of the package."""
        return str(self.config.corpus.path or sample.CORPUS)

    def reading(self) -> Any:
        """Return how documents are read; equal settings in another spelling are equal here."""
        from zarpipe.readers.reading import configured_reading

        return configured_reading(self.config.corpus.format, self.config.corpus)

    def _corpus_content(self) -> str | None:
        """Return a digest of the corpus files: of what is read, whatever else lies beside them."""
        from zarpipe.readers.scan import corpus_files

        path = self.corpus_path()
        return content_digest(path, MEMORY, corpus_files(path, self.config.corpus.format))

    def _ids_content(self) -> str | None:
        from zarpipe.readers.splits import id_files

        folder = str(self.ids_folder())
        return content_digest(folder, MEMORY, id_files(folder))

    def _conversion_options(self) -> dict[str, Any]:
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

    def corpus(self, split: str) -> str:
        """Return the corpus Parquet of a split."""
        return self.convert().path(f"{split}.parquet")

    # --- masked language model

    @once
    def describe_mlm(self) -> Job:
        """Return the job that says which model this is, and tries it: ``manifest.json``."""

        def options(job: Job) -> str:
            return f"{self._mlm_path()} {self._mlm_options()} " + command_line(
                {"output": job.path("manifest.json")}
            )

        def settings() -> dict[str, Any]:
            return {**self.model_settings(), "code": code_digest("describe_mlm")}

        return self._job("describe_mlm", "mlm", settings, (), options)

    def model_path(self) -> str:
        """Return the folder or hub name of the MLM; by default the small one of the package."""
        return str(self.config.mlm.path or sample.MODEL)

    @functools.cache  # noqa: B019 (as long-lived as the study)
    def model_settings(self) -> dict[str, Any]:
        """Return which model it is and how it is loaded: a folder is known by its files and may be moved."""
        mlm = self.config.mlm.model_copy(update={"path": self.model_path()})
        read = local_model_files(mlm)
        files = content_digest(str(mlm.path), MEMORY, read) if read else None
        left_out = {"path"} if not files else {"path", "revision"}  # only hub models have one
        return {"mlm": files or mlm.path, **dumped(mlm, *left_out)}

    def _mlm_path(self) -> str:
        return shlex.quote(self.model_path())

    def _mlm_options(self) -> str:
        return command_line(dumped(self.config.mlm, "path"))

    # --- variants and hidden states

    @once
    def augment(self, variant: Variant) -> Job:
        """Return the job that makes a variant: ``variant.parquet``."""
        runs_mlm = self.runs_mlm(variant)

        def settings() -> dict[str, Any]:
            parts = self._policy_parts(variant)
            weights = [part.module for part in parts]
            code = code_digest("augment", *(["fill"] if variant.replaces else []), *weights)
            run = self._mlm_run() if runs_mlm else {}
            return {**self._variant_options(variant), **self._masked_tokens(variant), **run, "code": code}

        def options(job: Job) -> str:
            run = ""
            if runs_mlm:
                encoding = dumped(self.config.encoding, "threads", *TOKEN_KEYS)
                run = f" --mlm={self._mlm_path()} {self._mlm_options()} {command_line(encoding)}"
            own = self._variant_options(variant) | {"output": job.path("variant.parquet")}
            return f"{shlex.quote(self.corpus('train'))} {command_line(own)}{run}"

        reads = [self.convert(), *([self.describe_mlm()] if runs_mlm else [])]
        return self._job("augment", variant.name, settings, reads, options)

    def runs_mlm(self, variant: Variant) -> bool:
        """Tell whether making a variant runs the MLM: for CDA, and for a policy of surprisal."""
        asks = variant.policy is not None and asks_mlm(self.config.policies[variant.policy])
        return variant.replaces or asks

    def _policy_parts(self, variant: Variant) -> Sequence[Any]:
        return policy_parts(self.config.policies[variant.policy]) if variant.policy else ()

    def _variant_options(self, variant: Variant) -> dict[str, Any]:
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
        named = [part.options["pos_set"] for part in self._policy_parts(variant) if part.use == "pos"]
        return [str(name) for name in named if name]

    def _masked_tokens(self, variant: Variant) -> dict[str, Any]:
        """Return what decides which tokens are masked, besides the options."""
        tags = [definition_of(name, self.config.pos_sets) for name in self._pos_sets(variant)]
        if not variant.policy:
            return {"tags": tags[0]}
        parts = self._policy_parts(variant)
        # Where the user's files lie does not count, what they define does.
        uses = [f"{function_digest(part)}:{part.function}" if part.file else part.use for part in parts]
        return {
            "define_policy": [[use, dict(part.options)] for use, part in zip(uses, parts, strict=True)],
            "tags": tags,
        }

    @once
    def encode(self, split: str, states: TokenEncoding | None = None) -> Job:
        """Return the job that encodes a split; ``states``: what stands for a token, if not as configured."""
        return self._encode("encode", encoded(split, states), self.corpus(split), states, [self.convert()])

    @once
    def encode_extra(self, file: str, states: TokenEncoding | None = None) -> Job:
        """Return the job that encodes more training text, which no split that is scored may hold."""
        name, apart = encoded(extra_name(file), states), [self.corpus(split) for split in ("dev", "test")]
        corpus = f"{shlex.quote(file)} {command_line({'apart_from': apart})}"
        return self._encode("encode", name, corpus, states, [self.convert()], extra=file)

    @once
    def encode_variant(self, variant: Variant, states: TokenEncoding | None = None) -> Job:
        """Return the job that encodes a variant."""
        made, originals = self.augment(variant), self.encode("train", states)
        files = {"variant": made.path("variant.parquet"), "originals": originals.path("features.h5")}
        name, reads = encoded(variant.name, states), [self.convert(), made, originals]
        return self._encode("encode_variant", name, self.corpus("train"), states, reads, files)

    @once
    def encode_sentences(self, split: str) -> Job:
        """Return the job that encodes the sentences of a split that have no predicate."""
        originals = self.encode(split)
        files = {"originals": originals.path("features.h5")}
        reads, corpus = [self.convert(), originals], f"{self.corpus(split)} --all-sentences"
        return self._encode("encode_sentences", split, corpus, None, reads, files)

    def _encode(
        self,
        rule: str,
        name: str,
        corpus: str,
        states: TokenEncoding | None,
        reads: Sequence[Job],
        files: Mapping[str, str] | None = None,
        extra: str | None = None,
    ) -> Job:
        """Return a job that runs the MLM over sequences: ``features.h5``."""
        encoding = self.encoding(states)

        def settings() -> dict[str, Any]:
            states = encoding.model_dump(mode="json", include=set(TOKEN_KEYS))
            text = {"extra": content_digest(extra, MEMORY, [Path(extra)])} if extra else {}
            return {**self._mlm_run(), **states, **text, "code": code_digest("encode", rule)}

        def options(job: Job) -> str:
            run = command_line(dumped(encoding, "threads"))
            own = command_line({**(files or {}), "output": job.path("features.h5")})
            return f"{corpus} --mlm={self._mlm_path()} {self._mlm_options()} {run} {own}"

        return self._job(rule, name, settings, [*reads, self.describe_mlm()], options)

    def encoding(self, states: TokenEncoding | None) -> EncodingConfig:
        """Return how the MLM is run where this stands for a token; None: as configured."""
        return self.config.encoding.model_copy(update=dict(states) if states else {})

    @functools.cache  # noqa: B019 (as long-lived as the study)
    def _mlm_run(self) -> dict[str, Any]:
        return {
            **self.model_settings(),
            **dumped(self.config.encoding, "threads", *TOKEN_KEYS),
            "libraries": versions(*MLM_LIBRARIES),
        }

    def encoded_for(self, recipe: Recipe) -> list[Job]:
        """Return the jobs that encode what a recipe's taggers read in training; none for live ones."""
        if self.is_live(recipe):
            return []
        splits = [self.encode(split, recipe.states) for split in ("train", "dev")]
        variants = [self.encode_variant(variant, recipe.states) for variant in recipe.variants]
        return [*splits, *variants, *self._extra(recipe)]

    def _extra(self, recipe: Recipe) -> list[Job]:
        """Return the jobs that encode what text a recipe's taggers are trained on besides the corpus."""
        return [] if recipe.in_place else [self.encode_extra(file, recipe.states) for file in recipe.extra]

    def features(self, name: str, recipe: Recipe | str) -> str:
        """Return the feature file of a split that a recipe's taggers read."""
        return self.encode(name, states_of(recipe)).path("features.h5")

    # --- taggers

    @once
    def train(self, recipe: Recipe, seed: int) -> Job:
        """Return the job that trains one tagger: `TAGGER_FILES`."""
        if self.is_live(recipe):
            return self._finetune(recipe, seed)
        reads = [self.convert(), *self.encoded_for(recipe)]
        copies = [self.encode_variant(variant, recipe.states) for variant in recipe.variants]
        kept = [self.filter_copies(self.grid.refilled(variant)) for variant in recipe.filters]

        def settings() -> dict[str, Any]:
            return {
                **self._training(),
                **dumped(self.config.tagger, "compare"),
                **self._of_recipe(recipe, seed),
                "code": self._training_code(recipe),
            }

        def options(job: Job) -> str:
            given = {
                **dumped(self.config.tagger, "compare"),
                **dumped(self.config.training, "seeds"),
                **self._recipe_options(recipe, seed),
                "variant_features": [one.path("features.h5") for one in copies] or None,
                "keep": [one.path("copies.parquet") for one in kept] or None,
                "extra_features": [one.path("features.h5") for one in self._extra(recipe)] or None,
                "features": self.features("train", recipe),
                "dev_features": self.features("dev", recipe),
            }
            return command_line(given | {"output": job.folder})

        return self._job("train", f"{recipe.name}/seed{seed}", settings, [*reads, *kept], options)

    def _training_code(self, recipe: Recipe) -> str:
        return code_digest("train", *self._tagger_code(recipe), *perturbation_code(recipe.perturb))

    def _tagger_code(self, recipe: Recipe | str) -> list[str]:
        architecture = self.architecture(recipe)
        return [ARCHITECTURES[architecture], HIDDEN_STATES[states_read_by(architecture)]]

    def _finetune(self, recipe: Recipe, seed: int) -> Job:
        """Return the job that trains a tagger and its MLM, for which nothing is encoded."""
        copies = [self.augment(variant) for variant in recipe.variants]
        rate = self.config.finetuning.learning_rate

        def settings() -> dict[str, Any]:
            training = {key: value for key, value in self._training().items() if key != "compute_dtype"}
            return {
                **self.model_settings(),
                **training,
                **self._of_live_taggers(),
                "learning_rate": rate,
                **self._of_recipe(recipe, seed),
                "code": self._training_code(recipe),
                "libraries": versions(*MLM_LIBRARIES),
            }

        def options(job: Job) -> str:
            given = {
                "finetuning_learning_rate": rate,
                **self._of_live_taggers(),
                **dumped(self.config.training, "seeds", "learning_rate", "compute_dtype"),
                **self._recipe_options(recipe, seed),
                "variant": [one.path("variant.parquet") for one in copies] or None,
            }
            run = f"--mlm={self._mlm_path()} {self._mlm_options()}"
            return f"{command_line(given | {'output': job.folder})} {run}"

        reads = [self.convert(), self.describe_mlm(), *copies]
        return self._job("finetune", f"{recipe.name}/seed{seed}", settings, reads, options)

    def _of_recipe(self, recipe: Recipe, seed: int) -> dict[str, Any]:
        architecture, definition = self.architecture(recipe), recipe.definition()
        if recipe.perturb and (part := perturbation_part(recipe.perturb)).file:
            # Where the user's file lies does not count, what it defines does.
            use = f"{function_digest(part)}:{part.function}"
            definition["perturb"] = recipe.perturb | {"use": use}
        if recipe.extra:
            definition["extra"] = [content_digest(file, MEMORY, [Path(file)]) for file in recipe.extra]
        return {"recipe": definition, "seed": seed, "architecture": architecture}

    def _recipe_options(self, recipe: Recipe, seed: int) -> dict[str, Any]:
        """Return the options of `zarpipe train` that choose what a recipe trains, and on what."""
        return {
            "architecture": self.architecture(recipe),
            **recipe.model_dump(mode="json", include=set(Mixture.model_fields)),
            "perturb": json.dumps(recipe.perturb, ensure_ascii=False) if recipe.perturb else None,
            **(recipe.documents.options() if recipe.documents else {}),
            "extra": recipe.extra or None,
            "seed": seed,
            "corpus": self.corpus("train"),
            "dev_corpus": self.corpus("dev"),
        }

    def _of_live_taggers(self) -> dict[str, Any]:
        """Return the settings that only taggers have whose MLM is trained too, and those that these share."""
        finetuning = dumped(self.config.finetuning, "learning_rate")
        tagger = dumped(self.config.tagger, "compare", "architecture", "layers", "hidden_size")
        return tagger | {f"finetuning_{name}": value for name, value in finetuning.items()}

    @functools.cache  # noqa: B019 (as long-lived as the study)
    def _training(self) -> dict[str, Any]:
        return {**dumped(self.config.training, "seeds"), "libraries": versions("torch")}

    @once
    def train_segmenter(self, seed: int) -> Job:
        """Return the job that trains one segmenter: `TAGGER_FILES`."""
        splits = {"": "train", "dev_": "dev"}

        def settings() -> dict[str, Any]:
            training = {key: value for key, value in self._training().items() if key != "predicate_flags"}
            code = {"seed": seed, "code": code_digest("train_segmenter")}
            return training | dumped(self.config.segmentation, "seeds", "table") | code

        def options(job: Job) -> str:
            given = dumped(self.config.segmentation, "seeds", "table")
            given |= dumped(self.config.training, "seeds", "predicate_flags")
            for prefix, split in splits.items():
                given |= {f"{prefix}{name}": path for name, path in self._segmented(split).items()}
            return command_line(given | {"seed": seed, "output": job.folder})

        reads = [self.convert(), *map(self.encode, splits.values())]
        reads += map(self.encode_sentences, splits.values())
        return self._job("train_segmenter", f"seed{seed}", settings, reads, options)

    @once
    def evaluate_segmenter(self, seed: int, split: str) -> Job:
        """Return the job that scores a segmenter on a split: ``scores.json``."""
        segmenter = self.train_segmenter(seed)

        def settings() -> dict[str, Any]:
            return {"code": code_digest("evaluate_segmenter"), **self._deciding()}

        def options(job: Job) -> str:
            files = {"segmenter": segmenter.folder, **self._segmented(split)}
            given = {"device": self.config.training.device, "output": job.path("scores.json")}
            return command_line(files | given)

        reads = [segmenter, self.convert(), self.encode(split), self.encode_sentences(split)]
        return self._job("evaluate_segmenter", f"seed{seed}/{split}", settings, reads, options)

    def _segmented(self, split: str) -> dict[str, str]:
        """Return the files of a split that segmenters read."""
        return {
            "corpus": self.corpus(split),
            "features": self.encode(split).path("features.h5"),
            "sentences": self.encode_sentences(split).path("features.h5"),
        }

    def taggers(self, recipe: Recipe | str) -> list[Job]:
        """Return the jobs that make the taggers of a recipe, or the one that copies those of a chosen one."""
        if isinstance(recipe, str):
            return [self.choose()]
        return [self.train(recipe, seed) for seed in self.config.training.seeds]

    def tagger(self, recipe: Recipe | str, seed: int) -> str:
        """Return the folder of a tagger."""
        if isinstance(recipe, str):
            return self.choose().path(f"{recipe}/seed{seed}")
        return self.train(recipe, seed).folder

    def tagger_files(self, recipe: Recipe | str) -> Sequence[str]:
        """Return the names of a tagger's files; of its own MLM, if it has one, those with fixed names."""
        return LIVE_TAGGER_FILES if self.is_live(recipe) else TAGGER_FILES

    @once
    def predict(self, recipe: Recipe | str, split: str) -> Job:
        """Return the job that lets a recipe's taggers decide: ``seed1.parquet``, ``seed1.probabilities.h5``.

        A chosen recipe is given by its name.
        """
        live, seeds = self.is_live(recipe), self.config.training.seeds

        def settings() -> dict[str, Any]:
            libraries = versions(*(MLM_LIBRARIES if live else ("torch",)))
            code = code_digest("predict", *self._tagger_code(recipe))
            return {**self._deciding(), "seeds": list(seeds), "code": code, "libraries": libraries}

        def options(job: Job) -> str:
            given = {
                "tagger": [self.tagger(recipe, seed) for seed in seeds],
                "corpus": self.corpus(split),
                "features": None if live else self.features(split, recipe),
                "trust_remote_code": self.config.mlm.trust_remote_code if live else None,
                "device": self.config.training.device,
            }
            return command_line(given | {"output": [job.path(f"seed{seed}.parquet") for seed in seeds]})

        reads = [*self.taggers(recipe), self.convert()]
        reads += [] if live else [self.encode(split, states_of(recipe))]
        return self._job("predict", f"{name_of(recipe)}/{split}", settings, reads, options)

    def _deciding(self) -> dict[str, Any]:
        return {"device": self.config.training.device, "libraries": versions("torch")}

    @once
    def predict_held_out(self, decided: Variant | str) -> Job:
        """Return the job that lets taggers decide documents that they have not seen (``seed1.parquet``).

        What is decided is a refilled variant, or ``train``, the originals.
        """
        seeds, folds = self.held_out_seeds(), self.grid.fold_taggers()
        variant = [] if isinstance(decided, str) else [self.encode_variant(decided)]

        def settings() -> dict[str, Any]:
            code = code_digest("predict_held_out", *self._tagger_code(BASELINE))
            return {**self._deciding(), "seeds": seeds, "code": code}

        def options(job: Job) -> str:
            given = {
                "tagger": [self.tagger(fold, seed) for seed in seeds for fold in folds],
                "corpus": self.corpus("train"),
                "features": self.features("train", BASELINE),
                "variant_features": next((one.path("features.h5") for one in variant), None),
                "device": self.config.training.device,
            }
            return command_line(given | {"output": [job.path(f"seed{seed}.parquet") for seed in seeds]})

        taggers = [self.train(fold, seed) for fold in folds for seed in seeds]
        name = decided if isinstance(decided, str) else decided.name
        reads = [*taggers, self.convert(), self.encode("train"), *variant]
        return self._job("predict_held_out", name, settings, reads, options)

    def held_out_seeds(self) -> list[int]:
        """Return the seeds of the taggers that have not seen a fold."""
        return list(self.config.antecedents.seeds or self.config.training.seeds)

    def held_out(self, decided: Variant | str) -> list[str]:
        """Return what all seeds decide of the originals (``train``) or a refilled variant, not seen."""
        job = self.predict_held_out(decided)
        return [job.path(f"seed{seed}.parquet") for seed in self.held_out_seeds()]

    @once
    def filter_copies(self, variant: Variant) -> Job:
        """Return the job that finds the refilled copies whose decisions stay: ``copies.parquet``."""

        def options(job: Job) -> str:
            given = {
                "corpus": self.corpus("train"),
                "originals": self.held_out("train"),
                "refilled": self.held_out(variant),
            }
            return command_line(given | {"output": job.path("copies.parquet")})

        reads = [self.convert(), self.predict_held_out("train"), self.predict_held_out(variant)]
        code = functools.partial(_only_code, "filter_copies")
        return self._job("filter_copies", variant.name, code, reads, options)

    def architecture(self, recipe: Recipe | str) -> str:
        """Return the architecture of a recipe's taggers; the chosen ones have the study's own."""
        own = None if isinstance(recipe, str) else recipe.architecture
        return own or self.config.tagger.architecture

    def is_live(self, recipe: Recipe | str) -> bool:
        """Tell whether the MLM is part of a recipe's taggers, which then read no features."""
        return trains_the_mlm(self.architecture(recipe))

    # --- scores

    @once
    def evaluate(self, recipe: Recipe | str, split: str) -> Job:
        """Return the job that scores a recipe's decisions (``seed1.json``)."""
        predicted, seeds = self.predict(recipe, split), self.config.training.seeds

        def options(job: Job) -> str:
            given = {
                "corpus": self.corpus(split),
                "predictions": [predicted.path(f"seed{seed}.parquet") for seed in seeds],
            }
            return command_line(given | {"output": [job.path(f"seed{seed}.json") for seed in seeds]})

        name, reads = f"{name_of(recipe)}/{split}", [predicted, self.convert()]
        return self._job("evaluate", name, functools.partial(_only_code, "evaluate"), reads, options)

    @once
    def choose(self) -> Job:
        """Return the job that chooses recipes for the test set: ``chosen.json``, copies of their taggers."""
        candidates, seeds = self.grid.candidates(), self.config.training.seeds
        recipes = recipes_in(candidates)

        def settings() -> dict[str, Any]:
            names = {method: [recipe.name for recipe in rows] for method, rows in candidates.items()}
            return {"candidates": names, "seeds": list(seeds), "code": code_digest("zarpipe.report.choose")}

        def options(job: Job) -> str:
            return "choose " + command_line({"output": job.path("chosen.json")})

        reads = [self.evaluate(recipe, "dev") for recipe in recipes]
        reads += [job for recipe in recipes for job in self.taggers(recipe)]
        return self._job("report", "choose", settings, reads, options)

    # --- what people open

    def report(
        self,
        name: str,
        settings: Callable[[], Mapping[str, Any]],
        reads: Iterable[Job],
        file: str,
        options: str = "",
        rule: str = "report",
    ) -> Job:
        """Return the job of a table, figure, page or bundle, whose command is asked to write ``file``."""
        key = (rule, name)
        if key not in self._known:

            def told(job: Job) -> str:
                return f"{options} {command_line({'output': job.path(file)})}".strip()

            self._known[key] = self._job(rule, name, settings, reads, told)
        return self._known[key]


def _only_code(job: str) -> dict[str, Any]:
    return {"code": code_digest(job)}


def _own_words(tokens: str) -> list[str]:
    return [] if tokens == "gold" else [SEGMENTERS[tokens]]


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

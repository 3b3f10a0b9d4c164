"""Stage 4, tagger: train the sequence labellers on cached features, or the MLM itself, and let them predict.

Needs: corpus/, features/; to train the MLM, variants/ instead. Makes: taggers/{recipe}/seed{seed}/ and
predictions/{recipe}/seed{seed}/; and for the change of antecedents antecedents/seed{seed}/{train or variant}.parquet and
antecedents/copies/{variant}.parquet.
The segmenter (predicates and bunsetsu) needs features/{split}-sentences.h5 too. Makes: segmenter/seed{seed}/, when the
bundle or segmentation.csv is asked for.
"""


rule train:
    """Train a tagger on cached hidden states."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.train(RECIPES[wildcards.recipe], int(wildcards.seed)),
                PATHS.tagger_files("{recipe}", "{seed}"),
                variant_features=lambda wildcards: study_workflow.training_features(
                    STUDY, RECIPES[wildcards.recipe]
                ),
                kept_copies=lambda wildcards: study_workflow.kept_copies(STUDY, RECIPES[wildcards.recipe]),
                corpus=PATHS.corpus("train"),
                features=lambda wildcards: study_workflow.split_features(
                    STUDY, RECIPES[wildcards.recipe], "train"
                ),
                dev_corpus=PATHS.corpus("dev"),
                dev_features=lambda wildcards: study_workflow.split_features(
                    STUDY, RECIPES[wildcards.recipe], "dev"
                ),
            )
        ),
    output:
        kept(PATHS.tagger_files("{recipe}", "{seed}")),
    log:
        made(PATHS.log("train/{recipe}/seed{seed}")),
    benchmark:
        made(PATHS.benchmark("train/{recipe}/seed{seed}"))
    wildcard_constraints:
        recipe=study_workflow.trained_pattern(STUDY, live=False),
    # On a cluster, several trainings share a place in the queue; not where each would ask for a GPU.
    group:
        None if study_workflow.gpus(CONFIG.training.device) else "train"
    conda:
        "../envs/zarpipe.yaml"
    # One thread: the same weights whatever --cores is.
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=1440,
        gpu=study_workflow.gpus(CONFIG.training.device),
    params:
        recipe=untracked(lambda wildcards: study_workflow.recipe_options(STUDY, RECIPES[wildcards.recipe])),
        options=untracked(JOBS.training_options()),
        folder=untracked(lambda wildcards: PATHS.tagger(wildcards.recipe, wildcards.seed)),
    shell:
        r"""
        zarpipe --job {input.job:q} train {params.recipe} {params.options} \
            --corpus {input.corpus:q} \
            --features {input.features:q} \
            --dev-corpus {input.dev_corpus:q} \
            --dev-features {input.dev_features:q} \
            --seed {wildcards.seed} \
            --threads {threads} \
            --output {params.folder:q} >{log:q} 2>&1
        """


if study_workflow.has_live(STUDY):

    rule finetune:
        """Train the masked language model itself, end to end."""
        input:
            unpack(
                reads(
                    lambda wildcards: JOBS.train(RECIPES[wildcards.recipe], int(wildcards.seed)),
                    PATHS.tagger_files("{recipe}", "{seed}", live=True),
                    variants=lambda wildcards: study_workflow.training_variants(
                        STUDY, RECIPES[wildcards.recipe]
                    ),
                    corpus=PATHS.corpus("train"),
                    dev_corpus=PATHS.corpus("dev"),
                    mlm=study_workflow.paths_of(STUDY.mlm()),
                )
            ),
        output:
            kept(PATHS.tagger_files("{recipe}", "{seed}", live=True)),
        log:
            made(PATHS.log("finetune/{recipe}/seed{seed}")),
        benchmark:
            made(PATHS.benchmark("finetune/{recipe}/seed{seed}"))
        wildcard_constraints:
            recipe=study_workflow.trained_pattern(STUDY, live=True),
        conda:
            "../envs/zarpipe.yaml"
        # One thread: the same weights whatever --cores is.
        threads: 1
        resources:
            mem_mb=memory(study_workflow.finetuning_memory(STUDY)),
            runtime=1440,
            gpu=study_workflow.gpus(CONFIG.training.device),
        params:
            recipe=untracked(
                lambda wildcards: study_workflow.recipe_options(STUDY, RECIPES[wildcards.recipe])
            ),
            mlm=untracked(MLM),
            options=untracked(JOBS.finetuning_options()),
            folder=untracked(lambda wildcards: PATHS.tagger(wildcards.recipe, wildcards.seed)),
        shell:
            r"""
            zarpipe --job {input.job:q} train {params.recipe} {params.options} \
                --mlm {params.mlm:q} \
                --corpus {input.corpus:q} \
                --dev-corpus {input.dev_corpus:q} \
                --seed {wildcards.seed} \
                --threads {threads} \
                --output {params.folder:q} >{log:q} 2>&1
            """


rule predict:
    """Let all taggers of a recipe decide the arguments of a split."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.predict(RECIPES[wildcards.recipe], wildcards.split),
                PATHS.of_seeds(PATHS.decisions, "{recipe}", SEEDS, "{split}")
                + PATHS.of_seeds(PATHS.probabilities, "{recipe}", SEEDS, "{split}"),
                taggers=lambda wildcards: study_workflow.taggers_of(STUDY, RECIPES[wildcards.recipe]),
                corpus=PATHS.corpus("{split}"),
                features=lambda wildcards: study_workflow.split_features(
                    STUDY, RECIPES[wildcards.recipe], wildcards.split
                ),
            )
        ),
    output:
        decisions=kept(PATHS.of_seeds(PATHS.decisions, "{recipe}", SEEDS, "{split}")),
        probabilities=kept(PATHS.of_seeds(PATHS.probabilities, "{recipe}", SEEDS, "{split}")),
    log:
        made(PATHS.log("predict/{recipe}/{split}")),
    benchmark:
        made(PATHS.benchmark("predict/{recipe}/{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        taggers=untracked(lambda wildcards: [PATHS.tagger(wildcards.recipe, seed) for seed in SEEDS]),
        options=untracked(
            lambda wildcards: study_workflow.prediction_options(
                STUDY, RECIPES[wildcards.recipe], wildcards.split
            )
        ),
        device=untracked(CONFIG.training.device),
    shell:
        r"""
        zarpipe --job {input.job:q} predict {params.options} \
            --tagger {params.taggers:q} \
            --corpus {input.corpus:q} \
            --device {params.device} \
            --threads {threads} \
            --output {output.decisions:q} >{log:q} 2>&1
        """


# What taggers decide that have not seen it: the training sentences as they are, and refilled.
DECIDED = study_workflow.decided_by_name(STUDY)


rule predict_held_out:
    """Let taggers decide training documents that they have not seen, as they are or refilled by the MLM."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.predict_held_out(DECIDED[wildcards.decided]),
                study_workflow.held_out_files(STUDY, "{decided}"),
                taggers=study_workflow.fold_tagger_files(STUDY),
                corpus=PATHS.corpus("train"),
                features=PATHS.features("train"),
                variant_features=lambda wildcards: study_workflow.decided_features(STUDY, wildcards.decided),
            )
        ),
    output:
        kept(study_workflow.held_out_files(STUDY, "{decided}")),
    log:
        made(PATHS.log("predict_held_out/{decided}")),
    benchmark:
        made(PATHS.benchmark("predict_held_out/{decided}"))
    wildcard_constraints:
        decided=f"train|{study_workflow.VARIANT_PATTERN}",
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        taggers=untracked(study_workflow.fold_taggers(STUDY)),
        device=untracked(CONFIG.training.device),
        variant=untracked(lambda wildcards: study_workflow.decided_options(STUDY, wildcards.decided)),
    shell:
        r"""
        zarpipe --job {input.job:q} predict-held-out \
            --tagger {params.taggers:q} \
            --corpus {input.corpus:q} \
            --features {input.features:q} {params.variant} \
            --device {params.device} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """


rule filter_copies:
    """Find the copies of a refilled variant about which the taggers decide as about the originals."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.filter_copies(VARIANTS[wildcards.variant]),
                [PATHS.kept_copies("{variant}")],
                corpus=PATHS.corpus("train"),
                originals=study_workflow.held_out_files(STUDY, "train"),
                refilled=study_workflow.held_out_files(STUDY, "{variant}"),
            )
        ),
    output:
        kept([PATHS.kept_copies("{variant}")]),
    log:
        made(PATHS.log("filter_copies/{variant}")),
    benchmark:
        made(PATHS.benchmark("filter_copies/{variant}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    shell:
        r"""
        zarpipe --job {input.job:q} filter-copies \
            --corpus {input.corpus:q} \
            --originals {input.originals:q} \
            --refilled {input.refilled:q} \
            --output {output:q} >{log:q} 2>&1
        """


rule train_segmenter:
    """Train what finds predicates and bunsetsu on the hidden states of all sentences."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.train_segmenter(int(wildcards.seed)),
                PATHS.segmenter_files("{seed}"),
                corpus=PATHS.corpus("train"),
                features=PATHS.features("train"),
                sentences=PATHS.sentences("train"),
                dev_corpus=PATHS.corpus("dev"),
                dev_features=PATHS.features("dev"),
                dev_sentences=PATHS.sentences("dev"),
            )
        ),
    output:
        kept(PATHS.segmenter_files("{seed}")),
    log:
        made(PATHS.log("train_segmenter/seed{seed}")),
    benchmark:
        made(PATHS.benchmark("train_segmenter/seed{seed}"))
    conda:
        "../envs/zarpipe.yaml"
    # One thread: the same weights whatever --cores is.
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=240,
        gpu=study_workflow.gpus(CONFIG.training.device),
    params:
        options=untracked(JOBS.segmenter_options()),
        folder=untracked(lambda wildcards: PATHS.segmenter(wildcards.seed)),
    shell:
        r"""
        zarpipe --job {input.job:q} train-segmenter {params.options} \
            --corpus {input.corpus:q} \
            --features {input.features:q} \
            --sentences {input.sentences:q} \
            --dev-corpus {input.dev_corpus:q} \
            --dev-features {input.dev_features:q} \
            --dev-sentences {input.dev_sentences:q} \
            --seed {wildcards.seed} \
            --threads {threads} \
            --output {params.folder:q} >{log:q} 2>&1
        """

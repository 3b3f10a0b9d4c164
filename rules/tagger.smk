"""Stage 4, tagger: train the sequence labellers on cached features, and let them predict.

Needs: corpus/, features/. Makes: taggers/{recipe}/seed{seed}/ and predictions/{recipe}/seed{seed}/; and for the
change of antecedents antecedents/seed{seed}/{train or variant}.parquet and antecedents/copies/{variant}.parquet.
"""

for rule_name, group in study_workflow.seed_groups(STUDY).items():

    rule:
        name:
            rule_name
        # One thread: the same weights whatever --cores is.
        input:
            unpack(
                reads(
                    lambda wildcards, group=group: [
                        JOBS.train(RECIPES[wildcards.recipe], int(seed.format(**wildcards)))
                        for seed in group
                    ],
                    PATHS.taggers_files("{recipe}", group),
                    variant_features=lambda wildcards: study_workflow.training_features(
                        STUDY, RECIPES[wildcards.recipe]
                    ),
                    kept_copies=lambda wildcards: study_workflow.kept_copies(
                        STUDY, RECIPES[wildcards.recipe]
                    ),
                    corpus=PATHS.corpus("train"),
                    features=PATHS.features("train"),
                    dev_corpus=PATHS.corpus("dev"),
                    dev_features=PATHS.features("dev"),
                )
            ),
        output:
            kept(PATHS.taggers_files("{recipe}", group)),
        log:
            made(PATHS.log(f"train/{{recipe}}/seed{group[0]}")),
        benchmark:
            made(PATHS.benchmark(f"train/{{recipe}}/seed{group[0]}"))
        wildcard_constraints:
            recipe=study_workflow.TRAINED_PATTERN,
        # On a cluster, several trainings share a place in the queue; not where each would ask for a GPU.
        group:
            None if study_workflow.gpus(CONFIG.training.device) else "train"
        conda:
            "../envs/zarpipe.yaml"
        threads: 1
        resources:
            mem_mb=memory(4000),
            runtime=1440,
            gpu=study_workflow.gpus(CONFIG.training.device),
        params:
            recipe=untracked(
                lambda wildcards: study_workflow.recipe_options(STUDY, RECIPES[wildcards.recipe])
            ),
            options=untracked(JOBS.training_options()),
            seeds=untracked(lambda wildcards, group=group: [seed.format(**wildcards) for seed in group]),
            folder=untracked(lambda wildcards: PATHS.recipe_folder(wildcards.recipe)),
        shell:
            r"""
            zarpipe --job {input.job:q} train {params.recipe} {params.options} \
                --corpus {input.corpus:q} \
                --features {input.features:q} \
                --dev-corpus {input.dev_corpus:q} \
                --dev-features {input.dev_features:q} \
                --seeds {params.seeds} \
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
                taggers=PATHS.taggers_files("{recipe}", SEEDS),
                corpus=PATHS.corpus("{split}"),
                features=PATHS.features("{split}"),
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
        device=untracked(CONFIG.training.device),
    shell:
        r"""
        zarpipe --job {input.job:q} predict \
            --tagger {params.taggers:q} \
            --corpus {input.corpus:q} \
            --features {input.features:q} \
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

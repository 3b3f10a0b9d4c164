"""Stage 4, tagger: train the sequence labellers on cached features, and let them predict.

Needs: corpus/, features/. Makes: taggers/{recipe}/seed{seed}/ and predictions/{recipe}/seed{seed}/.
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

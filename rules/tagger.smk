"""Stage 4, tagger: train the BiGRU sequence labeller on cached features, and let it predict.

Needs: corpus/, features/. Makes: taggers/{recipe}/seed{seed}/ and predictions/{recipe}/seed{seed}/.
"""

PREDICT_SPEC = dict(
    device=CONFIG.training.device,
    code=code_digest("zarpipe.tagger.predict"),
    libraries=versions("torch"),
    features=FEATURES_KEY,
)


for rule_name, group in seed_groups().items():

    rule:
        name:
            rule_name
        # One thread: the same weights whatever --cores is.
        input:
            unpack(training_features),
            corpus=f"{CORPUS_FOLDER}/train.parquet",
            dev_corpus=f"{CORPUS_FOLDER}/dev.parquet",
            dev_features=feature_file("dev"),
            dev_manifest=feature_manifest("dev"),
        output:
            expand(
                results("taggers/{recipe}/seed{seed}/{name}"),
                seed=group,
                name=TAGGER_FILES,
                allow_missing=True,
            ),
        log:
            results(f"logs/train/{{recipe}}/seed{group[0]}.log"),
        benchmark:
            results(f"benchmarks/train/{{recipe}}/seed{group[0]}.tsv")
        wildcard_constraints:
            recipe=TRAINED,  # the chosen recipes' taggers are copies
        # On a cluster, several trainings share a place in the queue; not where each would ask for a GPU of its own.
        group:
            None if gpus(CONFIG.training.device) else "train"
        conda:
            "../envs/zarpipe.yaml"
        threads: 1
        resources:
            mem_mb=growing(4000),
            runtime=growing(1440),
            gpu=gpus(CONFIG.training.device),
        params:
            spec=train_spec,
            seeds=job_seeds(group),
        shell:
            "zarpipe train --corpus {input.corpus:q} --features {input.train_features:q} "
            "{params.spec[training_set]} --dev-corpus {input.dev_corpus:q} --dev-features {input.dev_features:q} "
            "--seeds {params.seeds} {params.spec[options]} --threads {threads} "
            "--output {params.spec[output]:q} > {log:q} 2>&1"


rule predict:
    """Let all taggers of a recipe decide the arguments of a split."""
    input:
        taggers=expand(
            results("taggers/{recipe}/seed{seed}/{name}"),
            seed=SEEDS,
            name=TAGGER_FILES[:2],
            allow_missing=True,
        ),
        corpus=f"{CORPUS_FOLDER}/{{split}}.parquet",
        features=feature_file("{split}"),
        manifest=feature_manifest("{split}"),
    output:
        decisions=expand(
            results("predictions/{recipe}/seed{seed}/{split}.parquet"), seed=SEEDS, allow_missing=True
        ),
        probabilities=expand(
            results("predictions/{recipe}/seed{seed}/{split}.probabilities.h5"),
            seed=SEEDS,
            allow_missing=True,
        ),
    log:
        results("logs/predict/{recipe}/{split}.log"),
    benchmark:
        results("benchmarks/predict/{recipe}/{split}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        spec=lambda wildcards: dict(
            PREDICT_SPEC, taggers=[results(f"taggers/{wildcards.recipe}/seed{seed}") for seed in SEEDS]
        ),
    shell:
        "zarpipe predict --tagger {params.spec[taggers]:q} --corpus {input.corpus:q} --features {input.features:q} "
        "--device {params.spec[device]} --threads {threads} --output {output.decisions:q} > {log:q} 2>&1"

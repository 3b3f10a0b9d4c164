"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced and by what.

Needs: corpus/train.parquet, for CDA the masked language model. Makes: variants/{variant}.parquet.
"""


rule augment:
    """Choose the tokens of each training instance that are masked, or replaced by what the MLM predicts."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.augment(VARIANTS[wildcards.variant]),
                [PATHS.variant("{variant}")],
                lambda wildcards, key: study_workflow.stored_variant(STUDY, wildcards.variant, key),
                corpus=PATHS.corpus("train"),
                mlm=lambda wildcards: (
                    study_workflow.paths_of(STUDY.running_mlm())
                    if VARIANTS[wildcards.variant].replaces
                    else []
                ),
                probabilities=lambda wildcards: study_workflow.probabilities_file(
                    STUDY, VARIANTS[wildcards.variant]
                ),
            )
        ),
    output:
        kept([PATHS.variant("{variant}")]),
    log:
        made(PATHS.log("augment/{variant}")),
    benchmark:
        made(PATHS.benchmark("augment/{variant}"))
    # Before other jobs, so that what is wrong with a policy is told before trainings.
    priority: 1
    conda:
        "../envs/zarpipe.yaml"
    threads: lambda wildcards: CONFIG.encoding.threads if VARIANTS[wildcards.variant].replaces else 1
    resources:
        mem_mb=lambda wildcards, attempt: (6000 if VARIANTS[wildcards.variant].replaces else 2000) * attempt,
        runtime=lambda wildcards: 120 if VARIANTS[wildcards.variant].replaces else 10,
        gpu=lambda wildcards: (
            study_workflow.gpus(CONFIG.encoding.device) if VARIANTS[wildcards.variant].replaces else 0
        ),
    params:
        options=untracked(
            lambda wildcards: study_workflow.command_line(
                JOBS.augmentation_options(VARIANTS[wildcards.variant])
            )
        ),
        mlm=untracked(lambda wildcards: study_workflow.filling_options(STUDY, VARIANTS[wildcards.variant])),
        probabilities=untracked(
            lambda wildcards: study_workflow.probabilities_options(STUDY, VARIANTS[wildcards.variant])
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} augment {input.corpus:q} {params.options} {params.mlm} {params.probabilities} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """

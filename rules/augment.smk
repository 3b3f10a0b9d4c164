"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced and by what.

Needs: corpus/train.parquet, for CDA and policies of surprisal the masked language model. Makes: variants/{variant}.parquet.
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
                    study_workflow.paths_of(STUDY.mlm())
                    if JOBS.runs_mlm(VARIANTS[wildcards.variant])
                    else []
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
    threads: lambda wildcards: CONFIG.encoding.threads if JOBS.runs_mlm(VARIANTS[wildcards.variant]) else 1
    resources:
        mem_mb=lambda wildcards, attempt: (6000 if JOBS.runs_mlm(VARIANTS[wildcards.variant]) else 2000)
        * attempt,
        runtime=lambda wildcards: 240 if JOBS.runs_mlm(VARIANTS[wildcards.variant]) else 10,
        gpu=lambda wildcards: (
            study_workflow.gpus(CONFIG.encoding.device) if JOBS.runs_mlm(VARIANTS[wildcards.variant]) else 0
        ),
    params:
        options=untracked(
            lambda wildcards: study_workflow.command_line(
                JOBS.augmentation_options(VARIANTS[wildcards.variant])
            )
        ),
        mlm=untracked(lambda wildcards: study_workflow.mlm_options(STUDY, VARIANTS[wildcards.variant])),
    shell:
        r"""
        zarpipe --job {input.job:q} augment {input.corpus:q} {params.options} {params.mlm} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """

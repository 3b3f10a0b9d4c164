"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced and by what.

Needs: corpus/train.parquet, for CDA the masked language model. Makes: variants/{variant}.parquet.
"""

VARIANTS = {recipe.variant.name: recipe.variant for recipe in STUDY.grid.recipes() if recipe.variant}


def replaces(wildcards):
    """Tell whether a variant's masks are filled by the masked language model."""
    return VARIANTS[wildcards.variant].method == "cda"


rule augment:
    """Choose the tokens of each training instance that are masked, or replaced by what the MLM predicts."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.augment(VARIANTS[wildcards.variant]),
                [PATHS.variant("{variant}")],
                lambda wildcards, key: study_workflow.stored(
                    STUDY,
                    "variants",
                    key,
                    PATHS.variant(wildcards.variant),
                    [PATHS.variant(wildcards.variant)],
                ),
                corpus=PATHS.corpus("train"),
                mlm=lambda wildcards: paths_of(STUDY.mlm()) if replaces(wildcards) else [],
            )
        ),
    output:
        kept([PATHS.variant("{variant}")]),
    log:
        made(PATHS.log("augment/{variant}")),
    benchmark:
        made(PATHS.benchmark("augment/{variant}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: lambda wildcards: CONFIG.encoding.threads if replaces(wildcards) else 1
    resources:
        mem_mb=lambda wildcards, attempt: (6000 if replaces(wildcards) else 2000) * attempt,
        runtime=lambda wildcards: 120 if replaces(wildcards) else 10,
        gpu=lambda wildcards: gpus(CONFIG.encoding.device) if replaces(wildcards) else 0,
    params:
        options=untracked(
            lambda wildcards: command_line(JOBS.augmentation_options(VARIANTS[wildcards.variant]))
        ),
        mlm=untracked(
            lambda wildcards: (
                f"{command_line({'mlm': MLM})} {MLM_OPTIONS} {ENCODING_OPTIONS}" if replaces(wildcards) else ""
            )
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} augment {input.corpus:q} {params.options} {params.mlm} \
            --threads {threads} \
            --output {output:q} > {log:q} 2>&1
        """

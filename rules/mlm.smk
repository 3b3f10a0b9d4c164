"""The frozen masked language model.

Makes: mlm/manifest.json (digest of the model's files).
"""

# Where the model is, how it is loaded and how it is run: for every rule that runs it.
MLM = JOBS.model_path()
MLM_OPTIONS = study_workflow.options(CONFIG.mlm, "path")


rule describe_mlm:
    """Record which masked language model this is."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.describe_mlm(),
                [PATHS.mlm_manifest()],
                lambda wildcards, key: study_workflow.stored(
                    STUDY, "mlm", key, PATHS.mlm_manifest(), [PATHS.mlm_manifest()]
                ),
            )
        ),
    output:
        kept([PATHS.mlm_manifest()]),
    log:
        made(PATHS.log("describe_mlm")),
    benchmark:
        made(PATHS.benchmark("describe_mlm"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        # The model is loaded and tried.
        mem_mb=memory(6000),
        runtime=30,
    params:
        mlm=untracked(MLM),
        options=untracked(MLM_OPTIONS),
    shell:
        r"""
        zarpipe --job {input.job:q} describe-mlm {params.mlm:q} {params.options} \
            --output {output:q} >{log:q} 2>&1
        """

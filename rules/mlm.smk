"""The frozen masked language model: pretrained here when mlm.path is null, and described in any case.

Makes: mlm/manifest.json (digest of the model's files), mlm/model/ without mlm.path.
"""

# Where the model is, how it is loaded and how it is run: for every rule that runs it.
MLM = CONFIG.mlm.path or PATHS.model()
MLM_OPTIONS = study_workflow.options(CONFIG.mlm, "path")


rule pretrain:
    """Pretrain a small masked language model on the sample's unlabelled text."""
    input:
        unpack(reads(lambda wildcards: JOBS.pretrain(), PATHS.model_files(), text=PATHS.unlabelled())),
    output:
        kept(PATHS.model_files()),
    log:
        made(PATHS.log("pretrain")),
    benchmark:
        made(PATHS.benchmark("pretrain"))
    conda:
        "../envs/zarpipe.yaml"
    # One: so small a model gains nothing from more, and gives the same weights whatever --cores is.
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        options=untracked(study_workflow.options(CONFIG.pretraining)),
        folder=untracked(PATHS.model()),
    shell:
        r"""
        zarpipe --job {input.job:q} pretrain {input.text:q} {params.options} \
            --threads {threads} \
            --output {params.folder:q} >{log:q} 2>&1
        """


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
                model=[] if CONFIG.mlm.path else PATHS.model_files(),
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

"""The frozen masked language model: pretrained here when mlm.path is null, and described in any case.

Makes: mlm/manifest.json (digest of the model's files), mlm/model/ without mlm.path. From corpus/train.parquet too: for
policies of surprisal mlm/token_probabilities.parquet, with `encoding.compute_dtype: auto` mlm/compute_dtype.json.
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


rule choose_compute_dtype:
    """Choose the number format of the masked language model's computation, with `encoding.compute_dtype: auto`."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.choose_compute_dtype(),
                [PATHS.compute_dtype()],
                lambda wildcards, key: study_workflow.stored(
                    STUDY, "compute_dtype", key, PATHS.compute_dtype(), [PATHS.compute_dtype()]
                ),
                corpus=PATHS.corpus("train"),
                mlm=study_workflow.paths_of(STUDY.mlm()),
            )
        ),
    output:
        kept([PATHS.compute_dtype()]),
    log:
        made(PATHS.log("choose_compute_dtype")),
    benchmark:
        made(PATHS.benchmark("choose_compute_dtype"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=30,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(
            f"{MLM_OPTIONS} {study_workflow.options(CONFIG.encoding, 'threads', 'compute_dtype', *study_workflow.TOKEN_KEYS)}"
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} choose-compute-dtype {input.corpus:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """


rule token_probabilities:
    """Ask the masked language model how probable it finds each token, for the policy surprisal."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.token_probabilities(),
                [PATHS.token_probabilities()],
                lambda wildcards, key: study_workflow.stored(
                    STUDY,
                    "token_probabilities",
                    key,
                    PATHS.token_probabilities(),
                    [PATHS.token_probabilities()],
                ),
                corpus=PATHS.corpus("train"),
                mlm=study_workflow.paths_of(STUDY.running_mlm()),
            )
        ),
    output:
        kept([PATHS.token_probabilities()]),
    log:
        made(PATHS.log("token_probabilities")),
    benchmark:
        made(PATHS.benchmark("token_probabilities"))
    priority: 1
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(
            f"{MLM_OPTIONS} {study_workflow.encoding_options(STUDY, None, *study_workflow.TOKEN_KEYS)}"
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} token-probabilities {input.corpus:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """

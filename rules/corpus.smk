"""Stage 1, corpus: the configured corpus, or a sample that zarpipe makes, to one Parquet file per split.

Needs: corpus.path. Makes: corpus/{train,dev,test}.parquet, and sample/ without corpus.path.
"""


rule sample:
    """Make a small corpus in the layout of NTC 1.5, and unlabelled text of the same kind."""
    input:
        unpack(reads(lambda wildcards: JOBS.sample(), PATHS.sample_files())),
    output:
        kept(PATHS.sample_files()),
    log:
        made(PATHS.log("sample")),
    benchmark:
        made(PATHS.benchmark("sample"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        options=untracked(study_workflow.options(CONFIG.sample)),
        folder=untracked(PATHS.sample()),
    shell:
        r"""
        zarpipe --job {input.job:q} sample {params.options} \
            --output {params.folder:q} >{log:q} 2>&1
        """


rule convert:
    """Read the annotated corpus and write one Parquet file per split."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.convert(),
                PATHS.corpora(),
                lambda wildcards, key: study_workflow.stored(
                    STUDY, "corpus", key, PATHS.corpus_folder(), PATHS.corpora()
                ),
                sample=[] if CONFIG.corpus.path else PATHS.sample_files(),
            )
        ),
    output:
        kept(PATHS.corpora()),
    log:
        made(PATHS.log("convert")),
    benchmark:
        made(PATHS.benchmark("convert"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 8
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        corpus=untracked(CONFIG.corpus.path or PATHS.sample()),
        options=untracked(study_workflow.command_line(JOBS.conversion_options())),
        folder=untracked(PATHS.corpus_folder()),
    shell:
        r"""
        zarpipe --job {input.job:q} convert {params.corpus:q} {params.options} \
            --jobs {threads} \
            --output {params.folder:q} >{log:q} 2>&1
        """

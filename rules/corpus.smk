"""Stage 1, corpus: the configured corpus, or the made one of the package, to one Parquet file per split.

Makes: corpus/{train,dev,test}.parquet.
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
        corpus=untracked(JOBS.corpus_path()),
        options=untracked(study_workflow.command_line(JOBS.conversion_options())),
        folder=untracked(PATHS.corpus_folder()),
    shell:
        r"""
        zarpipe --job {input.job:q} convert {params.corpus:q} {params.options} \
            --jobs {threads} \
            --output {params.folder:q} >{log:q} 2>&1
        """

"""Stage 1, corpus: the configured corpus, or the made one of the package, to one Parquet file per split."""


rule convert:
    """Read the annotated corpus and write one Parquet file per split."""
    input:
        reads,
    output:
        folder("convert"),
    log:
        log_of("convert"),
    conda:
        "../envs/zarpipe.yaml"
    threads: 8
    resources:
        mem_mb=memory(4000),
        runtime=30,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} convert {params.job.options} --jobs {threads} >{log:q} 2>&1"

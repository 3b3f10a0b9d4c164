"""The masked language model: the configured one, or the small one of the package, described and tried."""


rule describe_mlm:
    """Record which masked language model this is; it is loaded and tried."""
    input:
        reads,
    output:
        folder("describe_mlm"),
    log:
        log_of("describe_mlm"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=30,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} describe-mlm {params.job.options} >{log:q} 2>&1"

"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced by what the MLM predicts.

Before other jobs (priority), so that what is wrong with a policy is told before trainings.
"""


rule augment:
    """Make a variant of the training instances."""
    input:
        reads,
    output:
        folder("augment"),
    log:
        log_of("augment"),
    priority: 1
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=120,
        gpu=lambda wildcards: gpus(CONFIG.encoding.device) * ("--mlm" in job(wildcards).options),
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} augment {params.job.options} --threads {threads} >{log:q} 2>&1"

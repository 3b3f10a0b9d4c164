"""Stage 3, encoding: hidden states of the frozen masked language model, once per distinct sequence."""


rule encode:
    """Encode the sentences of a split that have a predicate."""
    input:
        reads,
    output:
        folder("encode"),
    log:
        log_of("encode"),
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=gpus(CONFIG.encoding.device),
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} encode {params.job.options} --threads {threads} >{log:q} 2>&1"


# The sequences of a variant that differ from the originals.
use rule encode as encode_variant with:
    output:
        folder("encode_variant"),
    log:
        log_of("encode_variant"),
    resources:
        mem_mb=memory(6000),
        runtime=1440,
        gpu=gpus(CONFIG.encoding.device),


# The sentences of a split that have no predicate.
use rule encode as encode_sentences with:
    output:
        folder("encode_sentences"),
    log:
        log_of("encode_sentences"),

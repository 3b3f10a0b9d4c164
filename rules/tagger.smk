"""Stage 4, tagger: train the sequence labellers on cached features, or the MLM itself, and let them predict.

One thread: the same weights whatever --cores is. On a cluster several trainings share a place in the queue, not where
each would ask for a GPU.
"""


rule train:
    """Train one tagger on cached features."""
    input:
        reads,
    output:
        folder("train"),
    log:
        log_of("train"),
    group:
        None if gpus(CONFIG.training.device) else "train"
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=1440,
        gpu=gpus(CONFIG.training.device),
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} train {params.job.options} --threads {threads} >{log:q} 2>&1"


# The masked language model itself, end to end.
use rule train as finetune with:
    output:
        folder("finetune"),
    log:
        log_of("finetune"),
    group:
        None
    resources:
        mem_mb=memory(WORKFLOW.finetuning_megabytes()),
        runtime=1440,
        gpu=gpus(CONFIG.training.device),


rule predict:
    """Let all taggers of a recipe decide the arguments of a split."""
    input:
        reads,
    output:
        folder("predict"),
    log:
        log_of("predict"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} predict {params.job.options} --threads {threads} >{log:q} 2>&1"


rule predict_held_out:
    """Let taggers decide training documents that they have not seen, as they are or refilled by the MLM."""
    input:
        reads,
    output:
        folder("predict_held_out"),
    log:
        log_of("predict_held_out"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=120,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} predict-held-out {params.job.options} --threads {threads} >{log:q} 2>&1"


rule filter_copies:
    """Find the copies of a refilled variant about which the taggers decide as about the originals."""
    input:
        reads,
    output:
        folder("filter_copies"),
    log:
        log_of("filter_copies"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} filter-copies {params.job.options} >{log:q} 2>&1"


rule train_segmenter:
    """Train what finds predicates and bunsetsu on the hidden states of all sentences."""
    input:
        reads,
    output:
        folder("train_segmenter"),
    log:
        log_of("train_segmenter"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=240,
        gpu=gpus(CONFIG.training.device),
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} train-segmenter {params.job.options} --threads {threads} >{log:q} 2>&1"

"""Stage 5, evaluation: true and false positives of each tagger by case and by DEP/ZAR."""


rule evaluate:
    """Score the decisions of all taggers of a recipe."""
    input:
        reads,
    output:
        folder("evaluate"),
    log:
        log_of("evaluate"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} evaluate {params.job.options} >{log:q} 2>&1"


rule evaluate_segmenter:
    """Score the predicates and bunsetsu that a segmenter finds."""
    input:
        reads,
    output:
        folder("evaluate_segmenter"),
    log:
        log_of("evaluate_segmenter"),
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} evaluate-segmenter {params.job.options} --threads {threads} >{log:q} 2>&1"

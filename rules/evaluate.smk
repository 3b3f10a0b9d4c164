"""Stage 5, evaluation: true and false positives of each tagger by case and by DEP/ZAR.

Needs: corpus/, predictions/. Makes: scores/{recipe}/seed{seed}/{split}.json.
"""


rule evaluate:
    """Score the decisions of all taggers of a recipe."""
    input:
        corpus=f"{CORPUS_FOLDER}/{{split}}.parquet",
        predictions=expand(
            results("predictions/{recipe}/seed{seed}/{split}.parquet"), seed=SEEDS, allow_missing=True
        ),
    output:
        expand(results("scores/{recipe}/seed{seed}/{split}.json"), seed=SEEDS, allow_missing=True),
    log:
        results("logs/evaluate/{recipe}/{split}.log"),
    benchmark:
        results("benchmarks/evaluate/{recipe}/{split}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        spec=dict(code=code_digest("zarpipe.evaluate.evaluation")),
    shell:
        "zarpipe evaluate --corpus {input.corpus:q} --predictions {input.predictions:q} --output {output:q} "
        "> {log:q} 2>&1"

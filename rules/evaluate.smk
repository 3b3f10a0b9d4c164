"""Stage 5, evaluation: true and false positives of each tagger by case and by DEP/ZAR.

Needs: corpus/, predictions/. Makes: scores/{recipe}/seed{seed}/{split}.json.
"""


rule evaluate:
    """Score the decisions of all taggers of a recipe."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.evaluate(RECIPES[wildcards.recipe], wildcards.split),
                PATHS.of_seeds(PATHS.scores, "{recipe}", SEEDS, "{split}"),
                corpus=PATHS.corpus("{split}"),
                predictions=PATHS.of_seeds(PATHS.decisions, "{recipe}", SEEDS, "{split}"),
            )
        ),
    output:
        kept(PATHS.of_seeds(PATHS.scores, "{recipe}", SEEDS, "{split}")),
    log:
        made(PATHS.log("evaluate/{recipe}/{split}")),
    benchmark:
        made(PATHS.benchmark("evaluate/{recipe}/{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    shell:
        r"""
        zarpipe --job {input.job:q} evaluate \
            --corpus {input.corpus:q} \
            --predictions {input.predictions:q} \
            --output {output:q} >{log:q} 2>&1
        """

"""Stage 5, evaluation: true and false positives of each tagger by case and by DEP/ZAR.

Needs: corpus/, predictions/. Makes: scores/{recipe}/seed{seed}/{split}.json; from segmenter/ and features/
segmenter/scores/seed{seed}/{split}.json.
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


rule evaluate_segmenter:
    """Score the predicates and bunsetsu that a segmenter finds."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.evaluate_segmenter(int(wildcards.seed), wildcards.split),
                [PATHS.segmentation_scores("{seed}", "{split}")],
                segmenter=PATHS.segmenter_files("{seed}"),
                corpus=PATHS.corpus("{split}"),
                features=PATHS.features("{split}"),
                sentences=PATHS.sentences("{split}"),
            )
        ),
    output:
        kept([PATHS.segmentation_scores("{seed}", "{split}")]),
    log:
        made(PATHS.log("evaluate_segmenter/seed{seed}/{split}")),
    benchmark:
        made(PATHS.benchmark("evaluate_segmenter/seed{seed}/{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        segmenter=untracked(lambda wildcards: PATHS.segmenter(wildcards.seed)),
        device=untracked(CONFIG.training.device),
    shell:
        r"""
        zarpipe --job {input.job:q} evaluate-segmenter \
            --segmenter {params.segmenter:q} \
            --corpus {input.corpus:q} \
            --features {input.features:q} \
            --sentences {input.sentences:q} \
            --device {params.device} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """

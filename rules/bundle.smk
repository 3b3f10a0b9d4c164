"""Bundle: a recipe's taggers in one folder that works anywhere. Made only when it is asked for.

Needs: taggers/, predictions/ and scores/ of the recipe, segmenter/, mlm/; for the chosen masking recipe also
chosen.json. Makes: bundle/ (chosen-masking) and bundles/{recipe}/.
"""

from zarpipe.serve.bundle import make as bundle_making


rule bundle:
    """Put the chosen masking recipe's taggers into a folder, with all that they need."""
    input:
        unpack(
            reads(
                lambda wildcards: bundle_making.job(STUDY),
                [PATHS.bundle_manifest()],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(bundle_making.inputs(STUDY)),
            )
        ),
    output:
        kept([PATHS.bundle_manifest()]),
    log:
        made(PATHS.log("bundle")),
    benchmark:
        made(PATHS.benchmark("bundle"))
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        recipe=untracked(bundle_making.RECIPE),
        folder=untracked(PATHS.results),
        output=untracked(PATHS.bundle()),
    shell:
        r"""
        zarpipe --job {input.job:q} bundle {params.folder:q} \
            --recipe {params.recipe} \
            --output {params.output:q} >{log:q} 2>&1
        """


rule bundle_of_recipe:
    """Put the taggers of any recipe into a folder, with all that they need."""
    input:
        unpack(
            reads(
                lambda wildcards: bundle_making.job(STUDY, RECIPES[wildcards.recipe]),
                [PATHS.bundle_manifest("{recipe}")],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(
                    bundle_making.inputs(STUDY, RECIPES[wildcards.recipe])
                ),
            )
        ),
    output:
        kept([PATHS.bundle_manifest("{recipe}")]),
    log:
        made(PATHS.log("bundle/{recipe}")),
    benchmark:
        made(PATHS.benchmark("bundle/{recipe}"))
    wildcard_constraints:
        recipe=study_workflow.trained_pattern(STUDY, live=False),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        folder=untracked(PATHS.results),
        output=untracked(lambda wildcards: PATHS.bundle(wildcards.recipe)),
    shell:
        r"""
        zarpipe --job {input.job:q} bundle {params.folder:q} \
            --recipe {wildcards.recipe} \
            --output {params.output:q} >{log:q} 2>&1
        """

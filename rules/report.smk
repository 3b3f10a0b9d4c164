"""Stage 6, report: tables, figures and pages.

Needs: scores/, predictions/, variants/, corpus/, taggers/. Makes: the tables and figures of zarpipe.report.tables,
chosen.json, learning_curves/, examples.html and index.html. Best settings are chosen on dev: inside the jobs of
Tables 4, 5 and 7, and by `choose` for the test set.
"""

from zarpipe.report.ending import ending
from zarpipe.report.choose import inputs as choose_inputs
from zarpipe.report.figures import learning_curves
from zarpipe.report.pages import antecedents_sheet, examples, index

try:
    tables.refuse_others(STUDY, sys.argv)
except ZarpipeError as error:
    raise WorkflowError(str(error))


rule study:
    """Write down the configuration and the definitions of all recipes."""
    input:
        unpack(reads(lambda wildcards: JOBS.study(), [PATHS.study(), PATHS.recipes()])),
    output:
        kept([PATHS.study(), PATHS.recipes()]),
    log:
        made(PATHS.log("study")),
    benchmark:
        made(PATHS.benchmark("study"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=5,
    params:
        configuration=untracked(CONFIG.model_dump_json()),
        folder=untracked(PATHS.results),
    shell:
        r"""
        zarpipe --job {input.job:q} study \
            --configfile <(printf %s {params.configuration:q}) \
            --output {params.folder:q} >{log:q} 2>&1
        """


for table in tables.wanted_tables(STUDY).values():

    rule:
        name:
            table.NAME
        input:
            unpack(
                reads(
                    lambda wildcards, table=table: tables.job(table, STUDY),
                    tables.files(table, STUDY),
                    study=PATHS.study(),
                    files=lambda wildcards, table=table: study_workflow.paths_of(table.inputs(STUDY)),
                )
            ),
        output:
            [shown(file, table) for file in tables.files(table, STUDY)],
        log:
            made(PATHS.log(table.NAME)),
        benchmark:
            made(PATHS.benchmark(table.NAME))
        localrule: True
        conda:
            "../envs/zarpipe.yaml"
        threads: 1
        resources:
            mem_mb=memory(3000),
            runtime=30,
        params:
            name=untracked(table.NAME),
            folder=untracked(PATHS.results),
            output=untracked(PATHS.table(table.NAME)),
        shell:
            r"""
            zarpipe --job {input.job:q} report {params.name} \
                --results {params.folder:q} \
                --output {params.output:q} >{log:q} 2>&1
            """


rule choose:
    """Choose on dev what goes on to the test set: a CDA, a masking and each named recipe; copy their taggers."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.choose(),
                [PATHS.chosen(), *study_workflow.chosen_taggers(STUDY)],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(choose_inputs(STUDY)),
            )
        ),
    output:
        choice=kept([PATHS.chosen()]),
        taggers=kept(study_workflow.chosen_taggers(STUDY)),
    log:
        made(PATHS.log("choose")),
    benchmark:
        made(PATHS.benchmark("choose"))
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(500),
        runtime=10,
    params:
        folder=untracked(PATHS.results),
        output=untracked(PATHS.chosen()),
    shell:
        r"""
        zarpipe --job {input.job:q} report choose \
            --results {params.folder:q} \
            --output {params.output:q} >{log:q} 2>&1
        """


rule learning_curves:
    """Draw dev F1 and loss by epoch of all seeds of a recipe."""
    input:
        unpack(
            reads(
                lambda wildcards: learning_curves.job(STUDY, RECIPES[wildcards.recipe]),
                [PATHS.learning_curves("{recipe}"), PATHS.learning_curves("{recipe}", ".pdf")],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(
                    learning_curves.inputs(STUDY, RECIPES[wildcards.recipe])
                ),
            )
        ),
    output:
        figure=shown(PATHS.learning_curves("{recipe}"), learning_curves),
        others=kept([PATHS.learning_curves("{recipe}", ".pdf")]),
    log:
        made(PATHS.log("learning_curves/{recipe}")),
    benchmark:
        made(PATHS.benchmark("learning_curves/{recipe}"))
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=5,
    params:
        folder=untracked(PATHS.results),
    shell:
        r"""
        zarpipe --job {input.job:q} report learning-curves \
            --results {params.folder:q} \
            --recipe {wildcards.recipe} \
            --output {output.figure:q} >{log:q} 2>&1
        """


rule examples:
    """Figure 4 of the paper: sentences as they are, masked, and refilled by the masked language model."""
    input:
        unpack(
            reads(
                lambda wildcards: examples.job(STUDY),
                [PATHS.examples()],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(examples.inputs(STUDY)),
            )
        ),
    output:
        shown(PATHS.examples(), examples),
    log:
        made(PATHS.log("examples")),
    benchmark:
        made(PATHS.benchmark("examples"))
    conda:
        "../envs/zarpipe.yaml"
    threads: 2
    resources:
        mem_mb=memory(6000),
        runtime=30,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        folder=untracked(PATHS.results),
        mlm=untracked(MLM),
    shell:
        r"""
        zarpipe --job {input.job:q} report examples \
            --results {params.folder:q} \
            --mlm {params.mlm:q} \
            --threads {threads} \
            --output {output:q} >{log:q} 2>&1
        """


rule antecedents_sheet:
    """Draw refilled sentences for a person to judge whether the antecedent changed."""
    input:
        unpack(
            reads(
                lambda wildcards: antecedents_sheet.job(STUDY),
                antecedents_sheet.files(STUDY),
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(antecedents_sheet.inputs(STUDY)),
            )
        ),
    output:
        page=shown(PATHS.antecedents_sheet(), antecedents_sheet),
        others=kept([PATHS.antecedents_sheet(".csv"), PATHS.antecedents_sheet("-key.csv")]),
    log:
        made(PATHS.log("antecedents_sheet")),
    benchmark:
        made(PATHS.benchmark("antecedents_sheet"))
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        folder=untracked(PATHS.results),
    shell:
        r"""
        zarpipe --job {input.job:q} report antecedents-sheet \
            --results {params.folder:q} \
            --output {output.page:q} >{log:q} 2>&1
        """


rule index:
    """The page with all tables and figures, learning curves and the configuration."""
    input:
        unpack(
            reads(
                lambda wildcards: index.job(STUDY),
                [PATHS.index()],
                study=PATHS.study(),
                files=lambda wildcards: study_workflow.paths_of(index.inputs(STUDY)),
            )
        ),
    output:
        shown(PATHS.index(), index),
    log:
        made(PATHS.log("index")),
    benchmark:
        made(PATHS.benchmark("index"))
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=memory(1000),
        runtime=10,
    params:
        folder=untracked(PATHS.results),
    shell:
        r"""
        zarpipe --job {input.job:q} report index \
            --results {params.folder:q} \
            --output {output:q} >{log:q} 2>&1
        """


if not IMPORTED:  # another workflow has an end of its own

    onsuccess:
        if said := ending(STUDY, STARTED):
            print(said)

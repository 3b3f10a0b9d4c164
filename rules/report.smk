"""Stage 6, report: tables, figures, pages and bundles, and copies of them where people look.

Best settings are chosen on dev: inside the jobs of Tables 4, 5 and 7, and by `choose` for the test set.
"""

import time

from zarpipe.report.ending import ending
from zarpipe.report.figures import learning_curves
from zarpipe.workflow import SHOWN

STARTED = time.time()


rule report:
    """Make a table, figure or page, or choose on dev what goes on to the test set."""
    input:
        reads,
    output:
        folder("report"),
    log:
        log_of("report"),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=30,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} report {params.job.options} --results {params.job.plan:q} --threads {threads} >{log:q} 2>&1"


# Figure 4 of the paper: sentences as they are, masked, and refilled by the masked language model.
use rule report as examples with:
    output:
        folder("examples"),
    log:
        log_of("examples"),
    localrule: False
    threads: 2
    resources:
        mem_mb=memory(6000),
        runtime=30,
        gpu=gpus(CONFIG.encoding.device),


rule study:
    """Write down the configuration, the recipes and the keys of all jobs."""
    input:
        reads,
    output:
        folder("study"),
    log:
        log_of("study"),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(500),
        runtime=5,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} study {params.job.plan:q} {params.job.options} >{log:q} 2>&1"


rule bundle:
    """Put a recipe's taggers into a folder, with all that they need."""
    input:
        reads,
    output:
        folder("bundle"),
    log:
        log_of("bundle"),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=10,
    params:
        job=told,
    shell:
        "zarpipe --job {output:q} --plan {params.job.plan:q} bundle {params.job.plan:q} {params.job.options} >{log:q} 2>&1"


for name, shown in WORKFLOW.shown.items():

    rule:
        name:
            f"show_{name}"
        input:
            lambda wildcards, name=name, shown=shown: copied(name, shown),
        output:
            *(in_report(file, shown.module) for file in shown.files),
            note=here(STUDY.shown(f"{SHOWN}/{name}")),
        log:
            here(f"{STUDY.results}/logs/show/{name}.log"),
        localrule: True
        conda:
            "../envs/zarpipe.yaml"
        params:
            job=lambda wildcards, output, shown=shown: shown.job,
            files=lambda wildcards, output, shown=shown: [*map(shown.job.path, shown.files)],
            results=lambda wildcards, output: STUDY.results,
        shell:
            "cp {params.files:q} {params.results:q}/ 2>{log:q} && echo {params.job.key} >{output.note:q}"


rule learning_curves:
    """Copy the figure of a recipe's trainings."""
    input:
        lambda wildcards: copied(
            f"learning_curves/{wildcards.recipe}", found(WORKFLOW.curves, wildcards.recipe)
        ),
    output:
        svg=in_report("learning_curves/{recipe}.svg", learning_curves),
        pdf=here(STUDY.shown("learning_curves/{recipe}.pdf")),
        note=here(STUDY.shown(f"{SHOWN}/learning_curves/{{recipe}}")),
    log:
        here(f"{STUDY.results}/logs/show/learning_curves/{{recipe}}.log"),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    params:
        job=lambda wildcards, output: found(WORKFLOW.curves, wildcards.recipe).job,
    shell:
        "(cp {params.job.folder:q}/learning_curves.svg {output.svg:q} && cp {params.job.folder:q}/learning_curves.pdf {output.pdf:q})"
        " 2>{log:q} && echo {params.job.key} >{output.note:q}"


rule bundles:
    """Copy a bundle; that of the chosen masking recipe is bundles/chosen-masking."""
    input:
        lambda wildcards: copied(f"bundles/{wildcards.recipe}", found(WORKFLOW.bundles, wildcards.recipe)),
    output:
        here(STUDY.shown("bundles/{recipe}/bundle.json")),
        note=here(STUDY.shown(f"{SHOWN}/bundles/{{recipe}}")),
    log:
        here(f"{STUDY.results}/logs/show/bundles/{{recipe}}.log"),
    localrule: True
    conda:
        "../envs/zarpipe.yaml"
    params:
        job=lambda wildcards, output: found(WORKFLOW.bundles, wildcards.recipe).job,
        place=lambda wildcards, output: str(Path(output[0]).parent),
    shell:
        "rm -rf {params.place:q} && cp -R {params.job.folder:q}/bundle {params.place:q} 2>{log:q}"
        " && echo {params.job.key} >{output.note:q}"


if not IMPORTED:  # another workflow has an end of its own

    onsuccess:
        if said := ending(STUDY, STARTED):
            print(said)

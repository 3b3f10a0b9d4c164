"""Stage 6, report: tables and figures.

Needs: scores/, predictions/, variants/, corpus/, taggers/. Makes: table3 to table7, significance and figure3 as
.csv, .md and .tex (the figure as .csv, .svg and .pdf), chosen.json, and learning_curves/. Best settings are chosen
on dev: inside the jobs of Tables 4, 5 and 7, and by `choose` for the test set.
"""


def dev_scores(recipes):
    """Return the dev scores of all seeds of these recipes."""
    return expand(results("scores/{recipe}/seed{seed}/dev.json"), recipe=recipes, seed=SEEDS)


def table_files(name, *others):
    """Return a table in its three formats, and further files beside it."""
    return [results(f"{name}{ending}") for ending in (".csv", ".md", ".tex", *others)]


def published():
    """Return the option that puts the paper's numbers beside ours."""
    return "--published" if CONFIG.report.published else ""


rule table4:
    """Table 4 of the paper: baseline, baseline with doubled data, CDA and masking, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table4_methods(ALPHAS, CONFIG.augmentation.cda))),
    output:
        table_files("table4", "_runs.csv"),
    log:
        results("logs/table4.log"),
    benchmark:
        results("benchmarks/table4.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            seeds=SEEDS,
            options=options(CONFIG.augmentation.cda),
            published=published(),
            code=code_digest("zarpipe.report.dev_tables"),
        ),
    shell:
        "zarpipe report table4 --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--seeds {params.spec[seeds]} {params.spec[options]} {params.spec[published]} --output {output[0]:q} "
        "> {log:q} 2>&1"


rule table5:
    """Table 5 of the paper: the baseline and masking of each POS set, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table5_methods(ALPHAS, POS_SETS))),
    output:
        table_files("table5", "_runs.csv"),
    log:
        results("logs/table5.log"),
    benchmark:
        results("benchmarks/table5.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            pos_sets=POS_SETS,
            seeds=SEEDS,
            published=published(),
            code=code_digest("zarpipe.report.dev_tables"),
        ),
    shell:
        "zarpipe report table5 --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--pos-sets {params.spec[pos_sets]} --seeds {params.spec[seeds]} {params.spec[published]} "
        "--output {output[0]:q} > {log:q} 2>&1"


rule table7:
    """Table 7 of the paper: CDA's ways to replace words, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table7_methods(ALPHAS))),
    output:
        table_files("table7", "_runs.csv"),
    log:
        results("logs/table7.log"),
    benchmark:
        results("benchmarks/table7.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            seeds=SEEDS,
            published=published(),
            code=code_digest("zarpipe.report.dev_tables"),
        ),
    shell:
        "zarpipe report table7 --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--seeds {params.spec[seeds]} {params.spec[published]} --output {output[0]:q} > {log:q} 2>&1"

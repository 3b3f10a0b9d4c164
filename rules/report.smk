"""Stage 6, report: tables.

Needs: scores/. Makes: table4.csv, table4.md (for reading) and table4_runs.csv (every single run).
"""


rule table4:
    """Table 4 of the paper: baseline, baseline with doubled data, CDA and masking, each at its best alpha on dev."""
    input:
        expand(results("scores/{recipe}/seed{seed}/dev.json"), recipe=table4_recipes(), seed=SEEDS),
    output:
        table=results("table4.csv"),
        page=results("table4.md"),
        runs=results("table4_runs.csv"),
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
            alphas=CONFIG.augmentation.alphas,
            seeds=SEEDS,
            options=options(CONFIG.augmentation.cda),
            published="--published" if CONFIG.report.published else "",
            scores=results("scores"),
            code=code_digest("zarpipe.report.table4"),
        ),
    shell:
        "zarpipe table4 --scores {params.spec[scores]:q} --alphas {params.spec[alphas]} "
        "--seeds {params.spec[seeds]} {params.spec[options]} {params.spec[published]} --output {output.table:q} "
        "> {log:q} 2>&1"

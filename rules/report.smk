"""Stage 6, report: tables and figures.

Needs: scores/, predictions/, variants/, corpus/, taggers/. Makes: table3 to table7, significance and figure3 as
.csv, .md and .tex (the figure as .csv, .svg and .pdf), chosen.json, and learning_curves/. Best settings are chosen
on dev: inside the jobs of Tables 4, 5 and 7, and by `choose` for the test set.
"""

FIGURE3 = study.figure3_methods(ALPHAS, POS_SETS)
CANDIDATES = study.candidate_recipes(ALPHAS, POS_SETS, CONFIG.augmentation.cda)
CHOSEN = [study.chosen_recipe(method) for method in study.CHOSEN_METHODS]
# The only recipes whose taggers see the test set.
TEST_RECIPES = [study.BASELINE, *CHOSEN]


rule count:
    """Tables 1 and 2 of the paper: arguments by split, relation and case; training tokens of each POS set."""
    input:
        expand(results("corpus/{split}.parquet"), split=SPLITS),
    output:
        table1=results("table1.csv"),
        table2=results("table2.csv"),
        others=beside("table1", ".md", ".tex") + beside("table2", ".md", ".tex"),
    log:
        results("logs/count.log"),
    benchmark:
        results("benchmarks/count.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        spec=dict(
            corpus=results("corpus"),
            published=published(),
            code=code_digest("zarpipe.corpus.statistics"),
        ),
    shell:
        "zarpipe count {params.spec[corpus]:q} --output-table1 {output.table1:q} --output-table2 {output.table2:q} "
        "{params.spec[published]} > {log:q} 2>&1"


rule table4:
    """Table 4 of the paper: baseline, baseline with doubled data, CDA and masking, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table4_methods(ALPHAS, CONFIG.augmentation.cda))),
    output:
        table=results("table4.csv"),
        others=beside("table4", ".md", ".tex", "_runs.csv"),
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
        "--seeds {params.spec[seeds]} {params.spec[options]} {params.spec[published]} --output {output.table:q} "
        "> {log:q} 2>&1"


rule table5:
    """Table 5 of the paper: the baseline and masking of each POS set, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table5_methods(ALPHAS, POS_SETS))),
    output:
        table=results("table5.csv"),
        others=beside("table5", ".md", ".tex", "_runs.csv"),
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
        "--output {output.table:q} > {log:q} 2>&1"


rule table7:
    """Table 7 of the paper: CDA's ways to replace words, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table7_methods(ALPHAS))),
    output:
        table=results("table7.csv"),
        others=beside("table7", ".md", ".tex", "_runs.csv"),
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
        "--seeds {params.spec[seeds]} {params.spec[published]} --output {output.table:q} > {log:q} 2>&1"


rule table3:
    """Table 3 of the paper: the hyper-parameters as run."""
    output:
        table=results("table3.csv"),
        others=beside("table3", ".md", ".tex"),
    log:
        results("logs/table3.log"),
    benchmark:
        results("benchmarks/table3.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        spec=dict(
            mlm=CONFIG.mlm.path or "pretrained by zarpipe",
            seeds=SEEDS,
            tagger=options(CONFIG.tagger, "accept"),
            training=options(CONFIG.training, "seeds", "seeds_per_job", "device"),
            published=published(),
            code=code_digest("zarpipe.report.table3"),
        ),
    shell:
        "zarpipe report table3 --mlm {params.spec[mlm]:q} --seeds {params.spec[seeds]} {params.spec[tagger]} "
        "{params.spec[training]} {params.spec[published]} --output {output.table:q} > {log:q} 2>&1"


rule figure3:
    """Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set."""
    input:
        dev_scores(recipes_of(FIGURE3)),
        corpus=results("corpus/train.parquet"),
        variants=expand(
            results("variants/{variant}.parquet"), variant=filter(variant_of, recipes_of(FIGURE3))
        ),
    output:
        table=results("figure3.csv"),
        others=beside("figure3", ".svg", ".pdf"),
    log:
        results("logs/figure3.log"),
    benchmark:
        results("benchmarks/figure3.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            pos_sets=POS_SETS,
            seeds=SEEDS,
            code=code_digest("zarpipe.report.figure3"),
            libraries=versions("matplotlib"),
        ),
    shell:
        "zarpipe report figure3 --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--pos-sets {params.spec[pos_sets]} --seeds {params.spec[seeds]} --output {output.table:q} > {log:q} 2>&1"


rule choose:
    """Choose on dev the CDA and the masking recipe that go on to the test set, and copy their taggers."""
    input:
        dev_scores(recipes_of(CANDIDATES)),
        taggers=tagger_files(recipes_of(CANDIDATES)),
    output:
        choice=results("chosen.json"),
        taggers=tagger_files(CHOSEN),
    log:
        results("logs/choose.log"),
    benchmark:
        results("benchmarks/choose.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            pos_sets=POS_SETS,
            seeds=SEEDS,
            options=options(CONFIG.augmentation.cda),
            code=code_digest("zarpipe.report.choose"),
        ),
    shell:
        "zarpipe report choose --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--pos-sets {params.spec[pos_sets]} --seeds {params.spec[seeds]} {params.spec[options]} "
        "--output {output.choice:q} > {log:q} 2>&1"


rule table6:
    """Table 6 of the paper: baseline, CDA and masking on the test set, single models and ensembles."""
    input:
        expand(results("scores/{recipe}/seed{seed}/test.json"), recipe=TEST_RECIPES, seed=SEEDS),
        expand(
            results("predictions/{recipe}/seed{seed}/{split}.probabilities.h5"),
            recipe=TEST_RECIPES,
            seed=SEEDS,
            split=("dev", "test"),
        ),
        expand(results("corpus/{split}.parquet"), split=("dev", "test")),
        chosen=results("chosen.json"),
    output:
        table=results("table6.csv"),
        others=beside("table6", ".md", ".tex"),
    log:
        results("logs/table6.log"),
    benchmark:
        results("benchmarks/table6.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        spec=dict(
            results=CONFIG.results,
            seeds=SEEDS,
            accept=CONFIG.tagger.accept,
            published=published(),
            code=code_digest("zarpipe.report.table6"),
        ),
    shell:
        "zarpipe report table6 --results {params.spec[results]:q} --chosen {input.chosen:q} "
        "--seeds {params.spec[seeds]} --accept {params.spec[accept]} {params.spec[published]} "
        "--output {output.table:q} > {log:q} 2>&1"


rule significance:
    """Test the difference between masking and the baseline on the test set."""
    input:
        expand(
            results("predictions/{recipe}/seed{seed}/{file}"),
            recipe=(study.BASELINE, study.chosen_recipe("masking")),
            seed=SEEDS,
            file=("test.parquet", "test.probabilities.h5", "dev.probabilities.h5"),
        ),
        expand(results("corpus/{split}.parquet"), split=("dev", "test")),
        chosen=results("chosen.json"),
    output:
        table=results("significance.csv"),
        others=beside("significance", ".md", ".tex"),
    log:
        results("logs/significance.log"),
    benchmark:
        results("benchmarks/significance.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        spec=dict(
            results=CONFIG.results,
            seeds=SEEDS,
            accept=CONFIG.tagger.accept,
            options=options(CONFIG.report, "published"),
            code=code_digest("zarpipe.report.significance_table"),
        ),
    shell:
        "zarpipe report significance --results {params.spec[results]:q} --chosen {input.chosen:q} "
        "--seeds {params.spec[seeds]} --accept {params.spec[accept]} {params.spec[options]} "
        "--output {output.table:q} > {log:q} 2>&1"


rule learning_curves:
    """Draw dev F1 and loss by epoch of all seeds of a recipe."""
    input:
        expand(results("taggers/{recipe}/seed{seed}/history.csv"), seed=SEEDS, allow_missing=True),
    output:
        figure=results("learning_curves/{recipe}.svg"),
        others=beside("learning_curves/{recipe}", ".pdf"),
    log:
        results("logs/learning_curves/{recipe}.log"),
    benchmark:
        results("benchmarks/learning_curves/{recipe}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        spec=lambda wildcards: dict(
            taggers=[results(f"taggers/{wildcards.recipe}/seed{seed}") for seed in SEEDS],
            code=code_digest("zarpipe.report.learning_curves"),
            libraries=versions("matplotlib"),
        ),
    shell:
        "zarpipe report learning-curves {params.spec[taggers]:q} --output {output.figure:q} > {log:q} 2>&1"

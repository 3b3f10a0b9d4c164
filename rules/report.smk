"""Stage 6, report: tables, figures and pages.

Needs: scores/, predictions/, variants/, corpus/, taggers/. Makes: table3 to table7, significance and figure3 as
.csv, .md and .tex (the figure as .csv, .svg and .pdf), chosen.json, learning_curves/, examples.html and index.html.
Best settings are chosen on dev: inside the jobs of Tables 4, 5 and 7, and by `choose` for the test set.
"""

FIGURE3 = study.figure3_methods(ALPHAS, POS_SETS)
# The others that are configured have no line there.
FIGURE3_POS_SETS = [name for name in FIGURE3 if name in POS_SETS] or POS_SETS
CANDIDATES = study.candidate_recipes(ALPHAS, POS_SETS, CONFIG.augmentation.cda)
CHOSEN = [study.chosen_recipe(method) for method in study.CHOSEN_METHODS]
# The only recipes whose taggers see the test set.
TEST_RECIPES = [study.BASELINE, *CHOSEN]
FIGURE4_POS_SETS = study.figure4_pos_sets(POS_SETS)
FIGURE4_RECIPES = [study.Masking(pos_set, alpha).name for pos_set in FIGURE4_POS_SETS for alpha in ALPHAS]
PAGES = ["index.html", "examples.html"]
DEV_TABLE_RECIPES = recipes_of(
    study.table4_methods(ALPHAS, CONFIG.augmentation.cda)
    | study.table5_methods(ALPHAS, POS_SETS)
    | study.table7_methods(ALPHAS)
)


rule count:
    """Tables 1 and 2 of the paper: arguments by split, relation and case; training tokens of each POS set."""
    input:
        expand(f"{CORPUS_FOLDER}/{{split}}.parquet", split=SPLITS),
    output:
        table1=shown_table(1, "arguments by split, relation and case"),
        table2=shown_table(2, "training tokens of each POS set"),
        others=beside("table1", ".md", ".tex") + beside("table2", ".md", ".tex"),
    log:
        results("logs/count.log"),
    benchmark:
        results("benchmarks/count.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        spec=dict(
            corpus=CORPUS_FOLDER,
            published=published(),
            printed=PRINTED,
            code=code_digest("zarpipe.report.corpus_counts"),
        ),
    shell:
        "zarpipe count {params.spec[corpus]:q} --output-table1 {output.table1:q} --output-table2 {output.table2:q} "
        "{params.spec[published]} > {log:q} 2>&1"


rule table4:
    """Table 4 of the paper: baseline, baseline with doubled data, CDA and masking, each at its best alpha on dev."""
    input:
        dev_scores(recipes_of(study.table4_methods(ALPHAS, CONFIG.augmentation.cda))),
    output:
        table=shown_table(4, "augmentation methods on dev"),
        others=beside("table4", ".md", ".tex", "_runs.csv"),
    log:
        results("logs/table4.log"),
    benchmark:
        results("benchmarks/table4.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            seeds=SEEDS,
            options=options(CONFIG.augmentation.cda),
            published=published(),
            printed=PRINTED,
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
        table=shown_table(5, "masked parts of speech on dev"),
        others=beside("table5", ".md", ".tex", "_runs.csv"),
    log:
        results("logs/table5.log"),
    benchmark:
        results("benchmarks/table5.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            pos_sets=POS_SETS,
            seeds=SEEDS,
            published=published(),
            printed=PRINTED,
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
        table=shown_table(7, "CDA's ways to replace words on dev"),
        others=beside("table7", ".md", ".tex", "_runs.csv"),
    log:
        results("logs/table7.log"),
    benchmark:
        results("benchmarks/table7.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        spec=dict(
            results=CONFIG.results,
            alphas=ALPHAS,
            seeds=SEEDS,
            published=published(),
            printed=PRINTED,
            code=code_digest("zarpipe.report.dev_tables"),
        ),
    shell:
        "zarpipe report table7 --results {params.spec[results]:q} --alphas {params.spec[alphas]} "
        "--seeds {params.spec[seeds]} {params.spec[published]} --output {output.table:q} > {log:q} 2>&1"


rule table3:
    """Table 3 of the paper: the hyper-parameters as run."""
    output:
        table=shown_table(3, "hyper-parameters as run"),
        others=beside("table3", ".md", ".tex"),
    log:
        results("logs/table3.log"),
    benchmark:
        results("benchmarks/table3.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(5),
    params:
        spec=dict(
            mlm=CONFIG.mlm.path or "pretrained by zarpipe",
            seeds=SEEDS,
            tagger=options(CONFIG.tagger, "accept"),
            training=options(CONFIG.training, "seeds", "seeds_per_job", "device"),
            published=published(),
            printed=PRINTED,
            code=code_digest("zarpipe.report.table3"),
        ),
    shell:
        "zarpipe report table3 --mlm {params.spec[mlm]:q} --seeds {params.spec[seeds]} {params.spec[tagger]} "
        "{params.spec[training]} {params.spec[published]} --output {output.table:q} > {log:q} 2>&1"


rule figure3:
    """Figure 3 of the paper: ZAR F1 on dev against the share of masked tokens, one line per POS set."""
    input:
        dev_scores(recipes_of(FIGURE3)),
        corpus=f"{CORPUS_FOLDER}/train.parquet",
        variants=[variant_file(recipe) for recipe in recipes_of(FIGURE3) if variant_of(recipe)],
    output:
        table=results("figure3.csv"),
        figure=shown(
            "figure3.svg",
            "figure3",
            "Figures",
            figure="3",
            shows="ZAR F1 against the share of masked tokens",
        ),
        others=beside("figure3", ".pdf"),
    log:
        results("logs/figure3.log"),
    benchmark:
        results("benchmarks/figure3.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        spec=dict(
            results=CONFIG.results,
            corpus=CORPUS_FOLDER,
            variants=VARIANTS_FOLDER,
            alphas=ALPHAS,
            pos_sets=FIGURE3_POS_SETS,
            seeds=SEEDS,
            code=code_digest("zarpipe.report.figure3"),
            libraries=versions("matplotlib"),
        ),
    shell:
        "zarpipe report figure3 --results {params.spec[results]:q} --corpus {params.spec[corpus]:q} "
        "--variants {params.spec[variants]:q} --alphas {params.spec[alphas]} "
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
        mem_mb=growing(500),
        runtime=growing(10),
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
        expand(f"{CORPUS_FOLDER}/{{split}}.parquet", split=("dev", "test")),
        chosen=results("chosen.json"),
    output:
        table=shown_table(6, "the test set"),
        others=beside("table6", ".md", ".tex"),
    log:
        results("logs/table6.log"),
    benchmark:
        results("benchmarks/table6.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(15),
    params:
        spec=dict(
            results=CONFIG.results,
            corpus=CORPUS_FOLDER,
            seeds=SEEDS,
            accept=CONFIG.tagger.accept,
            published=published(),
            printed=PRINTED,
            code=code_digest("zarpipe.report.table6"),
        ),
    shell:
        "zarpipe report table6 --results {params.spec[results]:q} --corpus {params.spec[corpus]:q} --chosen {input.chosen:q} "
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
        expand(f"{CORPUS_FOLDER}/{{split}}.parquet", split=("dev", "test")),
        chosen=results("chosen.json"),
    output:
        table=shown(
            "significance.csv",
            "significance",
            "Tables",
            table="significance",
            shows="masking against the baseline on the test set",
        ),
        others=beside("significance", ".md", ".tex"),
    log:
        results("logs/significance.log"),
    benchmark:
        results("benchmarks/significance.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(30),
    params:
        spec=dict(
            results=CONFIG.results,
            corpus=CORPUS_FOLDER,
            seeds=SEEDS,
            accept=CONFIG.tagger.accept,
            options=options(CONFIG.report, "published", "examples", "example_words"),
            code=code_digest("zarpipe.report.significance_table"),
        ),
    shell:
        "zarpipe report significance --results {params.spec[results]:q} --corpus {params.spec[corpus]:q} --chosen {input.chosen:q} "
        "--seeds {params.spec[seeds]} --accept {params.spec[accept]} {params.spec[options]} "
        "--output {output.table:q} > {log:q} 2>&1"


rule learning_curves:
    """Draw dev F1 and loss by epoch of all seeds of a recipe."""
    input:
        expand(results("taggers/{recipe}/seed{seed}/history.csv"), seed=SEEDS, allow_missing=True),
    output:
        figure=shown(
            "learning_curves/{recipe}.svg",
            "learning_curves",
            "Figures",
            figure="learning curves",
            shows="{recipe}",
        ),
        others=beside("learning_curves/{recipe}", ".pdf"),
    log:
        results("logs/learning_curves/{recipe}.log"),
    benchmark:
        results("benchmarks/learning_curves/{recipe}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        spec=lambda wildcards: dict(
            taggers=[results(f"taggers/{wildcards.recipe}/seed{seed}") for seed in SEEDS],
            code=code_digest("zarpipe.report.learning_curves"),
            libraries=versions("matplotlib"),
        ),
    shell:
        "zarpipe report learning-curves {params.spec[taggers]:q} --output {output.figure:q} > {log:q} 2>&1"


rule examples:
    """Figure 4 of the paper: sentences as they are, masked, and refilled by the masked language model."""
    input:
        expand(results("predictions/{recipe}/seed{seed}/dev.parquet"), recipe=FIGURE4_RECIPES, seed=SEEDS),
        f"{CORPUS_FOLDER}/dev.parquet",
        mlm=f"{MLM_FOLDER}/manifest.json",
        folder=ancient(mlm_folder()),
    output:
        shown("examples.html", "examples", "Pages", page="Figure 4", shows="masked and refilled sentences"),
    log:
        results("logs/examples.log"),
    benchmark:
        results("benchmarks/examples.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 2
    resources:
        mem_mb=growing(6000),
        runtime=growing(30),
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=dict(
            results=CONFIG.results,
            corpus=CORPUS_FOLDER,
            alphas=ALPHAS,
            pos_sets=FIGURE4_POS_SETS,
            seeds=SEEDS,
            mask_seed=CONFIG.augmentation.seed,
            draw=CONFIG.augmentation.draw,
            mlm=MLM_SPEC["mlm"],
            mlm_options=MLM_OPTIONS,
            encoding=options(CONFIG.encoding, "threads"),
            options=options(CONFIG.report, "published", "permutations", "seed"),
            code=code_digest("zarpipe.report.examples", "zarpipe.report.examples_page"),
            templates=package_files_digest("report/templates"),
            libraries=MLM_LIBRARIES,
        ),
        mlm=untracked(MLM_PATH),
    shell:
        "zarpipe report examples --results {params.spec[results]:q} --corpus {params.spec[corpus]:q} --alphas {params.spec[alphas]} "
        "--pos-sets {params.spec[pos_sets]} --seeds {params.spec[seeds]} --mask-seed={params.spec[mask_seed]} "
        "--draw {params.spec[draw]} --mlm {params.mlm:q} {params.spec[mlm_options]} "
        "{params.spec[encoding]} {params.spec[options]} --threads {threads} --output {output:q} > {log:q} 2>&1"


rule index:
    """The page with all tables and figures, learning curves and the configuration."""
    input:
        tables=expand(
            results("{table}.{ending}"),
            table=[*(f"table{number}" for number in range(1, 8)), "significance"],
            ending=("csv", "md", "tex"),
        ),
        runs=expand(results("table{number}_runs.csv"), number=(4, 5, 7)),
        figure=expand(results("figure3.{ending}"), ending=("csv", "svg", "pdf")),
        histories=expand(
            results("taggers/{recipe}/seed{seed}/history.csv"), recipe=DEV_TABLE_RECIPES, seed=SEEDS
        ),
        chosen=results("chosen.json"),
        examples=results("examples.html"),
        mlm=f"{MLM_FOLDER}/manifest.json",
    output:
        shown("index.html", "index", "Pages", page="All tables and figures", shows="the whole study"),
    log:
        results("logs/index.log"),
    benchmark:
        results("benchmarks/index.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        spec=dict(
            # The page shows the whole configuration, so that any change of it makes the page stale.
            configuration=CONFIG.model_dump_json(),
            results=CONFIG.results,
            mlm=MLM_FOLDER,
            code=code_digest("zarpipe.report.index_page"),
            templates=package_files_digest("report/templates"),
            libraries=versions(
                "torch", "transformers", "tokenizers", "numpy", "h5py", "pyarrow", "snakemake"
            ),
        ),
    shell:
        "zarpipe report index --results {params.spec[results]:q} --mlm {params.spec[mlm]:q} "
        "--configfile <(printf %s {params.spec[configuration]:q}) --output {output:q} > {log:q} 2>&1"

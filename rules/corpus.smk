"""Stage 1, corpus: the configured corpus, or a sample that zarpipe makes, to one Parquet file per split.

Needs: corpus.path. Makes: corpus/{train,dev,test}.parquet, and sample/ without corpus.path.
"""


rule sample:
    """Make a small corpus in the layout of NTC 1.5, and unlabelled text of the same kind."""
    output:
        corpus=directory(results("sample/dat")),
        text=results("sample/unlabelled.txt"),
    log:
        results("logs/sample.log"),
    benchmark:
        results("benchmarks/sample.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        spec=dict(
            options=options(CONFIG.sample),
            output=results("sample"),
            code=code_digest("zarpipe.corpus.sample.maker"),
        ),
    shell:
        "zarpipe sample {params.spec[options]} --output {params.spec[output]:q} > {log:q} 2>&1"


rule convert:
    """Read the annotated corpus and write one Parquet file per split."""
    input:
        corpus_source(),
    output:
        expand(results("corpus/{split}.parquet"), split=SPLITS),
    log:
        results("logs/convert.log"),
    benchmark:
        results("benchmarks/convert.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        spec=dict(
            path=CONFIG.corpus.path or results("sample"),
            output=results("corpus"),
            options=options(CONFIG.corpus, "path", "ids", "limit"),
            ids=command_line({"ids": ids_folder()}),
            limits=command_line({f"limit_{split}": getattr(CONFIG.corpus.limit, split) for split in SPLITS}),
            files=content_of(CONFIG.corpus.path),
            code=code_digest("zarpipe.corpus.convert"),
        ),
    shell:
        "zarpipe convert {params.spec[path]:q} {params.spec[options]} {params.spec[ids]} "
        "{params.spec[limits]} --jobs {threads} "
        "--output {params.spec[output]:q} > {log:q} 2>&1"

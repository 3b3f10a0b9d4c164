"""Stage 1, corpus: the configured corpus, or a sample that zarpipe makes, to one Parquet file per split.

Needs: corpus.path. Makes: corpus/{train,dev,test}.parquet, and sample/ without corpus.path.
"""

from zarpipe.readers.convert import reading

SAMPLE_SPEC = dict(
    options=options(CONFIG.sample),
    output=results("sample"),
    code=code_digest("zarpipe.sample.maker"),
)
READING = reading(
    CONFIG.corpus.format,
    CONFIG.corpus.own_bunsetsu,
    CONFIG.corpus.predicates,
    CONFIG.corpus.coreferent_mentions,
)


IDS = ids_folder() if CONFIG.corpus.split == "ids" else None


# What decides the corpus Parquets; equal settings in another spelling are equal here.
CONVERT_SPEC = dict(
    sample=None if CONFIG.corpus.path else SAMPLE_SPEC,
    files=content_of(CONFIG.corpus.path),
    ids=content_of(IDS),
    options=command_line(vars(READING) | {"split": CONFIG.corpus.split, "on_error": CONFIG.corpus.on_error}),
    limits=command_line({f"limit_{split}": getattr(CONFIG.corpus.limit, split) for split in SPLITS}),
    code=code_digest("zarpipe.readers.convert"),
)
CORPUS_KEY = spec_digest(CONVERT_SPEC)
CORPUS_FOLDER = place("corpus", CORPUS_KEY)


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
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        spec=SAMPLE_SPEC,
    shell:
        "zarpipe sample {params.spec[options]} --output {params.spec[output]:q} > {log:q} 2>&1"


rule convert:
    """Read the annotated corpus and write one Parquet file per split."""
    input:
        [] if CONFIG.corpus.path else results("sample/dat"),
    output:
        [shared(f"{CORPUS_FOLDER}/{split}.parquet") for split in SPLITS],
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
        spec=dict(CONVERT_SPEC, output=CORPUS_FOLDER),
        path=untracked(CONFIG.corpus.path or results("sample")),
        ids=untracked(command_line({"ids": IDS})),
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe convert {params.path:q} {params.spec[options]} {params.ids} "
        "{params.spec[limits]} --jobs {threads} --output {params.spec[output]:q} > {log:q} 2>&1"

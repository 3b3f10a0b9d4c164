"""Stage 3, encoding: final hidden states of the frozen masked language model, once per distinct sequence.

Needs: corpus/, variants/, mlm/manifest.json. Makes: features/{split or variant}.h5 and a manifest each. The
manifests, not the large files' times, tell later stages whether anything has changed.
"""

ENCODE_SPEC = dict(
    mlm=mlm_path(),
    mlm_options=options(CONFIG.mlm, "path"),
    options=options(CONFIG.encoding, "threads"),
    code=code_digest("zarpipe.encode.encoder"),
    libraries=versions("torch", "transformers", "tokenizers", "fugashi", "unidic-lite"),
)


rule encode:
    """Encode the sentences of a split that have a predicate."""
    input:
        corpus=results("corpus/{split}.parquet"),
        mlm=results("mlm/manifest.json"),
        folder=ancient(mlm_folder()),
    output:
        features=results("features/{split}.h5"),
        manifest=results("features/{split}.json"),
    log:
        results("logs/encode/{split}.log"),
    benchmark:
        results("benchmarks/encode/{split}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=6000,
        runtime=240,
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=ENCODE_SPEC,
    shell:
        "zarpipe encode {input.corpus:q} --mlm {params.spec[mlm]:q} {params.spec[mlm_options]} "
        "{params.spec[options]} --threads {threads} --output {output.features:q} > {log:q} 2>&1"


rule encode_variant:
    """Encode the sequences of a variant that differ from the originals."""
    input:
        corpus=results("corpus/train.parquet"),
        variant=results("variants/{variant}.parquet"),
        originals=ancient(results("features/train.h5")),
        originals_manifest=results("features/train.json"),
        mlm=results("mlm/manifest.json"),
        folder=ancient(mlm_folder()),
    output:
        features=results("features/{variant}.h5"),
        manifest=results("features/{variant}.json"),
    log:
        results("logs/encode/{variant}.log"),
    benchmark:
        results("benchmarks/encode/{variant}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=6000,
        runtime=240,
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=ENCODE_SPEC,
    shell:
        "zarpipe encode {input.corpus:q} --variant {input.variant:q} --originals {input.originals:q} "
        "--mlm {params.spec[mlm]:q} {params.spec[mlm_options]} {params.spec[options]} --threads {threads} "
        "--output {output.features:q} > {log:q} 2>&1"

"""Stage 3, encoding: final hidden states of the frozen masked language model, once per distinct sequence.

Needs: corpus/, variants/, mlm/manifest.json. Makes: features/{split or variant}.h5 and a manifest each. The
manifests, not the large files' times, tell later stages whether anything has changed.
"""

ENCODE_SPEC = dict(
    mlm=MLM_SPEC["mlm"],
    mlm_options=MLM_OPTIONS,
    options=options(CONFIG.encoding, "threads"),
    code=code_digest("zarpipe.encode.encoder"),
    libraries=MLM_LIBRARIES,
)
# Everything that decides the features, from the corpus on.
FEATURES_KEY = spec_digest(CORPUS_KEY, MLM_KEY, ENCODE_SPEC)
VARIANT_KEYS = {
    "masking": spec_digest(FEATURES_KEY, MASKING_SPEC),
    "cda": spec_digest(FEATURES_KEY, CDA_SPEC),
}
FEATURES = place("features", FEATURES_KEY)
VARIANT_FEATURES = place("features", spec_digest(VARIANT_KEYS))


rule encode:
    """Encode the sentences of a split that have a predicate."""
    input:
        corpus=f"{CORPUS_FOLDER}/{{split}}.parquet",
        mlm=f"{MLM_FOLDER}/manifest.json",
        folder=ancient(mlm_folder()),
    output:
        features=shared(f"{FEATURES}/{{split}}.h5"),
        manifest=shared(f"{FEATURES}/{{split}}.json"),
    log:
        results("logs/encode/{split}.log"),
    benchmark:
        results("benchmarks/encode/{split}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=growing(6000),
        runtime=growing(240),
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=ENCODE_SPEC,
        mlm=untracked(MLM_PATH),
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe encode {input.corpus:q} --mlm {params.mlm:q} {params.spec[mlm_options]} "
        "{params.spec[options]} --threads {threads} --output {output.features:q} > {log:q} 2>&1"


rule encode_variant:
    """Encode the sequences of a variant that differ from the originals."""
    input:
        corpus=f"{CORPUS_FOLDER}/train.parquet",
        variant=f"{VARIANTS_FOLDER}/{{variant}}.parquet",
        originals=feature_file("train"),
        originals_manifest=feature_manifest("train"),
        mlm=f"{MLM_FOLDER}/manifest.json",
        folder=ancient(mlm_folder()),
    output:
        features=shared(f"{VARIANT_FEATURES}/{{variant}}.h5"),
        manifest=shared(f"{VARIANT_FEATURES}/{{variant}}.json"),
    log:
        results("logs/encode/{variant}.log"),
    benchmark:
        results("benchmarks/encode_variant/{variant}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=growing(6000),
        runtime=growing(240),
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=ENCODE_SPEC,
        mlm=untracked(MLM_PATH),
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe encode {input.corpus:q} --variant {input.variant:q} --originals {input.originals:q} "
        "--mlm {params.mlm:q} {params.spec[mlm_options]} {params.spec[options]} --threads {threads} "
        "--output {output.features:q} > {log:q} 2>&1"

"""Stage 3, encoding: final hidden states of the frozen masked language model, once per distinct sequence.

Needs: corpus/, variants/, mlm/manifest.json. Makes: features/{split or variant}.h5 and a manifest each.
"""


def feature_files(name):
    """Return the feature file of a split or variant, and its manifest."""
    return [PATHS.features(name), PATHS.features_manifest(name)]


def stored_features(name, key):
    """Return where the hidden states of a split or variant lie when studies share them."""
    return study_workflow.stored(STUDY, "features", key, PATHS.features(name), feature_files(name))


rule encode:
    """Encode the sentences of a split that have a predicate."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.encode(wildcards.split),
                feature_files("{split}"),
                lambda wildcards, key: stored_features(wildcards.split, key),
                corpus=PATHS.corpus("{split}"),
                mlm=paths_of(STUDY.mlm()),
            )
        ),
    output:
        kept(feature_files("{split}")),
    log:
        made(PATHS.log("encode/{split}")),
    benchmark:
        made(PATHS.benchmark("encode/{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(f"{MLM_OPTIONS} {ENCODING_OPTIONS}"),
    shell:
        r"""
        zarpipe --job {input.job:q} encode {input.corpus:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output[0]:q} > {log:q} 2>&1
        """


rule encode_variant:
    """Encode the sequences of a variant that differ from the originals."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.encode_variant(VARIANTS[wildcards.variant]),
                feature_files("{variant}"),
                lambda wildcards, key: stored_features(wildcards.variant, key),
                corpus=PATHS.corpus("train"),
                variant=PATHS.variant("{variant}"),
                originals=PATHS.features("train"),
                mlm=paths_of(STUDY.mlm()),
            )
        ),
    output:
        kept(feature_files("{variant}")),
    log:
        made(PATHS.log("encode/{variant}")),
    benchmark:
        made(PATHS.benchmark("encode_variant/{variant}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(f"{MLM_OPTIONS} {ENCODING_OPTIONS}"),
    shell:
        r"""
        zarpipe --job {input.job:q} encode {input.corpus:q} \
            --variant {input.variant:q} \
            --originals {input.originals:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output[0]:q} > {log:q} 2>&1
        """

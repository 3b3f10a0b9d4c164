"""Stage 3, encoding: final hidden states of the frozen masked language model, once per distinct sequence.

Needs: corpus/, variants/, mlm/manifest.json. Makes: features/{split or variant}.h5, features/{split}-sentences.h5, and a
manifest each. The wildcard `states` is a folder in between, such as mix/, where other layers or another pooling than the
study's own stand for a token.
"""


rule encode:
    """Encode the sentences of a split that have a predicate."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.encode(wildcards.split, STATES[wildcards.states]),
                PATHS.feature_files("{states}{split}"),
                lambda wildcards, key: study_workflow.stored_features(
                    STUDY, wildcards.states + wildcards.split, key
                ),
                corpus=PATHS.corpus("{split}"),
                mlm=study_workflow.paths_of(STUDY.mlm()),
            )
        ),
    output:
        features=kept([PATHS.features("{states}{split}")]),
        manifest=kept([PATHS.features_manifest("{states}{split}")]),
    log:
        made(PATHS.log("encode/{states}{split}")),
    benchmark:
        made(PATHS.benchmark("encode/{states}{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(
            lambda wildcards: (
                f"{MLM_OPTIONS} {study_workflow.encoding_options(STUDY, STATES[wildcards.states])}"
            )
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} encode {input.corpus:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output.features:q} >{log:q} 2>&1
        """


rule encode_variant:
    """Encode the sequences of a variant that differ from the originals."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.encode_variant(VARIANTS[wildcards.variant], STATES[wildcards.states]),
                PATHS.feature_files("{states}{variant}"),
                lambda wildcards, key: study_workflow.stored_features(
                    STUDY, wildcards.states + wildcards.variant, key
                ),
                corpus=PATHS.corpus("train"),
                variant=PATHS.variant("{variant}"),
                originals=PATHS.features("{states}train"),
                mlm=study_workflow.paths_of(STUDY.mlm()),
            )
        ),
    output:
        features=kept([PATHS.features("{states}{variant}")]),
        manifest=kept([PATHS.features_manifest("{states}{variant}")]),
    log:
        made(PATHS.log("encode/{states}{variant}")),
    benchmark:
        made(PATHS.benchmark("encode_variant/{states}{variant}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(
            lambda wildcards: (
                f"{MLM_OPTIONS} {study_workflow.encoding_options(STUDY, STATES[wildcards.states])}"
            )
        ),
    shell:
        r"""
        zarpipe --job {input.job:q} encode {input.corpus:q} \
            --variant {input.variant:q} \
            --originals {input.originals:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output.features:q} >{log:q} 2>&1
        """


rule encode_sentences:
    """Encode the sentences of a split that have no predicate: for the segmenter, which reads all of them."""
    input:
        unpack(
            reads(
                lambda wildcards: JOBS.encode_sentences(wildcards.split),
                PATHS.feature_files("{split}-sentences"),
                lambda wildcards, key: study_workflow.stored_sentences(STUDY, wildcards.split, key),
                corpus=PATHS.corpus("{split}"),
                originals=PATHS.features("{split}"),
                mlm=study_workflow.paths_of(STUDY.mlm()),
            )
        ),
    output:
        features=kept([PATHS.features("{split}-sentences")]),
        manifest=kept([PATHS.features_manifest("{split}-sentences")]),
    log:
        made(PATHS.log("encode_sentences/{split}")),
    benchmark:
        made(PATHS.benchmark("encode_sentences/{split}"))
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=memory(6000),
        runtime=240,
        gpu=study_workflow.gpus(CONFIG.encoding.device),
    params:
        mlm=untracked(MLM),
        options=untracked(f"{MLM_OPTIONS} {study_workflow.encoding_options(STUDY, None)}"),
    shell:
        r"""
        zarpipe --job {input.job:q} encode {input.corpus:q} \
            --all-sentences \
            --originals {input.originals:q} \
            --mlm {params.mlm:q} {params.options} \
            --threads {threads} \
            --output {output.features:q} >{log:q} 2>&1
        """

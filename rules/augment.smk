"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced and by what.

Needs: corpus/train.parquet, for CDA the masked language model. Makes: variants/{variant}.parquet.
"""


rule augment_masking:
    """Choose the tokens that are masked in each training instance."""
    input:
        results("corpus/train.parquet"),
    output:
        results("variants/masking-{pos_set}-{alpha}.parquet"),
    log:
        results("logs/augment/masking-{pos_set}-{alpha}.log"),
    benchmark:
        results("benchmarks/augment/masking-{pos_set}-{alpha}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        spec=dict(
            seed=CONFIG.augmentation.seed,
            draw=CONFIG.augmentation.draw,
            code=code_digest("zarpipe.augment.masking", "zarpipe.augment.variants"),
        ),
    shell:
        "zarpipe augment {input:q} --method masking --pos-set {wildcards.pos_set} --alpha {wildcards.alpha} "
        "--seed={params.spec[seed]} --draw {params.spec[draw]} --output {output:q} > {log:q} 2>&1"


rule augment_cda:
    """Replace the masked tokens of each training instance by what the masked language model predicts."""
    input:
        corpus=results("corpus/train.parquet"),
        mlm=results("mlm/manifest.json"),
        folder=ancient(mlm_folder()),
    output:
        results("variants/cda-{pos_set}-{alpha}-{fill}-{pick}.parquet"),
    log:
        results("logs/augment/cda-{pos_set}-{alpha}-{fill}-{pick}.log"),
    benchmark:
        results("benchmarks/augment/cda-{pos_set}-{alpha}-{fill}-{pick}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=6000,
        runtime=120,
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=dict(
            seed=CONFIG.augmentation.seed,
            draw=CONFIG.augmentation.draw,
            mlm=mlm_path(),
            mlm_options=options(CONFIG.mlm, "path"),
            options=options(CONFIG.encoding, "threads"),
            code=code_digest("zarpipe.augment.build", "zarpipe.augment.cda"),
            libraries=versions("torch", "transformers", "tokenizers", "fugashi", "unidic-lite"),
        ),
    shell:
        "zarpipe augment {input.corpus:q} --method cda --pos-set {wildcards.pos_set} --alpha {wildcards.alpha} "
        "--fill {wildcards.fill} --pick {wildcards.pick} --seed={params.spec[seed]} --draw {params.spec[draw]} "
        "--mlm {params.spec[mlm]:q} {params.spec[mlm_options]} {params.spec[options]} --threads {threads} "
        "--output {output:q} > {log:q} 2>&1"

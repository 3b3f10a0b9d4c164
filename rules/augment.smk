"""Stage 2, augmentation: which tokens of each training instance are masked, or replaced and by what.

Needs: corpus/train.parquet, for CDA the masked language model. Makes: variants/{variant}.parquet.
"""

MASKING_SPEC = dict(
    seed=CONFIG.augmentation.seed,
    draw=CONFIG.augmentation.draw,
    code=code_digest("zarpipe.augment.build"),
)
CDA_SPEC = dict(
    seed=CONFIG.augmentation.seed,
    draw=CONFIG.augmentation.draw,
    mlm=MLM_SPEC["mlm"],
    mlm_options=MLM_OPTIONS,
    options=options(CONFIG.encoding, "threads"),
    code=code_digest("zarpipe.augment.build", "zarpipe.augment.replacement"),
    libraries=MLM_LIBRARIES,
)
VARIANTS_FOLDER = place("variants", spec_digest(CORPUS_KEY, MLM_KEY, MASKING_SPEC, CDA_SPEC))


rule augment_masking:
    """Choose the tokens that are masked in each training instance."""
    input:
        f"{CORPUS_FOLDER}/train.parquet",
    output:
        shared(f"{VARIANTS_FOLDER}/masking-{{pos_set}}-{{alpha}}.parquet"),
    log:
        results("logs/augment/masking-{pos_set}-{alpha}.log"),
    benchmark:
        results("benchmarks/augment/masking-{pos_set}-{alpha}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        spec=MASKING_SPEC,
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe augment {input:q} --method masking --pos-set {wildcards.pos_set} --alpha {wildcards.alpha} "
        "--seed={params.spec[seed]} --draw {params.spec[draw]} --output {output:q} > {log:q} 2>&1"


rule augment_cda:
    """Replace the masked tokens of each training instance by what the masked language model predicts."""
    input:
        corpus=f"{CORPUS_FOLDER}/train.parquet",
        mlm=f"{MLM_FOLDER}/manifest.json",
        folder=ancient(mlm_folder()),
    output:
        shared(f"{VARIANTS_FOLDER}/cda-{{pos_set}}-{{alpha}}-{{fill}}-{{pick}}.parquet"),
    log:
        results("logs/augment/cda-{pos_set}-{alpha}-{fill}-{pick}.log"),
    benchmark:
        results("benchmarks/augment/cda-{pos_set}-{alpha}-{fill}-{pick}.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: CONFIG.encoding.threads
    resources:
        mem_mb=growing(6000),
        runtime=growing(120),
        gpu=gpus(CONFIG.encoding.device),
    params:
        spec=CDA_SPEC,
        mlm=untracked(MLM_PATH),
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe augment {input.corpus:q} --method cda --pos-set {wildcards.pos_set} --alpha {wildcards.alpha} "
        "--fill {wildcards.fill} --pick {wildcards.pick} --seed={params.spec[seed]} --draw {params.spec[draw]} "
        "--mlm {params.mlm:q} {params.spec[mlm_options]} {params.spec[options]} --threads {threads} "
        "--output {output:q} > {log:q} 2>&1"

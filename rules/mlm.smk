"""The frozen masked language model: pretrained here when mlm.path is null, and described in any case.

Makes: mlm/manifest.json (digest of the model's files), and mlm/model/ without mlm.path.
"""

PRETRAIN_SPEC = dict(
    options=options(CONFIG.pretraining),
    code=code_digest("zarpipe.mlm.pretrain"),
    libraries=versions("torch", "transformers", "tokenizers"),
)
MLM_FILES = content_of(CONFIG.mlm.path)
# Only a hub model has revisions.
MLM_OPTIONS = options(CONFIG.mlm, "path", *(["revision"] if MLM_FILES or not CONFIG.mlm.path else []))
MLM_SPEC = dict(
    # A folder is known by its files: it may be moved.
    mlm=MLM_FILES or CONFIG.mlm.path,
    pretrained=None if CONFIG.mlm.path else [SAMPLE_SPEC, PRETRAIN_SPEC],
    options=MLM_OPTIONS,
    code=code_digest("zarpipe.mlm.describe"),
)
MLM_KEY = spec_digest(MLM_SPEC)
MLM_FOLDER = place("mlm", MLM_KEY)
MLM_LIBRARIES = versions("torch", "transformers", "tokenizers", "fugashi", "unidic-lite")


rule pretrain:
    """Pretrain a small masked language model on the sample's unlabelled text."""
    input:
        results("sample/unlabelled.txt"),
    output:
        directory(results("mlm/model")),
    log:
        results("logs/pretrain.log"),
    benchmark:
        results("benchmarks/pretrain.tsv")
    conda:
        "../envs/zarpipe.yaml"
    # One: so small a model gains nothing from more, and gives the same weights whatever --cores is.
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        spec=PRETRAIN_SPEC,
    shell:
        "zarpipe pretrain {input:q} {params.spec[options]} --threads {threads} --output {output:q} > {log:q} 2>&1"


rule describe_mlm:
    """Record which masked language model this is, so that another one makes the features stale."""
    input:
        mlm_folder(),
    output:
        shared(f"{MLM_FOLDER}/manifest.json"),
    log:
        results("logs/describe_mlm.log"),
    benchmark:
        results("benchmarks/describe_mlm.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        spec=MLM_SPEC,
        mlm=untracked(MLM_PATH),
        unless_made=unless_made,
    shell:
        "{params.unless_made}zarpipe describe-mlm {params.mlm:q} {params.spec[options]} --output {output:q} "
        "> {log:q} 2>&1"

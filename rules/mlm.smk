"""The frozen masked language model: pretrained here when mlm.path is null, and described in any case.

Makes: mlm/manifest.json (digest of the model's files), and mlm/model/ without mlm.path.
"""


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
        mem_mb=4000,
        runtime=30,
    params:
        spec=dict(
            options=options(CONFIG.pretraining),
            code=code_digest("zarpipe.mlm.pretrain"),
            libraries=versions("torch", "transformers", "tokenizers"),
        ),
    shell:
        "zarpipe pretrain {input:q} {params.spec[options]} --threads {threads} --output {output:q} > {log:q} 2>&1"


rule describe_mlm:
    """Record which masked language model this is, so that another one makes the features stale."""
    input:
        mlm_folder(),
    output:
        results("mlm/manifest.json"),
    log:
        results("logs/describe_mlm.log"),
    benchmark:
        results("benchmarks/describe_mlm.tsv")
    conda:
        "../envs/zarpipe.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        spec=dict(
            mlm=mlm_path(),
            options=options(CONFIG.mlm, "path"),
            files=content_of(CONFIG.mlm.path),
            code=code_digest("zarpipe.mlm.describe"),
        ),
    shell:
        "zarpipe describe-mlm {params.spec[mlm]:q} {params.spec[options]} --output {output:q} > {log:q} 2>&1"

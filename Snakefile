# zarpipe: data augmentation for Japanese zero anaphora resolution.
# Targets: results/table4.csv, or `all`. The configuration's keys: docs/config.md.
from snakemake.utils import min_version

min_version("9.5")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/corpus.smk"
include: "rules/mlm.smk"
include: "rules/augment.smk"
include: "rules/encode.smk"
include: "rules/tagger.smk"
include: "rules/evaluate.smk"
include: "rules/report.smk"


# A second each: on a cluster they run beside Snakemake and need no place in the queue.
localrules:
    all,
    choose,
    figure3,
    index,
    learning_curves,
    table3,
    table4,
    table5,
    table6,
    table7,


onstart:
    refuse_needless_training()


rule all:
    default_target: True
    input:
        final_targets(),


# After `make clean-features`, before new seeds: makes the deleted features again.
rule features:
    input:
        all_features(),

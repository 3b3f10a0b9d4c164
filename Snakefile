# zarpipe: data augmentation for Japanese zero anaphora resolution.
# Targets: results/table4.csv, or `all`. The configuration's keys: docs/config.md.
from pathlib import Path
from snakemake.utils import min_version

min_version("9.5")


configfile: Path(str(workflow.current_basedir)) / "config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/corpus.smk"
include: "rules/mlm.smk"
include: "rules/augment.smk"
include: "rules/encode.smk"
include: "rules/tagger.smk"
include: "rules/evaluate.smk"
include: "rules/report.smk"


rule all:
    default_target: True
    input:
        [here(path) for path in WORKFLOW.targets()],
    localrule: True

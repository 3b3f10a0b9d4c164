"""zarpipe: data augmentation for Japanese zero anaphora resolution.

An offline, feature-caching pipeline for the study of Konno et al. (COLING 2020) and for what others want
to try next: corpus -> augmented variants -> hidden states of a frozen masked language model -> BiGRU
taggers -> scores -> tables. Each stage is one subpackage and its commands of ``zarpipe``.
"""

__version__ = "0.1.0"

"""What the segmenter's commands are given, besides the configuration's sections."""

from __future__ import annotations

from zarpipe.config.values import Section
from zarpipe.tagger.specs import CorpusFile, FeatureFile, Folder, Threads


class SegmenterFiles(Section):
    """What segmenters are trained on, and where they go."""

    corpus: CorpusFile
    """Training split."""
    features: FeatureFile
    """Its feature file."""
    sentences: FeatureFile
    """Feature file of all its sentences (`zarpipe encode --all-sentences`)."""
    dev_corpus: CorpusFile
    """Development split."""
    dev_features: FeatureFile
    """Its feature file."""
    dev_sentences: FeatureFile
    """Feature file of all its sentences."""
    output: Folder
    """Folder; gets seed{n}/."""
    threads: Threads = None
    """CPU threads; without it OMP_NUM_THREADS, else all cores."""

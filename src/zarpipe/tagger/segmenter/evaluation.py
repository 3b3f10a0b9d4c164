"""Scores of segmenters on a split: what `zarpipe evaluate-segmenter` runs."""

from __future__ import annotations

import numpy as np

from zarpipe.errors import ZarpipeError
from zarpipe.formats.segmentation_scores import SegmentationScores, write_segmentation_scores
from zarpipe.tagger.cached import check_same_mlm
from zarpipe.tagger.devices import prepared_device
from zarpipe.tagger.predict import finite_probabilities
from zarpipe.tagger.segmenter.sentences import read_sentences
from zarpipe.tagger.segmenter.weights import read_segmenter
from zarpipe.tagger.specs import Computing, SegmenterScoreFiles
from zarpipe.task.segmentation import LABELS, count, decide


def evaluate_segmenters(files: SegmenterScoreFiles, computing: Computing) -> list[SegmentationScores]:
    """Let each segmenter decide a split, and write what of that is right.

    Raises ZarpipeError: a file is damaged, or does not belong to the others; too little memory.
    """
    if len(files.segmenter) != len(files.output):
        raise ZarpipeError(
            f"--output: found {len(files.output)} files; expected one for each of the "
            f"{len(files.segmenter)} segmenters"
        )
    device = prepared_device(computing.device, computing.threads)
    sentences = read_sentences(files.corpus, files.features, files.sentences)
    offsets = np.concatenate([[0], np.cumsum(sentences.lengths)])
    results: list[SegmentationScores] = []
    for folder, output in zip(files.segmenter, files.output, strict=True):
        segmenter = read_segmenter(folder)
        check_same_mlm(sentences.cached.originals, segmenter.provenance, f"the segmenter {folder}")
        probabilities = finite_probabilities(
            segmenter.model, sentences, folder, files.features, computing, device, LABELS
        )
        scores = count(decide(probabilities, offsets, segmenter.threshold), sentences.labels, offsets)
        write_segmentation_scores(output, scores)
        results.append(scores)
    return results

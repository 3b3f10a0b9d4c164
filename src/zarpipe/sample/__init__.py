"""The embedded default: a small corpus of made Japanese and a small masked language model of the same text.

`corpus.path: null` and `mlm.path: null` mean these. ``tools/sample`` makes both.
"""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
"""The corpus, 180 documents in the tab-separated form of NTC, in the words that MeCab cuts with UniDic."""

TRAINING_DOCUMENTS = 100
"""How many of them are the training split; 40 each are the others."""

MODEL = Path(__file__).parent / "small-mlm"
"""The model's folder, as Hugging Face's transformers read it: a BERT of two layers, size 128."""

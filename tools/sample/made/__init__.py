"""A small corpus of made Japanese, annotated as the NAIST Text Corpus is, for study and tests.

``lexicon`` holds the words and case frames, ``morphology`` conjugates, ``events`` chooses who does what,
``discourse`` remembers and knows what a reader can find again, ``grammar`` and ``sentences`` build the trees,
``writer`` gives them the corpus's form, ``maker`` makes documents and the whole sample.
"""

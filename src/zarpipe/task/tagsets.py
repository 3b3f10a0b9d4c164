"""The part-of-speech sets of the paper (Section 5.1, Table 2), for each tagset in one place."""

from __future__ import annotations

# Major parts of speech of each group. JUMAN as in the paper's corpus: 接尾辞 (suffixes) count as nouns.
JUMAN_GROUPS: dict[str, frozenset[str]] = {
    "noun": frozenset({"名詞", "接尾辞"}),
    "verb": frozenset({"動詞"}),
    "particle": frozenset({"助詞"}),
    "symbol": frozenset({"特殊"}),
}

# name of the set -> (groups, whether the set is everything except these groups)
_SETS: dict[str, tuple[tuple[str, ...], bool]] = {
    "noun": (("noun",), False),
    "verb": (("verb",), False),
    "particle": (("particle",), False),
    "symbol": (("symbol",), False),
    "all": ((), True),
    "all_but_noun": (("noun",), True),
    "all_but_verb": (("verb",), True),
    "all_but_particle": (("particle",), True),
    "all_but_symbol": (("symbol",), True),
    "all_but_verb_symbol": (("verb", "symbol"), True),
}

POS_SETS = tuple(_SETS)


def in_pos_set(pos: str, pos_set: str) -> bool:
    """Tell whether a token of major part of speech ``pos`` belongs to ``pos_set`` (a name of POS_SETS)."""
    groups, complement = _SETS[pos_set]
    return any(pos in JUMAN_GROUPS[group] for group in groups) != complement

"""Compares the arguments that zarpipe labels in a KNP corpus with rhoknp's own reading of it.

    python benchmarks/rhoknp_arguments.py KWDLC KWDLC/id/split_for_pas

Prints the arguments of each split by relation and case, of both, and how many (predicate, case) have other
mentions, by the reason. Needs no model; KWDLC takes half a minute on one core.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import rhoknp
from rhoknp.cohesion.argument import EndophoraArgument

from zarpipe.readers import knp
from zarpipe.readers.knp_arguments import CASE_RELATIONS
from zarpipe.readers.knp_phrases import PREDICATE_POS, content_word
from zarpipe.readers.reading import Place
from zarpipe.readers.reading import Reading as Settings
from zarpipe.readers.reading import reading as settings
from zarpipe.readers.scan import corpus_files, document_stem
from zarpipe.readers.splits import read_id_lists
from zarpipe.task.documents import arguments_of_case

# Case of a predicate of a document: number of the sentence, token of the predicate, case.
Slot = tuple[int, int, str]
# Why readings differ, in the order in which they are tried.
REASONS = {
    "construction": "=構 or =役 brings an argument that the sentence has not, or a predicate noun",
    "other case": "a mention fills another case of the predicate",
    "other": "unexplained",
}


@dataclass(frozen=True)
class Reading:
    """The labelled tokens of each case of each predicate of a document, with their relation."""

    slots: dict[Slot, dict[int, str]]

    def relation(self, slot: Slot) -> str | None:
        """Return DEP or ZAR of an argument as a whole; None if it is not labelled."""
        relations = self.slots.get(slot, {}).values()
        return min(relations) if relations else None


def zarpipe_reading(text: str, how: Settings) -> Reading:
    """Read a document with zarpipe."""
    slots: dict[Slot, dict[int, str]] = {}
    for number, sentence in enumerate(knp.read(text, Place("d", "d"), how).sentences):
        for predicate in sentence.predicates:
            for case, token, relation, _ in predicate.arguments:
                slots.setdefault((number, predicate.token, case), {})[token] = relation
    return Reading(slots)


def rhoknp_reading(document: rhoknp.Document) -> tuple[Reading, dict[Slot, frozenset[int]]]:
    """Read a document with rhoknp; also return the tokens that other cases of a predicate name."""
    slots: dict[Slot, dict[int, str]] = {}
    in_other_cases: dict[Slot, frozenset[int]] = {}
    for number, sentence in enumerate(document.sentences):
        tokens = _content_tokens(sentence)
        bunsetsu = [morpheme.phrase.index for morpheme in sentence.morphemes]
        heads = [_head(phrase) for phrase in sentence.phrases]
        for phrase in sentence.base_phrases:
            if not any(morpheme.pos in PREDICATE_POS for morpheme in phrase.morphemes):
                continue
            for relation, case in CASE_RELATIONS.items():
                slot = (number, tokens[phrase.index], case)
                mentions = {
                    tokens[argument.base_phrase.index]
                    for argument in phrase.pas.get_arguments(relation)
                    if isinstance(argument, EndophoraArgument) and argument.sentence is sentence
                }
                labelled = arguments_of_case(case, sorted(mentions), slot[1], bunsetsu, heads, "drop_mention")
                slots[slot] = {token: relation for _, token, relation, _ in labelled}
                in_other_cases[slot] = _in_other_cases(phrase, relation, tokens)
    return Reading(slots), in_other_cases


def _content_tokens(sentence: rhoknp.Sentence) -> list[int]:
    return [
        phrase.morphemes[0].index
        + content_word([(m.text, m.lemma, m.pos, m.subpos) for m in phrase.morphemes])
        for phrase in sentence.base_phrases
    ]


def _head(phrase: rhoknp.Phrase) -> int:
    return -1 if phrase.parent_index in (None, phrase.index) else phrase.parent_index


def _in_other_cases(phrase: rhoknp.BasePhrase, relation: str, tokens: list[int]) -> frozenset[int]:
    return frozenset(
        tokens[tag.base_phrase_index]
        for tag in phrase.rel_tags
        if not tag.is_coreference()
        and tag.type.removesuffix("≒") != relation
        and tag.base_phrase_index is not None
        and tag.sid == phrase.sentence.sid
    )


def differences(text: str) -> Iterator[tuple[Slot, str, Reading, Reading]]:
    """Yield every case of a predicate, with the reason why its mentions differ (empty: they do not)."""
    ours, widest = (
        zarpipe_reading(text, settings("knp", construction_mentions=reach))
        for reach in ("sentence", "document")
    )
    theirs, in_other_cases = rhoknp_reading(rhoknp.Document.from_knp(text))
    for slot in sorted(ours.slots.keys() | theirs.slots.keys()):
        found, wide, expected = (reading.slots.get(slot, {}) for reading in (ours, widest, theirs))
        reason = "" if found == expected else _reason(wide, expected, in_other_cases.get(slot))
        yield slot, reason, ours, theirs


def _reason(wide: dict[int, str], expected: dict[int, str], others: frozenset[int] | None) -> str:
    """Explain what rhoknp labels by what zarpipe labels when =構 and =役 count as =."""
    if wide == expected:
        return "construction"
    if others is None or not wide.items() <= expected.items():
        return "other"
    return "other case" if expected.keys() - wide.keys() <= others else "other"


def main() -> None:
    """Compare a corpus and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("ids", type=Path, help="folder with train.id, dev.id and test.id")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)  # rhoknp's remarks on the corpus
    split_of = {name: split for split, names in read_id_lists(arguments.ids).items() for name in names}
    counts: Counter[tuple[str, str, str, str]] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    for file in corpus_files(arguments.corpus, "knp"):
        split = split_of.get(document_stem(file))
        if split is None:
            continue
        for slot, reason, ours, theirs in differences(file.read_text(encoding="utf-8")):
            reasons[split, reason] += bool(reason)
            for name, reading in (("zarpipe", ours), ("rhoknp", theirs)):
                counts[split, name, reading.relation(slot) or "", slot[2]] += 1
            if reason == "other":
                print(f"{file}: sentence {slot[0]}, token {slot[1]}, {slot[2]}: unexplained")
    _report(counts, reasons)


def _report(counts: Counter[tuple[str, str, str, str]], reasons: Counter[tuple[str, str]]) -> None:
    for split in ("train", "dev", "test"):
        for name in ("zarpipe", "rhoknp"):
            numbers = [
                f"{relation} {case} {counts[split, name, relation, case]:,}"
                for relation in ("DEP", "ZAR")
                for case in CASE_RELATIONS.values()
            ]
            print(f"{split:<6} {name:<8}", "  ".join(numbers))
    for split in ("train", "dev", "test"):
        for reason, meaning in REASONS.items():
            print(f"{split:<6} {reasons[split, reason]:>6,}  {meaning}")


if __name__ == "__main__":
    main()

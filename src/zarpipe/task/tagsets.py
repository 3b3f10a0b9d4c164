"""Parts of speech: the tags of each dictionary, the paper's groups of them, and sets to mask.

Sources of the tags: JUMAN, the list of rhoknp, all of which KWDLC's files have; IPADIC, the manual of ipadic
2.7.0, and 未知語, which ChaSen gives to unknown words; UniDic, the major parts of speech (大分類) in
left-id.def of unidic-mecab 2.1.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from zarpipe.config.pos_sets import PAPER_SETS, Tagset, canonical_definition, unknown_set
from zarpipe.errors import ZarpipeError, any_of

POS_SETS = tuple(PAPER_SETS)


@dataclass(frozen=True)
class Tags:
    """The parts of speech of a dictionary."""

    title: str  # how people call it
    groups: Mapping[str, frozenset[str]]  # the paper's groups: noun, verb, particle, symbol
    others: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Every tag of the dictionary."""
        return self.others.union(*self.groups.values())


def _tags(title: str, others: str, **groups: str) -> Tags:
    return Tags(
        title, {name: frozenset(tags.split()) for name, tags in groups.items()}, frozenset(others.split())
    )


TAGS: Mapping[Tagset, Tags] = {
    # As in the paper's corpus: suffixes (接尾辞) count as nouns.
    "juman": _tags(
        "JUMAN",
        "形容詞 判定詞 助動詞 指示詞 副詞 接続詞 連体詞 感動詞 接頭辞 未定義語",
        noun="名詞 接尾辞",
        verb="動詞",
        particle="助詞",
        symbol="特殊",
    ),
    # Suffixes and pronouns are 名詞 here: 名詞-接尾, 名詞-代名詞.
    "ipadic": _tags(
        "IPADIC",
        "形容詞 副詞 連体詞 接続詞 助動詞 感動詞 接頭詞 フィラー その他 未知語",
        noun="名詞",
        verb="動詞",
        particle="助詞",
        symbol="記号",
    ),
    # 代名詞 are nouns as in the other two (私, 彼); 空白 is a symbol as there (特殊-空白, 記号-空白).
    "unidic": _tags(
        "UniDic",
        "形容詞 形状詞 副詞 連体詞 接続詞 助動詞 感動詞 接頭辞",
        noun="名詞 代名詞 接尾辞",
        verb="動詞",
        particle="助詞",
        symbol="補助記号 記号 空白",
    ),
}


@dataclass(frozen=True)
class PosSet:
    """A set of parts of speech, for one tagset."""

    name: str  # as in the configuration and in names of variants
    tags: frozenset[str]  # major parts of speech (名詞), or with the sub part of speech (名詞-代名詞)
    complement: bool = False  # whether the set is everything except these tags

    @property
    def is_fine(self) -> bool:
        """Whether sub parts of speech decide."""
        return any("-" in tag for tag in self.tags)

    def contains(self, pos: str, pos_sub: str = "*") -> bool:
        """Tell whether tokens of this part and sub part of speech belong to the set."""
        return (pos in self.tags or f"{pos}-{pos_sub}" in self.tags) != self.complement

    def plain(self) -> list[str] | dict[str, list[str]]:
        """Return the set as a configuration would define it: sorted tags, or ``except`` sorted tags."""
        tags = sorted(self.tags)
        return {"except": tags} if self.complement else tags


def resolve(name: str, definitions: Mapping[str, Any], tagset: Tagset) -> PosSet:
    """Return the set of a name for a corpus of this tagset: one of the paper's, or of ``definitions``.

    Raises ZarpipeError if there is no such set, or it is not defined for the tagset.
    """
    if problem := unknown_set(name, definitions):
        raise ZarpipeError(f"found the POS set {name!r}; {problem}")
    if name in PAPER_SETS:
        return _paper_set(name, tagset)
    definition = canonical_definition(definitions[name])
    if isinstance(definition, dict) and "except" not in definition:
        if tagset not in definition:
            raise ZarpipeError(
                f"pos_sets.{name}: found tags for {any_of(definition)} only; the corpus has those of "
                f"{TAGS[tagset].title}: add {tagset}: [...]"
            )
        definition = definition[tagset]
    if isinstance(definition, dict):
        return PosSet(name, frozenset(definition["except"]), complement=True)
    return PosSet(name, frozenset(definition))


# Words that only serve grammar, besides particles. A suffix of JUMAN that inflects (られる, ない, たい) is an
# auxiliary in the other dictionaries; IPADIC has れる and られる as 動詞-接尾.
_AUXILIARIES: Mapping[Tagset, tuple[str, ...]] = {
    "juman": (
        "助動詞",
        "判定詞",
        "接尾辞-動詞性接尾辞",
        "接尾辞-形容詞性述語接尾辞",
        "接尾辞-形容詞性名詞接尾辞",
    ),
    "ipadic": ("助動詞", "動詞-接尾"),
    "unidic": ("助動詞",),
}


def function_words(tagset: Tagset) -> PosSet:
    """Return the set of particles and auxiliaries."""
    return PosSet("function", TAGS[tagset].groups["particle"].union(_AUXILIARIES[tagset]))


def content_words(tagset: Tagset) -> PosSet:
    """Return the set of all words that are neither function words nor symbols."""
    others = function_words(tagset).tags | TAGS[tagset].groups["symbol"]
    return PosSet("content", others, complement=True)


def definition_of(name: str, definitions: Mapping[str, Any]) -> Any:
    """Return what defines a set, whatever the corpus's tagset, as plain values in one form: for specs."""
    if name not in PAPER_SETS:
        return canonical_definition(definitions[name])
    return {tagset: _paper_set(name, tagset).plain() for tagset in TAGS}


def check_known(sets: Collection[PosSet], found: Collection[str], tagset: Tagset, path: object) -> None:
    """Raise ZarpipeError if none of the sets can know any of a corpus's (major) parts of speech.

    A set that takes everything knows them all.
    """
    named = {tag.partition("-")[0] for pos_set in sets for tag in pos_set.tags}
    if not named or not found or not (TAGS[tagset].all | named).isdisjoint(found):
        return
    raise ZarpipeError(
        f"{path}: no POS set ({', '.join(pos_set.name for pos_set in sets)}) knows the corpus's parts of "
        f"speech: found {shown_tags(found)}; expected those of {TAGS[tagset].title} "
        f"({shown_tags(TAGS[tagset].all)}). Define a set with the corpus's own tags (pos_sets), or convert a "
        "corpus that was analysed with "
        f"{any_of(tags.title for tags in TAGS.values())}"
    )


def doubts(pos_set: PosSet, found: Collection[tuple[str, str]], tagset: Tagset) -> str | None:
    """Return what a person should know about a set on a corpus: that its tags are not there.

    ``found`` has part of speech and sub part of the corpus's tokens.
    """
    named = any(pos_set.contains(*tags) != pos_set.complement for tags in found)
    if named or not pos_set.tags or not found:
        return None
    what = "is everything: no token has a tag that it excepts" if pos_set.complement else "has no token"
    return (
        f"the POS set {pos_set.name} ({shown_tags(pos_set.tags)} in {TAGS[tagset].title}) {what}; "
        f"the corpus has {shown_tags({pos for pos, _ in found})}"
    )


def shown_tags(tags: Collection[str], at_most: int = 12) -> str:
    """List tags for a message, the first ones when there are many."""
    shown = sorted(tags)[:at_most]
    return ", ".join(shown) + (", …" if len(tags) > at_most else "")


def _paper_set(name: str, tagset: Tagset) -> PosSet:
    ((kind, groups),) = PAPER_SETS[name].items()
    tags = frozenset[str]().union(*(TAGS[tagset].groups[group] for group in groups))
    return PosSet(name, tags, complement=kind == "except")

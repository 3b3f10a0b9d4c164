"""Sets of parts of speech (POS sets): the ten of the paper, and those that a study defines.

A set is written as a list of tags, or as everything except a list of tags::

    pos_sets:
      adverb: [副詞]
      content: {except: [助詞, 特殊]}
      proper: [名詞-固有名詞]                      # part of speech and sub part of speech
      prefix: {juman: [接頭辞], ipadic: [接頭詞]}    # by tagset

The tags that a corpus has, and the groups that the paper's sets are made of, are in `zarpipe.task.tagsets`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from zarpipe.config.values import NAME_SCHEMA, OwnName, names_with, only
from zarpipe.registry import did_you_mean

Tagset = Literal["juman", "ipadic", "unidic"]
"""The dictionary whose parts of speech a corpus has."""
TAGSETS: tuple[Tagset, ...] = get_args(Tagset)

# The paper's sets (Section 5.1, Table 2): of which groups of tags they are, or are everything except them.
PAPER_SETS: dict[str, dict[Literal["groups", "except"], tuple[str, ...]]] = {
    "noun": {"groups": ("noun",)},
    "verb": {"groups": ("verb",)},
    "particle": {"groups": ("particle",)},
    "symbol": {"groups": ("symbol",)},
    "all": {"except": ()},
    "all_but_noun": {"except": ("noun",)},
    "all_but_verb": {"except": ("verb",)},
    "all_but_particle": {"except": ("particle",)},
    "all_but_symbol": {"except": ("symbol",)},
    "all_but_verb_symbol": {"except": ("verb", "symbol")},
}

_FORMS = "a list of tags such as [副詞], {except: [助詞, 特殊]}, or one of these for each tagset"


def canonical_definition(value: Any) -> Any:
    """Return a definition in its one plain form: tags sorted and each once, tagsets in the order of TAGSETS.

    Raises ValueError that says what is expected.
    """
    if isinstance(value, Mapping) and value and set(value) <= set(TAGSETS):
        return {tagset: _canonical_tags(value[tagset]) for tagset in TAGSETS if tagset in value}
    return _canonical_tags(value)


def _canonical_tags(value: Any) -> list[str] | dict[str, list[str]]:
    if isinstance(value, Mapping) and set(value) == {"except"}:
        return {"except": _tags(value["except"])}
    if isinstance(value, Mapping):
        _refuse_keys(value)
    return _tags(value)


def _refuse_keys(value: Mapping[Any, Any]) -> None:
    known = ("except", *TAGSETS)
    for key in value:
        if key not in known:
            raise ValueError(f"unknown key {key!r}{did_you_mean(str(key), known)}; expected {_FORMS}")
    raise ValueError(f"expected {_FORMS}; except stands alone, or below each tagset")


def _tags(value: Any) -> list[str]:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"expected {_FORMS}")
    for tag in value:
        if not isinstance(tag, str) or not tag or tag != tag.strip() or tag.startswith("-"):
            raise ValueError(f"found the tag {tag!r}; expected a part of speech such as 名詞 or 名詞-代名詞")
    return sorted(set(value))


def unknown_set(name: str, configured: Collection[str]) -> str | None:
    """Return what is wrong with a name that is neither one of the paper's sets nor configured."""
    known = (*PAPER_SETS, *configured)
    if name in known:
        return None
    return f"expected one of {', '.join(known)}, or a set that pos_sets defines{did_you_mean(name, known)}"


_TagList = Annotated[list[str], Field(min_length=1)]
_Tags = _TagList | dict[Literal["except"], _TagList]

_EXPECTED_NAME = f"expected the name of a POS set: {', '.join(PAPER_SETS)}, or one of pos_sets"
_IS_TAKEN = "this is one of the paper's sets, which stay as they are; choose another name"

PosSetName = Annotated[
    str,
    BeforeValidator(only(lambda value: isinstance(value, str), _EXPECTED_NAME)),
    WithJsonSchema({"anyOf": [{"enum": list(PAPER_SETS)}, NAME_SCHEMA.json_schema]}),
]
OwnPosSetName = Annotated[OwnName, AfterValidator(only(lambda name: name not in PAPER_SETS, _IS_TAKEN))]
PosSetDefinition = Annotated[
    list[str] | dict[str, Any],
    BeforeValidator(canonical_definition, json_schema_input_type=_Tags | dict[Tagset, _Tags]),
]
PosSets = Annotated[dict[OwnPosSetName, PosSetDefinition], names_with("its tags, such as adverb: [副詞]")]

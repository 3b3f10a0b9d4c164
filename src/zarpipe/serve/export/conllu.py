r"""CoNLL-U in the style of CorefUD 1.x: omitted arguments as empty nodes, coreference as ``Entity``.

* An argument none of whose mentions is in a direct dependency with the predicate (ZAR) is omitted: an empty
  node stands before the predicate, with the predicate and the case in DEPS, and corefers with the mentions.
* The other mentions (DEP, or in the predicate's own bunsetsu) have the predicate and the case in their DEPS.
* An empty node, the mentions that fill it, and the empty nodes that share a mention with it, are one entity.
  Mentions of arguments that are not omitted are in none: where they are several, the Parquet does not say
  whether they are one person or two (太郎と花子が).
* HEAD is 0, and UPOS, FEATS and DEPREL are ``_``: the corpus Parquet has no dependencies between words, and
  none are made up. Bunsetsu and their heads, and everything else that the Parquet has, is in the comments and
  in MISC, without loss.

Rules of the format: https://universaldependencies.org/format.html and CorefUD 1.0 (global.Entity, mentions as
``(eid-etype-head)``). What the keys mean: docs/export.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from zarpipe.characters import is_unseen
from zarpipe.config.pos_sets import Tagset
from zarpipe.task.documents import Argument, Predicate, Sentence
from zarpipe.task.relations import Relation

# The dependency relations of Universal Dependencies that the cases have; another case is an oblique of its
# own name (obl:loc).
DEPENDENCY_RELATIONS = {"NOM": "nsubj", "ACC": "obj", "DAT": "iobj"}

# What stands for a character that a column cannot hold; MISC has the exact text.
PLACEHOLDER = "␣"
_ESCAPES = {"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_NONE = "_"

# A node of a sentence: a token's number, or an empty node's (predicate, case).
_Node = int | tuple[int, str]


def write(sentences: Iterable[Sentence], tagset: Tagset) -> Iterator[str]:
    """Yield each sentence with its comments and the empty line behind it."""
    document: str | None = None
    entities = 0
    for number, sentence in enumerate(sentences):
        comments = [] if sentence.doc_id == document else [f"# newdoc id = {escaped(sentence.doc_id)}"]
        if not number:
            comments += ["# global.Entity = eid-etype-head-other", f"# tagset = {tagset}"]
        document = sentence.doc_id
        entity_of = _entities(sentence, entities)
        entities += len(set(entity_of.values()))
        yield "\n".join([*comments, *_lines(sentence, entity_of)]) + "\n\n"


def escaped(text: str) -> str:
    r"""Return a text as it stands in comments and in MISC.

    Backslash, bar, blank, tab and line ends become ``\\ \p \s \t \n \r``; other white space and unseen
    characters ``\u{3000}``.
    """
    return "".join(
        _ESCAPES.get(character) or (f"\\u{{{ord(character):x}}}" if _is_special(character) else character)
        for character in text
    )


def dependency_relation(case: str) -> str:
    """Return what an argument of a case is called in DEPS."""
    return DEPENDENCY_RELATIONS.get(case, f"obl:{case.lower()}")


def _is_special(character: str) -> bool:
    return character.isspace() or is_unseen(character)


def _visible(text: str) -> str:
    """Return a text that a column can hold."""
    return "".join(PLACEHOLDER if _is_special(character) else character for character in text) or PLACEHOLDER


def _is_omitted(mentions: Sequence[Argument]) -> bool:
    """Tell whether an argument is omitted: none of its mentions depends on the predicate, or the reverse."""
    return all(mention.relation == Relation.ZAR.name for mention in mentions)


def _entities(sentence: Sentence, before: int) -> dict[_Node, str]:
    """Return the entity of each empty node and of each mention that fills one.

    ``before`` have names already.
    """
    group_of: dict[_Node, set[_Node]] = {}
    for predicate in sentence.predicates:
        for case, mentions in predicate.by_case().items():
            if _is_omitted(mentions):
                nodes: set[_Node] = {(predicate.token, case), *(mention.token for mention in mentions)}
                joined = nodes.union(*(group_of.get(node, set()) for node in nodes))
                group_of.update(dict.fromkeys(joined, joined))
    names: dict[int, str] = {}
    for group in group_of.values():
        names.setdefault(id(group), f"e{before + len(names) + 1}")
    return {node: names[id(group)] for node, group in group_of.items()}


def _lines(sentence: Sentence, entity_of: Mapping[_Node, str]) -> Iterator[str]:
    """Yield the comments of a sentence and a line for each of its nodes."""
    yield f"# sent_id = {escaped(sentence.sent_id)}"
    yield f"# text = {''.join(_visible(word[0]) for word in sentence.words)}"
    yield f"# bunsetsu_heads = {' '.join(map(str, sentence.heads))}"
    predicates = {predicate.token: predicate for predicate in sentence.predicates}
    edges = _edges(sentence)
    for token in range(len(sentence.words)):
        predicate = predicates.get(token)
        if predicate is not None:
            yield from _empty_nodes(predicate, entity_of)
        yield _word_line(sentence, token, predicate, edges[token], entity_of.get(token))


def _edges(sentence: Sentence) -> dict[int, list[tuple[int, str]]]:
    """Return the predicates of which each token is an argument that is not omitted, with their relations."""
    edges: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for predicate in sentence.predicates:
        for mention in predicate.arguments:
            if mention.relation != Relation.ZAR.name and mention.token != predicate.token:
                edges[mention.token].append((predicate.token, dependency_relation(mention.case)))
    return edges


def _empty_nodes(predicate: Predicate, entity_of: Mapping[_Node, str]) -> Iterator[str]:
    omitted = [case for case, mentions in predicate.by_case().items() if _is_omitted(mentions)]
    for number, case in enumerate(omitted, 1):
        misc = {"Entity": _mention(entity_of[predicate.token, case])}
        deps = f"{predicate.token + 1}:{dependency_relation(case)}"
        yield _line(f"{predicate.token}.{number}", deps=deps, misc=misc)


def _word_line(
    sentence: Sentence,
    token: int,
    predicate: Predicate | None,
    edges: Sequence[tuple[int, str]],
    entity: str | None,
) -> str:
    surface, lemma, pos, sub = sentence.words[token]
    tag = pos if sub == "*" else f"{pos}-{sub}"
    misc = {"Bunsetsu": str(sentence.bunsetsu[token]), "SpaceAfter": "No"}
    if _visible(surface) != surface:
        misc["Form"] = escaped(surface)
    if _visible(lemma) != lemma or lemma == _NONE:
        misc["Lemma"] = escaped(lemma)
    if _visible(tag) != tag or tag == _NONE or _tags(tag) != (pos, sub):
        misc |= {"Pos": escaped(pos), "PosSub": escaped(sub)}
    if predicate is not None:
        misc |= _predicate(predicate)
    if entity is not None:
        misc["Entity"] = _mention(entity)
    deps = "|".join(f"{head + 1}:{relation}" for head, relation in sorted(edges))
    return _line(str(token + 1), _visible(surface), _visible(lemma), _visible(tag), "0", deps, misc)


def _tags(tag: str) -> tuple[str, str]:
    """Split XPOS into part of speech and sub part of speech."""
    pos, dash, sub = tag.partition("-")
    return pos, sub if dash else "*"


def _predicate(predicate: Predicate) -> dict[str, str]:
    """Return what MISC says of a predicate."""
    misc = {"Predicate": "Yes"}
    if predicate.arguments:
        misc["Arguments"] = ",".join(map(_argument, predicate.arguments))
    if predicate.alt is not None:
        misc["Alt"] = escaped(predicate.alt)
    return misc


def _argument(argument: Argument) -> str:
    values = [argument.case, str(argument.token + 1), argument.relation]
    return ":".join(values if argument.probability is None else [*values, repr(argument.probability)])


def _mention(entity: str) -> str:
    """Return a mention of one node, which is its head."""
    return f"({entity}--1-)"


def _line(
    number: str,
    form: str = _NONE,
    lemma: str = _NONE,
    tag: str = _NONE,
    head: str = _NONE,
    deps: str = "",
    misc: Mapping[str, str] | None = None,
) -> str:
    attributes = "|".join(f"{key}={value}" for key, value in sorted((misc or {}).items()))
    return "\t".join(
        [number, form, lemma, _NONE, tag, _NONE, head, _NONE, deps or _NONE, attributes or _NONE]
    )

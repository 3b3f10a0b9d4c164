"""Reads exported files back into rows of the corpus Parquet; and the zero anaphora score of CorefUD.

The score is written from the published rules of the CorefUD scorer 1.2 (README: matching of zero mentions by
their dependencies; Žabokrtský et al. 2022: the anaphor-decomposable score).
"""

import itertools
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from zarpipe.formats.corpus_writer import to_batch
from zarpipe.readers import knp
from zarpipe.readers.reading import Place, reading

_UNESCAPED = {"\\": "\\", "p": "|", "s": " ", "t": "\t", "n": "\n", "r": "\r"}


def unescaped(text):
    def character(match):
        return chr(int(match[1], 16)) if match[1] else _UNESCAPED[match[2]]

    return re.sub(r"\\(?:u\{([0-9a-f]+)\}|(.))", character, text)


def rows_of_json(text):
    rows = []
    for plain in map(json.loads, text.splitlines()):
        tokens, predicates = plain["tokens"], plain["predicates"]
        for one in [*tokens, *predicates, *(a for p in predicates for a in p["arguments"])]:
            surface = one["surface"] if "surface" in one else tokens[one["token"]]["surface"]
            assert plain["text"][one["start"] : one["end"]] == surface
        row = _only(plain, "doc_id", "sent_id", "heads")
        for column, key in (*zip(COLUMNS, tokens[0], strict=False), ("bunsetsu", "bunsetsu")):
            row[column] = [token[key] for token in tokens]
        row["predicates"] = [_only(predicate, "token", "alt") for predicate in predicates]
        for own, predicate in zip(row["predicates"], predicates, strict=True):
            own["arguments"] = [_only(one, "case", "token", "relation") for one in predicate["arguments"]]
        rows.append(row)
    return rows


COLUMNS = ("tokens", "lemmas", "pos", "pos_sub")


def _only(plain, *keys):
    return {key: plain[key] for key in keys}


def rows_of_knp(text):
    """Read with zarpipe's own reader; the names of documents and voices are not in it."""
    how = reading("knp", predicates="verbal_and_nominal")
    return to_batch([knp.read(text, Place("exported.knp", "doc"), how)]).to_pylist()


@dataclass
class Node:
    """A line of a CoNLL-U file."""

    number: str
    form: str
    lemma: str
    tag: str
    deps: list[str]
    misc: dict[str, str]

    @property
    def is_empty(self):
        return "." in self.number

    @property
    def place(self):
        return tuple(map(int, self.number.split("."))) if self.is_empty else (int(self.number), 0)


@dataclass
class Tree:
    """A sentence of a CoNLL-U file."""

    doc_id: str = ""
    comments: dict[str, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)


def read_conllu(text):
    """Read a CoNLL-U file, and check what the format asks for."""
    assert text.endswith("\n\n")
    trees, doc_id = [], None
    for block in text[:-2].split("\n\n"):
        tree = Tree()
        for line in block.split("\n"):
            if line.startswith("# "):
                key, _, value = line[2:].partition(" = ")
                tree.comments[key] = value
                doc_id = unescaped(value) if key == "newdoc id" else doc_id
                continue
            number, form, lemma, upos, tag, feats, head, deprel, deps, misc = line.split("\t")
            assert (upos, feats, deprel) == ("_", "_", "_")
            assert head == ("_" if "." in number else "0")
            assert all((form, lemma, tag, deps, misc))
            attributes = dict(one.split("=", 1) for one in misc.split("|"))
            assert list(attributes) == sorted(attributes)
            edges = [] if deps == "_" else deps.split("|")
            tree.nodes.append(Node(number, form, lemma, tag, edges, attributes))
        tree.doc_id = doc_id
        words = [node.number for node in tree.nodes if not node.is_empty]
        assert words == [str(number) for number in range(1, len(words) + 1)]
        assert [node.place for node in tree.nodes] == sorted(node.place for node in tree.nodes)
        assert tree.comments["text"] == "".join(node.form for node in tree.nodes if not node.is_empty)
        trees.append(tree)
    assert trees[0].comments["global.Entity"] == "eid-etype-head-other"
    return trees


def rows_of_conllu(text):
    rows = []
    for tree in read_conllu(text):
        words = [node for node in tree.nodes if not node.is_empty]
        columns = map(list, zip(*map(_word, words), strict=True))
        row = {"doc_id": tree.doc_id, "sent_id": unescaped(tree.comments["sent_id"])}
        row |= zip(COLUMNS, columns, strict=True)
        row["bunsetsu"] = [int(node.misc["Bunsetsu"]) for node in words]
        row["heads"] = list(map(int, tree.comments["bunsetsu_heads"].split()))
        row["predicates"] = [
            {"token": token, "alt": _alt(node.misc), "arguments": _arguments(node.misc.get("Arguments"))}
            for token, node in enumerate(words)
            if "Predicate" in node.misc
        ]
        rows.append(row)
    return rows


def _alt(misc):
    return unescaped(misc["Alt"]) if "Alt" in misc else None


def _word(node):
    tag, sub = (*node.tag.split("-", 1), "*")[:2]
    plain = {"Form": node.form, "Lemma": node.lemma, "Pos": tag, "PosSub": sub}
    return [unescaped(node.misc[key]) if key in node.misc else text for key, text in plain.items()]


def _arguments(text):
    found = [one.split(":") for one in text.split(",")] if text else []
    return [{"case": case, "token": int(token) - 1, "relation": kind} for case, token, kind, *_ in found]


# A mention: sentence, and node as (word, number of the empty node).
def _entities(trees):
    """Return the mentions of each entity with two or more, and the dependencies of the empty ones."""
    entities, zeros = defaultdict(list), {}
    for number, tree in enumerate(trees):
        for node in tree.nodes:
            if "Entity" not in node.misc:
                continue
            match = re.fullmatch(r"\((e\d+)--1-\)", node.misc["Entity"])
            mention = (number, node.place)
            entities[match[1]].append(mention)
            if node.is_empty:
                (edge,) = node.deps
                zeros[mention] = tuple(edge.split(":", 1))
    return [sorted(mentions) for mentions in entities.values() if len(mentions) > 1], zeros


def _match_zeros(key, response):
    """Match empty nodes of a sentence so that the sum of their similarities is the highest.

    11 for the same parent and relation, 1 for the same parent; so each predicate can be taken by itself.
    """
    groups = defaultdict(lambda: ([], []))
    for side, zeros in enumerate((key, response)):
        for mention, (parent, relation) in zeros.items():
            groups[mention[0], parent][side].append((mention, relation))
    matched = {}
    for keys, responses in groups.values():
        padded = responses + [None] * max(0, len(keys) - len(responses))

        def similarity(order, keys=keys):
            pairs = zip(keys, order, strict=True)
            return sum(11 if one[1] == other[1] else 1 for one, other in pairs if other)

        best = max(itertools.permutations(padded, len(keys)), key=similarity)
        matched.update({one[0]: other[0] for one, other in zip(keys, best, strict=True) if other})
    return matched


def zero_score(key_text, response_text):
    """Score the empty nodes of a response as anaphors.

    Returns:
        Numbers of right ones (tp), of wrong antecedents (wl), invented ones (fp) and missed ones (fn).
    """
    key_trees, response_trees = read_conllu(key_text), read_conllu(response_text)
    names = [[tree.comments["sent_id"] for tree in trees] for trees in (key_trees, response_trees)]
    assert names[0] == names[1]
    key, key_zeros = _entities(key_trees)
    response, response_zeros = _entities(response_trees)
    matched = _match_zeros(key_zeros, response_zeros)
    entity_of = {mention: number for number, entity in enumerate(response) for mention in entity}
    firsts = {entity[0] for entity in response}
    counts, covered = Counter(tp=0, wl=0, fp=0, fn=0), set()
    for entity in key:
        before = set()
        for place, mention in enumerate(entity):
            is_zero = mention in key_zeros
            other = matched.get(mention) if is_zero else mention if mention in entity_of else None
            if place and is_zero:
                if other is None or other in firsts:
                    counts["fn"] += 1
                elif entity_of[other] not in before:
                    counts["wl"] += 1
                else:
                    counts["tp"] += 1
                covered.add(other)
            if other is not None:
                before.add(entity_of[other])
    counts["fp"] = sum(mention not in firsts and mention not in covered for mention in response_zeros)
    return counts

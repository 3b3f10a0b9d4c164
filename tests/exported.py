"""Reads exported files back into rows of the corpus Parquet; and the zero anaphora score of CorefUD.

The score is written from the published rules of the CorefUD scorer 1.2 (README: matching of zero mentions by
their dependencies; Žabokrtský et al. 2022: the anaphor-decomposable score).
"""

import itertools
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from zarpipe.readers.knp import read_knp
from zarpipe.readers.knp_arguments import LabelRules

_UNESCAPED = {"\\": "\\", "p": "|", "s": " ", "t": "\t", "n": "\n", "r": "\r"}


def unescaped(text):
    return re.sub(
        r"\\(?:u\{([0-9a-f]+)\}|(.))",
        lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPED[match[2]],
        text,
    )


def rows_of_json(text):
    rows = []
    for line in text.splitlines():
        plain = json.loads(line)
        tokens = plain["tokens"]
        for one in [*tokens, *plain["predicates"], *(a for p in plain["predicates"] for a in p["arguments"])]:
            surface = one["surface"] if "surface" in one else tokens[one["token"]]["surface"]
            assert plain["text"][one["start"] : one["end"]] == surface
        rows.append(
            {name: plain[name] for name in ("doc_id", "sent_id", "heads")}
            | {
                column: [token[key] for token in tokens]
                for column, key in (
                    ("tokens", "surface"),
                    ("lemmas", "lemma"),
                    ("pos", "pos"),
                    ("pos_sub", "pos_sub"),
                    ("bunsetsu", "bunsetsu"),
                )
            }
            | {
                "predicates": [
                    {
                        "token": predicate["token"],
                        "alt": predicate["alt"],
                        "arguments": [
                            {key: argument[key] for key in ("case", "token", "relation")}
                            for argument in predicate["arguments"]
                        ],
                    }
                    for predicate in plain["predicates"]
                ]
            }
        )
    return rows


def plain(argument):
    return {key: getattr(argument, key) for key in ("case", "token", "relation")}


def rows_of_knp(text):
    """Read with zarpipe's own reader; the names of documents and voices are not in it."""
    rules = LabelRules(own_bunsetsu="drop_mention", nominal=True)
    return [
        {
            "sent_id": sentence.sent_id,
            "tokens": sentence.tokens,
            "lemmas": sentence.lemmas,
            "pos": sentence.pos,
            "pos_sub": sentence.pos_sub,
            "bunsetsu": sentence.bunsetsu,
            "heads": sentence.heads,
            "predicates": [
                {"token": predicate.token, "arguments": list(map(plain, predicate.arguments))}
                for predicate in sentence.predicates
            ],
        }
        for sentence in read_knp(text, "doc", "exported.knp", rules=rules).sentences
    ]


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
            tree.nodes.append(
                Node(number, form, lemma, tag, [] if deps == "_" else deps.split("|"), attributes)
            )
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
        misc = [node.misc for node in words]
        tags = [(*node.tag.split("-", 1), "*")[:2] for node in words]
        rows.append(
            {
                "doc_id": tree.doc_id,
                "sent_id": unescaped(tree.comments["sent_id"]),
                "tokens": [
                    unescaped(node.misc["Form"]) if "Form" in node.misc else node.form for node in words
                ],
                "lemmas": [
                    unescaped(node.misc["Lemma"]) if "Lemma" in node.misc else node.lemma for node in words
                ],
                "pos": [
                    unescaped(one["Pos"]) if "Pos" in one else tag[0]
                    for one, tag in zip(misc, tags, strict=True)
                ],
                "pos_sub": [
                    unescaped(one["PosSub"]) if "PosSub" in one else tag[1]
                    for one, tag in zip(misc, tags, strict=True)
                ],
                "bunsetsu": [int(one["Bunsetsu"]) for one in misc],
                "heads": list(map(int, tree.comments["bunsetsu_heads"].split())),
                "predicates": [
                    {
                        "token": token,
                        "alt": unescaped(one["Alt"]) if "Alt" in one else None,
                        "arguments": _arguments(one.get("Arguments")),
                    }
                    for token, one in enumerate(misc)
                    if "Predicate" in one
                ],
            }
        )
    return rows


def _arguments(text):
    found = []
    for one in text.split(",") if text else []:
        case, token, relation, *_ = one.split(":")
        found.append({"case": case, "token": int(token) - 1, "relation": relation})
    return found


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
        size = max(len(keys), len(responses))
        padded = responses + [None] * (size - len(responses))
        best = max(
            itertools.permutations(padded, len(keys)) if keys else [()],
            key=lambda order: sum(
                0 if other is None else 11 if one[1] == other[1] else 1
                for one, other in zip(keys, order, strict=True)
            ),
        )
        matched.update({one[0]: other[0] for one, other in zip(keys, best, strict=True) if other})
    return matched


def zero_score(key_text, response_text):
    """Score the empty nodes of a response as anaphors.

    Returns:
        Numbers of right ones (tp), of wrong antecedents (wl), invented ones (fp) and missed ones (fn).
    """
    key_trees, response_trees = read_conllu(key_text), read_conllu(response_text)
    assert [tree.comments["sent_id"] for tree in key_trees] == [
        tree.comments["sent_id"] for tree in response_trees
    ]
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


def muc_and_b_cubed(key_text, response_text):
    """Return F1 of MUC (Vilain et al. 1995) and of B-cubed (Bagga and Baldwin 1998), zeros matched as above."""
    key, key_zeros = _entities(read_conllu(key_text))
    response, response_zeros = _entities(read_conllu(response_text))
    matched = _match_zeros(key_zeros, response_zeros)
    back = {other: one for one, other in matched.items()}
    sides = [
        (key, {m: n for n, entity in enumerate(response) for m in entity}, key_zeros, matched),
        (response, {m: n for n, entity in enumerate(key) for m in entity}, response_zeros, back),
    ]
    ratios = []
    for entities, other_of, zeros, match in sides:
        links = right_links = size = right = 0
        for entity in entities:
            found = [other_of.get(match.get(m) if m in zeros else m) for m in entity]
            links += len(entity) - 1
            missing = sum(one is None for one in found)
            right_links += len(entity) - missing - len({one for one in found if one is not None})
            size += len(entity)
            right += sum(count**2 for one, count in Counter(found).items() if one is not None) / len(entity)
        ratios.append((right_links / links, right / size))
    return tuple(2 * r * p / (r + p) if r + p else 0.0 for r, p in zip(*ratios, strict=True))

"""A made sentence whose weights can be worked out by hand, and sentences at random."""

import pyarrow as pa
import tiny_corpora
from hypothesis import strategies as st

from zarpipe.augment.policies.tokens import InstanceTokens
from zarpipe.formats.corpus import CORPUS_SCHEMA, instances_of

# 太郎 は | 昨日 | 買った | 本 を | ゆっくり | 読み たい 。 The tree: 0 -> 5, 1 -> 2, 2 -> 3, 3 -> 5, 4 -> 5.
WORDS = (
    ("太郎", "名詞", "固有名詞", 0),
    ("は", "助詞", "副助詞", 0),
    ("昨日", "名詞", "時相名詞", 1),
    ("買った", "動詞", "*", 2),
    ("本", "名詞", "普通名詞", 3),
    ("を", "助詞", "格助詞", 3),
    ("ゆっくり", "副詞", "*", 4),
    ("読み", "動詞", "*", 5),
    ("たい", "接尾辞", "形容詞性述語接尾辞", 5),
    ("。", "特殊", "句点", 5),
)
HEADS = [5, 2, 3, 5, 5, -1]
# 買った: its ACC is 本. 読み: its NOM is 太郎, its ACC 本.
PREDICATES = {3: [("ACC", 4)], 7: [("NOM", 0), ("ACC", 4)]}


def row(sent_id, words, heads, predicates):
    """A row of the corpus: words are (surface, pos, pos_sub, bunsetsu)."""
    tokens, pos, pos_sub, bunsetsu = (list(column) for column in zip(*words, strict=True))
    return tiny_corpora.row(sent_id, tokens, predicates, bunsetsu, heads) | {"pos": pos, "pos_sub": pos_sub}


def tokens_of(rows, pos_sets=None):
    """The tokens of the instances of some rows."""
    table = pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA)
    return InstanceTokens(table, instances_of(table), "train.parquet", pos_sets or {})


def made_row(sent_id="d-1"):
    """The made sentence."""
    return row(sent_id, WORDS, HEADS, PREDICATES)


@st.composite
def rows(draw):
    """Sentences with any tree, tags, predicates and arguments."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
        bunsetsu = [index for index, size in enumerate(sizes) for _ in range(size)]
        last = len(sizes) - 1
        # The first bunsetsu has a head, so that there are dependencies; any other may be a root.
        heads = [
            draw(st.integers(index + 1, last)) if index < last and (index == 0 or draw(st.booleans())) else -1
            for index in range(len(sizes))
        ]
        tags = st.sampled_from(["名詞", "動詞", "助詞", "特殊", "副詞", "接尾辞"])
        words = [("x", draw(tags), "*", one) for one in bunsetsu]
        token = st.integers(0, len(words) - 1)
        predicates = {
            place: [
                ("NOM", one)
                for one in sorted(draw(st.sets(token, max_size=2)))
                if bunsetsu[one] != bunsetsu[place]
            ]
            for place in sorted(draw(st.sets(token, min_size=1, max_size=3)))
        }
        found.append(row(f"s{number}", words, heads, predicates))
    return found

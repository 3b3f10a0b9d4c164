"""Section `corpus`: the annotated corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from zarpipe.config.values import Integer, Name, Section
from zarpipe.registry import Registry

# Format of a corpus -> the module that reads it (what it has to have: zarpipe.readers.reading).
READERS = Registry(
    "corpus format",
    {
        "ntc": "zarpipe.readers.ntc",
        "knp": "zarpipe.readers.knp",
        "parquet": "zarpipe.readers.parquet",
    },
)
# Whose words a corpus can be cut into -> the module that does it (zarpipe.readers.reading).
SEGMENTERS = Registry("segmenter", {"unidic": "zarpipe.readers.unidic"})
if TYPE_CHECKING:
    Format = str
    Tokens = str
else:
    Format = Literal[tuple(READERS)]
    Tokens = Literal[("gold", *SEGMENTERS)]


class Limit(Section):
    """Documents to read of each split, for a quick look; null reads all. Skipped ones do not count."""

    train: Annotated[Integer, Field(ge=1)] | None = None
    """Training documents."""
    dev: Annotated[Integer, Field(ge=1)] | None = None
    """Development documents."""
    test: Annotated[Integer, Field(ge=1)] | None = None
    """Test documents."""


class CorpusConfig(Section):
    """The annotated corpus."""

    format: Format = "ntc"
    """ntc: NAIST Text Corpus 1.5 (as distributed or tab-separated). knp: KWDLC and its relatives. parquet: a
    folder with train.parquet, dev.parquet and test.parquet in the columns of docs/parquet.md, which are
    checked and copied; `split` and the rules of reading have no effect on them."""
    path: Name | None = None
    """Folder of the corpus. null: the small corpus of made Japanese that comes with zarpipe."""
    split: Literal["taira", "ids", "folders"] = "taira"
    """taira: by date, as Taira et al. (2008), for NTC. ids: by lists of document ids. folders: train/, dev/
    and test/."""
    ids: Name | None = None
    """Folder with train.id, dev.id and test.id, for `split: ids`."""
    limit: Limit = Limit()
    """Documents per split, for a quick look."""
    tokens: Tokens = "gold"
    """gold: the corpus's own words. unidic: the sentences are cut again by MeCab with unidic-lite, as raw
    text would be, and predicates and arguments move to the new words; `zarpipe count` says what is lost.
    Parts of speech are UniDic's then."""
    predicates: Literal["verbal", "verbal_and_nominal"] = "verbal"
    """KNP format: which annotated base phrases are target predicates."""
    coreferent_mentions: bool = True
    """KNP format: coreferent mentions in the sentence are mentions of the argument too."""
    construction_mentions: Literal["never", "sentence", "document"] = "sentence"
    """KNP format: what coreference by construction (`=構`: apposition, copula; `=役`: name and title) adds.
    sentence: mentions to arguments that the sentence has. document: arguments from other sentences too."""
    own_bunsetsu: Literal["auto", "drop_case", "drop_mention"] = "auto"
    """When one of several mentions lies in the predicate's own bunsetsu: drop the whole case, or only that
    mention. auto: drop_case for ntc, drop_mention for knp."""
    on_error: Literal["stop", "skip"] = "stop"
    """What a malformed document does: stop the conversion, or be skipped and listed in skipped.csv."""

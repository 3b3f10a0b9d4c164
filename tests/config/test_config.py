"""The configuration: how files are read, and one line for each thing that is wrong in them."""

import json

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_says

from zarpipe.config import Config, canonical_alpha
from zarpipe.config.corpus import READERS
from zarpipe.config.docs import page_text, schema_text
from zarpipe.config.files import check_configfiles, load_config, refuse_repeated_configfiles
from zarpipe.errors import ZarpipeError
from zarpipe.task.tagsets import POS_SETS

SPELLINGS = {
    "0.5": [0.5, "0.50", "5e-1", ".5", "０.５"],
    "0.0": [0, "0"],
    "1.0": [1],
    "0.3": [0.1 + 0.2],
    "0.25": [0.25],
}


@pytest.mark.parametrize(("name", "spellings"), SPELLINGS.items())
def test_every_spelling_of_a_number_names_one_alpha_in_the_shortest_decimal(name, spellings):
    assert {canonical_alpha(spelling) for spelling in spellings} == {name}


@pytest.mark.parametrize("value", [True, None, 1.5, -0.1, float("nan"), float("inf"), "many", [0.3]])
def test_nonsense_is_no_alpha(value):
    with pytest.raises(ValueError, match="from 0 to 1"):
        canonical_alpha(value)


@given(st.integers(min_value=0, max_value=10**6).map(lambda number: number / 10**6))
def test_canonical_alpha_keeps_the_number_and_is_stable(number):
    name = canonical_alpha(number)
    assert float(name) == pytest.approx(number, abs=1e-9)
    assert canonical_alpha(name) == name


def test_generated_pages_are_up_to_date(project):
    assert (project / "workflow/schemas/config.schema.json").read_text(encoding="utf-8") == schema_text()
    assert (project / "docs/config.md").read_text(encoding="utf-8") == page_text()


@pytest.mark.parametrize(
    "overlay", ["config.yaml", "workflow/configs/ntc.yaml", "workflow/configs/kwdlc.yaml"]
)
def test_shipped_configurations_fit_model_and_schema(project, overlay):
    load_config([project / "config.yaml", project / overlay])
    values = yaml.safe_load((project / overlay).read_text(encoding="utf-8"))
    jsonschema.validate(values, json.loads(schema_text()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values | {"corpus": {"limt": {}}}, json.loads(schema_text()))


def test_ntc_overlay_is_the_paper_protocol(project):
    config = load_config([project / "config.yaml", project / "workflow/configs/ntc.yaml"])
    paper = Config()
    assert config.tagger == paper.tagger
    assert config.training == paper.training
    assert config.augmentation.alphas == paper.augmentation.alphas
    assert set(config.augmentation.pos_sets) == set(POS_SETS)
    assert config.augmentation.cda == paper.augmentation.cda
    assert config.report.published


def write(folder, text, name="overlay.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


BAD = {
    "corpus:\n  limt: {train: 5}\n": "corpus.limt … did you mean 'limit' … :2",
    "result: x\n": "'result' … did you mean 'results' … :1",
    "corpus:\nmlm:\n": "corpus: the section is empty … mlm: the section is empty",
    "corpus:\n\u3000limit: {train: 5}\n": "unknown key '\\u3000limit' … corpus: the section is empty",
    "augmentation:\n  pos_sets: [noun, no]\n": "augmentation.pos_sets … bare word no as false … all_but_noun",
    "results: on\n": "results: found true … bare word on",
    "results: “x”\n": "typographic quotation mark",
    "augmentation:\n  alphas: 0.3\n": "augmentation.alphas … expected a list",
    "augmentation:\n  alphas: []\n": "augmentation.alphas … of length 1 or more",
    "recipes: {more: {use: masking, pos_set: all}}\n": "unknown key 'recipes.more.pos_set' … allowed here: use, policy",
    "recipes: {more: {use: masking, alhpa: 0.5}}\n": "unknown key 'recipes.more.alhpa' … did you mean 'alpha'?",
    "recipes: {more: {use: masking, ratio: [1, 2, 3]}}\n": "recipes.more.ratio: found [1, 2, 3] … of length 2 or less",
    "augmentation:\n  alphas: [0,3]\n": "augmentation.alphas: found 3 … decimal point",
    "training:\n  epochs: true\n": "training.epochs: found true … not true or false",
    "training:\n  seeds: null\n": "training.seeds: found nothing (null) … expected a list",
    "augmentation:\n  pos_sets: [nouns]\n": "found 'nouns' … did you mean 'noun'?",
    "pos_sets: {adverb: [副詞]}\naugmentation:\n  pos_sets: [all]\n  cda: {pos_set: advrb}\n": "augmentation.cda.pos_set: found 'advrb' … :4 … did you mean 'adverb'?",
    "pos_sets:\n  verb: [動詞]\n": "pos_sets.verb: found 'verb' … :2 … one of the paper's sets",
    "pos_sets:\n  Adverb: [副詞]\n": "pos_sets.Adverb … :2 … small letters, digits and _",
    "pos_sets:\n  a: 副詞\n": "pos_sets.a: found '副詞' … :2 … a list of tags such as [副詞]",
    "pos_sets:\n  a: []\n": "pos_sets.a: found [] … a list of tags",
    "pos_sets:\n  a: [1]\n": "pos_sets.a … found the tag 1",
    "tagger:\n  compare: [lineare]\n": "tagger.compare.architecture … :2 … mean 'linear'?",
    "tagger:\n  compare: [bigru]\n": "tagger.compare: found 'bigru' … the study's own kind",
    "tagger:\n  compare: [{layers: last}]\n": "found {'layers': 'last'} … the study's own kind",
    "tagger:\n  compare: [{layer: mix}]\n": "'tagger.compare.layer' … did you mean 'layers'?",
    "tagger:\n  compare: [linear, {architecture: linear, layers: last}]\n": "found {'architecture': 'linear', 'layers': 'last'} … compared already",
    "tagger:\n  compare: [{architecture: finetuned, pooling: mean}]\n": "tagger.compare.pooling: found 'mean' … means nothing to finetuned",
    "pos_sets:\n  a: {excpt: [助詞]}\n": "pos_sets.a … 'excpt' … did you mean 'except'?",
    "pos_sets:\n  a: {jumann: [助詞]}\n": "pos_sets.a … 'jumann' … did you mean 'juman'?",
    "pos_sets:\n  a: {except: [助詞], juman: [助詞]}\n": "pos_sets.a … except stands alone",
    "pos_sets: [adverb]\n": "pos_sets: found ['adverb'] … names, each with its tags",
    "training:\n  learning_rate: .inf\n": "training.learning_rate: found inf … finite",
    "training:\n  seeds: [99999999999999999999]\n": "training.seeds: found 9999 … 18 digits",
    "corpus:\n  path: ''\n": "corpus.path: found '' … a name that is not empty",
    "training:\n  seeds: [1.5]\n": "training.seeds: found 1.5",
    "training:\n  seeds: [1:30]\n": "training.seeds: found '1:30' … a whole number",
    "mlm:\n  revision: 1.10\n": "mlm.revision: found 1.1 … write it in quotes",
    "corpus:\n  format: conll\n": "corpus.format: found 'conll' … 'ntc', 'knp' or 'parquet'",
    "results: '-x'\n": "results: found '-x' … must not begin with a dash or contain",
    "results: 'a{b}'\n": "results: found 'a{b}' … must not begin with a dash or contain",
    "results: 'a,b'\n": "results: found 'a,b' … must not begin with a dash or contain",
    "results: 'a*'\n": "results: found 'a*' … must not begin with a dash or contain",
    "results: '~'\n": "results: found '~' … expected a folder of this machine as it is written",
    "results: '~/r'\n": "results: found '~/r' … expected a folder of this machine as it is written",
    "results: 's3://bucket/r'\n": "results: found 's3://bucket/r' … expected a folder of this machine as it is written",
}


NEAR = "policies:\n  near: "
BAD |= {
    NEAR + "{use: distanc}\n": "policies.near.use: found 'distanc' … :2 … did you mean 'distance'?",
    NEAR + "{scale: 3}\n": "policies.near: found … :2 … expected what it uses and the options",
    NEAR + "distance\n": "policies.near: found 'distance' … :2 … expected what it uses",
    NEAR + "{use: 3}\n": "policies.near.use: found 3 … :2",
    NEAR + "{use: []}\n": "policies.near.use: found [] … expected a policy, or a list",
    NEAR + "{use: [content, contnt]}\n": "policies.near.use: found 'contnt' … did you mean 'content'?",
    NEAR + "{use: [content, content]}\n": "policies.near.use … each policy once",
    NEAR + "{use: [content], scale: 3}\n": "policies.near.scale: found 3 … of each by its name",
    NEAR + "{use: [distance], distance: 3}\n": "policies.near.distance: found 3 … the options of distance",
    NEAR + "{use: [distance], distance: {scale: x}}\n": "policies.near.distance.scale: found 'x' … a number",
    NEAR + "{use: distance, unti: token}\n": "policies.near.unti … :2 … did you mean 'unit'?",
    NEAR + "{use: distance, unit: tokn}\n": "policies.near.unit: found 'tokn' … did you mean 'token'?",
    NEAR + "{use: distance, scale: 0}\n": "policies.near.scale: found 0 … a number above 0",
    NEAR + "{use: distance, scale: true}\n": "policies.near.scale: found true … not true or false",
    NEAR + "{use: content, scale: 3}\n": "policies.near.scale … option of content: it has none",
    NEAR + "{use: pos}\n": "policies.near: found … expected either tags",
    NEAR + "{use: pos, tags: 副詞}\n": "policies.near.tags: found '副詞' … a list of tags",
    NEAR + "{use: pos, pos_set: advrb}\n": "policies.near: found 'advrb' … expected one of noun",
    NEAR + "{use: arguments, rate: 0.5}\n": "policies.near … mask: rate and rate together",
    NEAR + "{use: arguments, mask: rate, rate: 2}\n": "policies.near.rate: found 2 … at most 1",
    NEAR + "{use: 'my.py:f', x: {y: 1}}\n": "policies.near.x … expected a text, a number",
    "policies: [near]\n": "policies: found ['near'] … names, each with its policy",
    "policies:\n  verb: {use: distance}\n": "policies.verb: found 'verb' … the name of a POS set",
    "policies:\n  baseline: {use: distance}\n": "policies.baseline … or of a baseline",
    "policies:\n  Near: {use: distance}\n": "policies.Near … small letters",
    "pos_sets: {own: [副詞]}\npolicies: {own: {use: distance}}\n": "policies.own: found 'own' … the name of a POS set in pos_sets",
    NEAR
    + "{use: distance}\naugmentation: {policies: [nera]}\n": "augmentation.policies: found 'nera' … :3 … did you mean 'near'?",
    "augmentation: {policies: [no]}\n": "augmentation.policies: found false … the bare word no",
    "augmentation: {policies: near}\n": "augmentation.policies: found 'near' … a list",
}
BAD |= {
    "learning_curve: {fractions: [0]}": "learning_curve.fractions: found 0 (",
    "learning_curve: {fractions: [0.5, 1.5]}": "learning_curve.fractions: found 1.5 (",
    "learning_curve: {fractions: [-0.1]}": "expected a number above 0",
    "learning_curve: {fractions: half}": "learning_curve.fractions",
    "learning_curve: {subset_seeds: []}": "learning_curve.subset_seeds",
    "learning_curve: {masking_alpha: 0.2}": "expected one of augmentation.alphas (0.",
}


def levels(count):
    lines = ["x-a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"x-a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, count)]
    return "\n".join(lines) + "\n"


ENDLESS = "more than 20,000 values (aliases written out) or is nested more than 50 deep"
UNREADABLE = {
    "corpus:\n\tlimit: 5\n": "yaml:2: not valid YAML … not with tabs",
    "results：x\n": "yaml:1: … keys and values",
    "- results: x\n": "yaml:1: … keys and values",
    "corpus:\n  path: a\ncorpus:\n  format: knp\n": "yaml:3: … 'corpus' stands twice … line 1",
    levels(9): ENDLESS,
    "x-a: &a\n  b:\n    c: *a\n": ENDLESS,
    "x-a: &a [1, *a]\n": ENDLESS,
    "x-a: " + "[" * 2000 + "]" * 2000 + "\n": ENDLESS,
    "x-a: " + "{a: " * 2000 + "1" + "}" * 2000 + "\n": ENDLESS,
    "x-a: [" + "1, " * 30_000 + "1]\n": f"yaml:1: here the file has {ENDLESS}",
    f"training:\n  epochs: {'1' * 5000}\n": "yaml:2: found a value that cannot be read",
    "results: !!python/object:os.system x\n": "yaml:1: found a value that cannot be read",
    "? [a, b]\n: 1\n": "yaml:1: found a list or section as a key",
    "x-a: &a [1]\n? *a\n: 1\n": ": found a list or section as a key",
}


@pytest.mark.parametrize(("text", "words"), (BAD | UNREADABLE).items())
def test_bad_overlay_is_refused_with_key_and_place(project, tmp_path, text, words):
    path = write(tmp_path, text)
    with pytest.raises(ZarpipeError) as caught:
        load_config([project / "config.yaml", path])
    assert_says(str(caught.value), f"{words} … {path.name}")
    assert "\n" not in str(caught.value) or text not in UNREADABLE


def test_all_problems_are_listed_at_once(tmp_path):
    with pytest.raises(ZarpipeError, match=r"(?s)(\n  - .*){3}"):
        load_config([write(tmp_path, "result: x\ntagger:\n  layers: 0\n  size: 3\n")])


# What YAML 1.1 takes for dates and for numbers, octal, hexadecimal, in thousands and in sixties (cases/70).
WRITTEN = ["2026-11-27", "2026-13-45", "2026", "007", "0010", "0123456", "0x12ab", "1_000", "12:30:45", "+5"]
ANCHORS = "x-a: &a [1, 2]\nx-b: &b [3, *a]\nx-c: &c {train: 5}\ncorpus: {limit: *c}\nx-d: [*b, *b]\n"
MERGED = "x-small: &small {train: 20, dev: 10}\ncorpus:\n  limit:\n    <<: *small\n    train: 30\n"


@pytest.mark.parametrize(
    ("text", "results", "limit"),
    [
        ("", "results", {}),
        ("# nothing yet\n", "results", {}),
        ("\ufeffcorpus:\r\n  limit: {train: 5}\r\n", "results", {"train": 5}),
        (ANCHORS, "results", {"train": 5}),
        (MERGED, "results", {"train": 30, "dev": 10}),
        *((f"results: {name}\n", name, {}) for name in WRITTEN),
        ("results: 結果 その1\n", "結果 その1", {}),
        ("results: ../elsewhere/a b\n", "../elsewhere/a b", {}),
        ("results: /abs/x\n", "/abs/x", {}),
    ],
)
def test_what_an_overlay_says_is_kept(tmp_path, text, results, limit):
    config = load_config([write(tmp_path, text)])
    assert config.results == results
    assert config.corpus.limit.model_dump(exclude_none=True) == limit


def test_later_files_and_overrides_win_key_by_key(project, tmp_path):
    first = write(tmp_path, "corpus: {format: knp, path: a}\n", "first.yaml")
    second = write(tmp_path, "corpus: {path: b}\n", "second.yaml")
    config = load_config([project / "config.yaml", first, second], {"results": "elsewhere"})
    assert (config.corpus.format, config.corpus.path, config.results) == ("knp", "b", "elsewhere")


def test_not_utf8_is_said_with_its_line(tmp_path):
    (tmp_path / "sjis.yaml").write_bytes("# x\nresults: 結果\n".encode("shift_jis"))
    with pytest.raises(ZarpipeError, match=r"sjis\.yaml:2: not UTF-8"):
        load_config([tmp_path / "sjis.yaml"])


def test_a_seed_that_stands_twice_is_said_once(tmp_path, caplog):
    config = load_config([write(tmp_path, "training: {seeds: [3, 1, 3, 2, 1]}\n")])
    assert config.training.seeds == [3, 1, 2]
    (message,) = caplog.messages
    assert message == "training.seeds: found 1, 3 more than once; one tagger is trained for each seed"


@pytest.mark.parametrize(
    "words",
    [
        "snakemake --cores 2 --configfile a.yaml --configfile b.yaml",
        "snakemake --configfile=a.yaml --cores 2 all --configfile b.yaml",
        "snakemake --configfile a.yaml --configfiles b.yaml --config x=y",
    ],
)
def test_a_configfile_that_snakemake_would_drop_is_refused(words):
    with pytest.raises(ZarpipeError, match=r"found 2 times.*--configfile a.yaml b.yaml$"):
        refuse_repeated_configfiles(words.split())
    refuse_repeated_configfiles(["--configfiles=a.yaml", "--config", "configfile=b.yaml", "--config", "x=y"])
    refuse_repeated_configfiles(["--configfile", "a.yaml", "b.yaml"])


@pytest.mark.parametrize("character", ["\x1b", "\n", "\x00", "\x7f", "\x9b", "\u202e", "\u2028"])
@pytest.mark.parametrize("key", ["corpus.path", "results"])
def test_no_name_carries_characters_that_steer(project, key, character):
    name = f"a{character}b"
    values = {"results": name} if key == "results" else {"corpus": {"path": name}}
    with pytest.raises(ZarpipeError, match=f"{key}: found .*without line breaks, control") as caught:
        load_config([project / "config.yaml"], values)
    assert character == "\n" or character not in str(caught.value)


def test_own_pos_sets_are_read_in_one_plain_form(tmp_path):
    text = (
        "pos_sets:\n  adverb: [副詞]\n  content: {except: [特殊, 助詞, 助詞]}\n"
        "  prefix: {ipadic: [接頭詞], juman: [接頭辞]}\naugmentation: {pos_sets: [prefix, all, adverb, prefix]}\n"
    )
    config = load_config([write(tmp_path, text)])
    assert config.pos_sets == {
        "adverb": ["副詞"],
        "content": {"except": ["助詞", "特殊"]},
        "prefix": {"juman": ["接頭辞"], "ipadic": ["接頭詞"]},
    }
    assert list(config.pos_sets["prefix"]) == ["juman", "ipadic"]
    assert config.augmentation.pos_sets == ["prefix", "all", "adverb"]


def test_formats_are_those_of_the_readers(tmp_path):
    for name in READERS:
        assert load_config([write(tmp_path, f"corpus: {{format: {name}}}\n")]).corpus.format == name
    schema = json.loads(schema_text())
    assert schema["$defs"]["CorpusConfig"]["properties"]["format"]["enum"] == list(READERS)


SNAKEMAKE = {
    "tagger:\n\tlayers: 1\n": "own.yaml:2: not valid YAML … not with tabs",
    "# nothing yet\n": "own.yaml:1: the file holds no key",
    "- a\n": "own.yaml:1: a configuration file holds keys",
    "tagger: {layers: 1}\n": "results/table4.csv: no such file. If it is a target, write `--`",
}


@pytest.mark.parametrize(("text", "words"), SNAKEMAKE.items())
def test_what_snakemake_does_not_name_is_named(tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)  # the checkout may have results
    file = write(tmp_path, text, "own.yaml")
    with pytest.raises(ZarpipeError) as caught:
        check_configfiles(["snakemake", "--configfile", str(file), "results/table4.csv"])
    assert_says(str(caught.value), words)
    # A target that is there already.
    table = write(tmp_path, "recipe,all\n", "table4.csv")
    with pytest.raises(
        ZarpipeError, match=r"table4\.csv: expected a file that ends in .*write `--` before it"
    ):
        check_configfiles(["--configfile", str(table)])
    right = write(tmp_path, "tagger: {layers: 1}\n")
    check_configfiles(["--configfile", str(right), "--", "results/table4.csv"])

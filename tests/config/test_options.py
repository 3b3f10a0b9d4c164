"""Options from typed models: what is typed, what --help says, and the way back to a command line."""

import argparse
import shlex
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarpipe.config import TaggerConfig, TrainingConfig
from zarpipe.config.options import Argument, HelpFormatter, add_options, command_line, read_options
from zarpipe.config.values import Number, Positive, Section, Seed
from zarpipe.errors import ZarpipeError


class Files(Section):
    """Files of a made-up command."""

    corpus: Annotated[Path, Argument("PARQUET", positional=True)]
    """The corpus."""
    others: Annotated[list[Path], Argument("PARQUET", positional=True)] = []  # noqa: RUF012 (pydantic copies defaults)
    """More of them."""
    taggers: list[Annotated[Path, Argument("DIR")]]
    """Taggers, 100 % of them."""
    seeds: list[Seed] = [1, 2]  # noqa: RUF012
    """Seeds."""
    variant: Annotated[Path, Argument("H5")] | None = None
    """The variant."""
    threads: Annotated[Positive | None, Argument("N")] = None
    """Threads."""
    rate: Number = 0.5
    """Rate."""
    published: bool = False
    """Whether it is."""
    draw: Literal["predicate", "sentence"] = "predicate"
    """How."""


def parse(words, model=Files, **more):
    parser = argparse.ArgumentParser(formatter_class=HelpFormatter)
    add_options(parser, model, **more)
    return read_options(parser.parse_args(words), model)


def test_values_get_the_models_types():
    words = (
        "a.h5 b.h5 c.h5 --taggers t1 t2 --seeds -3 4 --threads 2 --variant v.h5 --rate=0.25 --published=true"
    )
    files = {"corpus": Path("a.h5"), "others": [Path("b.h5"), Path("c.h5")], "variant": Path("v.h5")}
    values = {"seeds": [-3, 4], "threads": 2, "rate": 0.25, "published": True, "draw": "sentence"}
    expected = Files(**files, **values, taggers=[Path("t1"), Path("t2")])
    assert parse([*words.split(), "--draw", "sentence"]) == expected
    # What is left out has its default.
    assert parse(["a", "--taggers", "t"]) == Files(corpus=Path("a"), taggers=[Path("t")])


@pytest.mark.parametrize(
    "words", [["--taggers", "t"], ["a"], ["a", "--taggers"], ["a", "--taggers", "t", "--seed"]]
)
def test_a_missing_or_unknown_option_is_wrong_usage(words):
    with pytest.raises(SystemExit, match="2"):
        parse(words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seeds", "1", "x"], "--seeds: found 'x'; expected a whole number"),
        (["--threads", "0"], "--threads: found '0'; expected a number of at least 1"),
        (["--rate", "nan"], "--rate: found 'nan'; expected a finite number"),
        (["--published", "maybe"], "--published: found 'maybe'; expected true or false"),
        (["--draw", "sentense"], "--draw: found 'sentense'; expected 'predicate' or 'sentence'; did you mean 'sentence'?"),
    ],
)  # fmt: skip
def test_a_wrong_value_names_its_option(words, message):
    with pytest.raises(ZarpipeError) as caught:
        parse(["a", "--taggers", "t", *words])
    assert str(caught.value) == message


def test_help_says_what_the_model_says(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="0"):
        parse(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    for part in (
        "Files of a made-up command:",
        "PARQUET The corpus.",
        "--taggers DIR [DIR ...] Taggers, 100 % of them.",
        "--seeds SEEDS [SEEDS ...] Seeds. (default: 1 2)",
        "--variant H5 The variant. ",
        "--threads N Threads. ",
        "--rate RATE Rate. (default: 0.5)",
        "--published {true,false}",
        "--draw {predicate,sentence} How. (default: predicate)",
    ):
        assert part in text


def test_tables_give_their_names_as_choices(capsys):
    with pytest.raises(SystemExit, match="0"):
        parse(["--help"], TaggerConfig)
    assert "--architecture {bigru,linear,finetuned}" in capsys.readouterr().out


def test_excluded_fields_are_no_options():
    with pytest.raises(SystemExit, match="2"):
        parse(["--order-seed", "2"], TrainingConfig, exclude=("order_seed",))


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text[0] != "-"
)


@given(
    st.builds(
        Files,
        corpus=st.just(Path("a")),
        others=st.just([]),
        taggers=st.lists(TEXTS.map(Path), min_size=1, max_size=3),
        seeds=st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=4),
        variant=st.none() | TEXTS.map(Path),
        threads=st.none() | st.integers(1, 99),
        rate=st.floats(allow_nan=False, allow_infinity=False),
        published=st.booleans(),
        draw=st.sampled_from(["predicate", "sentence"]),
    )
)
def test_a_command_line_is_read_as_it_was_written(files):
    values = files.model_dump(exclude={"corpus", "others"})
    assert parse(["a", *shlex.split(command_line(values))]) == files

"""Policies of the user's own: a fault is one line with file, line and sentence."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from augment.policies.sentences import made_row

from zarpipe.cli import main
from zarpipe.formats.corpus import CORPUS_SCHEMA

HEAD = "import itertools\nCALLS = itertools.count()\n"  # so that functions stand on line 3


@pytest.fixture
def augment(tmp_path, monkeypatch):
    """Runs `zarpipe augment` with a policy that a file defines; returns the status."""
    monkeypatch.chdir(tmp_path)
    rows = [made_row("d-1"), made_row("d-2")]
    pq.write_table(pa.Table.from_pylist(rows, schema=CORPUS_SCHEMA), "train.parquet")

    def run(code, definition="{use: my.py:f}", alpha="1.0"):
        (tmp_path / "my.py").write_text(HEAD + code, encoding="utf-8")
        options = ["--method", "masking", "--policy", "mine", "--alpha", alpha, "--output", "v.parquet"]
        return main(["augment", "train.parquet", *options, "--define-policy", f"mine: {definition}"])

    return run


def test_the_function_gets_sentence_predicate_and_options(augment):
    code = (
        "def f(sentence, predicate, *, tag: str, cases=()):\n"
        "    wanted = [one.token for one in predicate.arguments if one.case in cases]\n"
        "    return [pos == tag or token in wanted for token, pos in enumerate(sentence.pos)]\n"
    )
    assert augment(code, "{use: my.py:f, tag: 副詞, cases: [NOM]}") == 0
    assert pq.read_table("v.parquet")["masked"].to_pylist() == [[6], [0, 6]] * 2


def test_a_policy_that_masks_nothing_is_warned_of(augment, capsys):
    assert augment(returning("[0] * 10")) == 0
    assert "the policy mine masks no token: all its weights are 0" in capsys.readouterr().err


def returning(what):
    return f"def f(s, p, scale: float = 1):\n    return {what}\n"


FAULTS = [
    (returning("[1] * 9"), "my.py:3: f, sentence 'd-1': returned 9 weights; expected one number"),
    (returning("[1.5] * 10"), "my.py:3: f, sentence 'd-1': returned 1.5 for token 0 (太郎)"),
    (returning("[0] * 9 + [-1]"), "returned -1 for token 9 (。)"),
    (returning("[float('nan')] * 10"), "returned nan for token 0"),
    (returning("None"), "my.py:3: f, sentence 'd-1': returned None"),
    (returning("['x'] * 10"), "returned ['x', "),
    (returning("[[1]] * 10"), "returned [[1], "),
    (returning("[next(CALLS) / 1000] * 10"), "sentence 'd-1': returned other weights when"),
    (returning("g(s)\ndef g(s):\n    return s.x"), "my.py:6: f, sentence 'd-1': stopped with Attr"),
    (returning("[s.sent_id == 'd-1' or 2] * 10"), "my.py:3: f, sentence 'd-2': returned 2 for token 0"),
    (returning("[1 for"), "my.py:4: not valid Python"),
    (returning("[1] * 10\nx = y"), "my.py:5: NameError: name 'y' is not defined"),
    ("def f(s):\n    return [1] * 10\n", "my.py:3: f takes too few arguments"),
    ("def ff(s, p):\n    return [1] * 10\n", "my.py has no function 'f'; did you mean 'ff'?"),
    ("def f(s, p, scale):\n    return [1] * 10\n", ".scale: found nothing; f (my.py:3) needs this option"),
]
WRONG_OPTIONS = [
    ("{use: my.py:f, scal: 1}", ".scal: f (my.py:3) has no such option; its options: scale; did you mean"),
    ("{use: my.py:f, scale: near}", ".scale: found 'near'; the function expects a value of the type float"),
    ("{use: my.py:f, scale: true}", ".scale: found True; the function expects"),
    ("{use: my.py:f, s: 1}", ".s: f (my.py:3) has no such option"),
    ("{use: yours.py:f}", "found 'yours.py', which cannot be read"),
    ("{use: distanc}", "--define-policy.mine.use: found 'distanc'; expected pos, distance"),
    ("{use: distance, unti: token}", ".mine.unti: found 'token'; expected an option of distance"),
]


@pytest.mark.parametrize(
    ("code", "definition", "message"),
    [(code, "{use: my.py:f}", message) for code, message in FAULTS]
    + [(returning("[1] * 10"), definition, message) for definition, message in WRONG_OPTIONS],
)
def test_a_fault_is_one_line(augment, capsys, code, definition, message):
    assert augment(code, definition) == 1
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


GIVEN = ["augment", "train.parquet", "--method", "masking", "--alpha", "1", "--output", "v.parquet"]


@pytest.mark.usefixtures("augment")
def test_a_policy_that_is_not_defined_is_told_with_the_nearest(capsys):
    near = ["--define-policy", "near: {use: distance}"]
    for wrong, message in (
        (
            ["--policy", "nera"],
            "--policy: found 'nera'; expected a name that --define-policy defines; did you",
        ),
        (["--policy", "near", "--pos-set", "verb"], "--pos-set: means nothing beside --policy"),
    ):
        assert main([*GIVEN, *near, *wrong]) == 1
        assert message in capsys.readouterr().err


@pytest.mark.usefixtures("augment")
def test_built_in_policies_and_sets_of_ones_own_multiply_on_the_command_line():
    policy = ["--policy", "near", "--define-policy", "near: {use: [pos, predicates], pos: {pos_set: own}}"]
    assert main([*GIVEN, *policy, "--define", "own: [動詞, 副詞]"]) == 0
    assert pq.read_table("v.parquet")["masked"].to_pylist() == [[6], [6]] * 2

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


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "def f(s, p):\n    return [1] * 9\n",
            "my.py:3: f, sentence 'd-1': returned 9 weights; expected one number",
        ),
        (
            "def f(s, p):\n    return [1.5] * 10\n",
            "my.py:3: f, sentence 'd-1': returned 1.5 for token 0 (太郎)",
        ),
        ("def f(s, p):\n    return [0] * 9 + [-1]\n", "returned -1 for token 9 (。)"),
        ("def f(s, p):\n    return [float('nan')] * 10\n", "returned nan for token 0"),
        ("def f(s, p):\n    return None\n", "my.py:3: f, sentence 'd-1': returned None"),
        ("def f(s, p):\n    return ['x'] * 10\n", "returned ['x', "),
        ("def f(s, p):\n    return [[1]] * 10\n", "returned [[1], "),
        (
            "def f(s, p):\n    return [next(CALLS) / 1000] * 10\n",
            "sentence 'd-1': returned other weights when",
        ),
        (
            "def f(s, p):\n    return g(s)\ndef g(s):\n    return s.x\n",
            "my.py:6: f, sentence 'd-1': stopped with Attr",
        ),
        (
            "def f(s, p):\n    return [s.sent_id == 'd-1' or 2] * 10\n",
            "my.py:3: f, sentence 'd-2': returned 2 for token 0",
        ),
        ("def f(s, p):\n    return [1 for\n", "my.py:4: not valid Python"),
        ("def f(s, p):\n    return [1] * 10\nx = y\n", "my.py:5: NameError: name 'y' is not defined"),
        ("def f(s):\n    return [1] * 10\n", "my.py:3: f takes too few arguments"),
        ("def ff(s, p):\n    return [1] * 10\n", "my.py has no function 'f'; did you mean 'ff'?"),
        (
            "def f(s, p, scale):\n    return [1] * 10\n",
            ".scale: found nothing; f (my.py:3) needs this option",
        ),
    ],
)
def test_a_fault_is_one_line(augment, capsys, code, message):
    assert augment(code) == 1
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (
            "{use: my.py:f, scal: 1}",
            ".scal: f (my.py:3) has no such option; its options: scale; did you mean 'scale'?",
        ),
        (
            "{use: my.py:f, scale: near}",
            ".scale: found 'near'; the function expects a value of the type float",
        ),
        ("{use: my.py:f, scale: true}", ".scale: found True; the function expects"),
        ("{use: my.py:f, s: 1}", ".s: f (my.py:3) has no such option"),
        ("{use: yours.py:f}", "found 'yours.py', which cannot be read"),
        ("{use: distanc}", "--define-policy.mine.use: found 'distanc'; expected pos, distance"),
        (
            "{use: distance, unti: token}",
            "--define-policy.mine.unti: found 'token'; expected an option of distance",
        ),
    ],
)
def test_a_wrong_option_is_one_line(augment, capsys, definition, message):
    assert augment("def f(s, p, scale: float = 1):\n    return [1] * 10\n", definition) == 1
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.mark.usefixtures("augment")
def test_a_policy_that_is_not_defined_is_told_with_the_nearest(capsys):
    arguments = ["augment", "train.parquet", "--method", "masking", "--alpha", "1", "--output", "v.parquet"]
    assert main([*arguments, "--policy", "nera", "--define-policy", "near: {use: distance}"]) == 1
    assert (
        "--policy: found 'nera'; expected a name that --define-policy defines; did you"
        in capsys.readouterr().err
    )
    both = ["--policy", "near", "--pos-set", "verb", "--define-policy", "near: {use: distance}"]
    assert main([*arguments, *both]) == 1
    assert "--pos-set: means nothing beside --policy" in capsys.readouterr().err


@pytest.mark.usefixtures("augment")
def test_built_in_policies_and_sets_of_ones_own_multiply_on_the_command_line():
    arguments = ["augment", "train.parquet", "--method", "masking", "--alpha", "1", "--output", "v.parquet"]
    policy = "near: {use: [pos, predicates], pos: {pos_set: own}}"
    assert (
        main([*arguments, "--policy", "near", "--define", "own: [動詞, 副詞]", "--define-policy", policy])
        == 0
    )
    assert pq.read_table("v.parquet")["masked"].to_pylist() == [[6], [6]] * 2

"""What an encode or train job imports: nothing that it does not use, and what it asks for all the same."""

import json
import os
import subprocess
import sys

import pytest
from tiny_corpora import write_corpus
from tiny_study import predict_arguments, train_arguments

# Imported by PyTorch's compiler, by pages and figures.
NEVER_USED = {"torch._inductor", "torch._dynamo.symbolic_convert", "matplotlib", "snakemake"}
OTHER_STAGES = ("zarpipe.report", "zarpipe.augment", "zarpipe.readers.convert")


def run(code, *words):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported_by(*words):
    code = (
        "import json, sys\nfrom zarpipe.cli import main\nassert main(sys.argv[1:]) == 0\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    return set(json.loads(run(code, *words).splitlines()[-1]))


def assert_light(modules):
    assert not modules & NEVER_USED
    assert [name for name in modules if name.startswith(OTHER_STAGES)] == []
    assert "torch._dynamo" not in modules  # the stand-in is gone


@pytest.mark.parametrize("kind", ["bert-ja", "modernbert"])
def test_what_encoding_imports(tiny_mlm, tmp_path, kind):
    corpus = write_corpus(tmp_path / "dev.parquet", [["東京", "を", "食べた"]], [[2]])
    files = ["encode", corpus, "--mlm", tiny_mlm(kind), "--device", "cpu", "--output", tmp_path / "dev.h5"]
    modules = imported_by(*files)
    assert_light(modules)
    assert not [name for name in modules if name.startswith("zarpipe.tagger")]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    import tiny_study

    return tiny_study.build(tmp_path_factory.mktemp("study"))


def test_what_training_imports(study, tmp_path):
    words = train_arguments(
        study, tmp_path / "tagger", "--seed", "1", "--epochs", "1", "--layers", "1", "--device", "cpu"
    )
    modules = imported_by(*words)
    assert_light(modules)
    assert not {"transformers", "sympy"} & modules
    words = predict_arguments(study, tmp_path / "tagger", tmp_path / "dev.parquet")
    predicting = imported_by(*words, "--device", "cpu")
    assert_light(predicting)
    assert not {"transformers", "sympy"} & predicting


def test_what_asks_for_the_compiler_has_it():
    """Within, and after: the stand-ins give way to the real modules."""
    code = """
import sys, torch
from zarpipe.light_imports import light_imports
with light_imports():
    from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
    marked = torch._dynamo.allow_in_graph(len)
    assert torch._dynamo.disable(marked) is torch._dynamo.disable()(marked) is len
    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0).zero_grad()
    assert "torch._dynamo.symbolic_convert" not in sys.modules
    with TransformGetItemToIndex():
        rows = torch.vmap(lambda place: torch.arange(3)[place])(torch.tensor([2, 0]))
    assert rows.tolist() == [2, 0]
    assert "torch._dynamo.symbolic_convert" in sys.modules
    torch._dynamo.reset()
from torch._dynamo import config, eval_frame
print("done")
"""
    assert run(code) == "done\n"


def test_what_the_rules_import():
    """Snakemake reads the rules at every call, and once more in each job on a cluster."""
    names = "torch", "transformers", "matplotlib", "jinja2"
    code = "import json, sys\nimport zarpipe.workflow\nprint(json.dumps(sorted(sys.modules)))"
    assert not set(json.loads(run(code))) & set(names)

"""What a model is found to do when it is tried."""

import every_masked_lm
import pytest

from zarpipe.cli import main
from zarpipe.config import EncodingConfig, MlmConfig
from zarpipe.errors import ZarpipeError
from zarpipe.mlm.filling import top_words
from zarpipe.mlm.forward import UnusableError, try_out
from zarpipe.mlm.loading import load_mlm

SUBWORDS = [5, 6, 7, 8, 9, 10, 11, 12]


@pytest.fixture
def model(tiny_mlm):
    return load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(device="cpu")).model


def tried(model):
    return try_out(model, SUBWORDS, [2], [3], padding=0)


def test_bert_can_do_everything(model):
    found = tried(model)
    assert (found.hidden_size, found.takes_padding, found.head_stands_alone) == (32, True, True)


def test_a_model_that_is_no_function_of_its_input_is_refused(model):
    with pytest.raises(UnusableError, match="other hidden states each time"):
        tried(model.train())  # dropout


def test_a_head_that_reads_the_position_does_not_stand_alone(model):
    own = model.forward
    model.forward = lambda **inputs: shifted(own(**inputs)) if "input_ids" in inputs else own(**inputs)
    assert not tried(model).head_stands_alone


def shifted(output):
    output.logits[:, 1:, 5] += 10
    return output


def test_scores_that_are_no_numbers_are_left_to_the_message_about_them(model):
    model.cls.predictions.bias.data[7] = float("nan")
    assert tried(model).head_stands_alone


@pytest.mark.parametrize(
    ("kind", "takes_padding", "limit"),
    [
        *(("bert", True, 64), ("convbert", False, 64), ("fnet", False, 64), ("mobilebert", False, 64)),
        # Positions behind the padding row are counted.
        *(("luke", True, 62), ("mpnet", True, 62), ("esm", True, 62), ("bart", True, 64)),
    ],
)
def test_padding_and_positions_of_other_architectures(kind, takes_padding, limit, tmp_path):
    folder = every_masked_lm.build(kind, tmp_path / kind, positions=64)
    mlm = load_mlm(MlmConfig(path=str(folder)), EncodingConfig(device="cpu"))
    assert (mlm.abilities.takes_padding, mlm.limit) == (takes_padding, limit)


def test_a_head_that_does_not_stand_alone_fills_no_masks(tiny_mlm):
    mlm = load_mlm(MlmConfig(path=str(tiny_mlm("bert-ja"))), EncodingConfig(device="cpu"))
    object.__setattr__(mlm, "abilities", type(mlm.abilities)(32, True, False, False))
    with pytest.raises(
        ZarpipeError, match=r"more than its final hidden states; examples need a model such as"
    ):
        top_words(mlm, [["東京"]], [[0]], 1, 64)


def test_describing_refuses_a_model_that_cannot_be_used(tmp_path, capsys):
    folder = every_masked_lm.build("perceiver", tmp_path / "perceiver", positions=64)
    assert main(["describe-mlm", str(folder), "--output", str(tmp_path / "manifest.json")]) == 1
    message = capsys.readouterr().err.strip().splitlines()[-1]
    assert "(PerceiverForMaskedLM) has no table of subword embeddings; choose another" in message
    assert not (tmp_path / "manifest.json").exists()

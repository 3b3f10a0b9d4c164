"""Which layers a spelling names."""

import pytest

from zarpipe.config import EncodingConfig
from zarpipe.config.encoding import TokenEncoding
from zarpipe.layers import Layers


@pytest.mark.parametrize(
    ("given", "canonical", "numbers", "name", "spoken"),
    [
        (9, "9", [9], "layer9", "layer 9"),
        ("09", "9", [9], "layer9", "layer 9"),
        ([9, 10], "9+10", [9, 10], "layers9+10", "layers 9+10"),
        ("9 + 10", "9+10", [9, 10], "layers9+10", "layers 9+10"),
        ("mean 9 - 12", "mean 9-12", [9, 10, 11, 12], "mean9-12", "mean 9-12"),
        ("mix", "mix", [*range(13)], "mix", "mix"),
        ("last", "last", [], "last", "last"),
    ],
)
def test_spellings_of_layers(given, canonical, numbers, name, spoken):
    encoding = EncodingConfig(layers=given)
    assert encoding.model_dump()["layers"] == str(encoding.layers) == canonical
    assert list(encoding.layers.of(13)) == numbers
    assert Layers.read(canonical) == encoding.layers
    states = TokenEncoding(layers=given, pooling="mean")
    assert (states.name, states.spoken) == (f"{name}-meanpool", f"{spoken}, mean of subwords")
    assert EncodingConfig.model_validate_json(encoding.model_dump_json()) == encoding


@pytest.mark.parametrize(
    "given", [True, -1, 1.5, [], [1, 1], ["1"], "mean", "mean 9", "mean 12-9", "first", "9,10", None, "１"]
)
def test_layers_that_are_none(given):
    with pytest.raises(ValueError, match=r"expected"):
        EncodingConfig(layers=given)

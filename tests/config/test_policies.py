"""The section `policies`: one plain form, and one line for what is no policy."""

import pytest

from zarpipe.config import Config
from zarpipe.config.policies import canonical_policy, policy_parts


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            {"use": "distance", "scale": 3},
            {"use": "distance", "scale": 3.0, "prefer": "near", "unit": "token"},
        ),
        ({"use": ["content"]}, {"use": ["content"], "content": {}}),
        ({"use": "pos", "tags": ["副詞", "副詞"]}, {"use": "pos", "tags": ["副詞"], "pos_set": None}),
        ({"use": "a/b.py:f", "x": (1, 2)}, {"use": "a/b.py:f", "x": [1, 2]}),
    ],
)
def test_a_definition_has_one_plain_form(written, plain):
    assert canonical_policy(written) == plain
    assert canonical_policy(plain) == plain


def test_options_in_a_product_stand_below_the_function_s_name():
    definition = canonical_policy({"use": ["content", "a/b.py:f"], "f": {"x": 1}})
    assert {part.use: dict(part.options) for part in policy_parts(definition)} == {
        "content": {},
        "a/b.py:f": {"x": 1},
    }


def test_a_written_configuration_is_read_again():
    config = Config.model_validate(
        {"policies": {"near": {"use": "distance"}}, "augmentation": {"policies": ["near", "all", "near"]}}
    )
    assert config.augmentation.policies == ["near", "all"]
    assert Config.model_validate(config.model_dump(mode="json")) == config

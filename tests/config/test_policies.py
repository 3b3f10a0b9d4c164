"""The section `policies`: one plain form, and one line for what is no policy."""

import pytest
from messages import assert_says

from zarpipe.config import Config
from zarpipe.config.files import load_config
from zarpipe.config.policies import canonical_policy, policy_parts
from zarpipe.errors import ZarpipeError


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


NEAR = "policies:\n  near: "
BAD = {
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


@pytest.mark.parametrize(("text", "words"), BAD.items())
def test_what_is_no_policy_is_one_line_with_its_key(tmp_path, text, words):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ZarpipeError) as caught:
        load_config([path])
    assert_says(str(caught.value), words)
    assert len(str(caught.value).splitlines()) == 2

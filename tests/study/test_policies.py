"""Policies in a study: names, jobs, and what an edit makes stale."""

import pytest

from zarpipe.config import Config
from zarpipe.config.policies import POLICIES as POLICY_MODULES
from zarpipe.errors import ZarpipeError
from zarpipe.study.checks import check_inputs
from zarpipe.study.code import modules_of
from zarpipe.study.recipe import Variant, recipes_of
from zarpipe.study.study import Study

pytestmark = pytest.mark.usefixtures("file")
CODE = "def near_verbs(sentence, predicate, scale=1):\n    return [1 / scale] * len(sentence.words)\n"
POLICIES = {"near": {"use": "distance"}, "mine": {"use": "my_masks.py:near_verbs", "scale": 2}}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The user's file, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_masks.py").write_text(CODE, encoding="utf-8")
    return tmp_path / "my_masks.py"


def study(policies=POLICIES, names=("near", "mine"), **more):
    augmentation = {"policies": list(names), "alphas": [0.5], "pos_sets": ["all"]}
    return Study(Config.model_validate({"policies": policies, "augmentation": augmentation} | more))


def keys(of):
    """The keys of the jobs that make variants and train, by name."""
    recipes = of.grid.recipes()
    jobs = [of.jobs.augment(recipe.variant) for recipe in recipes if recipe.variant]
    jobs += [job for recipe in recipes for job in of.jobs.taggers(recipe)]
    return {job.id: job.key for job in jobs}


def changed(before, after):
    return {name.split("/")[1] for name in after if before.get(name) != after[name]}


def test_a_policy_s_recipes_have_its_name():
    names = [recipe.name for recipe in study().grid.recipes()]
    assert {"masking-near-0.5", "masking-mine-0.5"} <= set(names)
    recipe = study().grid.policies()["near"][0]
    assert (recipe.masks, recipe.pos_set, recipe.alpha) == ("near", "", "0.5")
    definition = recipe.definition()
    assert definition == {"variant": {"method": "masking", "policy": "near", "alpha": "0.5"}}
    assert recipes_of({recipe.name: definition}) == {recipe.name: recipe}


def test_a_pos_set_among_the_policies_is_the_recipe_that_it_always_was():
    assert study(names=["noun"]).grid.policies()["noun"] == study().grid.masking("noun")


def test_a_new_policy_changes_no_other_job():
    before = keys(study({}, []))
    after = keys(study())
    assert changed(before, after) == {"masking-near-0.5", "masking-mine-0.5"}


def test_an_edited_file_reruns_its_own_variants_and_nothing_else(file):
    before = keys(study())
    file.write_text(CODE.replace("1 /", "0.5 /"), encoding="utf-8")
    assert changed(before, keys(study())) == {"masking-mine-0.5"}


USING = (
    "import math\nHALF = 0.5\n\n\ndef weight(scale):\n    return HALF / math.sqrt(scale)\n\n\n"
    + CODE.replace("1 / scale", "weight(scale)")
)


@pytest.mark.parametrize(
    ("edit", "reruns"),
    [
        (("def weight", "# a comment\ndef weight"), False),
        (("    return HALF", '    """Half of it."""\n\n    return HALF'), False),
        (("import math\n", "import math\nOTHER = 1\n\n\ndef other():\n    return OTHER\n"), False),
        (("0.5", "0.25"), True),
        (("sqrt", "exp"), True),
        (("import math", "import cmath as math"), True),
        (("HALF = 0.5\n", "HALF = 0.5\nHALF += 0.1\n"), True),
        (("HALF = 0.5\n", "HALF = 0.5\nmath.e = 3\n"), True),
    ],
)
def test_what_the_function_uses_belongs_to_it_and_nothing_else_of_its_file(file, edit, reruns):
    file.write_text(USING, encoding="utf-8")
    before = keys(study())
    file.write_text(USING.replace(*edit), encoding="utf-8")
    assert changed(before, keys(study())) == ({"masking-mine-0.5"} if reruns else set())


def test_another_option_reruns_its_policy_and_a_default_written_out_nothing():
    before = keys(study())
    for scale, rerun in [(3.0, set()), (2, {"masking-near-0.5"})]:
        near = {"use": "distance", "scale": scale}
        assert changed(before, keys(study(POLICIES | {"near": near}))) == rerun


def test_a_file_that_is_moved_reruns_nothing(file):
    before = keys(study())
    file.rename(file.with_name("moved.py"))
    moved = {"use": "moved.py:near_verbs", "scale": 2}
    assert keys(study(POLICIES | {"mine": moved})) == before


def test_a_pos_set_that_a_policy_uses_belongs_to_it():
    policies = POLICIES | {"near": {"use": ["pos", "distance"], "pos": {"pos_set": "own"}}}
    before = study(policies, pos_sets={"own": ["副詞"]})
    variant = Variant(method="masking", policy="near", alpha="0.5")
    assert before.jobs.augment(variant).settings["define"] == '{"own": ["副詞"]}'
    after = keys(study(policies, pos_sets={"own": ["助詞"]}))
    assert changed(keys(before), after) == {"masking-near-0.5"}


def test_a_policy_s_code_belongs_to_its_own_variants():
    table = {"zarpipe.augment.policies", *POLICY_MODULES.values()}
    assert table.isdisjoint(modules_of("zarpipe.augment.build"))
    for module in POLICY_MODULES.values():
        assert table & modules_of("zarpipe.augment.build", module) == {module}


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"use": "yours.py:f"}, r"policies\.mine: found 'yours\.py', which cannot be read"),
        (
            {"use": "my_masks.py:near_verb"},
            r"policies\.mine: my_masks\.py has no function .* mean 'near_verbs'\?",
        ),
        ({"use": "my_masks.py:near_verbs", "scal": 2}, r"policies\.mine\.scal: .* did you mean 'scale'\?"),
    ],
)
def test_what_the_file_lacks_is_told_before_anything_runs(policy, message):
    with pytest.raises(ZarpipeError, match=message):
        check_inputs(study({"mine": policy}, ["mine"]))
    check_inputs(study({"mine": policy}, []))  # nothing uses it


def test_a_policy_s_file_is_not_run_before_its_first_job(file):
    file.write_text(f"raise SystemExit\n{CODE}", encoding="utf-8")
    check_inputs(study(names=["mine"]))

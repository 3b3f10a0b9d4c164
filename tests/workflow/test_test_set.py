"""The test set is touched by the baselines and the recipes chosen on dev, and by nothing else."""

import re
from collections import Counter
from pathlib import Path

import pytest

TINY = str(Path(__file__).parent / "tiny.yaml")
GRID = "augmentation: {alphas: [0.3, 0.5], pos_sets: [all, all_but_verb]}"
RECIPES = "recipes: {three: {use: masking, draws: 3}, dropped: {drop: 0.1}}"


@pytest.fixture(scope="module")
def jobs(make_workflow, tmp_path_factory):
    """Each job of the whole study with two POS sets and two alphas: (rule, input files, output files)."""
    return jobs_of(make_workflow, tmp_path_factory, GRID)


@pytest.fixture(scope="module")
def jobs_with_named(make_workflow, tmp_path_factory):
    """The same of a study with two named recipes."""
    return jobs_of(make_workflow, tmp_path_factory, f"{GRID}\n{RECIPES}")


def jobs_of(make_workflow, tmp_path_factory, configuration):
    overlay = tmp_path_factory.mktemp("overlay") / "grid.yaml"
    overlay.write_text(configuration, encoding="utf-8")
    text = make_workflow().run("--dry-run", "all", "--configfile", TINY, str(overlay))
    blocks = re.split(r"^ *rule (\w+):$", text, flags=re.MULTILINE)[1:]
    pairs = zip(blocks[::2], blocks[1::2], strict=True)
    return [(rule, files("input", block), files("output", block)) for rule, block in pairs]


def files(kind, block):
    found = re.search(rf"^ +{kind}: (.*)$", block, re.MULTILINE)
    return {path.removesuffix(" (update)") for path in found.group(1).split(", ")} if found else set()


def recipes_on_test(jobs, kind):
    pattern = re.compile(rf"results/{kind}/([^/]+)/seed-?\d+/test\.")
    return {match[1] for _, _, outputs in jobs for path in outputs if (match := pattern.match(path))}


def test_only_the_baselines_and_the_chosen_recipes_are_run_on_test(jobs):
    expected = {"baseline", "baseline2x", "chosen-cda", "chosen-masking"}
    assert recipes_on_test(jobs, "predictions") == expected
    assert recipes_on_test(jobs, "scores") == expected


def test_every_candidate_is_trained_and_scored_on_dev(jobs):
    (choice,) = [inputs for rule, inputs, _ in jobs if rule == "choose"]
    scored = {path.split("/")[2] for path in choice if path.startswith("results/scores/")}
    assert scored == {
        f"masking-{pos_set}-{alpha}" for pos_set in ("all", "all_but_verb") for alpha in (0.3, 0.5)
    } | {f"cda-all-{alpha}-multi-argmax" for alpha in (0.3, 0.5)}
    assert all(path.endswith("/dev.json") for path in choice if path.startswith("results/scores/"))


def test_what_is_chosen_does_not_depend_on_the_test_set(jobs):
    """No ancestor of the choice reads a file of the test split."""
    maker = {path: (rule, inputs) for rule, inputs, outputs in jobs for path in outputs}
    waiting, seen = ["results/chosen.json"], set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += maker.get(path, ("", ()))[1]
    assert "results/corpus/train.parquet" in seen
    assert not [path for path in seen if re.search(r"(^|/)test\.", path)]


def test_named_recipes_add_their_own_jobs_alone(jobs, jobs_with_named):
    def made(of):
        return Counter(rule for rule, _, _ in of)

    before, after = ({path for _, _, outputs in of for path in outputs} for of in (jobs, jobs_with_named))
    assert before <= after
    # Two alphas with two more draws each; they, baseline4x and the dropped tokens with two seeds each.
    draws, trained, seeds = 2 * 2, ("masking-all-0.3-draws3", "masking-all-0.5-draws3", "drop-0.1"), 2
    assert made(jobs_with_named) - made(jobs) == {
        "augment": draws,
        "encode_variant": draws,
        "train": seeds * (len(trained) + 1),
        "named_recipes": 1,
        # On dev these and the chosen copies, on test the copies and the baseline.
        "predict": len(trained) + 1 + 2 + 3,
        "evaluate": len(trained) + 1 + 3,
        "learning_curves": 3,
    }
    on_test = {"baseline", "baseline2x", "baseline4x"} | {
        f"chosen-{name}" for name in ("cda", "masking", "three", "dropped")
    }
    assert recipes_on_test(jobs_with_named, "predictions") == on_test
    assert recipes_on_test(jobs_with_named, "scores") == on_test


def test_the_chosen_taggers_are_copies_that_choose_makes(jobs):
    makers = {rule for rule, _, outputs in jobs if any("taggers/chosen-" in path for path in outputs)}
    assert makers == {"choose"}

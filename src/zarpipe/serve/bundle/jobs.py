"""The jobs of the workflow that make bundles. What they run is in `zarpipe.serve.bundle.make`."""

from __future__ import annotations

from typing import Any

from zarpipe.study.code import code_digest
from zarpipe.study.jobs import Job
from zarpipe.study.recipe import Recipe, chosen_name
from zarpipe.study.stages import states_of
from zarpipe.study.study import Study

RECIPE = "masking"
"""What the workflow bundles unasked."""


def job(study: Study, recipe: Recipe | None = None) -> Job:
    """Return the job that makes a bundle of the workflow.

    Without a recipe: of the masking recipe that is chosen on dev, which is run on test too.
    """
    jobs, bundled = study.jobs, chosen_name(RECIPE) if recipe is None else recipe
    seed, name = study.config.segmentation.seeds[0], recipe.name if recipe else RECIPE
    reads = [*jobs.taggers(bundled), jobs.predict(bundled, "dev"), jobs.convert(), jobs.describe_mlm()]
    if states_of(bundled) is None:
        reads += [jobs.train_segmenter(seed), jobs.evaluate_segmenter(seed, "dev")]
    reads += (
        [jobs.choose(), jobs.evaluate(bundled, "test")] if recipe is None else [jobs.evaluate(recipe, "dev")]
    )

    def settings() -> dict[str, Any]:
        return {
            "recipe": name,
            "seeds": study.seeds,
            "segmenter": seed,
            "code": code_digest("zarpipe.serve.bundle.make"),
        }

    options = f"--recipe={name}"
    return jobs.report(name if recipe else f"chosen-{name}", settings, reads, "bundle", options, "bundle")

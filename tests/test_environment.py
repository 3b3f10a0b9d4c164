"""The conda environment file holds what zarpipe needs, in the versions that are tested."""

import re
import tomllib

import yaml

NAME = re.compile(r"[A-Za-z0-9._-]+")


def pinned(lines):
    """Return the versions of lines such as ``numpy==2.4.6`` or ``numpy ==2.4.6`` by name."""
    split = [line.split(";")[0].partition("==") for line in lines if "==" in line and line[0] != "#"]
    return {name.strip().lower(): version.strip() for name, _, version in split}


def test_the_environment_has_every_dependency_in_the_version_of_the_constraints(project):
    text = (project / "envs/zarpipe.yaml").read_text(encoding="utf-8")
    (entry,) = (entry for entry in yaml.safe_load(text)["dependencies"] if isinstance(entry, dict))
    packages = pinned(entry["pip"])
    dependencies = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    assert set(packages) == {NAME.match(dependency)[0].lower() for dependency in dependencies}
    constraints = pinned((project / "envs/constraints.txt").read_text(encoding="utf-8").splitlines())
    assert packages == {name: constraints[name] for name in packages}

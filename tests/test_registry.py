"""Tables of names."""

import pytest

from zarpipe.errors import ZarpipeError
from zarpipe.registry import Registry, did_you_mean

TABLE = Registry("format", {"json": "json", "none": "zarpipe.no_such_module"})


def test_a_module_is_imported_when_it_is_asked_for():
    assert TABLE.load("json").dumps([1]) == "[1]"
    with pytest.raises(ModuleNotFoundError):
        TABLE.load("none")


def test_an_unknown_name_is_told_with_the_nearest_one():
    with pytest.raises(ZarpipeError, match=r"'jsn' is no format; did you mean 'json'\?"):
        TABLE["jsn"]
    assert did_you_mean("xyz", TABLE) == ""

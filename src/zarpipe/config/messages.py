"""What is expected instead of a wrong value, in one style for files and command line."""

from __future__ import annotations

import re
from typing import Any

from zarpipe.registry import did_you_mean

_MESSAGES = {
    "list_type": "expected a list, such as [1, 2]",
    "too_short": "expected a list of length {min_length} or more",
    "too_long": "expected a list of length {max_length} or less",
    "string_too_short": "expected a name that is not empty",
    "int_parsing": "expected a whole number",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_parsing": "expected a number",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
    "greater_than": "expected a number above {gt}",
    "greater_than_equal": "expected a number of at least {ge}",
    "less_than": "expected a number below {lt}",
    "less_than_equal": "expected a number of at most {le}",
    "multiple_of": "expected a multiple of {multiple_of}",
    "literal_error": "expected {expected}",
    "string_type": "expected a name in text",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "model_type": "expected a section with keys of its own",
}


def problem_message(problem: Any) -> str:
    """Say in one style what is expected instead of a value (``problem``: one of pydantic's error details)."""
    text = _MESSAGES.get(problem["type"])
    if text is None:
        return str(problem["msg"]).removeprefix("Value error, ")
    return text.format(**problem.get("ctx", {})) + _suggestion(problem)


def found_text(value: Any) -> str:
    """Return a wrong value as its writer knows it: text in quotes, true, false, nothing (null)."""
    if value is None:
        return "nothing (null)"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _suggestion(problem: Any) -> str:
    """Return the allowed word that a misspelled one is most like."""
    if problem["type"] != "literal_error" or not isinstance(problem["input"], str):
        return ""
    allowed = re.findall(r"'([^']+)'", problem["ctx"]["expected"])
    return did_you_mean(problem["input"], allowed)

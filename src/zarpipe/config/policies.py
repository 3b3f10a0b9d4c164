"""Section `policies`: how willingly each token is masked, as a study defines it.

A policy uses a built-in one with its options, a function of the user's own, or the product of several::

    policies:
      near:    {use: distance, unit: bunsetsu, scale: 3}
      adverbs: {use: pos, tags: [副詞]}
      mine:    {use: my_masks.py:near_verbs, scale: 2}
      both:    {use: [pos, distance], pos: {tags: [動詞]}, distance: {scale: 3}}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationError, WithJsonSchema
from pydantic_core import InitErrorDetails, PydanticCustomError

from zarpipe.config.pos_sets import PAPER_SETS
from zarpipe.config.values import NAME_SCHEMA, OwnName, Section, names_with, only
from zarpipe.registry import Registry, did_you_mean, load

# Name of a built-in policy -> the module with its options and weights (see zarpipe.augment.policies).
POLICIES = Registry(
    "policy",
    {
        "pos": "zarpipe.augment.policies.pos",
        "distance": "zarpipe.augment.policies.distance",
        "dependency": "zarpipe.augment.policies.dependency",
        "predicates": "zarpipe.augment.policies.predicates",
        "arguments": "zarpipe.augment.policies.arguments",
        "content": "zarpipe.augment.policies.content",
        "function": "zarpipe.augment.policies.function",
        "surprisal": "zarpipe.augment.policies.surprisal",
    },
)
_OWN_MODULE = "zarpipe.augment.policies.own"
_OWN = re.compile(r"(?P<file>[^:]+\.py):(?P<function>[A-Za-z_]\w*)")
_FORM = "expected what it uses and the options, such as {use: distance, unit: bunsetsu, scale: 3}"


@dataclass(frozen=True)
class PolicyPart:
    """One factor of a policy."""

    use: str  # name of a built-in policy, or FILE.py:FUNCTION
    options: Mapping[str, Any]  # its options, as plain values

    @property
    def file(self) -> str | None:
        """The user's file; None for a built-in policy."""
        found = _OWN.fullmatch(self.use)
        return found["file"] if found else None

    @property
    def function(self) -> str:
        """Name of the function or built-in policy: of its options in a product."""
        return self.use.rpartition(":")[2]

    @property
    def module(self) -> str:
        """The module that computes its weights."""
        return _OWN_MODULE if self.file else POLICIES[self.use]

    def load(self) -> Any:
        """Return the module that computes its weights; no other policy's is imported."""
        return load(self.module)


def policy_parts(definition: Mapping[str, Any]) -> list[PolicyPart]:
    """Return the factors of a policy from its definition in plain form."""
    use = definition["use"]
    if isinstance(use, str):
        return [PolicyPart(use, {name: value for name, value in definition.items() if name != "use"})]
    return [PolicyPart(one, definition.get(one.rpartition(":")[2], {})) for one in use]


def asks_mlm(definition: Mapping[str, Any]) -> bool:
    """Tell whether a policy's weights are the MLM's probabilities."""
    return any(part.use == "surprisal" for part in policy_parts(definition))


def canonical_policy(value: Any) -> dict[str, Any]:
    """Return a policy's definition in its one plain form: every option of the built-in ones is written out.

    Raises ValueError that says which option is wrong, and what is expected.
    """
    if not isinstance(value, Mapping) or "use" not in value:
        raise ValueError(_FORM)
    use = value["use"]
    if isinstance(use, str):
        check_use(use, ("use",))
        return {"use": use, **_options(policy_parts(value)[0], ())}
    if not isinstance(use, (list, tuple)) or not use:
        raise _problem(("use",), use, "expected a policy, or a list of policies that are multiplied")
    for place, one in enumerate(use):
        check_use(one, ("use", place))
    _check_product(value, use)
    options = {part.function: _options(part, (part.function,)) for part in policy_parts(value)}
    return {"use": list(use), **options}


def _check_product(value: Mapping[str, Any], use: Collection[str]) -> None:
    """Refuse what stands beside the factors of a product and is no factor's options."""
    names = [one.rpartition(":")[2] for one in use]
    if len(set(names)) < len(names):
        raise _problem(("use",), use, "expected each policy once")
    for key, options in value.items():
        if key == "use":
            continue
        if key not in names:
            message = "beside a list of policies stand the options of each by its name"
            raise _problem((key,), options, message + did_you_mean(str(key), names))
        if not isinstance(options, Mapping):
            raise _problem((key,), options, f"expected the options of {key}, such as {{scale: 3}}")


def check_use(use: Any, key: tuple[str | int, ...], known: Collection[str] = POLICIES) -> None:
    """Refuse what is neither a built-in one nor FILE.py:FUNCTION; ``key`` is where it stands."""
    if isinstance(use, str) and (use in known or _OWN.fullmatch(use)):
        return
    hint = did_you_mean(use, known) if isinstance(use, str) else ""
    names = ", ".join(known)
    raise _problem(key, use, f"expected {names}, or a function of your own, FILE.py:FUNCTION{hint}")


def _options(part: PolicyPart, key: tuple[str, ...]) -> dict[str, Any]:
    return plain_options(part, key, None if part.file else part.load().Options)


def plain_options(part: PolicyPart, key: tuple[str, ...], model: type[Section] | None) -> dict[str, Any]:
    """Return options in plain form, those of a built-in one (of this ``model``) with its defaults.

    Raises ValidationError that names the option, below ``key``.
    """
    if model is None:
        return {name: _plain_option(name, value, key) for name, value in part.options.items()}
    try:
        read: dict[str, Any] = model.model_validate(dict(part.options)).model_dump(mode="json")
    except ValidationError as error:
        raise _placed(error, part.use, list(model.model_fields), key) from None
    return read


def _plain_option(name: Any, value: Any, key: tuple[str, ...]) -> Any:
    if not isinstance(name, str) or not name.isidentifier():
        raise _problem((*key, str(name)), value, "expected the name of one of the function's arguments")
    items = value if isinstance(value, (list, tuple)) else [value]
    if not all(isinstance(item, (str, int, float, bool)) for item in items):
        raise _problem((*key, name), value, "expected a text, a number, true, false, or a list of these")
    return list(value) if isinstance(value, tuple) else value


def _placed(error: ValidationError, use: str, names: list[str], key: tuple[str, ...]) -> ValidationError:
    """Return the problems of a built-in policy's options; unknown options are told with the nearest one."""
    lines = []
    for problem in error.errors():
        kind: Any = problem["type"]
        if kind == "extra_forbidden":
            options = f"expected an option of {use}: {', '.join(names) or 'it has none'}"
            kind = _error(options + did_you_mean(str(problem["loc"][-1]), names))
        elif kind in ("value_error", "policy"):
            kind = _error(str(problem["msg"]).removeprefix("Value error, "))
        loc, found = (*key, *problem["loc"]), problem["input"]
        lines.append(InitErrorDetails(type=kind, loc=loc, input=found, ctx=problem.get("ctx", {})))
    return ValidationError.from_exception_data("policy", lines)


def _problem(key: tuple[str | int, ...], found: Any, message: str) -> ValidationError:
    line = InitErrorDetails(type=_error(message), loc=key, input=found)
    return ValidationError.from_exception_data("policy", [line])


def _error(message: str) -> PydanticCustomError:
    return PydanticCustomError("policy", "{problem}", {"problem": message})


def unknown_policy(name: str, configured: Collection[str], pos_sets: Collection[str]) -> str | None:
    """Return what is wrong with a name that is neither a configured policy nor a POS set."""
    known = (*configured, *PAPER_SETS, *pos_sets)
    if name in known:
        return None
    return f"expected a policy that `policies` defines, or a POS set{did_you_mean(name, known)}"


_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_USE = {"anyOf": [{"type": "string"}, _TEXTS]}
_DEFINITION_SCHEMA = {"type": "object", "required": ["use"], "properties": {"use": _USE}}

# The other rows of the table of policies.
_TAKEN = {*PAPER_SETS, "baseline", "baseline2x"}
_IS_TAKEN = "this is the name of a POS set of the paper or of a baseline; choose another name"
_EXPECTED_NAME = "expected the name of a policy that `policies` defines, or of a POS set"

PolicyName = Annotated[
    str, BeforeValidator(only(lambda value: isinstance(value, str), _EXPECTED_NAME)), NAME_SCHEMA
]
OwnPolicyName = Annotated[OwnName, AfterValidator(only(lambda name: name not in _TAKEN, _IS_TAKEN))]
_Definition = Annotated[dict[str, Any], BeforeValidator(canonical_policy), WithJsonSchema(_DEFINITION_SCHEMA)]
_NAMES = names_with("its policy, such as near: {use: distance, scale: 3}")
Policies = Annotated[dict[OwnPolicyName, _Definition], _NAMES]

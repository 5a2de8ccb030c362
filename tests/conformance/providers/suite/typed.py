"""Holds a JSON value against the types of an SDK, strictly.

pydantic passes keys that a TypedDict does not have, and looks into an `Iterable` only when it is used, so a marker at a wrong
place would go unseen. Here an unknown key, a missing one and another literal are errors.
"""

import collections.abc
import types
import typing

import typing_extensions

UNIONS = (typing.Union, types.UnionType)
WRAPPERS = {getattr(module, name) for module in (typing, typing_extensions)
            for name in ("Required", "NotRequired", "ReadOnly", "Annotated") if hasattr(module, name)}
REQUIRED = {module.Required for module in (typing, typing_extensions) if hasattr(module, "Required")}
OPTIONAL = {module.NotRequired for module in (typing, typing_extensions) if hasattr(module, "NotRequired")}
LITERALS = {typing.Literal, typing_extensions.Literal}
SIMPLE = {str: str, bool: bool, bytes: str, dict: dict, list: list}


def errors(value, kind, path="$"):
    """What is wrong with `value` as a `kind`; nothing if it is one."""
    if hasattr(kind, "__value__"):  # type X = ...
        return errors(value, kind.__value__, path)
    origin, arguments = typing_extensions.get_origin(kind), typing_extensions.get_args(kind)
    if origin in WRAPPERS:
        return errors(value, arguments[0], path)
    if kind in (typing.Any, object) or isinstance(kind, typing.TypeVar):
        return []
    if kind in (None, type(None)):
        return [] if value is None else [f"{path}: not null"]
    if origin in LITERALS:
        return [] if value in arguments else [f"{path}: {value!r} is none of {arguments}"]
    if origin in UNIONS:
        return of_union(value, arguments, path)
    if typing_extensions.is_typeddict(kind):
        return of_object(value, kind, path)
    if origin is not None:
        return of_collection(value, origin, arguments, path)
    return of_class(value, kind, path)


def of_union(value, arms, path):
    """Nothing if one arm takes it, else what the arm says that got furthest into it."""
    found = [errors(value, arm, path) for arm in arms]
    if not all(found):
        return []
    depth = [max(error.split(":")[0].count(".") + error.split(":")[0].count("[") for error in said) for said in found]
    return max(zip(depth, [-len(said) for said in found], range(len(found)), found))[3]


def of_object(value, kind, path):
    if not isinstance(value, dict):
        return [f"{path}: no object"]
    members = typing_extensions.get_type_hints(kind, include_extras=True)
    # Where hints are texts, the class itself does not know which keys are required, and the hints say it.
    origins = {key: typing_extensions.get_origin(hint) for key, hint in members.items()}
    optional = {key for key, origin in origins.items() if origin in OPTIONAL}
    required = {key for key, origin in origins.items() if origin in REQUIRED}
    missing = sorted((kind.__required_keys__ - optional | required) - value.keys())
    found = [f"{path}.{key}: missing" for key in missing]
    open_ended = getattr(kind, "__pydantic_config__", {}).get("extra") == "allow"
    for key, item in value.items():
        if key in members:
            found += errors(item, members[key], f"{path}.{key}")
        elif not open_ended:
            found.append(f"{path}.{key}: unknown key of {kind.__name__}")
    return found


def of_collection(value, origin, arguments, path):
    mapping = isinstance(origin, type) and issubclass(origin, collections.abc.Mapping)
    if mapping:
        if not isinstance(value, dict):
            return [f"{path}: no object"]
        return [error for key, item in value.items() for error in errors(item, arguments[1], f"{path}.{key}")]
    if not isinstance(value, list):
        return [f"{path}: no list"]
    return [error for at, item in enumerate(value) for error in errors(item, arguments[0], f"{path}[{at}]")]


def of_class(value, kind, path):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is float or kind is int:
        fits = number and (kind is float or isinstance(value, int))
    elif kind in SIMPLE:
        fits = isinstance(value, SIMPLE[kind])
    else:
        # A class of the SDK, a file, a sentinel: no JSON value is one. An open enumeration counts as its known values.
        fits = False
    return [] if fits else [f"{path}: {type(value).__name__} is no {getattr(kind, '__name__', kind)}"]

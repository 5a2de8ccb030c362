"""Facts as JSON."""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar, Optional, Protocol, Union, cast


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


class _Model(Protocol):
    def model_dump(self) -> dict[str, Any]: ...


class _Date(Protocol):
    def isoformat(self) -> str: ...


#: Facts by name: a mapping, a dataclass or a model of pydantic. Dates, enums and paths in it are taken as they are.
Facts = Union[Mapping[str, Any], _Dataclass, _Model]


def _plain(value: object) -> object:
    """A value that JSON has no form for, as one that it has."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    kind = type(value)
    # By what they have, so that nothing is imported for them.
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in cast("_Dataclass", value).__dataclass_fields__}
    if hasattr(kind, "model_dump"):
        return cast("_Model", value).model_dump()
    if hasattr(kind, "isoformat"):
        return cast("_Date", value).isoformat()
    raise TypeError(f"a fact cannot be a {type(value).__name__}")


def to_json(facts: Optional[Facts]) -> Optional[str]:
    """The JSON object of facts."""
    if facts is None:
        return None
    plain = facts if isinstance(facts, dict) else _plain(facts)
    if not isinstance(plain, dict):
        raise TypeError(f"facts are a mapping, a dataclass or a model, and this is a {type(facts).__name__}")
    return json.dumps(plain, default=_plain, allow_nan=False)

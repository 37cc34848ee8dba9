"""What documents are made of: strict models, the kinds of value they share, and how a refused document is explained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema

from oakbench_core.canonical import MAX_INTEGER
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")
M = TypeVar("M")

_TIME: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?Z", re.ASCII)


class Document(BaseModel):
    """Strict and frozen: no value is converted, no unknown key is passed over."""

    # Built at first use: a command that reads a sound journal never needs the models of rows and events.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, protected_namespaces=(), defer_build=True)


def is_utc_time(text: str) -> bool:
    """Whether `text` is `YYYY-MM-DDThh:mm:ss(.d{1,9})?Z` with a real date and no second 60."""
    match = _TIME.fullmatch(text)
    if not match:
        return False
    try:
        datetime.fromisoformat(match[1])
    except ValueError:
        return False
    return True


def _utc_time(text: str) -> str:
    if not is_utc_time(text):
        message = "expected a real UTC time such as 2026-11-30T08:15:00.123Z"
        raise ValueError(message)
    return text


Sha256 = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{64}$")]
UtcTime = Annotated[
    str,
    AfterValidator(_utc_time),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": rf"^{_TIME.pattern}$"}),
]
Text = Annotated[str, Field(min_length=1)]
Integer = Annotated[int, Field(strict=True, ge=-MAX_INTEGER, le=MAX_INTEGER)]
Count = Annotated[int, Field(strict=True, ge=0, le=MAX_INTEGER)]
Positive = Annotated[int, Field(strict=True, ge=1, le=MAX_INTEGER)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Items = Annotated[tuple[T, ...], Field(strict=False)]  # a JSON array has no tuples to be strict about
Word = Annotated[T, Field(strict=False)]  # the JSON word of a closed list becomes its member


def _json_path(location: tuple[int | str, ...], value: object) -> str:
    """The place in the document; the tags that pydantic puts between keys for a union are left out."""
    path = "$"
    for number, part in enumerate(location):
        last = number == len(location) - 1
        if isinstance(part, int):
            path += f"[{part}]"
            value = value[part] if isinstance(value, list | tuple) and part < len(value) else None
        elif isinstance(value, Mapping) and part in value:
            path += f".{part}"
            value = value[part]
        elif last and isinstance(value, Mapping):
            path += f".{part}"
    return path


def _found(value: object) -> str:
    text = repr(value)
    words = {"True": "true", "False": "false", "None": "null"}
    return words.get(text, text if len(text) <= 60 else f"{text[:57]}…")


def _rule(error: ErrorDetails) -> str:
    match error["type"]:
        case "missing":
            return "this key is required"
        case "extra_forbidden":
            return "this key is unknown"
        case "string_pattern_mismatch":
            return f"expected text of the form {error['ctx']['pattern']}, found {_found(error['input'])}"
        case "value_error":
            return f"{error['msg'].removeprefix('Value error, ')}, found {_found(error['input'])}"
        case _:
            expected = error["msg"].removeprefix("Input should be ").rstrip(".")
            return f"expected {expected}, found {_found(error['input'])}"


def checked(adapter: TypeAdapter[M], value: object) -> tuple[M | None, tuple[Problem, ...]]:
    """The model of plain JSON data, or None and every problem with its JSON path."""
    try:
        return adapter.validate_python(value), ()
    except ValidationError as error:
        details = error.errors(include_url=False)
        # A list whose items are all refused is also called too short: that says nothing new.
        places = {detail["loc"][:size] for detail in details for size in range(len(detail["loc"]))}
        return None, tuple(
            Problem(rule=_rule(detail), path=_json_path(detail["loc"], value))
            for detail in details
            if not (detail["type"] == "too_short" and detail["loc"] in places)
        )

"""The kinds of value of a campaign's documents, as pydantic types, beside those that all documents share."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from oakbench_core.shapes import (
    Amount,
    Count,
    Document,
    Integer,
    Items,
    Positive,
    Sha256,
    Text,
    UtcTime,
    Word,
    checked,
    is_utc_time,
)

__all__ = [
    "MAX_ID_LENGTH",
    "NAME_PATTERN",
    "Amount",
    "Count",
    "DecimalText",
    "Document",
    "EnvironmentName",
    "Hex32",
    "Integer",
    "Items",
    "JoinedNames",
    "Name",
    "Positive",
    "RelativePath",
    "Sha256",
    "Text",
    "UtcTime",
    "Word",
    "checked",
    "is_utc_time",
    "utc_seconds",
]

NAME_PATTERN: Final = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
MAX_ID_LENGTH: Final = 200


@lru_cache(maxsize=4096)
def _minute_seconds(text: str) -> float:
    return datetime.fromisoformat(f"{text}:00").replace(tzinfo=UTC).timestamp()


def utc_seconds(text: str) -> float:
    """Seconds since 1970 of a time that `is_utc_time`, to the microsecond."""
    # A journal may hold millions of records, and they share their minutes.
    return _minute_seconds(text[:16]) + float(text[17:-1])


def _relative_path(text: str) -> str:
    parts = text.split("/")
    if not text or text.startswith("/") or ".." in parts or "\0" in text:
        message = "expected a relative path that stays inside its folder"
        raise ValueError(message)
    return text


Name = Annotated[str, Field(strict=True, pattern=rf"^{NAME_PATTERN}$")]
JoinedNames = Annotated[
    str,
    Field(
        strict=True,
        pattern=rf"^{NAME_PATTERN}(\.{NAME_PATTERN})*(~([2-9]|[1-9][0-9]+))?$",
        max_length=MAX_ID_LENGTH,
    ),
]
Hex32 = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{32}$")]
RelativePath = Annotated[str, AfterValidator(_relative_path)]
DecimalText = Annotated[str, Field(strict=True, pattern=r"^[0-9]+(\.[0-9]+)?$")]
EnvironmentName = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]

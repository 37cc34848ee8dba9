"""The forms that texts of the documents have: names, IDs, times, paths."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

NAME_PATTERN: Final = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
JOINED_NAMES_PATTERN: Final = rf"{NAME_PATTERN}(\.{NAME_PATTERN})*(~([2-9]|[1-9][0-9]+))?"
MAX_ID_LENGTH: Final = 200
TIME_PATTERN: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?Z"

_JOINED_NAMES: Final = re.compile(JOINED_NAMES_PATTERN)
_TIME: Final = re.compile(TIME_PATTERN, re.ASCII)


def is_joined_names(text: str) -> bool:
    """Whether `text` is names joined by dots, as the ID of a trial or a block is."""
    return len(text) <= MAX_ID_LENGTH and _JOINED_NAMES.fullmatch(text) is not None


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


@lru_cache(maxsize=4096)
def _hour_seconds(text: str) -> float:
    return datetime.fromisoformat(f"{text}:00:00").replace(tzinfo=UTC).timestamp()


@lru_cache(maxsize=4096)
def _minute_seconds(text: str) -> float:
    return _hour_seconds(text[:13]) + 60 * int(text[14:])


def utc_seconds(text: str) -> float:
    """Seconds since 1970 of a time that `is_utc_time`, to the microsecond."""
    # A journal may hold millions of records; they share their minutes, and those their hours.
    return _minute_seconds(text[:16]) + float(text[17:-1])


def utc_minute(text: str) -> float:
    """The whole minute of a time that `is_utc_time`, in seconds since 1970."""
    return _minute_seconds(text[:16])


def utc_nanoseconds(text: str) -> int:
    """Nanoseconds since 1970 of a time that `is_utc_time`, exactly."""
    seconds, _, fraction = text[17:-1].partition(".")
    return (int(_minute_seconds(text[:16])) + int(seconds)) * 10**9 + int(fraction.ljust(9, "0"))


def is_relative_path(text: str) -> bool:
    """Whether `text` is a path that stays inside of its folder."""
    return bool(text) and not text.startswith("/") and ".." not in text.split("/") and "\0" not in text

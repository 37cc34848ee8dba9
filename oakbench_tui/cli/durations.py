"""Spans of time as people write them on a command line: 7h, 90m, 1h30m, 45s."""

from __future__ import annotations

import re
from typing import Final

from oakbench_core.errors import Problem, UsageError

_SPAN: Final = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?", re.ASCII)


def seconds_of(text: str, option: str) -> int:
    """The seconds of a span, at least one.

    Raises:
        UsageError: it is none.
    """
    match = _SPAN.fullmatch(text.strip())
    hours, minutes, seconds = (int(part or 0) for part in (match.groups() if match else ("", "", "")))
    span_s = 3600 * hours + 60 * minutes + seconds
    if not span_s:
        raise UsageError(
            f"{option} is refused",
            [Problem(path=option, rule=f"expected a span of time such as 7h, 90m or 1h30m, found {text!r}")],
        )
    return span_s


def span_in_words(seconds: float) -> str:
    """`2 h 05 min`, `7 min 30 s`, `12 s`: two units at most, rounded down."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600:,} h {whole % 3600 // 60:02} min"
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"

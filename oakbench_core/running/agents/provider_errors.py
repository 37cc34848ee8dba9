"""What the final error of an agent's stream says of its provider: a login, a limit, an outage, or nothing of the kind.

Only the text of a stream's own final error is looked at, never what the agent wrote in between. A status code decides;
where none is named, words that the programs are known to use do.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.vocabulary import ErrorType

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_HOLD_S: Final = 8 * 86400
"""A reset that is further away is taken for a misreading: the longest known limits are of a week."""


class ProviderFailure(NamedTuple):
    """Why the provider did not answer; `resets_at`, in seconds since 1970, is when a limit is said to be over."""

    kind: ErrorType
    message: str
    resets_at: float | None = None


_STATUS: Final = re.compile(
    r"\b(?:status(?: code)?|API Error|HTTP(?:/\d\.\d)?|error code)[:\s(]{1,3}(\d{3})\b", re.IGNORECASE
)
_OF_STATUS: Final = {
    401: ErrorType.PROVIDER_AUTH,
    402: ErrorType.PROVIDER_LIMIT,
    403: ErrorType.PROVIDER_AUTH,
    408: ErrorType.PROVIDER_UNAVAILABLE,
    429: ErrorType.PROVIDER_LIMIT,
}
_OF_WORDS: Final = (
    (
        ErrorType.PROVIDER_LIMIT,
        re.compile(
            r"(usage|rate|spend(ing)?|session|weekly|5-hour|hour) limit|rate_limit|too many requests|insufficient_quota"
            r"|exceeded your current quota|^quota exceeded|(hit|reached) your (\w+ )?limit|^limit reached"
            r"|credit balance is too low|billing_error|out of (extra )?(usage|credits)",
            re.IGNORECASE,
        ),
    ),
    (
        ErrorType.PROVIDER_AUTH,
        re.compile(
            r"\bunauthorized\b|not logged in|/login\b|log ?(out and sign )?in again|(invalid|incorrect) api key"
            r"|authentication_(error|failed)|failed to authenticate|oauth token|refresh token|permission_error"
            r"|access token (could not|has expired)|credentials? (have |has )?expired|api key .{0,20}(revoked|expired)",
            re.IGNORECASE,
        ),
    ),
    (
        ErrorType.PROVIDER_UNAVAILABLE,
        re.compile(
            r"\boverloaded(_error)?\b|internal server error|service unavailable|bad gateway|gateway timeout"
            r"|server_error|experiencing high demand|^connection (error|failed)|^request timed out|at capacity"
            r"|stream disconnected before completion|stream closed before|error sending request",
            re.IGNORECASE,
        ),
    ),
)

_STAMP: Final = re.compile(r"limit reached\|(\d{9,11})\b", re.IGNORECASE)
_IN: Final = re.compile(r"\b(?:again|resets?) in ((?:\d+ ?[dhms][a-z]*\b[ ,]*(?:and )?)+)", re.IGNORECASE)
_PART: Final = re.compile(r"(\d+) ?([dhms])", re.IGNORECASE)
_SECONDS: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_AT: Final = re.compile(
    r"\b(?:again at|resets?(?: at)?) (\d{1,2})(?::(\d{2}))? ?(am|pm)\b(?! \((?!UTC\)))", re.IGNORECASE
)
_LONGEST_SAID: Final = 4000


def provider_failure(
    texts: Iterable[str], now_s: float, *, status: int | None = None, resets_at: float | None = None
) -> ProviderFailure | None:
    """The failure that the final error's texts tell of; None: it is none of the provider's.

    Args:
        texts: of the final error, the one that says most first.
        now_s: seconds since 1970, to make a moment of a span of time.
        status: an HTTP status that the stream names beside the texts.
        resets_at: a reset that the stream names beside the texts.
    """
    said = [text[:_LONGEST_SAID] for text in texts if text]
    kind = None if status is None else _of_status(status)
    message = said[0] if said else f"status {status}"
    for text in said:
        if kind is None and (kind := _kind(text)) is not None:
            message = text
    if kind is None:
        return None
    resets = None
    if kind is ErrorType.PROVIDER_LIMIT:
        found = (resets_at, *(_reset(text, now_s) for text in said))
        resets = next((at for at in found if at is not None and now_s < at <= now_s + LONGEST_HOLD_S), None)
    return ProviderFailure(kind, message, resets)


def _kind(text: str) -> ErrorType | None:
    status = _STATUS.search(text)
    of_status = None if status is None else _of_status(int(status[1]))
    if of_status is not None:
        return of_status
    return next((kind for kind, words in _OF_WORDS if words.search(text)), None)


def _of_status(status: int) -> ErrorType | None:
    return ErrorType.PROVIDER_UNAVAILABLE if 500 <= status <= 599 else _OF_STATUS.get(status)


def _reset(text: str, now_s: float) -> float | None:
    """When the text says that the limit is over: a time stamp, a span, or a time of day (of UTC, as the trial's TZ)."""
    if stamp := _STAMP.search(text):
        return float(stamp[1])
    if span := _IN.search(text):
        return now_s + sum(int(part[1]) * _SECONDS[part[2].lower()] for part in _PART.finditer(span[1]))
    if (clock := _AT.search(text)) and 1 <= int(clock[1]) <= 12 and int(clock[2] or 0) < 60:
        hour = int(clock[1]) % 12 + (12 if clock[3].lower() == "pm" else 0)
        now = datetime.fromtimestamp(now_s, UTC)
        at = now.replace(hour=hour, minute=int(clock[2] or 0), second=0, microsecond=0)
        return (at if at > now else at + timedelta(days=1)).timestamp()
    return None

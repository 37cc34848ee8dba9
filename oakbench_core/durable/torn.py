"""Whether a fragment is the beginning of one record: shown by a record that begins with it.

Some continuation must pass every test but the hash and the ledger: the envelope in full, the inside of `runner`, `row`,
`recovery` and `stop` only as JSON. The record is walked part by part; each part takes what the fragment has of it and
makes up the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import EventKind, Terminal
from oakbench_core.durable.framing import NO_WRITER, RECORD_LIMIT
from oakbench_core.durable.json_prefix import Completed, completed_object
from oakbench_core.forms import is_joined_names, is_utc_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oakbench_core.durable.fold import Next

    Part = Callable[[bytes], Completed | None]

_TIMES: Final = (
    "2000-01-01T00:00:00Z",
    "1111-11-11T11:11:11Z",
    "2020-10-10T10:10:10Z",
)
_WHOLE_SECONDS: Final = len("2000-01-01T00:00:00")
_HEX: Final = re.compile(rb"[0-9a-f]{0,32}")
_TORN_START: Final = re.compile(rb'\{"event":"started","trial_id":"([^"]*)"')
_ID_ENDS: Final = ("", "2", "0")  # a name may begin with a digit; an attempt's number is never 1


def completion(fragment: bytes, expected: Next) -> bytes | None:
    """A record line (without LF) that begins with `fragment`; None if the fragment is a beginning of none.

    Its hash is made up where the fragment ends before it. A whole record is its own completion.
    """
    if not fragment:
        return None
    for kind in EventKind:
        if expected.opens and kind not in {EventKind.OPENED, EventKind.RECOVERED}:
            continue
        record = _completed_record(fragment, _parts(kind, expected))
        if record is not None and len(record) < RECORD_LIMIT:
            return record
    return None


def torn_start(fragment: bytes) -> str | None:
    """The trial of a beginning of `started` that names it whole; None of any other beginning."""
    match = _TORN_START.match(fragment)
    return None if match is None else match[1].decode()


def _completed_record(fragment: bytes, parts: Iterable[Part]) -> bytes | None:
    record, rest = b"", fragment
    for part in parts:
        completed = part(rest)
        if completed is None:
            return None
        record += completed.text
        rest = completed.rest
    return None if rest else record


def _parts(kind: EventKind, expected: Next) -> list[Part]:
    known = (expected.writer or NO_WRITER).encode()
    return [
        _exactly(b'{"event":"%b","trial_id":' % kind.encode()),
        _trial_part(kind),
        _exactly(b',"seq":%d,"v":1,"plan_sha256":"%b","writer":"' % (expected.seq, expected.plan_sha256.encode())),
        _hex if kind is EventKind.OPENED else _exactly(known),
        _exactly(b'","at":"'),
        _time,
        _exactly(b'"'),
        *_payload_parts(kind),
        _exactly(b',"hash":"'),
        _hex,
        _exactly(b'"}'),
    ]


def _trial_part(kind: EventKind) -> Part:
    match kind:
        case EventKind.OPENED | EventKind.CLOSED:
            return _exactly(b"null")
        case EventKind.STARTED | EventKind.FINISHED:
            return _trial_id
        case EventKind.RECOVERED:
            return _either(_exactly(b"null"), _trial_id)


def _payload_parts(kind: EventKind) -> list[Part]:
    match kind:
        case EventKind.OPENED:
            return [_exactly(b',"runner":'), completed_object]
        case EventKind.STARTED:
            return []
        case EventKind.FINISHED:
            words = [_exactly(b'"%b"' % word.encode()) for word in Terminal]
            return [_exactly(b',"terminal":'), _either(*words), _exactly(b',"row":'), completed_object]
        case EventKind.RECOVERED:
            return [_exactly(b',"recovery":'), completed_object]
        case EventKind.CLOSED:
            return [_exactly(b',"stop":'), completed_object]


def _exactly(expected: bytes) -> Part:
    def part(text: bytes) -> Completed | None:
        if text.startswith(expected):
            return Completed(expected, text[len(expected) :])
        return Completed(expected, b"") if expected.startswith(text) else None

    return part


def _either(*parts: Part) -> Part:
    def part(text: bytes) -> Completed | None:
        return next((completed for one in parts if (completed := one(text)) is not None), None)

    return part


def _trial_id(text: bytes) -> Completed | None:
    if not b'"'.startswith(text[:1]):
        return None
    written, quote, rest = text[1:].partition(b'"')
    if not written.isascii():
        return None
    ends = _ID_ENDS[:1] if quote else _ID_ENDS
    names = (written.decode("ascii") + end for end in ends)
    whole = next((name for name in names if is_joined_names(name)), None)
    return None if whole is None else Completed(b'"%b"' % whole.encode(), rest)


def _hex(text: bytes) -> Completed | None:
    match = _HEX.match(text)
    digits = match[0] if match else b""
    if len(digits) < 32 and len(digits) < len(text):
        return None
    return Completed(digits.ljust(32, b"0"), text[len(digits) :])


def _time(text: bytes) -> Completed | None:
    written, quote, rest = text.partition(b'"')
    if not written.isascii():
        return None
    stamp = written.decode("ascii")
    if quote:
        return Completed(written, quote + rest) if is_utc_time(stamp) else None
    ends = [time[len(stamp) :] for time in _TIMES] if len(stamp) <= _WHOLE_SECONDS else ["", "Z", "0Z"]
    whole = next((stamp + end for end in ends if is_utc_time(stamp + end)), None)
    return None if whole is None else Completed(whole.encode(), b"")

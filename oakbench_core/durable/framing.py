"""Bytes ↔ records: one compact JSON object on one line, chained to the line before it.

`hash` = the first 32 hex digits of SHA-256(the previous hash as 32 ASCII characters ‖ the line's bytes before its last
`,"hash"`); before the first record stand the first 32 characters of `plan_sha256`. Lines are written in one encoding,
Python's `json.dumps`, compact, `ensure_ascii` off; raw bytes are verified, and whatever decoding and encoding again
would not give back byte for byte is refused.

`decode_line` is the measure of what is accepted. `records` decodes whole blocks faster and accepts no other bytes.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import EventKind
from oakbench_core.canonical import parse_strict
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oakbench_core.campaign.events import Event

RECORD_LIMIT: Final = 1 << 20  # bytes of one record with its LF
NO_WRITER: Final = "0" * 32  # of a `recovered` that no good `opened` stands before

_ENVELOPE: Final = ("event", "trial_id", "seq", "v", "plan_sha256", "writer", "at")
_PAYLOADS: Final[Mapping[str, tuple[str, ...]]] = {
    EventKind.OPENED: ("runner",),
    EventKind.STARTED: (),
    EventKind.FINISHED: ("terminal", "row"),
    EventKind.RECOVERED: ("recovery",),
    EventKind.CLOSED: ("stop",),
}
_HASH_KEY: Final = b',"hash"'
_LOOSE_HASH: Final = re.compile(rb'\s*:\s*"([0-9a-f]{32})"\s*}\s*')
_PLAN_HASH: Final = re.compile(rb'"plan_sha256":"([0-9a-f]{64})"')


class BadLineError(Exception):
    """A line that is not the next record; `problems` have offsets counted from the line's first byte.

    `vouched`: its hash is right, so that it was written as it stands and no accident made it. `foreign`: it names
    another plan, which is looked at before its hash.
    """

    def __init__(self, problems: Iterable[Problem], *, vouched: bool = False, foreign: bool = False) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.rule for problem in self.problems))
        self.vouched = vouched
        self.foreign = foreign


def first_link(plan_sha256: str) -> str:
    """What stands for the hash before the first record."""
    return plan_sha256[:32]


def link(previous: str, body: bytes) -> str:
    """The hash of a record whose bytes before its last `,"hash"` are `body`."""
    return sha256(previous.encode() + body).hexdigest()[:32]


def compact(value: object) -> bytes:
    """The one encoding; NaN and Infinity raise ValueError, lone surrogates UnicodeEncodeError (a ValueError)."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def encode_record(fields: Mapping[str, Any], previous: str) -> bytes:
    """The line of one record, LF included, chained to `previous`; `fields` are all keys but `hash`, in any order."""
    payload = _PAYLOADS[fields["event"]]
    body = compact({key: fields[key] for key in (*_ENVELOPE, *payload)})[:-1]
    return b'%b,"hash":"%b"}\n' % (body, link(previous, body).encode())


def foreign_plan(text: bytes, plan_sha256: str) -> Problem | None:
    """The problem of bytes that name another plan whole; None if they name this one or none."""
    match = _PLAN_HASH.search(text)
    if match is None or match[1] == plan_sha256.encode():
        return None
    rule = f"plan_sha256 is of another plan: {match[1].decode()}, this plan is {plan_sha256}"
    return Problem(rule=rule, byte=match.start(1), path="$.plan_sha256")


def decode_line(line: bytes, plan_sha256: str, previous: str) -> Event:
    """The record of one line without its LF: hash, then encoding, then order of keys, then types and closed lists.

    Raises:
        BadLineError: the first of these tests that fails, with every problem that it finds.
    """
    if foreign := foreign_plan(line, plan_sha256):
        raise BadLineError([foreign], foreign=True)
    _check_hash(line, previous)
    value, problems = parse_strict(line)
    if problems:
        raise BadLineError(problems, vouched=True)
    if problem := _inexact(line, value) or _misplaced_keys(value):
        raise BadLineError([problem], vouched=True)
    from oakbench_core.campaign.events import event_type  # with pydantic, which a sound journal never needs
    from oakbench_core.shapes import checked

    decoded = checked(event_type(), value)
    if decoded[0] is None:
        raise BadLineError(decoded[1], vouched=True)
    return decoded[0]


def _check_hash(line: bytes, previous: str) -> None:
    body, key, end = line.rpartition(_HASH_KEY)
    stated = _LOOSE_HASH.fullmatch(end)
    if not key or stated is None:
        raise BadLineError([Problem(rule="expected a record that ends with its hash", byte=0)])
    found = link(previous, body)
    if stated[1].decode() != found:
        rule = (
            f"the hash does not vouch for this record at this place: it says {stated[1].decode()}, "
            f"the bytes and the record before give {found}"
        )
        raise BadLineError([Problem(rule=rule, byte=0, path="$.hash")])


def _inexact(line: bytes, value: object) -> Problem | None:
    again = compact(value)
    if again == line:
        return None
    pairs = enumerate(zip(again, line, strict=False))
    place = next((i for i, (ours, theirs) in pairs if ours != theirs), min(len(again), len(line)))
    expected, found = again[place : place + 12], line[place : place + 12]
    rule = f"not in the one encoding: expected {_quoted(expected)}, found {_quoted(found)}"
    return Problem(rule=rule, byte=place)


def _quoted(text: bytes) -> str:
    return repr(text.decode(errors="replace")) if text else "the end of the line"


def _misplaced_keys(value: object) -> Problem | None:
    if not isinstance(value, dict):
        return Problem(rule="expected a JSON object", byte=0)
    kind = value.get("event")
    payload = _PAYLOADS.get(kind) if isinstance(kind, str) else None
    if payload is None:
        return Problem(rule=f"expected one of {', '.join(EventKind)}, found {kind!r}", path="$.event")
    expected = (*_ENVELOPE, *payload, "hash")
    if tuple(value) != expected:
        return Problem(rule=f"expected the keys {', '.join(expected)} in this order", path="$")
    return None

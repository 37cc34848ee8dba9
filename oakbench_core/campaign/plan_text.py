"""plan.json as text, read fast: only what strict JSON and the models accept gets through, all else is left to them.

A plan may hold hundreds of thousands of trials and nothing else of size, so its schedule is read straight into structs.
What strict JSON refuses beyond msgspec is a key that stands twice: the colons show that none does.
"""

from __future__ import annotations

import re
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from oakbench_core.campaign.plan_document import ScheduledTrial
from oakbench_core.canonical import sha256_hex
from oakbench_core.forms import JOINED_NAMES_PATTERN, MAX_ID_LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SCHEDULE: Final = msgspec.json.Decoder(tuple[ScheduledTrial, ...])
_JOINED_NAMES: Final = re.compile(rf"(?!.{{{MAX_ID_LENGTH + 1}}}){JOINED_NAMES_PATTERN}")
_trial_id, _block_id, _retry_of = attrgetter("trial_id"), attrgetter("block_id"), attrgetter("retry_of")


def read_parts(text: bytes) -> tuple[dict[str, Any], tuple[ScheduledTrial, ...]] | None:
    """All but the schedule as plain data, and the schedule; None if the text needs a closer look.

    Of a trial, types, bounds and IDs are checked here; that its other names are names, and not only text, follows from
    their standing in the rest of the plan. That no key stands twice is proved by `canonical_sha256`.
    """
    try:
        parts = _PARTS.decode(text)
        schedule = _SCHEDULE.decode(parts.pop("schedule"))
        head = {key: msgspec.json.decode(part) for key, part in parts.items()}
    except (msgspec.MsgspecError, RecursionError, UnicodeError, KeyError):
        return None
    if not schedule:
        return None
    repeated = {*map(_block_id, schedule), *map(_retry_of, schedule)} - {None}
    ids = chain(map(_trial_id, schedule), repeated)
    return (head, schedule) if all(map(_JOINED_NAMES.fullmatch, ids)) else None


def canonical_sha256(head: Mapping[str, Any], schedule: tuple[ScheduledTrial, ...], text: bytes) -> str | None:
    """The hash of the plan's canonical text, as `plan.plan_hash`; None if a key may stand twice in `text`.

    The parts are those of a sound plan, which holds no floats: msgspec then spells as `canonical_text` does.
    """
    content = {**head, "schedule": schedule}
    del content["plan_sha256"]
    canonical = msgspec.json.encode(content, order="sorted")
    # Each member has one colon beside those inside strings. Where no string escapes a character by its number, these
    # are all spelled out: a member that was read over, because its key came again, leaves `text` with more of them.
    without_escapes = b"\\u" not in text
    of_the_hash = 1
    unique = text.count(b":") == canonical.count(b":") + of_the_hash
    return sha256_hex(canonical) if without_escapes and unique else None

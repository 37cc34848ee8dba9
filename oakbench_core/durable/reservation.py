"""Which trial a lost tail may have started: reserved as an uncertain interruption, so that it is never run again.

The rules are tried in their order. What the bytes prove is believed as far as they agree with a record; what they do
not prove is decided by what a writer could have been doing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.vocabulary import EventKind, RecoveryReason
from oakbench_core.durable.tail import JournalState
from oakbench_core.durable.torn import torn_start

if TYPE_CHECKING:
    from oakbench_core.campaign.ledger import Ledger

_BEGINNING: Final = b'{"event":"'
_CUT_ID: Final = re.compile(rb'\{"event":"started","trial_id":"(.*)', re.DOTALL)


class Reserved(NamedTuple):
    """The trial that is reserved, if any, and by which rule."""

    trial_id: str | None
    reason: RecoveryReason


def proved_event(text: bytes) -> EventKind | None:
    """The event that bytes prove: they agree with its beginning as far as they go, past the quote."""
    if len(text) <= len(_BEGINNING):
        return None
    for kind in EventKind:
        beginning = b'%b%b"' % (_BEGINNING, kind.encode())
        if text[: len(beginning)] == beginning[: len(text)]:
            return kind
    return None


def reserve(tail: bytes, state: JournalState, ledger: Ledger) -> Reserved:
    """What recovery reserves for a lost tail.

    Args:
        tail: its first bytes, all that a record may have.
        state: TORN, ZEROS or UNCERTAIN_TAIL: what the tail is by itself. (A torn start of a trial that is not unstarted
            is none of these.)
        ledger: what is on file before it.
    """
    text = tail.strip(b"\0")
    event = proved_event(text)
    if event not in {None, EventKind.STARTED}:
        return Reserved(None, RecoveryReason.TORN_OTHER)
    if not ledger.may_start(proved=event is EventKind.STARTED):
        return Reserved(None, RecoveryReason.START_IMPOSSIBLE)
    if state is not JournalState.TORN:
        return Reserved(ledger.first_unstarted(), RecoveryReason.AMBIGUOUS)
    if (trial_id := torn_start(text)) is not None:
        return Reserved(trial_id, RecoveryReason.TORN_START)
    cut = _CUT_ID.match(text)
    # IDs are ASCII: what is not contradicts every one of them.
    beginning = cut[1].decode(errors="replace") if cut else ""
    return Reserved(ledger.first_unstarted(beginning), RecoveryReason.AMBIGUOUS)

"""What the reader's pure half says of bytes, without a file: quick enough to ask a hundred thousand times."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import RECORD_LIMIT, BadLineError
from oakbench_core.durable.tail import JournalState, judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan


LONG: Final = "OAKBENCH_LONG" in os.environ
"""Whether the longer fault loops (`-m slow`) are run whole: hours, not minutes."""


KILLS: Final[Counter[str]] = Counter()
"""Processes that tests of this session have killed (SIGKILL)."""


class Seen(NamedTuple):
    """What a ledger answers; equal for equal histories."""

    standings: bytes
    reserved_s: int
    observed_s: Decimal
    events: tuple[int, ...]
    in_flight: tuple[int, ...]
    recoveries: int
    trials: tuple[tuple[object, ...], ...]


def tell(outcomes: Counter[str], what: str) -> None:
    """Print the table of outcomes, for whoever runs the tests with -rP."""
    table = "".join(f"  {state:<16}{count:>9,}\n" for state, count in outcomes.most_common())
    sys.stdout.write(f"{outcomes.total():,} {what}\n{table}")


def tell_kills(what: str, number: int) -> None:
    """Add to the number of real kills, which is told at the end of all tests."""
    KILLS[what] += number


def seen(ledger: Ledger) -> Seen:
    return Seen(
        bytes(ledger.standings),
        ledger.reserved_s,
        ledger.observed_charge_s,
        tuple(ledger.events.values()),
        tuple(ledger.in_flight),
        len(ledger.reservations),
        tuple(_trial(ledger, trial) for trial in range(len(ledger.standings))),
    )


def _trial(ledger: Ledger, trial: int) -> tuple[object, ...]:
    return (
        str(ledger.started_at[trial]),
        str(ledger.ended_at[trial]),
        ledger.timeout_differs[trial],
        *(ledger.resource(name, trial) for name in RESOURCE_UNITS),
        ledger.population(trial),
        ledger.accounting(trial),
        ledger.ending(trial),
    )


def folded(plan: Plan, lines: Sequence[bytes]) -> Fold:
    fold = Fold(plan)
    fold.take(b"".join(lines))
    return fold


def prefixes(plan: Plan, lines: Sequence[bytes]) -> list[Seen]:
    """The truth after 0, 1, 2 … records."""
    fold = Fold(plan)
    truths = [seen(fold.ledger)]
    for line in lines:
        fold.take(line)
        truths.append(seen(fold.ledger))
    return truths


def judged(fold: Fold, content: bytes) -> JournalState:
    """The state of a journal of which `fold` took nothing, or a part, and `content` follows; `fold` moves on."""
    bad_line = None
    start = fold.offset
    try:
        while fold.take(content[fold.offset - start :]):
            pass
    except BadLineError as error:
        bad_line = error
    tail = content[fold.offset - start :]
    if not tail:
        return JournalState.CLEAN if fold.offset else JournalState.EMPTY
    if bad_line is None:
        try:
            fold.take_line(tail)
        except BadLineError:
            pass
        else:
            return JournalState.NO_NEWLINE
    head, rest = tail[: RECORD_LIMIT + 1], tail[RECORD_LIMIT + 1 :]
    rest_is_nul = not rest if bad_line else not rest.strip(b"\0")
    return judge(head, rest_is_nul=rest_is_nul, fold=fold, bad_line=bad_line).state

"""Events from anywhere → a folded ledger, or one error that lists everything wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from oakbench_core.campaign.ledger import Ledger, Rule
from oakbench_core.canonical import plain_problems
from oakbench_core.errors import IdentityError, JournalError, Problem, UsageError
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from oakbench_core.campaign.evidence import EventLike
    from oakbench_core.campaign.plan import Plan


def fold(plan: Plan, events: Iterable[EventLike | Mapping[str, Any]], as_of: int | None = None) -> Ledger:
    """The ledger of `plan` after `events`, in their order; with `as_of`, after those of no greater `seq`.

    An event is a plain mapping, which is checked here, or an object that was. Places in problems are JSON paths into
    the list of events.
    """
    if as_of is not None and (isinstance(as_of, bool) or not isinstance(as_of, int) or as_of < 0):
        raise UsageError(f"as_of is a sequence number from 0 on, found {as_of!r}")
    if not isinstance(events, Iterable):
        raise UsageError(f"expected events, found {type(events).__name__}")
    ledger = Ledger(plan)
    problems: list[Problem] = []
    foreign = False
    for number, given in enumerate(events):
        event, refused = _read(given)
        problems += [Problem(rule=problem.rule, path=f"$[{number}]{_inside(problem)}") for problem in refused]
        if event is None:
            continue
        if as_of is not None and (event.seq is None or event.seq > as_of):
            if event.seq is None:
                problems.append(Problem(path=f"$[{number}].seq", rule="expected a number: as_of asks for a prefix"))
            continue
        violations = ledger.apply(event)
        if not violations:
            ledger.chronicle.note(event)
        foreign |= any(violation.rule is Rule.IDENTITY for violation in violations)
        problems += [Problem(path=f"$[{number}]", rule=violation.text) for violation in violations]
    if problems:
        error = IdentityError if foreign else JournalError
        raise error("these events are no legal history of this plan", problems)
    return ledger


def _read(given: object) -> tuple[EventLike | None, tuple[Problem, ...]]:
    if hasattr(given, "plan_sha256"):
        return cast("EventLike", given), ()
    if problems := plain_problems(given):
        return None, problems
    from oakbench_core.campaign.events import evidence_type

    read = checked(evidence_type(), dict(given) if isinstance(given, Mapping) else given)
    return cast("tuple[EventLike | None, tuple[Problem, ...]]", read)


def _inside(problem: Problem) -> str:
    return (problem.path or "$").removeprefix("$")

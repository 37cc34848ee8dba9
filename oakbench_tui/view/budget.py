"""The budget gauge: an equation of seconds that adds up as shown, and whether the next trial is admitted.

The admission budget is neither a deadline nor a cost cap, and the gauge says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.row_rules import EXACT
from oakbench_core.campaign.vocabulary import Standing
from oakbench_tui.view.bars import Part, stacked
from oakbench_tui.view.figures import amount, thousands
from oakbench_tui.view.glyphs import Shown
from oakbench_tui.view.layout import FULL_FROM, WIDE_FROM, label, label_width
from oakbench_tui.view.segments import Segment, Token, first_fitting, width_of

if TYPE_CHECKING:
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot

_CENT: Final = Decimal("0.01")
# The default context holds 28 digits: a legal duration may have more than ten times as many.
_TO_CENTS: Final = Context(prec=EXACT.prec, Emax=EXACT.Emax, Emin=EXACT.Emin, rounding=ROUND_HALF_EVEN, traps=[])
_WHAT_IT_IS_NOT: Final = "no deadline, no cost cap"
_BAR_WIDE: Final = 46
_BAR_FULL: Final = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Seconds of the gauge. They add up: `remaining` is what the shown, rounded others leave of the budget.

    `in_flight_s`: the whole timeouts of the trials that a live runner has started; a report counts them as reserved.
    """

    budget_s: int
    observed_s: Decimal
    reserved_s: int
    in_flight_s: int
    remaining_s: Decimal
    exact_remaining_s: Decimal


def shown_seconds(observed: Decimal) -> Decimal:
    """Two decimals, and never zero where something was observed."""
    rounded = observed.quantize(_CENT, context=_TO_CENTS)
    return max(rounded, _CENT) if observed > 0 else rounded


def account(snapshot: Snapshot) -> Account | None:
    """None where the plan holds no budget."""
    admission = snapshot.admission
    if admission.budget_s is None or admission.remaining_s is None:
        return None
    in_flight = sum(snapshot.trial(trial.place).timeout_s for trial in snapshot.running)
    reserved = admission.reserved_s - in_flight
    observed = shown_seconds(admission.observed_s)
    return Account(
        budget_s=admission.budget_s,
        observed_s=observed,
        reserved_s=reserved,
        in_flight_s=in_flight,
        remaining_s=EXACT.subtract(Decimal(admission.budget_s), EXACT.add(observed, Decimal(reserved + in_flight))),
        exact_remaining_s=admission.remaining_s,
    )


def budget_equation(held: Account, *, words: bool) -> Line:
    """`45.81 s observed + 6 reserved + 4 in flight + 22.19 remaining = 78 s`."""
    plus = Segment(" + ", Token.SOFT)
    parts = [Segment(f"{amount(held.observed_s)} s" + (" observed" if words else ""))]
    if held.reserved_s:
        parts += [plus, Segment(f"{amount(held.reserved_s)} reserved", Token.INTERRUPTED)]
    if held.in_flight_s:
        parts += [plus, Segment(f"{amount(held.in_flight_s)} in flight", Token.ACCENT)]
    parts += [plus, Segment(f"{amount(held.remaining_s)} {'remaining' if words else 'left'}", Token.STRONG)]
    return (*parts, Segment(f" = {thousands(held.budget_s)}" + (" s" if words else ""), Token.SOFT))


def next_words(snapshot: Snapshot) -> str:
    """Whether the next trial is admitted, in words; empty where nothing is unstarted or there is no budget."""
    admission = snapshot.admission
    if admission.next_admissible is None:
        return ""
    verdict = "admitted" if admission.next_admissible else "not admitted"
    return f"next needs {thousands(admission.next_timeout_s or 0)} s: {verdict}"


def at_worst_words(snapshot: Snapshot, *, mean: bool = False) -> str:
    """How many more trials the budget admits if each takes its whole timeout, and about how many at the mean."""
    unstarted = snapshot.tallies[Standing.UNSTARTED]
    if snapshot.at_worst is None or not unstarted:
        return ""
    if not snapshot.admission.next_admissible:
        return f"{thousands(unstarted)} stay unstarted"
    words = f"at worst {thousands(snapshot.at_worst)} more of {thousands(unstarted)}"
    at_mean = about_at_mean(snapshot)
    return f"{words}, about {thousands(at_mean)} at the mean" if mean and at_mean is not None else words


def about_at_mean(snapshot: Snapshot) -> int | None:
    """How many more would fit if each took the mean observed duration; None where none was observed."""
    duration = next((measured for measured in snapshot.measured if measured.name == "duration_s"), None)
    remaining = snapshot.admission.remaining_s
    if remaining is None or remaining < 0 or duration is None or not duration.observed or not duration.total:
        return None
    mean = Decimal(duration.total) / duration.observed
    return min(int(remaining / mean), snapshot.tallies[Standing.UNSTARTED])


def budget_bar(held: Account, width: int) -> Line:
    return stacked(
        [
            Part(held.observed_s, "━", Token.TEXT),
            Part(held.reserved_s, "░", Token.INTERRUPTED),
            Part(held.in_flight_s, "▶", Token.ACCENT),
            Part(max(held.remaining_s, Decimal(0)), "·", Token.FAINT),
        ],
        width,
    )


def _without(snapshot: Snapshot, width: int) -> Line:
    observed = amount(shown_seconds(snapshot.admission.observed_s))
    spent = f"{observed} s observed" if snapshot.started else "nothing spent"
    if snapshot.admission.reserved_s:
        spent += f" + {thousands(snapshot.admission.reserved_s)} reserved"
    said = (
        f"none in the plan: it admits every trial; {spent}; {_WHAT_IT_IS_NOT}",
        f"none in the plan; {spent}; {_WHAT_IT_IS_NOT}",
        f"none in the plan; {spent}",
        "none in the plan",
    )
    return first_fitting([(Segment(text, Token.SOFT),) for text in said], width)


def budget_rows(snapshot: Snapshot, width: int) -> list[Line]:
    """The rows of the head about the budget: 2 from 100 cells on where there is a budget, else 1."""
    room = width - label_width(width)
    held = account(snapshot)
    name = label("budget", width)
    if held is None:
        return [(name, *_without(snapshot, room))]
    following = [
        "; ".join(filter(None, (next_words(snapshot), at_worst_words(snapshot, mean=True), _WHAT_IT_IS_NOT))),
        "; ".join(filter(None, (next_words(snapshot), at_worst_words(snapshot), _WHAT_IT_IS_NOT))),
        "; ".join(filter(None, (next_words(snapshot), at_worst_words(snapshot)))) or _WHAT_IT_IS_NOT,
    ]
    if width < FULL_FROM:
        worst = at_worst_words(snapshot) if snapshot.admission.next_admissible else next_words(snapshot)
        tail = (Segment(f"; {worst or _WHAT_IT_IS_NOT}", Token.SOFT),)
        less = (Segment(f"; {worst.partition(' of ')[0] or _WHAT_IT_IS_NOT}", Token.SOFT),)
        short, wide = budget_equation(held, words=False), budget_equation(held, words=True)
        return [(name, *first_fitting([(*wide, *tail), (*short, *tail), (*short, *less), wide, short], room))]
    bar = budget_bar(held, min(_BAR_WIDE, width // 3) if width >= WIDE_FROM else _BAR_FULL)
    gap = "   " if width >= WIDE_FROM else "  "
    after = room - width_of(bar) - len(gap)
    first = first_fitting([budget_equation(held, words=True), budget_equation(held, words=False)], after)
    second = first_fitting([(Segment(text, Token.SOFT),) for text in following], after)
    return [(name, *bar, Segment(gap), *first), (Segment(" " * (width - after)), *second)]


def compact_budget(snapshot: Snapshot, width: int) -> Line:
    """`budget 78: 22.19 s left, 11+ more`."""
    held = account(snapshot)
    if held is None:
        return (Segment("no admission budget", Token.SOFT),)
    start = (
        Segment(f"budget {thousands(held.budget_s)}: ", Token.SOFT),
        Segment(f"{amount(held.remaining_s)} s left"),
    )
    words = [f", {thousands(snapshot.at_worst)}+ more"] if snapshot.at_worst else [""]
    if snapshot.counts()[Shown.UNSTARTED] and not snapshot.admission.next_admissible:
        words = [", next not admitted", ", not admitted"]
    return first_fitting([(*start, Segment(text, Token.SOFT)) for text in words], width)

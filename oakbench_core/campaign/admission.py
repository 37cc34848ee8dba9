"""What the budget has given and what it still admits (ADR-0010; report.md row 21).

The admission budget is seconds of subprocess time that a campaign may reserve or spend. It is no deadline (setup,
checks and waiting are in no charge) and no cap on cost. Sums are exact decimals, so that equality admits.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from oakbench_core.campaign.row_rules import EXACT
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from oakbench_core.campaign.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Seconds, but for `unmeasured_charges`, which counts trials.

    `observed_s`: durations of the trials that ended with one. `reserved_s`: frozen timeouts of interrupted trials and
    of those that ended without a duration (counted in `unmeasured_charges`). `remaining_s` is not clamped at zero. It
    and `next_admissible` are None without a budget; `next_timeout_s` and `next_admissible` where nothing is unstarted.
    """

    budget_s: int | None
    observed_s: Decimal
    reserved_s: int
    unmeasured_charges: int
    remaining_s: Decimal | None
    next_timeout_s: int | None
    next_admissible: bool | None


def admission(ledger: Ledger) -> Admission:
    """The account as the ledger stands, trials in flight counted as reservations of their whole timeout."""
    budget = ledger.plan.admission_budget_s
    place = ledger.next_unstarted
    timeout = None if place is None else ledger.plan.schedule[place].timeout_s
    remaining = None
    if budget is not None:
        spent = EXACT.add(ledger.observed_charge_s, Decimal(ledger.reserved_s))
        remaining = EXACT.subtract(Decimal(budget), spent)
    return Admission(
        budget_s=budget,
        observed_s=ledger.observed_charge_s,
        reserved_s=ledger.reserved_s,
        unmeasured_charges=ledger.unmeasured_charges,
        remaining_s=remaining,
        next_timeout_s=timeout,
        next_admissible=None if remaining is None or timeout is None else admits(remaining, timeout),
    )


def admits(remaining_s: Decimal, timeout_s: int) -> bool:
    """Whether a trial's whole frozen timeout still fits; equality admits, and nothing is ever shortened."""
    return remaining_s >= timeout_s


def admissible_at_worst(ledger: Ledger) -> int | None:
    """How many more trials would be admitted if each took its whole timeout; None without a budget."""
    remaining = admission(ledger).remaining_s
    if remaining is None:
        return None
    admitted = 0
    for trial, standing in zip(ledger.plan.schedule, ledger.standings, strict=True):
        if standing != Standing.UNSTARTED:
            continue
        if not admits(remaining, trial.timeout_s):
            break
        remaining = EXACT.subtract(remaining, Decimal(trial.timeout_s))
        admitted += 1
    return admitted

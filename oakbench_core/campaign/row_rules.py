"""What a row may say: each terminal word's table of verdict, skip, error and checks, and the sums inside a row."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.vocabulary import CheckStatus, SkipPhase, SkipReason, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oakbench_core.campaign.evidence import CheckLike, RowLike
    from oakbench_core.campaign.plan_document import ScheduledTrial

EXACT: Final = Context(prec=2_000, Emax=999_999, Emin=-999_999, traps=[Inexact])
"""Room for every sum of finite binary floats in their shortest spelling; a rounding would raise, never pass unseen."""

IDENTITY_FIELDS: Final = ("workflow", "task", "instruction_level", "agent", "model", "subject")
_identity = attrgetter(*IDENTITY_FIELDS)


def row_violations(
    row: RowLike, terminal: str, trial: ScheduledTrial, campaign_id: str, planned: tuple[str, ...]
) -> Iterator[str]:
    """Every rule that the row of a finished event breaks, in words.

    Args:
        row: the decoded row, of right types.
        terminal: the envelope's word.
        trial: the plan's entry for the trial.
        campaign_id: the plan's.
        planned: names of the plan's checks for the trial's task.
    """
    if row.bench_id != campaign_id:
        yield f"row.bench_id is {row.bench_id!r}, the plan's campaign is {campaign_id!r}"
    if row.run != trial.repetition:
        yield f"row.run is {row.run}, the plan's repetition is {trial.repetition}"
    if _identity(row) != _identity(trial):
        for field, found, frozen in zip(IDENTITY_FIELDS, _identity(row), _identity(trial), strict=True):
            if found != frozen:
                yield f"row.{field} is {found!r}, the plan says {frozen!r}"
    yield from _ending_violations(row, terminal)
    yield from _check_violations(row, terminal, planned)
    if row.suspended_s is not None and getattr(row.resources, "duration_s", None) is not None:
        yield "row.resources.duration_s is given although row.suspended_s is: a suspension voids the timing"
    yield from _weight_violations(row)


def _ending_violations(row: RowLike, terminal: str) -> Iterator[str]:
    completed, timed_out = terminal == Terminal.COMPLETED, terminal == Terminal.TIMED_OUT
    verdict = row.verified_success
    if completed and verdict is None:
        yield "row.verified_success is null, a completed trial has a verdict"
    if timed_out and verdict is not False:
        yield "row.verified_success is not false, a timed-out trial is not verified"
    if not (completed or timed_out) and verdict is not None:
        yield f"row.verified_success is {str(verdict).lower()}, {terminal} has no verdict (null)"
    if row.timed_out is not timed_out:
        yield f"row.timed_out is {str(row.timed_out).lower()}, the envelope says {terminal}"
    if (row.skip is not None) is not (terminal == Terminal.SKIPPED):
        yield f"row.skip is {'null' if row.skip is None else 'set'}, the envelope says {terminal}"
    if (row.error is not None) is not (terminal == Terminal.INFRASTRUCTURE_FAILURE):
        yield f"row.error is {'null' if row.error is None else 'set'}, the envelope says {terminal}"
    skip = row.skip
    if skip and skip.reason == SkipReason.OPERATOR and skip.phase != SkipPhase.BEFORE_START:
        yield "row.skip: an operator skips before the start only"


def _check_violations(row: RowLike, terminal: str, planned: tuple[str, ...]) -> Iterator[str]:
    checks: Sequence[CheckLike] = row.oracle.checks if row.oracle else ()
    match terminal:
        case Terminal.COMPLETED:
            yield from _judged_violations(row, checks, planned)
        case Terminal.TIMED_OUT if checks:
            yield "row.oracle.checks is not empty, the oracle is not run after a timeout"
        case Terminal.SKIPPED if checks and row.skip is not None:
            if row.skip.phase == SkipPhase.BEFORE_START:
                yield "row.oracle.checks is not empty, nothing is judged before the start"
            elif all(check.status != CheckStatus.UNMEASURED for check in checks):
                yield "row.oracle.checks has no unmeasured check, the trial was not to be skipped"


def _judged_violations(row: RowLike, checks: Sequence[CheckLike], planned: tuple[str, ...]) -> Iterator[str]:
    names = tuple(check.name for check in checks)
    if names != planned and sorted(names) != sorted(planned):
        yield f"row.oracle.checks are {list(names)}, the plan's are {list(planned)}: each once, no other"
        return
    if any(check.status == CheckStatus.UNMEASURED for check in checks):
        yield "row.oracle.checks has an unmeasured check: the trial is skipped, not completed"
        return
    passed = all(check.status == CheckStatus.PASS for check in checks)
    if checks and row.verified_success is not None and row.verified_success is not passed:
        yield (f"row.verified_success is {str(row.verified_success).lower()}, the checks say {str(passed).lower()}")


def weighted_tokens(row: RowLike) -> float | None:
    """Σ weight × tokens over the fields that `accounting.token_weights` names: exact decimals, rounded once.

    Where the weights name both input and cached input, the input counted is the uncached one. None where a named field
    is null, or where it cannot be known whether input holds the cached tokens.
    """
    accounting, resources = row.accounting, row.resources
    weights = accounting.token_weights if accounting else None
    if weights is None or accounting is None:
        return None
    counts: dict[str, int] = {}
    for field in weights:
        count = getattr(resources, field, None)
        if count is None:
            return None
        counts[field] = count
    if {"input_tokens", "cached_input_tokens"} <= weights.keys():
        if accounting.input_includes_cached is None:
            return None
        if accounting.input_includes_cached:
            counts["input_tokens"] -= counts["cached_input_tokens"]
    total = Decimal(0)
    for field, weight in weights.items():
        total = EXACT.add(total, EXACT.multiply(Decimal(repr(weight)), Decimal(counts[field])))
    return float(total)


def _weight_violations(row: RowLike) -> Iterator[str]:
    if row.accounting is None or row.accounting.token_weights is None:
        return
    stated = getattr(row.resources, "cost_weighted_tokens", None)
    expected = weighted_tokens(row)
    if stated != expected:
        yield (f"row.resources.cost_weighted_tokens is {stated}, the weights and the counts give {expected}")

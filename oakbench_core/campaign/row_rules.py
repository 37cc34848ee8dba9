"""What a row may say: each terminal word's table of verdict, skip, error and checks, and the sums inside a row."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.vocabulary import CheckStatus, SkipPhase, SkipReason, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.evidence import RowLike
    from oakbench_core.campaign.plan_document import ScheduledTrial

EXACT: Final = Context(prec=2_000, Emax=999_999, Emin=-999_999, traps=[Inexact])
"""Room for every sum of finite binary floats in their shortest spelling; a rounding would raise, never pass unseen."""

IDENTITY_FIELDS: Final = ("workflow", "task", "instruction_level", "agent", "model", "subject")


class Shape(NamedTuple):
    """All of an ending that the terminal words' table is about. A campaign has few shapes: each is judged once.

    Attributes:
        planned: names of the plan's checks for the trial's task.
        terminal: the envelope's word.
        verified_success: the row's verdict.
        timed_out: as the row says.
        skip: (phase, reason, instrument) of the row's skip, if any.
        error: the type of the row's error, if any.
        checks: (name, status) of the row's checks, in their order.
    """

    planned: tuple[str, ...]
    terminal: str
    verified_success: bool | None
    timed_out: bool
    skip: tuple[str, str, str | None] | None
    error: str | None
    checks: tuple[tuple[str, str], ...]


def is_plain(row: RowLike, trial: ScheduledTrial, campaign_id: str) -> bool:
    """Whether a row is of this trial and has no sums to be held to; then `row_violations` are those of its shape."""
    # Spelled out: for each of a million rows, a loop over the names would cost twice as much.
    return (
        row.run == trial.repetition
        and row.subject == trial.subject
        and row.task == trial.task
        and row.workflow == trial.workflow
        and row.instruction_level == trial.instruction_level
        and row.agent == trial.agent
        and row.model == trial.model
        and row.bench_id == campaign_id
        and row.suspended_s is None
        and (row.accounting is None or row.accounting.token_weights is None)
    )


def row_violations(row: RowLike, trial: ScheduledTrial, campaign_id: str, of_shape: tuple[str, ...]) -> tuple[str, ...]:
    """Every rule that the row of a finished event breaks, in words.

    Args:
        row: the decoded row, of right types.
        trial: the plan's entry for the trial.
        campaign_id: the plan's.
        of_shape: the `shape_violations` of the ending, known once for all rows of its shape.
    """
    return (*_identity_violations(row, trial, campaign_id), *of_shape, *_sum_violations(row))


def _identity_violations(row: RowLike, trial: ScheduledTrial, campaign_id: str) -> Iterator[str]:
    if row.bench_id != campaign_id:
        yield f"row.bench_id is {row.bench_id!r}, the plan's campaign is {campaign_id!r}"
    if row.run != trial.repetition:
        yield f"row.run is {row.run}, the plan's repetition is {trial.repetition}"
    for field in IDENTITY_FIELDS:
        found, frozen = getattr(row, field), getattr(trial, field)
        if found != frozen:
            yield f"row.{field} is {found!r}, the plan says {frozen!r}"


def shape_violations(shape: Shape) -> Iterator[str]:
    """What the table of `formats` forbids: the terminal word with its verdict, skip, error and checks."""
    yield from _ending_violations(shape)
    yield from _check_violations(shape)


def _ending_violations(shape: Shape) -> Iterator[str]:
    terminal, verdict, skip = shape.terminal, shape.verified_success, shape.skip
    completed, timed_out = terminal == Terminal.COMPLETED, terminal == Terminal.TIMED_OUT
    if completed and verdict is None:
        yield "row.verified_success is null, a completed trial has a verdict"
    if timed_out and verdict is not False:
        yield "row.verified_success is not false, a timed-out trial is not verified"
    if not (completed or timed_out) and verdict is not None:
        yield f"row.verified_success is {str(verdict).lower()}, {terminal} has no verdict (null)"
    if shape.timed_out is not timed_out:
        yield f"row.timed_out is {str(shape.timed_out).lower()}, the envelope says {terminal}"
    if (skip is not None) is not (terminal == Terminal.SKIPPED):
        yield f"row.skip is {'null' if skip is None else 'set'}, the envelope says {terminal}"
    if (shape.error is not None) is not (terminal == Terminal.INFRASTRUCTURE_FAILURE):
        yield f"row.error is {'null' if shape.error is None else 'set'}, the envelope says {terminal}"
    match skip:
        case (phase, SkipReason.OPERATOR, _) if phase != SkipPhase.BEFORE_START:
            yield "row.skip: an operator skips before the start only"


def _check_violations(shape: Shape) -> Iterator[str]:
    checks = shape.checks
    match shape.terminal:
        case Terminal.COMPLETED:
            yield from _judged_violations(shape)
        case Terminal.TIMED_OUT if checks:
            yield "row.oracle.checks is not empty, the oracle is not run after a timeout"
        case Terminal.SKIPPED if checks and shape.skip is not None:
            phase, *_ = shape.skip
            if phase == SkipPhase.BEFORE_START:
                yield "row.oracle.checks is not empty, nothing is judged before the start"
            elif all(status != CheckStatus.UNMEASURED for _, status in checks):
                yield "row.oracle.checks has no unmeasured check, the trial was not to be skipped"


def _judged_violations(shape: Shape) -> Iterator[str]:
    names, planned, verdict = [name for name, _ in shape.checks], list(shape.planned), shape.verified_success
    if sorted(names) != sorted(planned):
        yield f"row.oracle.checks are {names}, the plan's are {planned}: each once, no other"
        return
    if any(status == CheckStatus.UNMEASURED for _, status in shape.checks):
        yield "row.oracle.checks has an unmeasured check: the trial is skipped, not completed"
        return
    passed = all(status == CheckStatus.PASS for _, status in shape.checks)
    if names and verdict is not None and verdict is not passed:
        yield f"row.verified_success is {str(verdict).lower()}, the checks say {str(passed).lower()}"


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


def _sum_violations(row: RowLike) -> Iterator[str]:
    if row.suspended_s is not None and getattr(row.resources, "duration_s", None) is not None:
        yield "row.resources.duration_s is given although row.suspended_s is: a suspension voids the timing"
    if row.accounting is None or row.accounting.token_weights is None:
        return
    stated = getattr(row.resources, "cost_weighted_tokens", None)
    expected = weighted_tokens(row)
    if stated != expected:
        yield (f"row.resources.cost_weighted_tokens is {stated}, the weights and the counts give {expected}")

"""What an event says of its trial, and how a trial ended: the part of a row that its state follows from.

A campaign has few shapes of endings and very many rows, so each legal shape is judged once.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.campaign.pool import Known, Pool
from oakbench_core.campaign.row_rules import Shape, shape_violations
from oakbench_core.campaign.vocabulary import CheckStatus, SkipPhase, Terminal

if TYPE_CHECKING:
    from oakbench_core.campaign.evidence import RowLike


class Step(StrEnum):
    """What an event says of a trial."""

    STARTED = "started"
    RESERVED = "recovered"
    SKIPPED_BEFORE_START = "skipped before its start"
    SKIPPED_AFTER_START = "skipped after its start"
    SUCCEEDED = "completed and verified"
    FAILED = "completed and not verified"
    TIMED_OUT = "timed out"
    INFRASTRUCTURE_FAILED = "ended by an infrastructure failure"


class Ending(NamedTuple):
    """Why a trial ended as it did: the oracle's summary, or the reason of a skip or failure."""

    passed: int
    checks: int
    first_not_passed: str | None
    skip_reason: str | None
    instrument: str | None
    error_type: str | None


class Judged(NamedTuple):
    """What follows from the shape of an ending alone: its step, the rules that it breaks, its number if it is legal."""

    step: Step
    broken: tuple[str, ...]
    number: int


class Endings:
    """The endings of a campaign's trials: equal ones have one number."""

    def __init__(self) -> None:
        self._values: Pool[Ending] = Pool()
        self._judged: dict[tuple[str, ...], dict[tuple[Any, ...], Judged]] = {}

    def value(self, number: int) -> Ending | None:
        return self._values.value(number)

    def of_task(self, planned: tuple[str, ...]) -> Judge:
        """What judges the endings of a task whose checks, by the plan, have these names."""
        return Judge(planned, self._values)


class Judge:
    """Judges the endings of one task, each legal shape once."""

    def __init__(self, planned: tuple[str, ...], values: Pool[Ending]) -> None:
        self._planned = planned
        self._values = values
        self._judged: dict[tuple[Any, ...], Judged] = {}
        self._known: Known[Judged] = Known()

    def judge(self, row: RowLike, terminal: str) -> Judged:
        """What follows of a row and the envelope's word."""
        oracle = row.oracle
        if oracle is None or row.skip is not None or row.error is not None:
            return self._judge(_fields(row, terminal))
        look = (id(oracle), row.verified_success, row.timed_out, terminal)
        known = self._known.get(look)
        if known is not None:
            return known
        judged = self._judge(_fields(row, terminal))
        text = [text for check in oracle.checks for text in (check.name, check.detail, check.instrument) if text]
        self._known.learn(look, oracle, sum(map(len, text)), judged)
        return judged

    def _judge(self, fields: tuple[Any, ...]) -> Judged:
        judged = self._judged.get(fields)
        if judged is not None:
            return judged
        shape = Shape(self._planned, *fields)
        broken = tuple(shape_violations(shape))
        if broken:
            return Judged(_step(shape), broken, 0)
        judged = self._judged[fields] = Judged(_step(shape), (), self._values.number(_ending_of(shape)))
        return judged


def _fields(row: RowLike, terminal: str) -> tuple[Any, ...]:
    """Of a `Shape`, but for the plan's part."""
    skip, error, oracle = row.skip, row.error, row.oracle
    return (
        terminal,
        row.verified_success,
        row.timed_out,
        None if skip is None else (skip.phase, skip.reason, skip.instrument),
        None if error is None else error.type,
        () if oracle is None else tuple((check.name, check.status) for check in oracle.checks),
    )


def _step(shape: Shape) -> Step:
    match shape.terminal:
        case Terminal.COMPLETED:
            return Step.SUCCEEDED if shape.verified_success else Step.FAILED
        case Terminal.TIMED_OUT:
            return Step.TIMED_OUT
        case Terminal.INFRASTRUCTURE_FAILURE:
            return Step.INFRASTRUCTURE_FAILED
    before_start = shape.skip is not None and shape.skip[0] == SkipPhase.BEFORE_START
    return Step.SKIPPED_BEFORE_START if before_start else Step.SKIPPED_AFTER_START


def _ending_of(shape: Shape) -> Ending:
    not_passed = [name for name, status in shape.checks if status != CheckStatus.PASS]
    _, reason, instrument = shape.skip or (None, None, None)
    passed, first_not_passed = len(shape.checks) - len(not_passed), next(iter(not_passed), None)
    return Ending(passed, len(shape.checks), first_not_passed, reason, instrument, shape.error)

"""A report as four tidy tables: a row an observation, a column a variable, in every row what kind of evidence it is.

Rule: groups, pairs and resources are the summary's; trials are the ledger's, every scheduled one in its one state.
Constants (campaign, plan, `claim_eligible`) stand in each row, so that tables of several campaigns can be joined and
no row can be cut out without them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.row_columns import POPULATION_FIELDS
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS, Standing
from oakbench_core.canonical import canonical_text
from oakbench_core.rendering.csv_columns import GROUPS, PAIRS, RESOURCES, value_at
from oakbench_core.rendering.csv_text import csv_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.rendering.csv_columns import Columns

_EVIDENCE: Final = ("campaign_id", "plan_sha256", "as_of", "evidence_class", "claim_eligible", "mock")
_PLANNED: Final = (
    "trial_id",
    "block_id",
    "workflow",
    "task",
    "instruction_level",
    "agent",
    "model",
    "subject",
    "repetition",
    "timeout_s",
    "retry_of",
)
_ENDED: Final = (
    "state",
    "outcome",
    "uncertain",
    "skip_phase",
    "skip_reason",
    "instrument",
    "error_type",
    "checks",
    "checks_passed",
    "first_check_not_passed",
    "timeout_differs",
    "started_at",
    "ended_at",
)
_ACCOUNTING: Final = (
    "provider",
    "input_includes_cached",
    "output_includes_reasoning",
    "cost_source",
    "price_table",
    "token_weights",
)
_SKIP_PHASES: Final = {Standing.SKIPPED_BEFORE_START: "before_start", Standing.SKIPPED_AFTER_START: "after_start"}


class TableName(StrEnum):
    TRIALS = "trials"
    GROUPS = "groups"
    PAIRS = "pairs"
    RESOURCES = "resources"


def render_csv(summary: Mapping[str, Any], ledger: Ledger, table: TableName) -> str:
    """One table of a report as CSV text; `ledger` is the one that the summary was made of."""
    campaign = summary["campaign"]
    evidence = [summary.get(name, campaign.get(name)) for name in _EVIDENCE]
    if table is TableName.TRIALS:
        columns = (*_PLANNED, *_ENDED, *RESOURCE_UNITS, *_ACCOUNTING, *POPULATION_FIELDS)
        rows = _trials(ledger)
    else:
        columns, rows = _of_summary(summary, table)
    return csv_text((*_EVIDENCE, *columns), ([*evidence, *row] for row in rows))


def _of_summary(summary: Mapping[str, Any], table: TableName) -> tuple[tuple[str, ...], Iterator[list[Any]]]:
    entries: Iterable[Mapping[str, Any]]
    match table:
        case TableName.GROUPS:
            columns, entries = GROUPS, summary["groups"]
        case TableName.PAIRS:
            columns, entries = PAIRS, summary["pairs"]
        case _:
            columns, entries = RESOURCES, _uses(summary["groups"])
    return tuple(name for name, _ in columns), _rows(columns, entries)


def _rows(columns: Columns, entries: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    return ([value_at(entry, path) for _, path in columns] for entry in entries)


def _uses(groups: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for group in groups:
        for name, use in group["resources"].items():
            yield {"key": group["key"], "counts": group["counts"], "resource": name, "use": use}


def _trials(ledger: Ledger) -> Iterator[list[Any]]:
    for place, trial in enumerate(ledger.plan.schedule):
        planned = [getattr(trial, name) for name in _PLANNED]
        used = [ledger.resource(name, place) for name in RESOURCE_UNITS]
        population = ledger.population(place) or (None,) * len(POPULATION_FIELDS)
        yield [*planned, *_ending(ledger, place), *used, *_accounting(ledger, place), *population]


def _ending(ledger: Ledger, place: int) -> list[Any]:
    standing, ending = ledger.standing(place), ledger.ending(place)
    has_checks = ending is not None and ending.checks > 0
    return [
        standing.state,
        standing.outcome,
        standing is Standing.UNCERTAIN,
        _SKIP_PHASES.get(standing),
        ending and ending.skip_reason,
        ending and ending.instrument,
        ending and ending.error_type,
        ending.checks if ending and has_checks else None,
        ending.passed if ending and has_checks else None,
        ending and ending.first_not_passed,
        None if ending is None else bool(ledger.timeout_differs[place]),
        _moment(ledger.started_at[place]),
        _moment(ledger.ended_at[place]),
    ]


def _moment(seconds: float) -> str | None:
    """A time to the microsecond, as it is kept; NaN is not said."""
    if seconds != seconds:  # noqa: PLR0124 - only NaN differs from itself
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _accounting(ledger: Ledger, place: int) -> list[Any]:
    accounting = ledger.accounting(place)
    if accounting is None:
        return [None] * len(_ACCOUNTING)
    *said, weights = accounting
    return [*said, None if weights is None else canonical_text(dict(weights))]

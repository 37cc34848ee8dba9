"""A run's progress on a terminal, below the lines of what has ended: counts, budget, hours left, what is running.

Hours left count agents alone: setup, checks and waiting come on top. At worst every trial takes its whole timeout; at
the mean, what those that were measured took so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_core.campaign.ledger import Ledger

_WORDS = (
    (Standing.VERIFIED_SUCCESS, "verified"),
    (Standing.TASK_FAILURE, "failed"),
    (Standing.TIMED_OUT, "timed out"),
    (Standing.INFRASTRUCTURE_FAILURE, "infrastructure"),
    (Standing.SKIPPED_BEFORE_START, "skipped"),
    (Standing.SKIPPED_AFTER_START, "skipped after start"),
    (Standing.INTERRUPTED, "interrupted"),
    (Standing.UNCERTAIN, "uncertain"),
)
_NOT_ENDED = (Standing.UNSTARTED, Standing.INTERRUPTED, Standing.UNCERTAIN)
_MEASURED = (
    Standing.SKIPPED_AFTER_START,
    Standing.VERIFIED_SUCCESS,
    Standing.TASK_FAILURE,
    Standing.TIMED_OUT,
    Standing.INFRASTRUCTURE_FAILURE,
)
_SHORTEST_LIST = 1


class RunFigures(NamedTuple):
    """What is on file, at one moment. `mean_s`: of the durations that were measured; None: none was."""

    ended: int
    scheduled: int
    counts: tuple[tuple[str, int], ...]
    unstarted: int
    unstarted_timeout_s: int
    mean_s: float | None
    budget_s: int | None
    remaining_s: float | None
    max_parallel: int


class Running(NamedTuple):
    """A trial in flight: since when, by the clock that `now` is of."""

    trial_id: str
    timeout_s: int
    since: float


def run_figures(ledger: Ledger, in_flight: int, unstarted_timeout_s: int, max_parallel: int) -> RunFigures:
    """The figures as the ledger stands; trials in flight are no interruptions yet."""
    tallies, account = ledger.tallies, admission(ledger)
    measured = sum(tallies[standing] for standing in _MEASURED) - ledger.unmeasured_charges
    shown = dict(zip(Standing, tallies, strict=True)) | {
        Standing.INTERRUPTED: tallies[Standing.INTERRUPTED] - in_flight
    }
    return RunFigures(
        ended=sum(tallies) - sum(tallies[standing] for standing in _NOT_ENDED),
        scheduled=sum(tallies),
        counts=tuple((word, shown[standing]) for standing, word in _WORDS if shown[standing]),
        unstarted=tallies[Standing.UNSTARTED],
        unstarted_timeout_s=unstarted_timeout_s,
        mean_s=float(account.observed_s) / measured if measured > 0 else None,
        budget_s=account.budget_s,
        remaining_s=None if account.remaining_s is None else float(account.remaining_s),
        max_parallel=max_parallel,
    )


def progress_lines(figures: RunFigures, running: Sequence[Running], now: float, width: int, most: int) -> list[str]:
    """At most `most` lines of at most `width` characters: the figures, then what has run longest."""
    counts = ", ".join(f"{number:,} {word}" for word, number in figures.counts)
    lines = [f"{figures.ended:,} of {figures.scheduled:,} ended" + (f": {counts}" if counts else "")]
    lines += [_left(figures, running, now)]
    shown = sorted(running, key=lambda one: one.since)[: max(most - len(lines), _SHORTEST_LIST)]
    widest = max((len(one.trial_id) for one in shown), default=0)
    for one in shown:
        lines.append(f"  {one.trial_id:<{widest}}  {now - one.since:>7,.0f} s of {one.timeout_s:,} s")
    if len(running) > len(shown):
        lines[-1] += f"   and {len(running) - len(shown):,} more"
    return [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines[:most]]


def _left(figures: RunFigures, running: Sequence[Running], now: float) -> str:
    elapsed = [(one.timeout_s, now - one.since) for one in running]
    worst_s = figures.unstarted_timeout_s + sum(max(timeout_s - seconds, 0) for timeout_s, seconds in elapsed)
    left = f"{_hours(worst_s / figures.max_parallel)} of agents left at worst"
    if figures.mean_s is not None:
        at_mean_s = figures.unstarted * figures.mean_s + sum(max(figures.mean_s - seconds, 0) for _, seconds in elapsed)
        left += f", {_hours(at_mean_s / figures.max_parallel)} at the mean so far"
    if figures.budget_s is not None and figures.remaining_s is not None:
        left = f"{figures.remaining_s:,.0f} s of {figures.budget_s:,} s of the budget left; {left}"
    return left


def _hours(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 3600:,.1f} h" if seconds >= 5400 else f"{seconds / 60:,.0f} min"

"""Lines of progress for a run: one an ending, then why it ended and how to go on."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import CheckStatus, Standing, StopReason, Terminal
from oakbench_core.display import display_safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from oakbench_core.running.runner import RunEnd, TrialEnd

_WORDS = {
    Terminal.TIMED_OUT: "timed out",
    Terminal.INFRASTRUCTURE_FAILURE: "infrastructure failure",
    Terminal.SKIPPED: "skipped",
}


def ending_line(end: TrialEnd, scheduled: int, now: datetime) -> str:
    """`14:02:41   73 of 126  verified success          0.538 s  upkeep.…  tests fails`."""
    row = end.row
    word = _WORDS.get(end.terminal) or ("verified success" if row["verified_success"] else "task failure")
    duration = row["resources"]["duration_s"]
    if end.terminal is Terminal.SKIPPED and duration is None:
        shown = ""
    else:
        shown = "unmeasured" if duration is None else f"{duration:.3f} s"
    width = len(str(scheduled))
    reason = _reason(row)
    line = f"{now:%H:%M:%S}  {end.ended:>{width}} of {scheduled}  {word:<22} {shown:>10}  {end.trial.trial_id}"
    return display_safe(f"{line}  {reason}" if reason else line)


def _reason(row: Mapping[str, Any]) -> str | None:
    if row["skip"] is not None:
        instrument = row["skip"]["instrument"]
        return f"{row['skip']['reason']}: {instrument}" if instrument else row["skip"]["reason"]
    if row["error"] is not None:
        return f"{row['error']['type']}: {row['error']['message']}"
    failing = [check["name"] for check in row["oracle"]["checks"] if check["status"] != CheckStatus.PASS]
    return f"{failing[0]} fails" if failing else None


def closing_lines(end: RunEnd, folder: Path) -> Iterator[str]:
    """Why the run ended, what is left, and how to go on."""
    yield display_safe(_why(end))
    yield _equation(end)
    more = end.ledger.next_unstarted is not None
    if more and end.reason in {StopReason.SIGNAL, StopReason.DISK, StopReason.HALTED}:
        yield display_safe(f"next  oakbench-tui run {folder}    (starts unstarted trials only)")
    yield display_safe(f"next  oakbench-tui report {folder}")


def _why(end: RunEnd) -> str:
    account = admission(end.ledger)
    match end.reason:
        case StopReason.EXHAUSTED:
            return "the schedule is exhausted: every trial was admitted or skipped"
        case StopReason.BUDGET:
            return (
                f"stopped by the budget (exit {end.code}): {account.remaining_s} s remain, the next trial needs "
                f"{account.next_timeout_s} s; nothing was shortened"
            )
        case StopReason.SIGNAL:
            return f"stopped by a signal (exit {end.code})"
        case StopReason.CHANGED_INPUT:
            return f"stopped, for something is not the frozen one (exit {end.code}): {end.detail}"
    return f"the run stopped itself (exit {end.code}): {end.detail}"


def _equation(end: RunEnd) -> str:
    tallies = end.ledger.tallies
    interrupted = tallies[Standing.INTERRUPTED] + tallies[Standing.UNCERTAIN]
    skipped = tallies[Standing.SKIPPED_BEFORE_START] + tallies[Standing.SKIPPED_AFTER_START]
    unstarted = tallies[Standing.UNSTARTED]
    scheduled = sum(tallies)
    finished = scheduled - interrupted - skipped - unstarted
    return (
        f"{scheduled:,} = {finished:,} finished + {skipped:,} skipped + {interrupted:,} interrupted "
        f"+ {unstarted:,} unstarted"
    )

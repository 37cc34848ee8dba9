"""Lines of progress for a run: one an ending, then why it ended, what is left and how to go on.

What a plan, a journal or an agent says is made safe to show and is cut; a trial's ID is always whole.
"""

from __future__ import annotations

import shlex
from signal import Signals
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import CheckStatus, Standing, StopReason, Terminal
from oakbench_core.display import display_safe, display_short
from oakbench_core.running.preparation import TRIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.running.leftovers import Cleared
    from oakbench_core.running.runner import RunEnd, TrialEnd

LONGEST_REASON: Final = 160
LONGEST_DETAIL: Final = 1000
_WORDS: Final = {
    Terminal.TIMED_OUT: "timed out",
    Terminal.INFRASTRUCTURE_FAILURE: "infrastructure failure",
    Terminal.SKIPPED: "skipped",
}


def opening_lines(ledger: Ledger, folder: Path, now: datetime) -> Iterator[str]:
    """When it was, what is on file, what there is to do, and how to look on."""
    scheduled, unstarted = sum(ledger.tallies), ledger.tallies[Standing.UNSTARTED]
    line = f"{now:%Y-%m-%d %H:%M:%S %z}  {unstarted:,} of {scheduled:,} trials are unstarted"
    account = admission(ledger)
    if account.remaining_s is not None:
        line += f"; {account.remaining_s:,f} of {account.budget_s:,} s of the budget remain"
    yield line
    if unstarted != scheduled:
        yield f"on file  {_equation(ledger)}"
    yield f"look on  {_command('watch', folder)}"


def cleared_line(cleared: Cleared, root: Path) -> str:
    """What became of the remains of a run that was killed."""
    done = []
    if cleared.processes:
        done.append(f"{_counted(cleared.processes, 'process', 'processes')} ended")
    if cleared.workspaces:
        done.append(f"{_counted(cleared.workspaces, 'workspace', 'workspaces')} removed")
    said = f"of an earlier run that was killed, below {root}: {', '.join(done) or 'nothing could be removed'}"
    if cleared.refused is not None:
        said += f"; some of it stays: {cleared.refused.strerror or cleared.refused}"
    return _cut(said, LONGEST_DETAIL)


def _counted(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"


def ending_line(end: TrialEnd, scheduled: int, now: datetime) -> str:
    """`14:02:41   73 of 126  verified success          0.538 s  upkeep.…  tests fails`.

    The number is the trial's place in the schedule: it says how far a run is, whatever was interrupted before.
    """
    row = end.row
    word = _WORDS.get(end.terminal) or ("verified success" if row["verified_success"] else "task failure")
    duration = row["resources"]["duration_s"]
    if end.terminal is Terminal.SKIPPED and duration is None:
        shown = ""
    else:
        shown = "unmeasured" if duration is None else f"{duration:,.3f} s"
    width = len(f"{scheduled:,}")
    reason = _reason(row)
    line = f"{now:%H:%M:%S}  {end.number:>{width},} of {scheduled:,}  {word:<22} {shown:>10}  {end.trial.trial_id}"
    return display_safe(line) if reason is None else f"{display_safe(line)}  {_cut(reason, LONGEST_REASON)}"


def longest(plan: Plan, trial: ScheduledTrial, grace_s: int) -> str:
    """How long a trial's commands may take at most, each with its grace, in words.

    No deadline: copying, hashing and writing are not in it.
    """
    task = plan.task(trial)
    checks = [check.timeout_s + grace_s for check in task.oracle.checks if check.kind == "command"]
    said = f"at most {trial.timeout_s + grace_s:,} s for its agent"
    if checks:
        said += f", {sum(checks):,} s for its checks"
    if task.setup or plan.subject(trial).setup:
        said += f", {TRIES * (task.setup_timeout_s + grace_s):,} s for a setup that hangs at each of {TRIES} tries"
    return said


def closing_lines(end: RunEnd, folder: Path) -> Iterator[str]:
    """Why the run ended, what is left, and how to go on."""
    yield why(end)
    yield _equation(end.ledger)
    yield from _ways_on(end, folder)
    yield f"next  {_command('report', folder)}"


def why(end: RunEnd) -> str:
    """Why the run ended, in a sentence."""
    match end.reason:
        case StopReason.EXHAUSTED:
            said = "the schedule is exhausted: every trial was started or skipped"
        case StopReason.BUDGET:
            said = f"stopped by the budget (exit {end.code}): {end.detail}; nothing was shortened"
        case StopReason.SIGNAL:
            name = Signals(end.code - 128).name
            said = f"stopped by {name} (exit {end.code})"
            if end.detail is not None:
                said = f"stopped as by {name} (exit {end.code}): {end.detail}"
        case StopReason.CHANGED_INPUT:
            said = f"stopped, for something is not the frozen one (exit {end.code}): {end.detail}"
        case _:
            said = f"the run stopped itself (exit {end.code}): {end.detail}"
    return _cut(said, LONGEST_DETAIL)


def _ways_on(end: RunEnd, folder: Path) -> Iterator[str]:
    if end.ledger.next_unstarted is None:
        return
    again = f"{_command('run', folder)}    (starts unstarted trials only)"
    match end.reason:
        case StopReason.BUDGET:
            yield f"left  {_left(end.ledger)}"
            yield "next  the budget is part of the frozen plan: freeze with a larger one into another folder to go on"
        case StopReason.CHANGED_INPUT:
            yield f"next  put back what was frozen, then {again}"
        case _:
            yield f"next  {again}"


def _left(ledger: Ledger) -> str:
    """`5 unstarted trials, which may take 100 s of agents, and 9.9 s of the budget`."""
    plan = ledger.plan
    unstarted = [
        trial.timeout_s
        for trial, standing in zip(plan.schedule, ledger.standings, strict=True)
        if standing == Standing.UNSTARTED
    ]
    trials = "1 unstarted trial" if len(unstarted) == 1 else f"{len(unstarted):,} unstarted trials"
    return f"{trials}, at worst {sum(unstarted):,} s of agents; {admission(ledger).remaining_s:,f} s of the budget"


def _reason(row: Mapping[str, Any]) -> str | None:
    if row["skip"] is not None:
        instrument = row["skip"]["instrument"]
        return f"{row['skip']['reason']}: {instrument}" if instrument else str(row["skip"]["reason"])
    if row["error"] is not None:
        return f"{row['error']['type']}: {row['error']['message']}"
    failing = [check["name"] for check in row["oracle"]["checks"] if check["status"] != CheckStatus.PASS]
    return f"{failing[0]} fails" if failing else None


def _equation(ledger: Ledger) -> str:
    tallies = ledger.tallies
    interrupted = tallies[Standing.INTERRUPTED] + tallies[Standing.UNCERTAIN]
    skipped = tallies[Standing.SKIPPED_BEFORE_START] + tallies[Standing.SKIPPED_AFTER_START]
    unstarted = tallies[Standing.UNSTARTED]
    scheduled = sum(tallies)
    finished = scheduled - interrupted - skipped - unstarted
    return (
        f"{scheduled:,} = {finished:,} finished + {skipped:,} skipped + {interrupted:,} interrupted "
        f"+ {unstarted:,} unstarted"
    )


def _command(name: str, folder: Path) -> str:
    return display_safe(f"oakbench-tui {name} {shlex.quote(str(folder))}")


def _cut(text: str, cells: int) -> str:
    return display_short(" ".join(text.split()), cells)

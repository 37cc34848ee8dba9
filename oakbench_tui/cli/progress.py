"""Lines of progress for a run: one an ending, then why it ended, what is left and how to go on.

What a plan, a journal or an agent says is made safe to show and is cut; a trial's ID is always whole.
"""

from __future__ import annotations

import shlex
from datetime import timedelta
from signal import Signals
from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.vocabulary import CheckStatus, Standing, StopReason, Terminal
from oakbench_core.display import display_safe, display_short
from oakbench_core.running.cleanup import CLEANUP_TIMEOUT_S
from oakbench_core.running.preparation import TRIES
from oakbench_core.running.rows import agent_of
from oakbench_tui.cli.durations import span_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Any

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.running.runner import RunEnd, TrialEnd

LONGEST_REASON: Final = 160
_MOST_NAMED: Final = 8
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


def ending_line(end: TrialEnd, scheduled: int, now: datetime) -> str:
    """`14:02:41   73 of 126  verified success          0.538 s  upkeep.…  tests fails`.

    The number counts the endings on file, those of earlier runs too: it says how far the campaign is.
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
    line = f"{now:%H:%M:%S}  {end.ended:>{width},} of {scheduled:,}  {word:<22} {shown:>10}  {end.trial.trial_id}"
    return display_safe(line) if reason is None else f"{display_safe(line)}  {_cut(reason, LONGEST_REASON)}"


def longest_s(plan: Plan, trial: ScheduledTrial, grace_s: int) -> int:
    """How many seconds a trial's commands may take at most, each with its grace.

    No deadline: copying, hashing and writing are not in it.
    """
    task = plan.task(trial)
    checks = [check.timeout_s for check in task.oracle.checks if check.kind == "command"]
    setup = TRIES * (task.setup_timeout_s + grace_s) if task.setup or plan.subject(trial).setup else 0
    cleanups = len(task.cleanup) + len(agent_of(plan, trial).cleanup)
    cleanup = (TRIES if setup else 1) * cleanups * (CLEANUP_TIMEOUT_S + grace_s)
    return setup + trial.timeout_s + grace_s + sum(timeout_s + grace_s for timeout_s in checks) + cleanup


def asked_line(plan: Plan, running: Sequence[ScheduledTrial], grace_s: int, *, ends_now: bool) -> str:
    """What a request to stop does to the trials that are running."""
    if not running:
        return "no further trial is started; none is running"
    one = len(running) == 1
    named = ", ".join(trial.trial_id for trial in running[:_MOST_NAMED])
    if len(running) > _MOST_NAMED:
        named += f" and {len(running) - _MOST_NAMED:,} more"
    trials = "1 running trial" if one else f"{len(running):,} running trials"
    if ends_now:
        how = f"TERM, and KILL after {grace_s} s"
        return (
            f"{trials} {'is' if one else 'are'} ended now ({how}) and {'stays' if one else 'stay'} interrupted: {named}"
        )
    timeout_s = max(trial.timeout_s for trial in running)
    limit_s = max(longest_s(plan, trial, grace_s) for trial in running)
    return (
        f"no further trial is started; {trials} {'goes to its' if one else 'go to their'} end: {named}, "
        f"{'its agent' if one else 'their agents'} within {timeout_s:,} s, all of it within {limit_s:,} s; "
        f"ctrl+c again ends {'it' if one else 'them'} now"
    )


def holding_line(seconds: float, now: datetime) -> str:
    """That nothing is started after a provider's limit, and until when."""
    until = now + timedelta(seconds=seconds)
    return (
        f"{now:%H:%M:%S}  a provider's limit was met: no trial is started before {until:%Y-%m-%d %H:%M:%S}, in "
        f"{span_in_words(seconds)}; then one trial tries"
    )


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
            rest = f"{_command('retry', folder)} -o NEW --unstarted --budget S"
            yield f"next  the budget is part of the frozen plan; a campaign of the rest, with another one: {rest}"
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

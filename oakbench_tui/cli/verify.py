"""`verify DIR`: what the journal is, with line, byte, rule and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.display import display_safe, shown_problem
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode, strongest
from oakbench_tui.cli.advice import is_gone, next_step
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.expecting import ExpectLast, ExpectPlan, expectation
from oakbench_tui.cli.folder import Folder
from oakbench_tui.cli.output import put_line

if TYPE_CHECKING:
    from oakbench_core.durable.tail import Tail
    from oakbench_core.errors import Problem
    from oakbench_tui.cli.campaign import Campaign
    from oakbench_tui.cli.expecting import Expectation

_MEANING = {
    JournalState.ABSENT: "no journal yet: nothing was started",
    JournalState.EMPTY: "the journal holds no byte: nothing was started",
    JournalState.IN_PROGRESS: "a writer is in the middle of a record; all before it is whole",
    JournalState.NO_NEWLINE: "whole, but for the last line feed",
    JournalState.CLEAN: "every record is whole and follows from the one before it",
    JournalState.ZEROS: "it ends in NUL bytes, as after a power loss; all before them is whole",
    JournalState.TORN: "its last record was not written whole; all before it is",
    JournalState.UNCERTAIN_TAIL: "its last bytes are no record of which anything is certain; all before them is whole",
    JournalState.INVALID: "it proves nothing: a record is not what was written",
    JournalState.BEHIND_HEAD: "it proves nothing: records that were acknowledged are no longer on file",
    JournalState.RECOVERY_PENDING: "a recovery of its end was broken off; all before it is whole",
}
_WRITER = {
    Liveness.WRITING: "at work",
    Liveness.FREE: "none",
    Liveness.UNKNOWN: "unknown (written on another machine, or before a restart)",
}


def verification(campaign: Campaign, code: ExitCode, expected: Expectation) -> dict[str, Any]:
    """What `--json` prints: `oakbench.verify/1`."""
    journal = campaign.journal
    tail = journal.tail
    return {
        "schema": "oakbench.verify/1",
        "state": journal.state.value,
        "exit_code": int(code),
        "campaign_id": campaign.plan.campaign_id,
        "plan_sha256": campaign.plan.plan_sha256,
        "file": str(journal.path),
        "size_bytes": journal.size,
        "records": journal.records,
        "last_seq": journal.last_seq,
        "last_hash": journal.last_hash,
        "liveness": journal.liveness.value,
        "tail": None
        if tail is None
        else {"offset": tail.offset, "bytes": tail.size, "would_recover": tail.would_recover},
        "records_after_expected": expected.following,
        "next": next_step(campaign),
        "problems": [
            {"file": problem.file, "line": problem.line, "byte": problem.byte, "rule": problem.rule}
            for problem in (*journal.problems, *_unmet(campaign, expected))
        ],
    }


def _unmet(campaign: Campaign, expected: Expectation) -> list[Problem]:
    errors = [error for error in expected.errors if error is not campaign.journal.refusal]
    return [problem for error in errors for problem in error.problems]


def verification_lines(campaign: Campaign, expected: Expectation) -> list[str]:
    """The same for people."""
    journal = campaign.journal
    size = "which is gone" if is_gone(journal) else f"{journal.size:,} bytes"
    lines = [
        f"{journal.state.value}  {_MEANING[journal.state]}",
        "",
        f"journal    {journal.path}, {size}",
        f"plan       {campaign.plan.plan_sha256}  {campaign.plan.campaign_id}, {len(campaign.plan.schedule):,} trials",
        f"records    {journal.records:,} good" + ("" if journal.last_seq is None else f", last seq {journal.last_seq}"),
    ]
    if journal.last_hash is not None:
        lines.append(f"last hash  {journal.last_hash}")
    if journal.state is not JournalState.ABSENT:
        lines.append(f"writer     {_WRITER[journal.liveness]}")
    if journal.tail is not None:
        lines.append(f"tail       {journal.tail.size:,} bytes from byte {journal.tail.offset:,} on")
        lines += _foreseen(journal.tail)
    if expected.words is not None:
        lines.append(f"expected   the record is on file; {expected.words}")
    for problem in map(shown_problem, journal.problems):
        place = f"line {problem.line:,}, byte {problem.byte or 0:,}" if problem.line is not None else problem.place
        lines += ["", place, f"  {problem.rule}"]
    for problem in map(shown_problem, _unmet(campaign, expected)):
        lines += ["", problem.place, f"  {problem.rule}"]
    if step := next_step(campaign):
        lines += ["", f"next: {step}"]
    return [display_safe(line) for line in lines]


def _foreseen(tail: Tail) -> list[str]:
    if tail.would_recover is None:
        return []
    trial_id, recovery = tail.would_recover["trial_id"], tail.would_recover["recovery"]
    reserved = "no trial" if trial_id is None else f"{trial_id}, as an uncertain interruption"
    return [
        f"recovery   would keep it as {recovery['kept_as'][-1]}",
        f"           and reserve {reserved} ({recovery['kind']}, {recovery['reason']})",
    ]


def verify(
    directory: Folder = Path(),
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.verify/1.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Also exit with 10 if trials are missing, 11 if a writer is at work.")
    ] = False,
    expect_plan: ExpectPlan = None,
    expect_last: ExpectLast = None,
) -> None:
    """Check every byte of a campaign's journal, and say what it is.

    \b
    Examples:
      oakbench-tui verify runs/vcs-2026
      oakbench-tui verify runs/vcs-2026 --json | jq -r .state
      oakbench-tui verify runs/vcs-2026 --expect-last 8622a1725835593b40baf6d3db3ff480

    Exit codes: 0 sound, absent, empty or being written; 20 torn, or a recovery was broken off; 21 uncertain;
    30 invalid, or the expected record is not in it; 31 of another plan; 32 acknowledged records are missing.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    campaign = open_campaign(directory)
    expected = expectation(campaign, expect_plan, expect_last)
    unmet = [error.exit_code for error in expected.errors]
    code = strongest([campaign.journal_code, *unmet, *(campaign.progress_codes if exit_code else ())])
    if as_json:
        put_line(json.dumps(verification(campaign, code, expected), ensure_ascii=True))
    else:
        for line in verification_lines(campaign, expected):
            put_line(line)
    raise typer.Exit(code)

"""`verify DIR`: what the journal is, with line, byte, rule and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.display import display_safe
from oakbench_core.durable.lock import Liveness
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode, strongest
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.folder import Folder
from oakbench_tui.cli.output import put_line

if TYPE_CHECKING:
    from oakbench_tui.cli.campaign import Campaign

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
}
_NEXT = {
    JournalState.TORN: "nothing is lost but the torn record; reports count its trial as it stood before",
    JournalState.ZEROS: "nothing is lost but the record that was being written",
    JournalState.UNCERTAIN_TAIL: "keep the file as it is; reports leave the uncertain bytes out and say so",
    JournalState.INVALID: "compare the file with a copy; it was edited, mixed or damaged after it was written",
}
_WRITER = {
    Liveness.WRITING: "at work",
    Liveness.FREE: "none",
    Liveness.UNKNOWN: "unknown (written on another machine, or before a restart)",
}


def verification(campaign: Campaign, code: ExitCode) -> dict[str, Any]:
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
        "tail": None if tail is None else {"offset": tail.offset, "bytes": tail.size},
        "problems": [
            {"file": problem.file, "line": problem.line, "byte": problem.byte, "rule": problem.rule}
            for problem in journal.problems
        ],
    }


def verification_lines(campaign: Campaign) -> list[str]:
    """The same for people."""
    journal = campaign.journal
    lines = [
        f"{journal.state.value}  {_MEANING[journal.state]}",
        "",
        f"journal    {journal.path}, {journal.size:,} bytes",
        f"plan       {campaign.plan.plan_sha256}  {campaign.plan.campaign_id}, {len(campaign.plan.schedule):,} trials",
        f"records    {journal.records:,} good" + ("" if journal.last_seq is None else f", last seq {journal.last_seq}"),
    ]
    if journal.last_hash is not None:
        lines.append(f"last hash  {journal.last_hash}")
    if journal.state is not JournalState.ABSENT:
        lines.append(f"writer     {_WRITER[journal.liveness]}")
    if journal.tail is not None:
        lines.append(f"tail       {journal.tail.size:,} bytes from byte {journal.tail.offset:,} on")
    for problem in journal.problems:
        lines += ["", f"line {problem.line or 0:,}, byte {problem.byte or 0:,}", f"  {problem.rule}"]
    if journal.state in _NEXT:
        lines += ["", f"next: {_NEXT[journal.state]}"]
    return [display_safe(line) for line in lines]


def verify(
    directory: Folder = Path(),
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.verify/1.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Also exit with 10 if trials are missing, 11 if a writer is at work.")
    ] = False,
) -> None:
    """Check every byte of a campaign's journal, and say what it is.

    \b
    Examples:
      oakbench-tui verify runs/vcs-2026
      oakbench-tui verify runs/vcs-2026 --json | jq -r .state

    Exit codes: 0 sound, absent, empty or being written; 20 torn; 21 uncertain; 30 invalid; 31 of another plan.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    campaign = open_campaign(directory)
    code = strongest([campaign.journal_code, *(campaign.progress_codes if exit_code else ())])
    if as_json:
        put_line(json.dumps(verification(campaign, code), ensure_ascii=True))
    else:
        for line in verification_lines(campaign):
            put_line(line)
    raise typer.Exit(code)

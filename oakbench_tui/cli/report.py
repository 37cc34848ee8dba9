"""`report DIR`: what may be said of a campaign, as Markdown or JSON."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oakbench_core.display import shown_problem
from oakbench_core.errors import PRECEDENCE, ExitCode, strongest
from oakbench_tui.cli.advice import next_step
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.expecting import ExpectLast, ExpectPlan, expectation
from oakbench_tui.cli.folder import Folder
from oakbench_tui.cli.output import put, put_json, say

if TYPE_CHECKING:
    from oakbench_tui.cli.campaign import Campaign


class ReportFormat(StrEnum):
    MD = "md"
    JSON = "json"


def rendered(campaign: Campaign, form: str) -> str:
    """The report's text; raises the error of a journal that gives no results."""
    from oakbench_core.campaign.report import report_ledger
    from oakbench_core.rendering.markdown import render_markdown

    if campaign.journal.refusal is not None:
        raise campaign.journal.refusal
    summary = report_ledger(campaign.journal.ledger_after_recovery)
    if form == ReportFormat.JSON:
        return json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return render_markdown(summary)


def report(  # noqa: PLR0913 - each is an option of the command line
    directory: Folder = Path(),
    *,
    form: Annotated[ReportFormat, typer.Option("--format", help="md for people, json for programs.")] = ReportFormat.MD,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a new file; the whole or nothing.", readable=False),
    ] = None,
    require_complete: Annotated[
        bool,
        typer.Option("--require-complete", help="Exit with 10 if trials are missing, 11 if a writer is at work."),
    ] = False,
    expect_plan: ExpectPlan = None,
    expect_last: ExpectLast = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No messages on stderr but errors.")] = False,
) -> None:
    """Write what may be said of a campaign, with every trial counted and every withheld number named.

    \b
    Examples:
      oakbench-tui report runs/vcs-2026
      oakbench-tui report runs/vcs-2026 --format json | jq '.groups[].success'
      oakbench-tui report runs/vcs-2026 -o report.md --require-complete

    A journal with a torn end is reported all the same, as it stands after a recovery, and the exit code is 20 or 21.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    campaign = open_campaign(directory)
    expected = expectation(campaign, expect_plan, expect_last)
    if expected.errors:
        raise min(expected.errors, key=lambda error: PRECEDENCE.index(error.exit_code))
    text = rendered(campaign, form)
    if output is None:
        (put_json if form is ReportFormat.JSON else put)(text)
    else:
        from oakbench_core.durable.documents import write_document

        write_document(output, text.encode())
        if not quiet:
            say(f"written: {output}")
    if expected.words is not None and not quiet:
        say(f"the expected record is on file; {expected.words}")
    code = campaign.journal_code
    if code and not quiet:
        for problem in campaign.journal.problems:
            say(f"warning: {shown_problem(problem)}")
        say(f"next: {next_step(campaign)}")
    progress = campaign.progress_codes if require_complete else ()
    if progress and not quiet:
        lacking = "a writer is at work" if ExitCode.WRITER_LIVE in progress else "not every scheduled trial is finished"
        say(f"not complete: {lacking}")
    raise typer.Exit(strongest([code, *progress]))

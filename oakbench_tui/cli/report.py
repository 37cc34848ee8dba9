"""`report DIR`: what may be said of a campaign, as Markdown, JSON, CSV or HTML."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oakbench_core.canonical import readable_text
from oakbench_core.display import shown_problem
from oakbench_core.durable.lock import Liveness
from oakbench_core.errors import PRECEDENCE, ExitCode, UsageError, strongest
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
    CSV = "csv"
    HTML = "html"


class ReportTable(StrEnum):
    TRIALS = "trials"
    GROUPS = "groups"
    PAIRS = "pairs"
    RESOURCES = "resources"


def rendered(
    campaign: Campaign, form: ReportFormat = ReportFormat.MD, table: ReportTable | None = None, at: int | None = None
) -> str:
    """The report's text.

    Args:
        campaign: the plan and one reading of its journal.
        form: what to render.
        table: of CSV, which table.
        at: the number of the record to stop at: a prefix of the journal, said to be one.

    Raises:
        OakbenchError: a journal that gives no results; no record of that number.
    """
    from oakbench_core.campaign.report import report_ledger

    journal = campaign.journal
    if journal.refusal is not None:
        raise journal.refusal
    ledger = journal.ledger_after_recovery if at is None else journal.ledger_at(at)
    summary = report_ledger(ledger, as_of=at)
    writer_alive = journal.liveness is Liveness.WRITING
    match form:
        case ReportFormat.JSON:
            return readable_text(summary)
        case ReportFormat.CSV:
            from oakbench_core.rendering.csv_tables import TableName, render_csv

            return render_csv(summary, ledger, TableName(table or ReportTable.TRIALS))
        case ReportFormat.HTML:
            from oakbench_core.rendering.html import render_html

            return render_html(summary, ledger, writer_alive=writer_alive)
    from oakbench_core.rendering.markdown import render_markdown

    return render_markdown(summary, writer_alive=writer_alive)


def report(  # noqa: PLR0913 - each is an option of the command line
    directory: Folder = Path(),
    *,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", help="md or html (one file, with drawings) for people, json or csv for programs."),
    ] = ReportFormat.MD,
    table: Annotated[
        ReportTable | None, typer.Option("--table", help="With --format csv: which table. Default: trials.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write a new file; the whole or nothing.", readable=False),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="SEQ", min=0, help="Report the journal up to this record only, and say so."),
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
      oakbench-tui report runs/vcs-2026 --format html -o report.html
      oakbench-tui report runs/vcs-2026 --format csv --table groups

    A journal with a torn end is reported all the same, as it stands after a recovery, and the exit code is 20 or 21.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    if table is not None and form is not ReportFormat.CSV:
        raise UsageError(
            f"--table {table} is of --format csv, found --format {form}",
            next_step=f"oakbench-tui report {shlex.quote(str(directory))} --format csv --table {table}",
        )
    campaign = open_campaign(directory)
    expected = expectation(campaign, expect_plan, expect_last)
    if expected.errors:
        raise min(expected.errors, key=lambda error: PRECEDENCE.index(error.exit_code))
    text = rendered(campaign, form, table, at)
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

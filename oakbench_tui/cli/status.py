"""`status DIR…`: the five-second answer as text, or as one JSON object a line."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import OakbenchError, strongest
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.output import put_line, say_error
from oakbench_tui.feed.once import snapshot_of
from oakbench_tui.view.status import status_document, status_lines

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="DIR...", help="Campaign folders, which hold plan.json.", show_default=".", readable=False),
]


def status(
    directories: Folders = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, oakbench.status/1.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Also exit with 10 if trials are missing, 11 if a writer is at work.")
    ] = False,
) -> None:
    """Say what a campaign is, how far it is, what it has measured, and what may be said of it.

    \b
    Examples:
      oakbench-tui status runs/vcs-2026
      oakbench-tui status runs/* --json | jq -r '[.campaign_id, .state] | @tsv'
      oakbench-tui status runs/vcs-2026 --exit-code && echo finished

    A folder that cannot be read is told on stderr, and the others are answered all the same; of all their exit codes
    the one that weighs most is returned.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    codes: list[int] = []
    is_first = True
    for directory in directories or [Path()]:
        try:
            campaign = open_campaign(directory)
        except OakbenchError as error:
            say_error(error)
            codes.append(error.exit_code)
            continue
        codes += [campaign.journal_code, *(campaign.progress_codes if exit_code else ())]
        now = time.time()
        snapshot = snapshot_of(campaign.folder, campaign.plan, campaign.journal, now)
        if as_json:
            put_line(json.dumps(status_document(snapshot, now=now)))
            continue
        if not is_first:
            put_line()
        is_first = False
        for line in status_lines(snapshot, now=now):
            put_line(line)
    raise typer.Exit(strongest(codes))

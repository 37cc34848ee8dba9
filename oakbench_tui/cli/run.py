"""`run DIR`: run what is unstarted of a frozen campaign."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.output import put_line, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.running.runner import RunEnd
    from oakbench_core.running.stopping import StopSwitch


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run_folder(
    folder: Path, put: Callable[[str], None], settings: RunTable | None = None, workspaces: Path | None = None
) -> RunEnd:
    """Run the campaign in a folder, with a line for each ending; signals end it as `StopSwitch` says."""
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.running.definition_file import run_settings
    from oakbench_core.running.runner import RunRequest, TrialEnd, run_campaign
    from oakbench_core.running.stopping import StopSwitch
    from oakbench_tui.cli.progress import closing_lines, ending_line

    plan = load_plan(folder)
    scheduled = len(plan.schedule)
    longest = max(trial.timeout_s for trial in plan.schedule)

    def asked(switch: StopSwitch) -> None:
        if switch.end_now.is_set():
            say("the running trial is ended now; it stays interrupted")
        else:
            say(f"no further trial is started; at most 1 running trial goes to its end, in at most {longest} s")

    def tell(end: TrialEnd) -> None:
        put(ending_line(end, scheduled, datetime.now().astimezone()))

    switch = StopSwitch(asked)
    request = RunRequest(
        plan=plan,
        folder=folder,
        settings=settings or run_settings(folder),
        environment=os.environ,
        tool=f"oakbench {version('oakbench')}",
        clock=utc_now,
        workspaces=workspaces,
    )
    with switch.on_signals():
        end = run_campaign(request, switch, tell)
    for line in closing_lines(end, folder):
        put(line)
    return end


def run(
    directory: Folder = Path(),
    *,
    workspaces: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where trials run; outside of every repository.")
    ] = None,
    keep_workspaces: Annotated[
        Literal["none", "failed", "all"] | None, typer.Option(help="Overrides [run] of campaign.toml.")
    ] = None,
    halt_after: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Infrastructure failures of an agent in a row; 0: never.")
    ] = None,
    grace_s: Annotated[int | None, typer.Option(min=0, metavar="S", help="Seconds between TERM and KILL.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No lines of progress.")] = False,
) -> None:
    """Run what is unstarted of a frozen campaign, one trial at a time, until its schedule or its budget ends.

    ctrl+c once: no further trial is started and the running one goes to its end. Twice: it is ended, and stays
    interrupted. Running again goes on with what is unstarted; nothing is ever run twice under one identity.

    \b
    Examples:
      oakbench-tui run runs/vcs-2026
      nohup oakbench-tui run runs/vcs-2026 > run.log &
      oakbench-tui watch runs/vcs-2026          (meanwhile, in another terminal)

    Exit codes: 0 the schedule is exhausted; 12 stopped by the budget; 13 it stopped itself; 31 an input changed.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    folder = campaign_folder(directory)
    from oakbench_core.running.definition_file import run_settings

    given = {"keep_workspaces": keep_workspaces, "halt_after": halt_after, "grace_s": grace_s}
    settings = run_settings(folder).model_copy(update={k: v for k, v in given.items() if v is not None})
    end = run_folder(folder, (lambda _: None) if quiet else put_line, settings, workspaces)
    raise typer.Exit(end.code)

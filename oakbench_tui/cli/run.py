"""`run DIR`: run what is unstarted of a frozen campaign."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from oakbench_core.errors import ExitCode, PlatformError, Problem, UsageError
from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.output import PipeClosedError, put_line, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date

    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.recovery import Repair
    from oakbench_core.running.leftovers import Cleared
    from oakbench_core.running.runner import RunEnd, TrialEnd
    from oakbench_core.running.stopping import StopSwitch


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Progress:
    """Tells a person how the run goes. That nobody can be told (a closed pipe, a full disk) ends no run."""

    def __init__(self, plan: Plan, folder: Path, settings: RunTable, put: Callable[[str], None]) -> None:
        self._plan, self._folder, self._settings, self._put = plan, folder, settings, put
        self._running: ScheduledTrial | None = None
        self._day: date | None = None

    def repaired(self, repair: Repair) -> None:
        from oakbench_tui.cli.recover import recovery_lines

        for line in ("the journal's end was repaired:", *recovery_lines(repair)):
            self._tell(say, line)

    def cleared(self, cleared: Cleared, root: Path) -> None:
        from oakbench_tui.cli.progress import cleared_line

        self._tell(say, cleared_line(cleared, root))

    def opened(self, ledger: Ledger) -> None:
        from oakbench_tui.cli.progress import opening_lines

        now = self._now()
        for line in opening_lines(ledger, self._folder, now):
            self._tell(self._put, line)
        self._day = now.date()

    def started(self, trial: ScheduledTrial) -> None:
        self._running = trial

    def ended(self, end: TrialEnd) -> None:
        from oakbench_tui.cli.progress import ending_line

        self._running = None
        now = self._now()
        if now.date() != self._day:
            self._tell(self._put, f"{now:%Y-%m-%d}")
        self._day = now.date()
        self._tell(self._put, ending_line(end, len(self._plan.schedule), now))

    def asked(self, switch: StopSwitch) -> None:
        """Say what a request to stop does; called from the thread of the signals."""
        from oakbench_tui.cli.progress import longest

        trial, grace_s = self._running, self._settings.grace_s
        if trial is None:
            said = "no further trial is started; none is running"
        elif switch.end_now.is_set():
            how = f"TERM, and KILL after {grace_s} s"
            said = f"1 running trial is ended now ({how}) and stays interrupted: {trial.trial_id}"
        else:
            limits = longest(self._plan, trial, grace_s)
            said = (
                f"no further trial is started; 1 running trial goes to its end: {trial.trial_id}\n"
                f"it has {limits}; ctrl+c again ends it now"
            )
        self._tell(say, said)

    def closed(self, end: RunEnd) -> None:
        from oakbench_tui.cli.progress import closing_lines

        for line in closing_lines(end, self._folder):
            self._tell(self._put, line)

    @staticmethod
    def _now() -> datetime:
        return datetime.now().astimezone()

    @staticmethod
    def _tell(put: Callable[[str], None], text: str) -> None:
        with suppress(PipeClosedError, PlatformError):
            put(text)


class RunOptions(NamedTuple):
    """How a campaign is run this time.

    `settings`: of the table `[run]`, each as NAME=VALUE. `workspaces`: the root that the user chose.
    `unsafe_filesystem`: go on where nothing is known of the journal's file system. `company`: a pipe that ends with the
    program that started us; then no further trial is started.
    """

    settings: Iterable[str] = ()
    workspaces: Path | None = None
    unsafe_filesystem: bool = False
    company: int | None = None


def run_folder(folder: Path, put: Callable[[str], None], options: RunOptions | None = None) -> RunEnd:
    """Run the campaign in a folder, with a line for each ending, which `put` shows; signals end it as in `StopSwitch`.

    Raises:
        LockedError: another runner has it. Else as `load_plan`, `run_settings` and `run_campaign`.
        UsageError: a setting that the table `[run]` does not take.
    """
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.running.definition_file import run_settings
    from oakbench_core.running.readiness import expect_no_runner
    from oakbench_core.running.runner import RunRequest, run_campaign
    from oakbench_core.running.stopping import StopSwitch

    options = options or RunOptions()
    expect_no_runner(folder)
    plan = load_plan(folder)
    settings = _overridden(run_settings(folder), options.settings)
    progress = _Progress(plan, folder, settings, put)
    switch = StopSwitch(progress.asked)
    request = RunRequest(
        plan=plan,
        folder=folder,
        settings=settings,
        environment=os.environ,
        tool=f"oakbench {version('oakbench')}",
        clock=utc_now,
        workspaces=options.workspaces,
        unsafe_filesystem=options.unsafe_filesystem,
    )
    with switch.on_signals(options.company):
        end = run_campaign(request, switch, progress)
    progress.closed(end)
    return end


def _overridden(settings: RunTable, given: Iterable[str]) -> RunTable:
    from oakbench_core.campaign.definition_reading import read_run_table

    values = settings.model_dump()
    for setting in given:
        name, _, value = setting.partition("=")
        values[name.strip()] = int(value) if value.strip().isdecimal() else value.strip()
    table, problems = read_run_table({"run": values})
    if table is None:
        raise UsageError(
            "--set is refused",
            [Problem(path=(problem.path or "$.run").removeprefix("$."), rule=problem.rule) for problem in problems],
            next_step="settings are named as in the table [run] of campaign.toml, such as --set halt_after=0",
        )
    return table


def run(
    directory: Folder = Path(),
    *,
    workspaces: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where trials run; outside of every repository.", readable=False)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of [run], for this run only."),
    ] = None,
    unsafe_filesystem: Annotated[
        bool,
        typer.Option("--unsafe-filesystem", help="Run on a file system that may lose what was synced; reports say so."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No lines of progress.")] = False,
) -> None:
    """Run what is unstarted of a frozen campaign, one trial at a time, until its schedule or its budget ends.

    ctrl+c once: no further trial is started and the running one goes to its end. Twice: it is ended, and stays
    interrupted. Running again goes on with what is unstarted; nothing is ever run twice under one identity.

    \b
    Examples:
      oakbench-tui run runs/vcs-2026
      oakbench-tui run runs/vcs-2026 --set halt_after=0 --set keep_workspaces=all
      nohup oakbench-tui run runs/vcs-2026 > run.log &
      oakbench-tui watch runs/vcs-2026          (meanwhile, in another terminal)

    Settings: halt_after, min_free_gib, output_cap_mib, grace_s, keep_workspaces.

    A torn end that an earlier run left is repaired first, and said. Nothing is written to a journal that is uncertain
    (21), invalid (30), or from which acknowledged records are missing (32): see `verify`.

    Exit codes: 0 the schedule is exhausted; 12 stopped by the budget; 13 it stopped itself; 31 an input changed;
    40, 42 it cannot be run here; 41 another runner has it; 43 a write's outcome is unknown.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_tui.cli.progress import why

    put = (lambda _: None) if quiet else put_line
    end = run_folder(campaign_folder(directory), put, RunOptions(settings or (), workspaces, unsafe_filesystem))
    if quiet and end.code != ExitCode.DONE:
        say(why(end))
    raise typer.Exit(end.code)

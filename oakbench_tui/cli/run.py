"""`run DIR`: run what is unstarted of a frozen campaign."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from oakbench_core.errors import ExitCode, Problem, UsageError
from oakbench_tui.cli.durations import seconds_of
from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.notifying import notified
from oakbench_tui.cli.output import put_line, say
from oakbench_tui.cli.terminal import expect_terminal, is_dumb
from oakbench_tui.cli.watched_run import run_watched

if TYPE_CHECKING:
    from oakbench_core.campaign.definition import RunTable
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.running.runner import RunEnd
    from oakbench_tui.cli.telling import Teller


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RunOptions(NamedTuple):
    """What holds for one run only.

    `settings`: each as NAME=VALUE. `workspaces`: the root that the user chose. `unsafe_filesystem`: go on where nothing
    is known of the journal's file system. `limit`: how many trials are started at most. `for_s`: no trial is started
    after so many seconds. `company`: a pipe that ends with the program that started us; then no further trial is
    started.
    """

    settings: tuple[str, ...] = ()
    workspaces: Path | None = None
    unsafe_filesystem: bool = False
    limit: int | None = None
    for_s: int | None = None
    company: int | None = None

    def as_arguments(self) -> list[str]:
        """The same on a command line."""
        arguments = [word for setting in self.settings for word in ("--set", setting)]
        if self.workspaces is not None:
            arguments += ["--workspaces", str(self.workspaces)]
        if self.unsafe_filesystem:
            arguments.append("--unsafe-filesystem")
        if self.limit is not None:
            arguments += ["--limit", str(self.limit)]
        return arguments if self.for_s is None else [*arguments, "--for", f"{self.for_s}s"]


AS_FROZEN: Final = RunOptions()
Telling = Callable[["Plan", Path, "RunTable"], "Teller"]


def run_folder(folder: Path, telling: Telling, options: RunOptions = AS_FROZEN) -> RunEnd:
    """Run the campaign in a folder; `telling` makes who tells of it. Signals end it as `StopSwitch` says.

    Raises:
        LockedError: another runner has it. Else as `load_plan`, `run_settings` and `run_campaign`.
        UsageError: a setting that the table `[run]` does not take.
    """
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.running.definition_file import run_settings
    from oakbench_core.running.readiness import expect_no_runner
    from oakbench_core.running.runner import RunLimits, RunRequest, run_campaign
    from oakbench_core.running.stopping import StopSwitch

    expect_no_runner(folder)
    plan = load_plan(folder)
    settings = _overridden(run_settings(folder), options.settings)
    teller = telling(plan, folder, settings)
    switch = StopSwitch(teller.asked)
    request = RunRequest(
        plan=plan,
        folder=folder,
        settings=settings,
        environment=os.environ,
        tool=f"oakbench {version('oakbench')}",
        clock=utc_now,
        workspaces=options.workspaces,
        unsafe_filesystem=options.unsafe_filesystem,
        limits=RunLimits(options.limit, options.for_s),
    )
    with switch.on_signals(options.company), teller:
        end = run_campaign(request, switch, teller)
    teller.closed(end)
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


def run(  # noqa: PLR0913 - each is an option of the command
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
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Start N trials at most, then stop (13).")
    ] = None,
    span: Annotated[
        str | None, typer.Option("--for", metavar="SPAN", help="Start no trial after 7h, 90m, 1h30m (13).")
    ] = None,
    notify_command: Annotated[
        str | None,
        typer.Option("--notify", metavar="CMD", help="Run a shell's command once at the end, however it ends."),
    ] = None,
    with_console: Annotated[
        bool, typer.Option("--watch", help="Open the console on it; q leaves the run going, with lines of progress.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No lines of progress.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object a line for each event, oakbench.run/1.")
    ] = False,
    company: Annotated[
        int | None,
        typer.Option(metavar="FD", help="A pipe of whoever started this; its end is a ctrl+c.", hidden=True),
    ] = None,
) -> None:
    """Run what is unstarted of a frozen campaign until its schedule or its budget ends.

    ctrl+c once: no further trial is started and the running ones go to their end. Twice: they are ended, and stay
    interrupted. Running again goes on with what is unstarted; nothing is ever run twice under one identity.

    \b
    Examples:
      oakbench-tui run runs/vcs-2026
      oakbench-tui run runs/vcs-2026 --set max_parallel=4 --set keep_workspaces=all
      oakbench-tui run runs/vcs-2026 --for 7h --notify 'mail -s "$OAKBENCH_REASON" me'
      oakbench-tui run runs/vcs-2026 --watch
      nohup oakbench-tui run runs/vcs-2026 > run.log &
      oakbench-tui watch runs/vcs-2026          (meanwhile, in another terminal)

    Settings: max_parallel, halt_after, hold_s, min_free_gib, output_cap_mib, grace_s, keep_workspaces.

    A torn end that an earlier run left is repaired first, and said. Nothing is written to a journal that is uncertain
    (21), invalid (30), or from which acknowledged records are missing (32): see `verify`.

    Exit codes: 0 the schedule is exhausted; 12 stopped by the budget; 13 it stopped itself; 31 an input changed;
    40, 42 it cannot be run here; 41 another runner has it; 43 a write's outcome is unknown.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_tui.cli.progress import why

    for_s = None if span is None else seconds_of(span, "--for")
    options = RunOptions(tuple(settings or ()), workspaces, unsafe_filesystem, limit, for_s, company)
    _expect_one_way_of_telling({"--watch": with_console, "--quiet": quiet, "--json": as_json})
    folder = campaign_folder(directory)
    if with_console:
        expect_terminal()
        notifying = [] if notify_command is None else ["--notify", notify_command]
        raise typer.Exit(run_watched(folder, [*options.as_arguments(), *notifying]))
    with notified(notify_command, folder) as note:
        end = run_folder(folder, _telling(quiet=quiet, as_json=as_json), options)
        note(end.code, str(end.reason), why(end))
    if quiet and end.code != ExitCode.DONE:
        say(why(end))
    raise typer.Exit(end.code)


def _expect_one_way_of_telling(given: Mapping[str, bool]) -> None:
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise UsageError(f"expected one of {' and '.join(named)}, not both: each is a way to tell of the run")


def _telling(*, quiet: bool, as_json: bool) -> Telling:
    from oakbench_tui.cli.telling import JsonTeller, Teller, TerminalTeller

    if as_json:
        return JsonTeller
    if quiet:
        return partial(Teller, put=lambda _: None)
    with_footer = sys.stdout.isatty() and not is_dumb()
    return partial(TerminalTeller if with_footer else Teller, put=put_line)

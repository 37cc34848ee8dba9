"""`demo`: freeze the bundled definition into a new folder and run it, with the console on it.

The runner is a process of its own, as a user's would be; the console only reads its journal. Closing the console leaves
the run to its end, with lines of progress.
"""

from __future__ import annotations

import json
import shlex
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from oakbench_core.canonical import readable_text
from oakbench_core.durable.documents import PLAN_NAME
from oakbench_core.errors import ExitCode, Problem, UsageError
from oakbench_tui.cli.campaign import open_campaign
from oakbench_tui.cli.output import put, say
from oakbench_tui.cli.report import rendered
from oakbench_tui.cli.run import run_folder
from oakbench_tui.cli.terminal import is_terminal
from oakbench_tui.cli.watched_run import run_watched

DEFAULT_NAME = "oakbench-demo"
MOCK = "scripted agents do real work in real repositories: it proves the instrument, and nothing about agents"
_ENDED_WELL = (ExitCode.DONE, ExitCode.BUDGET)


def free_folder(given: Path | None) -> Path:
    """The folder to make: the given one, else the first of oakbench-demo, oakbench-demo-2 … that is not there.

    Raises:
        UsageError: the given one is there already.
    """
    if given is not None:
        if given.exists():
            rule = "it is there already; the demonstration needs a new folder"
            raise UsageError(
                "the folder cannot be made", [Problem(file=str(given), rule=rule)], next_step="give another"
            )
        return given
    number = 1
    while (folder := Path(DEFAULT_NAME if number == 1 else f"{DEFAULT_NAME}-{number}")).exists():
        number += 1
    return folder


def make_campaign(folder: Path, trials: int | None = None) -> None:
    """Freeze the bundled definition into a new folder; with `trials`, only so many of its schedule."""
    from oakbench_core.running.freezing import freeze

    with as_file(files("oakbench_tui") / "demo" / "campaign") as bundled, TemporaryDirectory() as temporary:
        # An installation compiles the Python files among the fixtures; what it adds is no part of the definition.
        definition = copytree(bundled, Path(temporary) / "campaign", ignore=ignore_patterns("__pycache__", "*.pyc"))
        freeze(definition / "campaign.toml", folder)
    if trials is not None:
        _keep_first(folder, trials)


def _keep_first(folder: Path, trials: int) -> None:
    from oakbench_core.campaign.plan import plan_hash
    from oakbench_core.durable.documents import write_plan

    path = folder / PLAN_NAME
    document: dict[str, Any] = json.loads(path.read_bytes())
    document["schedule"] = document["schedule"][:trials]
    document["plan_sha256"] = plan_hash(document)
    shorter = path.with_name(f".{PLAN_NAME}.shorter")
    write_plan(shorter, readable_text(document).encode())
    shorter.replace(path)  # in one step: whoever interrupts us finds a plan


def _how_to_go_on(folder: Path) -> str:
    if not (folder / PLAN_NAME).exists():
        return f"interrupted before {folder} was made"
    name = shlex.quote(str(folder))
    return (
        f"interrupted; the campaign is in {folder}\n"
        f"next: oakbench-tui run {name} goes on, oakbench-tui status {name} says how far it is"
    )


def _run_headless(folder: Path) -> int:
    from oakbench_tui.cli.telling import Teller

    return run_folder(folder, partial(Teller, put=say)).code


def demo(
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            metavar="D",
            readable=False,
            help="The new folder. Default: the first of oakbench-demo, oakbench-demo-2 and so on.",
        ),
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N of the schedule.")] = None,
    *,
    headless: Annotated[
        bool, typer.Option("--headless", help="No console: lines of progress on stderr, then the report.")
    ] = False,
) -> None:
    """Freeze and run a small campaign of scripted agents, with the console on it; then print its report.

    Real git repositories, a budget that runs out before the schedule does, about 80 seconds. The folder it makes is a
    campaign like any other: its campaign.toml can be read, copied and changed.

    \b
    Examples:
      oakbench-tui demo
      oakbench-tui demo --headless --dir /tmp/look > report.md
      oakbench-tui demo --trials 12
    """  # noqa: D301 - the \b keeps the examples' lines apart
    folder = free_folder(directory)
    say(f"{folder}: {MOCK}")
    try:
        make_campaign(folder, trials)
        code = _run_headless(folder) if headless or not is_terminal() else run_watched(folder, [])
    except KeyboardInterrupt:
        say(_how_to_go_on(folder))
        raise
    if code not in _ENDED_WELL:
        raise typer.Exit(code)
    put(rendered(open_campaign(folder)))

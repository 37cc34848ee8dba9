"""`watch DIR`: the console."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import DocumentError
from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.terminal import console_looks, expect_terminal, while_there_is_a_terminal


class ThemeName(StrEnum):
    DARK = "dark"
    LIGHT = "light"
    SAFE = "safe"


def watch(
    directory: Folder = Path(),
    *,
    fps: Annotated[int, typer.Option(min=1, max=10, metavar="N", help="Paint at most N times a second.")] = 5,
    theme: Annotated[ThemeName, typer.Option(help="safe is made for red-green blindness.")] = ThemeName.DARK,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Only ASCII characters.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour (also: NO_COLOR is set).")] = False,
) -> None:
    """Open the console on a campaign: running, finished, crashed, or a copy from elsewhere.

    It only reads what is on file. Keys are shown by ?, and q leaves.

    \b
    Examples:
      oakbench-tui watch runs/vcs-2026
      oakbench-tui watch result.json        what scorecard --format json printed
      oakbench-tui watch --theme light --fps 10
      ssh host -t oakbench-tui watch runs/vcs-2026 --ascii
    """  # noqa: D301 - the \b keeps the examples' lines apart
    expect_terminal()
    if directory.is_file():
        raise typer.Exit(_watch_result(directory, theme, ascii_only=ascii_only, no_color=no_color))
    folder = campaign_folder(directory)
    from oakbench_tui.app import run_console

    looks = console_looks(ascii_only=ascii_only, no_color=no_color)
    with while_there_is_a_terminal():
        code = run_console(folder, fps=fps, theme=theme.value, **looks._asdict())
    raise typer.Exit(code)


def _watch_result(path: Path, theme: ThemeName, *, ascii_only: bool, no_color: bool) -> int:
    """Open the console on a scorecard's result."""
    from oakbench_core.durable.baselines import load_scorecard
    from oakbench_tui.result import run_result

    try:
        document = load_scorecard(path)
    except DocumentError as error:
        error.next_step = "watch opens a campaign folder, or a file that scorecard --format json printed"
        raise
    looks = console_looks(ascii_only=ascii_only, no_color=no_color)
    with while_there_is_a_terminal():
        return run_result(document, theme=theme.value, **looks._asdict())

"""`watch DIR`: the console."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from oakbench_core.errors import DocumentError, UsageError
from oakbench_tui.cli.folder import Folder, campaign_folder


class ThemeName(StrEnum):
    DARK = "dark"
    LIGHT = "light"
    SAFE = "safe"


def expect_terminal() -> None:
    """Refuse to draw where nothing can be drawn.

    Raises:
        UsageError: stdin or stdout is no terminal, or TERM is dumb.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        rule = "the console needs a terminal for both input and output"
    elif os.environ.get("TERM", "") in {"", "dumb"}:
        rule = "the terminal is dumb (TERM): nothing can be drawn on it"
    else:
        return
    raise UsageError(rule, next_step="oakbench-tui status DIR and oakbench-tui report DIR print the same as text")


def watch(
    directory: Folder = Path(),
    *,
    fps: Annotated[int, typer.Option(min=1, max=10, metavar="N", help="Paint at most N times a second.")] = 5,
    theme: Annotated[ThemeName, typer.Option(help="safe is made for red-green blindness.")] = ThemeName.DARK,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Only ASCII characters.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour (also: NO_COLOR is set).")] = False,
) -> None:
    """Open the console on a campaign: running, finished, crashed, or a copy from elsewhere.

    It reads, and writes nothing. Keys are shown by ?, and q leaves.

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

    colourless = no_color or bool(os.environ.get("NO_COLOR"))
    raise typer.Exit(run_console(folder, fps=fps, theme=theme.value, ascii_only=ascii_only, no_color=colourless))


def _watch_result(path: Path, theme: ThemeName, *, ascii_only: bool, no_color: bool) -> int:
    """Open the console on a scorecard's result."""
    from oakbench_core.durable.baselines import load_scorecard
    from oakbench_tui.result import run_result

    try:
        document = load_scorecard(path)
    except DocumentError as error:
        error.next_step = "watch opens a campaign folder, or a file that scorecard --format json printed"
        raise
    colourless = no_color or bool(os.environ.get("NO_COLOR"))
    return run_result(document, theme=theme.value, ascii_only=ascii_only, no_color=colourless)

"""The commands by their names. Each is a file beside this one; only one that opens a console imports Textual."""

from __future__ import annotations

from typing import Annotated

import typer

from oakbench_tui.cli import (
    book,
    check,
    demo,
    freeze,
    importing,
    init,
    recover,
    report,
    retry,
    run,
    schema,
    scorecard,
    stats,
    status,
    verify,
    watch,
)
from oakbench_tui.cli.output import put_line

app = typer.Typer(
    name="oakbench-tui",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    demo.demo,
    init.init,
    check.check,
    freeze.freeze,
    run.run,
    retry.retry,
    watch.watch,
    status.status,
    report.report,
    verify.verify,
    recover.recover,
    scorecard.scorecard,
    stats.stats,
    schema.schema,
):
    app.command()(command)
app.add_typer(book.app)
app.add_typer(importing.app)


def _show_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        put_line(f"oakbench {version('oakbench')}")
        raise typer.Exit


@app.callback()
def oakbench(
    *,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """The honest instrument for agent benchmark campaigns.

    \b
    Examples:
      oakbench-tui demo                     a small campaign, frozen, run and watched live
      oakbench-tui init studies/first       a first definition, to be changed
      oakbench-tui check campaign.toml      try its tasks without an agent; nothing is recorded
      oakbench-tui freeze campaign.toml     a definition becomes a campaign folder
      oakbench-tui run runs/vcs-2026        run what is unstarted of it
      oakbench-tui retry runs/a -o runs/b   again, what was interrupted or failed by infrastructure
      oakbench-tui watch runs/vcs-2026      a campaign on the screen, live or dead
      oakbench-tui status runs/*            the five-second answer as text
      oakbench-tui report runs/vcs-2026     what may be said of it, and what not
    """  # noqa: D301 - the \b keeps the examples' lines apart

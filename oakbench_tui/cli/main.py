"""The command line: arguments in, one exit code out.

Each command is a file beside this one. Errors become messages and exit codes here and nowhere else; no traceback
reaches a user. Only a command that opens a console imports Textual.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from oakbench_core.errors import ExitCode, OakbenchError
from oakbench_tui.cli import (
    book,
    demo,
    freeze,
    importing,
    recover,
    report,
    schema,
    scorecard,
    stats,
    status,
    verify,
    watch,
)
from oakbench_tui.cli import run as run_command
from oakbench_tui.cli.crash import write_crash_file
from oakbench_tui.cli.output import PIPE_CLOSED, PipeClosedError, put_line, say, say_error

app = typer.Typer(
    name="oakbench-tui",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    demo.demo,
    freeze.freeze,
    run_command.run,
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
      oakbench-tui freeze campaign.toml     a definition becomes a campaign folder
      oakbench-tui run runs/vcs-2026        run what is unstarted of it
      oakbench-tui watch runs/vcs-2026      a campaign on the screen, live or dead
      oakbench-tui status runs/*            the five-second answer as text
      oakbench-tui report runs/vcs-2026     what may be said of it, and what not
    """  # noqa: D301 - the \b keeps the examples' lines apart


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code (durability.md has the table)."""
    try:
        app(args=arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except PipeClosedError:
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return 128 + 2
    except OakbenchError as error:
        say_error(error)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the last place where a defect of ours can be kept off the screen
        place = write_crash_file(error)
        say(f"oakbench: a defect of ours ({type(error).__name__}); the details are in {place}")
        say("next: please report it with that file; it names no value of your environment")
        return ExitCode.DEFECT
    return ExitCode.DONE


def main() -> None:
    sys.exit(run())

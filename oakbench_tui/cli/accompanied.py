"""The runner that `demo` starts beside its console: a program of its own, which does not outlive its company.

Its stdin is a pipe from whoever started it. When that ends, because it was closed or because everyone who held it is
dead, the run ends in order, as after one ctrl+c: no further trial, and the running one goes to its end.
"""

from __future__ import annotations

import sys

from oakbench_tui.cli.main import exit_code_of, start


def run() -> int:
    """Run the campaign in the folder that the one argument names; the exit code."""
    return exit_code_of(_run)


def _run() -> None:
    from pathlib import Path

    from oakbench_tui.cli.output import put_line
    from oakbench_tui.cli.run import RunOptions, run_folder

    sys.exit(run_folder(Path(sys.argv[1]), put_line, RunOptions(company=sys.stdin.fileno())).code)


if __name__ == "__main__":
    start(run)

"""ctrl+c at any moment of a command that has no answer of its own: it ends, without a traceback and without remains."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import campaigns
from tests.core.definitions import NOTES

ROOT = Path(__file__).resolve().parent.parent.parent

AT_AN_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
module = sys.argv.pop(1)
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from oakbench_tui.cli.main import main
main()
"""
"""Sends itself the signal when the module named first is looked for; the other arguments are the command line."""


def interrupted(module: str, *arguments: object, cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", AT_AN_IMPORT, module, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("oakbench_tui.cli.interrupting", 130),
        ("typer", -signal.SIGINT),
        ("oakbench_tui.cli.program", -signal.SIGINT),
        ("oakbench_core.rendering.markdown", 130),
    ],
)
def test_ctrl_c_in_the_middle_of_an_import_ends_quietly(module: str, code: int, tmp_path: Path) -> None:
    """A shell says 130 for both: for an exit code of 130, and for the end by the signal itself."""
    (tmp_path / "plan.json").write_text(json.dumps(campaigns.plan_document()))

    assert interrupted(module, "report", tmp_path, cwd=tmp_path) == (code, "", "")


def test_ctrl_c_in_the_middle_of_freezing_leaves_nothing_behind(tmp_path: Path) -> None:
    code, out, err = interrupted("oakbench_core.campaign.schedule", "freeze", NOTES, "-o", "c", cwd=tmp_path)

    assert (code, out, err) == (130, "", "")
    assert list(tmp_path.iterdir()) == []

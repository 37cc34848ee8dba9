"""Campaigns for tests of the runner: a small definition of shell scripts, frozen, and run by the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakbench_core.durable.documents import load_plan
from oakbench_core.running.freezing import freeze

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oakbench_core.campaign.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "oakbench_tui")
PATIENCE_S = 60.0
PASSES = '{ name = "ok", run = ["true"] }'


def wait_for(condition: Callable[[], object], limit_s: float = PATIENCE_S) -> float:
    """Seconds until the condition held."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < limit_s
        time.sleep(0.005)
    return time.monotonic() - begun


def task(script: str, *, more: str = "", checks: str = PASSES) -> str:
    """A task whose agent is a shell: its prompt is a script, `$0` its trial's ID, `$1` the file for its usage."""
    quoted = json.dumps(script.replace("{", "{{").replace("}", "}}"))
    return f"{more}\nprompts = {{ plain = {quoted} }}\noracle.version = 1\noracle.checks = [ {checks} ]\n"


def definition(
    tasks: Mapping[str, str],
    *,
    campaign: str = "",
    keep_workspaces: str = "none",
    agent: str = "",
    subjects: str = "[subjects.one]",
) -> str:
    """The text of a campaign.toml."""
    listed = "\n".join(f"[workflows.w.tasks.{name}]\n{text}" for name, text in tasks.items())
    return f"""
[campaign]
id = "real"
seed = 1
timeout_s = 20
{campaign}

[run]
halt_after = 0
min_free_gib = 0
grace_s = 1
keep_workspaces = "{keep_workspaces}"

{subjects}

[agents.a]
adapter = "command"
argv = ["sh", "-c", "{{prompt}}", "{{trial_id}}", "{{usage_file}}"]
mock = true
{agent}

[workflows.w]
version = 1
{listed}
"""


@dataclass
class RealCampaign:
    """A campaign folder in `place`, whose runs have their workspaces there too."""

    place: Path

    @property
    def folder(self) -> Path:
        return self.place / "campaign"

    @property
    def marks(self) -> Path:
        """A folder in which agents leave files for the test to see, and the other way round."""
        marks = self.place / "marks"
        marks.mkdir(exist_ok=True)
        return marks

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    @property
    def plan(self) -> Plan:
        return load_plan(self.folder)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_STATE_HOME": str(self.place / "state"), "PYTHONPATH": str(ROOT)}

    def freeze(self, text: str) -> RealCampaign:
        source = self.place / "source"
        source.mkdir(exist_ok=True)
        (source / "campaign.toml").write_text(text)
        freeze(source, self.folder)
        return self

    def start(self, *options: str, command: tuple[str, ...] = COMMAND, **more: Any) -> subprocess.Popen[str]:
        """A runner as a process of its own."""
        facts: dict[str, Any] = {
            "env": self.environment,
            "cwd": self.place,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "start_new_session": True,
        }
        return subprocess.Popen([*command, "run", str(self.folder), *options], **facts | more)

    def run(self, *options: str, **more: Any) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a run to its end."""
        with self.start(*options, **more) as runner:
            out, err = runner.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in (out or "") + (err or "")
        return runner.returncode, out, err

    def events(self) -> list[dict[str, Any]]:
        """What is on file, but for a line that is being written."""
        lines = self.journal.read_bytes().split(b"\n")[:-1] if self.journal.exists() else []
        return [json.loads(line) for line in lines]

    def ids(self, kind: str) -> list[str]:
        return [event["trial_id"] for event in self.events() if event["event"] == kind]

    def rows(self) -> dict[str, dict[str, Any]]:
        """The row of each trial that has ended, by its task."""
        return {event["row"]["task"]: event["row"] for event in self.events() if event["event"] == "finished"}

    def stop(self) -> dict[str, Any]:
        """What the last `closed` says."""
        stop: dict[str, Any] = self.events()[-1]["stop"]
        return stop

    def report(self) -> dict[str, Any]:
        done = subprocess.run(
            [*COMMAND, "report", str(self.folder), "--format", "json"],
            capture_output=True, check=True, env=self.environment,
        )  # fmt: skip
        report: dict[str, Any] = json.loads(done.stdout)
        return report

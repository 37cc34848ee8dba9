"""Trials for tests: a hand-written plan with one task, its campaign folder, and attempts at it with real processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.ledger import Ledger
from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.running.attempt import Attempted, AttemptRequest, attempt
from oakbench_core.running.rows import HostFacts
from oakbench_core.running.trees import copy_tree, tree_sha256
from tests.campaigns import plan_document, sealed, violations

if TYPE_CHECKING:
    from oakbench_core.running.clocks import Clocks
    from oakbench_core.running.supervisor import ForkServer

Json = dict[str, Any]
HIDDEN = "s3cret-value-of-the-token"
HOST = HostFacts("linux", "x86_64", "test machine")


SLEEP = re.compile(r"""(sleep(?: |", "))(\d\d)\b""")
"""A `sleep` of two digits is made this test process's own: test runs side by side do not see each other's."""


def asleep(number: int) -> list[int]:
    """The processes `sleep NUMBER` of this test process's trials that are alive."""
    return alive(f"sleep\x00{number}.{os.getpid()}")


def shell(text: str) -> list[str]:
    """An argv of a shell; braces of the text are braces."""
    return ["sh", "-c", text.replace("{", "{{").replace("}", "}}")]


@dataclass
class Trials:
    """A campaign folder below `place`; `attempt` runs its only trial in a plan that is made as asked."""

    place: Path
    server: ForkServer
    end_now: threading.Event = field(default_factory=threading.Event)
    plan: Plan | None = None

    @property
    def folder(self) -> Path:
        return self.place / "campaign"

    @property
    def workspaces(self) -> Path:
        return self.place / "ws"

    def another(self) -> Trials:
        """A folder of its own for a second attempt."""
        place = self.place / "another"
        place.mkdir()
        return Trials(place, self.server)

    def frozen_tree(self, files: dict[str, str]) -> str:
        """A tree of these files in the campaign's inputs; its hash."""
        source = self.place / "source"
        shutil.rmtree(source, ignore_errors=True)
        for name, text in files.items():
            file = source / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            file.chmod(0o755 if text.startswith("#!") else 0o644)
        sha256 = tree_sha256(source)
        target = self.folder / "inputs" / sha256
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            copy_tree(source, target)
        return sha256

    def planned(
        self,
        argv: list[str],
        *,
        task: Json | None = None,
        agent: Json | None = None,
        subject: Json | None = None,
        checks: list[Json] | None = None,
        oracle_files: str | None = None,
        inputs: str | None = None,
        timeout_s: int = 20,
    ) -> Plan:
        document = plan_document(tasks=["t"], subjects=["git"], repetitions=1, timeout_s=timeout_s)
        workflow = document["workflows"]["w"]
        if inputs is not None:
            workflow["inputs_sha256"] = inputs
        frozen = workflow["tasks"]["t"]
        frozen["fixture_sha256"] = None
        frozen["prompts"] = {"plain": "do it"}
        frozen["oracle"] = {
            "version": 3,
            "files_sha256": oracle_files,
            "checks": [{"name": "ok", "kind": "command", "run": ["true"]}] if checks is None else checks,
        }
        frozen |= task or {}
        document["agents"]["a"] = {"adapter": "command", "argv": argv} | (agent or {})
        document["subjects"]["git"] |= subject or {}
        text = SLEEP.sub(rf"\1\2.{os.getpid()}", json.dumps({k: v for k, v in document.items() if k != "plan_sha256"}))
        return plan_from_document(sealed(json.loads(text)))

    def request(self, plan: Plan, **changes: Any) -> AttemptRequest:
        self.folder.mkdir(exist_ok=True)
        self.workspaces.mkdir(mode=0o700, exist_ok=True)
        facts: Json = {
            "plan": plan,
            "place": 0,
            "folder": self.folder,
            "workspaces": Path(os.path.realpath(self.workspaces)),
            "environment": {"PATH": os.environ["PATH"], "TOKEN": HIDDEN, "HOME": "/nowhere", "OTHER": "other-value"},
            "host": HOST,
            "grace_s": 0.3,
            "keep_workspaces": "none",
        }
        return AttemptRequest(**facts | changes)

    def attempt(self, argv: list[str], *, clocks: Clocks | None = None, **options: Any) -> Attempted:
        """The trial's end, whose row is tested to be one that a ledger accepts."""
        names = ("grace_s", "output_cap_bytes", "keep_workspaces", "environment")
        changes = {name: options.pop(name) for name in names if name in options}
        self.plan = plan = self.planned(argv, **options)
        attempted = attempt(self.request(plan, **changes), self.server, end_now=self.end_now, clocks=clocks)
        expect_legal(plan, attempted)
        return attempted

    def artifact(self, attempted: Attempted, name: str) -> str:
        path: str | None = attempted.row["artifacts"][name]
        assert path is not None
        return (self.folder / path).read_text()


def expect_legal(plan: Plan, attempted: Attempted) -> None:
    trial_id = plan.schedule[0].trial_id
    common = {"trial_id": trial_id, "plan_sha256": plan.plan_sha256}
    finished = {"event": "finished", **common, "terminal": attempted.terminal.value, "row": attempted.row}
    assert violations(Ledger(plan), {"event": "started", **common}, finished) == []


def alive(marker: str) -> list[int]:
    """Processes whose arguments hold the marker, zombies left out."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            arguments = (process / "cmdline").read_bytes()
            state = (process / "stat").read_bytes().rpartition(b") ")[2][:1]
        except OSError:
            continue
        if marker.encode() in arguments and state != b"Z" and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found

"""A campaign on disk at a chosen moment, the same each time: what the screens' golden files are made of."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_core.durable.framing import encode_record, first_link
from oakbench_core.durable.host import boot_id, file_system
from oakbench_core.durable.lock import take_lock
from tests.campaigns import plan_document, row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Json = dict[str, Any]
BEGAN = datetime(2026, 11, 30, 14, 0, tzinfo=UTC).timestamp()
WRITER = "1" * 32
TIMEOUT_S = 2


def staged_plan(*, budget_s: int | None = 60, mock: bool = True, **changes: Any) -> Plan:
    """72 trials: two workflows, three tasks, two levels, two repetitions, three subjects."""
    document = plan_document(
        workflows=("bugfix", "upkeep"),
        tasks=("null-check", "lost-commit", "tidy-imports"),
        levels=("plain", "guided"),
        subjects=("git", "git-tuned", "hg"),
        repetitions=2,
        timeout_s=TIMEOUT_S,
        budget_s=budget_s,
        mock=mock,
        campaign_id="vcs-habits",
        **changes,
    )
    return plan_from_document(document)


class Stage:
    """Writes a journal record by record, a tenth of a second apart; `now` is the time of the last one."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder = folder
        self.plan = plan
        self.now = BEGAN
        self._records = 0
        self._last = first_link(plan.plan_sha256)
        folder.mkdir(parents=True, exist_ok=True)
        document = plan.document.model_dump(mode="json", by_alias=True, exclude_unset=True)
        (folder / "plan.json").write_text(json.dumps(document))

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def append(self, event: str, trial_id: str | None = None, **payload: Any) -> None:
        """One record more; the file's times are the stage's, not the clock's."""
        self.now += 0.1
        fields = {
            "event": event,
            "trial_id": trial_id,
            "seq": self._records,
            "v": 1,
            "plan_sha256": self.plan.plan_sha256,
            "writer": WRITER,
            "at": datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            **payload,
        }
        line = encode_record(fields, self._last)
        self._last = json.loads(line)["hash"]
        self._records += 1
        with self.journal.open("ab") as file:
            file.write(line)
        os.utime(self.journal, (self.now, self.now))

    def open(self, max_parallel: int = 2) -> None:
        self.append(
            "opened",
            runner={
                "format": "oakbench.event/1",
                "tool": "oakbench",
                "host": "ws-1",
                "pid": 4121,
                "boot_id": boot_id(),
                "file_system": file_system(self.folder),
                "max_parallel": max_parallel,
                "unsafe_filesystem": False,
            },
        )

    def start(self, place: int) -> None:
        self.append("started", self.plan.schedule[place].trial_id)

    def end(self, place: int, terminal: str = "completed", **changes: Any) -> None:
        row_value = row(self.plan, place, terminal, **changes)
        self.append("finished", self.plan.schedule[place].trial_id, terminal=terminal, row=row_value)

    def run(self, place: int) -> None:
        """One trial from start to end; what becomes of it follows from its place alone."""
        if place % 17 == 13:
            self.end(place, "skipped")
            return
        self.start(place)
        resources = {"duration_s": round(0.41 + 0.037 * (place % 11), 3), "input_tokens": 800 + 37 * (place % 29)}
        if place % 9 == 4:
            resources.pop("input_tokens")
        if place % 23 == 11:
            self.end(place, "timed_out", resources={"duration_s": 2.0})
        elif place % 31 == 20:
            self.end(place, "infrastructure_failure", resources={})
        else:
            self.end(place, verified=place % 5 != 3, resources=resources)

    def run_all(self, places: range) -> None:
        for place in places:
            self.run(place)

    def close(self, reason: str, code: int) -> None:
        self.append("closed", stop={"reason": reason, "code": code, "detail": None})


@contextmanager
def writer_lives(journal: Path) -> Iterator[None]:
    """Hold the lock as a writer does, and write nothing."""
    descriptor = os.open(journal, os.O_RDWR)
    try:
        assert take_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def live_stage(folder: Path, *, ended: int = 40, running: int = 2, **plan: Any) -> Stage:
    """Some trials ended, some running; whoever wants it LIVE holds the lock besides."""
    stage = Stage(folder, staged_plan(**plan))
    stage.open()
    stage.run_all(range(ended))
    for place in range(ended, ended + running):
        stage.start(place)
    return stage

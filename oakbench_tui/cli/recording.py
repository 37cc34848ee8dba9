"""The demonstration's recording, played through the journal's own writer, event by event, at its own pace.

A recorded runner opens the journal, is killed in the middle (its writer goes without a word, as after `kill -9`), and
another goes on until the budget admits no further trial. What is played is scripted; how it is written is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.documents import load_plan, write_document, write_plan
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import ExitCode, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan

MAX_PARALLEL = 2
_IGNORED = "journal*\nartifacts/\nworkspaces/\n"  # raw results stay out of version control (ADR-0010)


class Pace(Protocol):
    """Waits until a moment of the recording; False if the playing is to end instead."""

    def wait_until(self, at_s: float) -> bool: ...


@dataclass(frozen=True, slots=True)
class Ended:
    """One trial's end, for a line of progress."""

    number: int
    trial_id: str
    terminal: Terminal
    verified: bool | None
    duration_s: float | None
    reason: str | None


def _resource(name: str) -> str:
    return files("oakbench_tui").joinpath("demo", name).read_text(encoding="utf-8")


def recorded_events() -> Iterator[dict[str, Any]]:
    for line in _resource("recording.jsonl").splitlines():
        yield json.loads(line)


def make_folder(folder: Path) -> Plan:
    """A new campaign folder with the demonstration's plan, and without a journal.

    Raises:
        UsageError: something stands there already.
    """
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        rule = "it is there already; the demonstration needs a new folder"
        raise UsageError(
            "the folder cannot be made", [Problem(file=str(folder), rule=rule)], next_step="give another --dir"
        ) from None
    write_document(folder / ".gitignore", _IGNORED.encode())
    write_plan(folder / "plan.json", _resource("plan.json").encode())
    return load_plan(folder)


def play(
    folder: Path,
    plan: Plan,
    pace: Pace,
    ended: Callable[[Ended], None],
    events: Iterable[dict[str, Any]] | None = None,
) -> ExitCode | None:
    """Play the recording into the folder's journal; the code its last runner stopped with, None if it was interrupted.

    Each event is on the disk, synced, before the next is waited for. When `pace` ends the playing, the open runner
    closes the journal in order, with the reason `signal`.
    """
    writer: JournalWriter | None = None
    count = 0
    try:
        for line in recorded_events() if events is None else events:
            if not pace.wait_until(line["at_s"]):
                if writer is not None:
                    writer.append_closed(StopReason.SIGNAL, 130, "the demonstration was interrupted")
                return None
            match line.get("runner"):
                case "opens":
                    writer = _open(folder, plan)
                case "is killed":
                    _writer(writer).close()
                    writer = None
                case "closes":
                    _writer(writer).append_closed(StopReason(line["reason"]), line["code"], None)
                    return ExitCode(line["code"])
                case _:
                    count += _append(_writer(writer), line["event"], count, ended)
    finally:
        if writer is not None:
            writer.close()
    return ExitCode.DONE


def _open(folder: Path, plan: Plan) -> JournalWriter:
    facts = RunnerFacts(tool=f"oakbench {version('oakbench')} demonstration", max_parallel=MAX_PARALLEL)
    return JournalWriter.open(folder, plan, clock=_utc_now, runner=facts)


def _utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _writer(writer: JournalWriter | None) -> JournalWriter:
    if writer is None:
        message = "the recording has an event where no runner is open"
        raise ValueError(message)
    return writer


def _append(writer: JournalWriter, event: dict[str, Any], count: int, ended: Callable[[Ended], None]) -> int:
    """Write one event; how many trials it ended."""
    if event["event"] == "started":
        writer.append_started(event["trial_id"])
        return 0
    row, terminal = event["row"], Terminal(event["terminal"])
    writer.append_finished(event["trial_id"], terminal, row)
    failed = [check["name"] for check in row["oracle"]["checks"] if check["status"] != "pass"]
    reason = (row["error"] or {}).get("type") or (row["skip"] or {}).get("reason")
    ended(
        Ended(
            number=count + 1,
            trial_id=event["trial_id"],
            terminal=terminal,
            verified=row["verified_success"],
            duration_s=row["resources"]["duration_s"],
            reason=reason or (f"{failed[0]} fails" if failed else None),
        )
    )
    return 1

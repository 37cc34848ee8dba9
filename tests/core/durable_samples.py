"""A small campaign with a journal of every kind of record, made by the encoder alone."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from oakbench_core.campaign.plan import Plan, plan_from_document, plan_hash
from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.durable.framing import NO_WRITER, encode_record, first_link

VECTORS = Path(__file__).resolve().parent.parent / "vectors.json"
FIRST_WRITER, SECOND_WRITER, THIRD_WRITER = "1" * 32, "2" * 32, "3" * 32
SUBJECTS = ("git", "hg", "jj")
TRIALS = tuple(f"w.t.plain.a.r{repetition:03}.{subject}" for repetition in (1, 2, 3) for subject in SUBJECTS)
AT = "2026-11-30T08:15:00.123Z"


@cache
def plan_document() -> dict[str, Any]:
    document: dict[str, Any] = {
        "schema": "oakbench.plan/1",
        "campaign_id": "sample",
        "created_at": "2026-11-30T00:00:00Z",
        "seed": 1,
        "workflows": {
            "w": {
                "version": 1,
                "tasks": {
                    "t": {
                        "prompts": {"plain": "do it"},
                        "oracle": {"version": 1, "checks": [{"name": "ok", "kind": "command", "run": ["true"]}]},
                    }
                },
            }
        },
        "agents": {"a": {"adapter": "command", "argv": ["true"], "mock": True}},
        "subjects": {subject: {"binary": subject} for subject in SUBJECTS},
        "schedule": [entry(trial_id) for trial_id in TRIALS],
        "provenance": {"tool": None, "definition_sha256": None, "source": "definition"},
    }
    return document | {"plan_sha256": sha256_hex(canonical_text(document))}


def entry(trial_id: str) -> dict[str, Any]:
    block_id, _, subject = trial_id.rpartition(".")
    return {
        "trial_id": trial_id,
        "block_id": block_id,
        "workflow": "w",
        "task": "t",
        "instruction_level": "plain",
        "agent": "a",
        "model": None,
        "subject": subject,
        "repetition": int(block_id[-3:]),
        "timeout_s": 600,
        "retry_of": None,
    }


@cache
def sample_plan() -> Plan:
    return plan_from_document(plan_document())


@cache
def other_plan() -> Plan:
    """The same campaign in everything but its seed, so that only the hash tells the two apart."""
    document = plan_document() | {"seed": 2}
    return plan_from_document(document | {"plan_sha256": plan_hash(document)})


def row(trial_id: str, **changed: Any) -> dict[str, Any]:
    """A completed, verified row with every key, and what is said differently."""
    scheduled = entry(trial_id)
    template: dict[str, Any] = json.loads(json.loads(VECTORS.read_text())["journal"].splitlines()[2])["row"]
    same = {key: scheduled[key] for key in ("workflow", "task", "instruction_level", "agent", "model", "subject")}
    return template | {"bench_id": "sample", "run": scheduled["repetition"]} | same | changed


def timed_out_row(trial_id: str) -> dict[str, Any]:
    return row(trial_id, verified_success=False, timed_out=True, oracle={"version": 1, "checks": []})


def failed_row(trial_id: str) -> dict[str, Any]:
    checks = [{"name": "ok", "status": "fail", "detail": 'expected "a\\b"\n', "instrument": None}]
    return row(trial_id, verified_success=False, oracle={"version": 1, "checks": checks})


def skipped_row(trial_id: str, phase: str) -> dict[str, Any]:
    skip = {"phase": phase, "reason": "missing_instrument", "instrument": "größe", "detail": None}
    return row(trial_id, verified_success=None, skip=skip, oracle={"version": 1, "checks": []}, exit_code=None)


def broken_row(trial_id: str) -> dict[str, Any]:
    error = {"type": "runner_error", "message": "Traceback …"}
    return row(trial_id, verified_success=None, error=error, oracle=None, extra={"tags": ["a", 0.5, None]})


class Script:
    """Writes records one after the other, with right hashes, whatever they say."""

    def __init__(self, plan: Plan, writer: str = FIRST_WRITER) -> None:
        self.plan = plan
        self.writer = writer
        self.lines: list[bytes] = []
        self.last_hash = first_link(plan.plan_sha256)

    @property
    def content(self) -> bytes:
        return b"".join(self.lines)

    def add(self, event: str, trial_id: str | None = None, **changed: Any) -> Script:
        fields = {
            "event": event,
            "trial_id": trial_id,
            "seq": len(self.lines),
            "v": 1,
            "plan_sha256": self.plan.plan_sha256,
            "writer": self.writer,
            "at": AT,
        }
        return self.add_line(encode_record(fields | changed, self.last_hash))

    def add_line(self, line: bytes) -> Script:
        self.lines.append(line)
        self.last_hash = line[-35:-3].decode()
        return self

    def opened(self, writer: str = FIRST_WRITER, **changed: Any) -> Script:
        self.writer = writer
        runner = {"format": "oakbench.event/1", "tool": "sample", "host": "h", "pid": 1, "boot_id": None}
        runner |= {"file_system": None, "max_parallel": 1, "unsafe_filesystem": False, "settings": {"grace_s": 10}}
        return self.add("opened", runner=runner | changed)

    def started(self, trial_id: str) -> Script:
        return self.add("started", trial_id)

    def finished(self, trial_id: str, terminal: str = "completed", its_row: dict[str, Any] | None = None) -> Script:
        return self.add("finished", trial_id, terminal=terminal, row=its_row or row(trial_id))

    def recovered(self, trial_id: str | None, reason: str = "torn_start") -> Script:
        kept = ["journal.quarantine/1-1-0123456789abcdef.bin"]
        recovery = {"offset": 1, "bytes": 57, "sha256": "0" * 64, "kind": "torn", "kept_as": kept, "reason": reason}
        return self.add("recovered", trial_id, recovery=recovery)

    def closed(self, reason: str = "budget", code: int = 12) -> Script:
        return self.add("closed", stop={"reason": reason, "code": code, "detail": None})


def no_writer_script(plan: Plan) -> Script:
    """A journal whose first record was torn, so that no `opened` is on file."""
    return Script(plan, NO_WRITER).recovered(None, "start_impossible").opened().started(TRIALS[0])


@cache
def sample_lines() -> tuple[bytes, ...]:
    """Twenty records: every kind of event, terminal word and phase of a skip, two recoveries, three writers."""
    script = Script(sample_plan()).opened()
    script.started(TRIALS[0]).finished(TRIALS[0])
    script.started(TRIALS[1]).finished(TRIALS[1], its_row=failed_row(TRIALS[1]))
    script.finished(TRIALS[2], "skipped", skipped_row(TRIALS[2], "before_start"))
    script.started(TRIALS[3]).finished(TRIALS[3], "timed_out", timed_out_row(TRIALS[3])).closed()
    script.opened(SECOND_WRITER).started(TRIALS[4])
    script.finished(TRIALS[4], "infrastructure_failure", broken_row(TRIALS[4]))
    script.recovered(TRIALS[5]).opened(THIRD_WRITER)
    script.started(TRIALS[6]).finished(TRIALS[6], "skipped", skipped_row(TRIALS[6], "after_start"))
    script.started(TRIALS[7]).recovered(None, "torn_other").opened(FIRST_WRITER).closed("signal", 130)
    return tuple(script.lines)

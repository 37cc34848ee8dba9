"""Small campaigns for tests: plans, rows and events as plain data, legal unless a test breaks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.campaign.events import evidence_type
from oakbench_core.campaign.ledger import Ledger
from oakbench_core.campaign.plan import Plan, plan_from_document, plan_hash
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.shapes import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]
CHECKS = ("tests", "scope")


def plan_document(
    *,
    tasks: Iterable[str] = ("fix", "rename"),
    subjects: Iterable[str] = ("git", "hg"),
    repetitions: int = 2,
    levels: Iterable[str] = ("plain",),
    workflows: Iterable[str] = ("w",),
    timeout_s: int = 10,
    budget_s: int | None = None,
    mock: bool = False,
    **top: Any,
) -> Json:
    """A plan with every block whole; keyword arguments beyond the named ones replace its keys."""
    subjects, levels, tasks, workflows = map(tuple, (subjects, levels, tasks, workflows))
    task = {
        "fixture_sha256": "0" * 64,
        "prompts": dict.fromkeys(levels, "do it"),
        "oracle": {
            "version": 1,
            "checks": [
                {"name": "tests", "kind": "command", "run": ["true"]},
                {"name": "scope", "kind": "changes", "may_change": ["src/**"]},
            ],
        },
    }
    document: Json = {
        "schema": "oakbench.plan/1",
        "campaign_id": "c1",
        "created_at": "2026-11-30T00:00:00Z",
        "seed": 7,
        "admission_budget_s": budget_s,
        "workflows": {w: {"version": 1, "tasks": dict.fromkeys(tasks, task)} for w in workflows},
        "agents": {"a": {"adapter": "command", "argv": ["true"], "mock": mock}},
        "subjects": {name: {"binary": name, "version": "1"} for name in subjects},
        "schedule": [
            {
                "trial_id": f"{block}.{subject}",
                "block_id": block,
                "workflow": workflow,
                "task": task_name,
                "instruction_level": level,
                "agent": "a",
                "model": None,
                "subject": subject,
                "repetition": repetition,
                "timeout_s": timeout_s,
                "retry_of": None,
            }
            for repetition in range(1, repetitions + 1)
            for workflow in workflows
            for task_name in tasks
            for level in levels
            for block in [f"{workflow}.{task_name}.{level}.a.r{repetition:03}"]
            for subject in subjects
        ],
        "provenance": {"tool": "test", "definition_sha256": "0" * 64, "source": "definition", "parent": None},
    }
    document |= top
    return sealed(document)


def sealed(document: Json) -> Json:
    """The document with the hash of its content."""
    return {**document, "plan_sha256": plan_hash(document)}


def plan(**arguments: Any) -> Plan:
    return plan_from_document(plan_document(**arguments))


def row(plan: Plan, place: int, terminal: str = "completed", **changes: Any) -> Json:
    """A legal row of the trial at `place`; `verified=False` fails its first check; other keywords replace keys."""
    trial = plan.schedule[place]
    verified = changes.pop("verified", True)
    resources = changes.pop("resources", {"duration_s": 1.5, "input_tokens": 100})
    completed = terminal == "completed"
    names = [check.name for check in plan.task(trial).oracle.checks]
    value: Json = {
        "schema": "oakbench.row/1",
        "lane": "agent",
        "bench_id": plan.campaign_id,
        "run": trial.repetition,
        "workflow": trial.workflow,
        "task": trial.task,
        "instruction_level": trial.instruction_level,
        "agent": trial.agent,
        "model": trial.model,
        "subject": trial.subject,
        "verified_success": verified if completed else (False if terminal == "timed_out" else None),
        "timed_out": terminal == "timed_out",
        "exit_code": 0 if completed else None,
        "timeout_s": trial.timeout_s,
        "suspended_s": None,
        "oracle": {
            "version": 1,
            "checks": [
                {
                    "name": name,
                    "status": "pass" if verified or number else "fail",
                    "detail": None,
                    "instrument": None,
                }
                for number, name in enumerate(names)
            ]
            if completed
            else [],
        },
        "resources": dict.fromkeys(RESOURCE_UNITS) | resources,
        "skip": {"phase": "before_start", "reason": "missing_instrument", "instrument": "hg", "detail": None}
        if terminal == "skipped"
        else None,
        "error": {"type": "setup_failed", "message": "no space"} if terminal == "infrastructure_failure" else None,
    }
    return value | changes


def started(plan: Plan, place: int) -> Json:
    return {"event": "started", "trial_id": plan.schedule[place].trial_id, "plan_sha256": plan.plan_sha256}


def finished(plan: Plan, place: int, terminal: str = "completed", **changes: Any) -> Json:
    return {
        "event": "finished",
        "trial_id": plan.schedule[place].trial_id,
        "plan_sha256": plan.plan_sha256,
        "terminal": terminal,
        "row": row(plan, place, terminal, **changes),
    }


def skipped_before_start(plan: Plan, place: int, reason: str = "missing_instrument") -> Json:
    skip = {"phase": "before_start", "reason": reason, "instrument": None, "detail": None}
    return finished(plan, place, "skipped", skip=skip, resources={})


def skipped_after_start(plan: Plan, place: int, **changes: Any) -> Json:
    skip = {"phase": "after_start", "reason": "missing_instrument", "instrument": "pytest", "detail": None}
    checks = [{"name": "tests", "status": "unmeasured", "detail": None, "instrument": "pytest"}]
    return finished(plan, place, "skipped", skip=skip, oracle={"version": 1, "checks": checks}, **changes)


def recovered(plan: Plan, place: int | None, kind: str = "torn", reason: str = "torn_start") -> Json:
    recovery = {
        "offset": 10,
        "bytes": 5,
        "sha256": "0" * 64,
        "kind": kind,
        "kept_as": ["journal.quarantine/10-1-0000000000000000.bin"],
        "reason": reason,
    }
    trial_id = None if place is None else plan.schedule[place].trial_id
    return {"event": "recovered", "trial_id": trial_id, "plan_sha256": plan.plan_sha256, "recovery": recovery}


def opened(plan: Plan, *, unsafe: bool = False) -> Json:
    runner = {"format": "oakbench.event/1", "max_parallel": 1, "unsafe_filesystem": unsafe}
    return {"event": "opened", "trial_id": None, "plan_sha256": plan.plan_sha256, "runner": runner}


def closed(plan: Plan, reason: str = "budget", code: int = 12) -> Json:
    stop = {"reason": reason, "code": code, "detail": None}
    return {"event": "closed", "trial_id": None, "plan_sha256": plan.plan_sha256, "stop": stop}


def run(plan: Plan, place: int, terminal: str = "completed", **changes: Any) -> list[Json]:
    """A trial that was started and ended."""
    return [started(plan, place), finished(plan, place, terminal, **changes)]


def violations(ledger: Ledger, *events: Json) -> list[str]:
    """What the events break, in words, applied in their order."""
    found: list[str] = []
    for event in events:
        read = checked(evidence_type(), event)
        model, problems = read
        found += map(str, problems)
        if model is not None:
            found += [violation.text for violation in ledger.apply(model)]
    return found


def folded(plan: Plan, *events: Json) -> Ledger:
    """A ledger after legal events."""
    ledger = Ledger(plan)
    assert violations(ledger, *events) == []
    return ledger

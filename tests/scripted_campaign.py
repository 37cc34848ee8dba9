"""A scripted campaign for tests: a plan and a history of events with every kind of ending, from hashes alone.

Nothing was run to make it: each outcome follows from a hash of the trial's ID, as a mock agent's would.
"""

from __future__ import annotations

import hashlib
from typing import Any

from oakbench_core.campaign.plan import Plan, plan_hash
from oakbench_core.campaign.schedule import Place, ordered
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS

Json = dict[str, Any]
SEED = 20261130
TIMEOUT_S = 2
BUDGET_S = 45
LEVELS = ("plain", "guided")
REPETITIONS = (1, 2)
TASKS = {
    "bugfix": ("lost-commit", "null-check", "off-by-one", "rename-api"),
    "upkeep": ("bump-version", "split-module", "tidy-imports"),
}
CHECKS = {"bugfix": ("tests", "committed", "scope", "notes kept"), "upkeep": ("tests", "committed", "scope")}
FORGETS = {"git": 0.16, "git-tuned": 0.1, "hg": 0.3}  # how often the script leaves out its last step
CRASH_AFTER_S = 8.0  # the first runner is killed here, with what it has in flight
RESUME_AFTER_S = 1.2
SPECIAL = {
    "upkeep.tidy-imports.plain.scripted.r001.git-tuned": "timed_out",
    "bugfix.null-check.guided.scripted.r001.git-tuned": "agent_not_started",
    "upkeep.tidy-imports.plain.scripted.r002.git": "supervisor_lost",
    "bugfix.rename-api.guided.scripted.r001.hg": "unmeasured",
}


def share(text: str) -> float:
    """A number in [0, 1) that follows from the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def _task(workflow: str, task: str) -> Json:
    def check(name: str) -> Json:
        match name:
            case "scope":
                return {"name": name, "kind": "changes", "may_change": ["src/**", "tests/**"]}
            case "notes kept":
                return {"name": name, "kind": "file", "path": "NOTES.md"}
            case "committed":
                return {"name": name, "kind": "command", "run": "{subject.status}", "stdout": ""}
        return {"name": name, "kind": "command", "run": ["python3", "-m", "unittest"], "instruments": ["python3"]}

    words = task.replace("-", " ")
    return {
        "fixture_sha256": hashlib.sha256(f"{workflow}.{task}".encode()).hexdigest(),
        "prompts": {
            "plain": f"Do the {words} task of ISSUE.md and commit.",
            "guided": f"Do the {words} task of ISSUE.md. Run the tests first, keep NOTES.md, then commit.",
        },
        "oracle": {"version": 1, "checks": [check(name) for name in CHECKS[workflow]]},
    }


def plan_document() -> Json:
    blocks = {
        f"{workflow}.{task}.{level}.scripted.r{repetition:03}": (workflow, task, level, repetition)
        for repetition in REPETITIONS
        for workflow, tasks in TASKS.items()
        for task in tasks
        for level in LEVELS
    }
    places = [Place(block[3], name, subject) for name, block in blocks.items() for subject in FORGETS]
    document: Json = {
        "schema": "oakbench.plan/1",
        "campaign_id": "vcs-habits",
        "created_at": "2026-11-30T08:00:00Z",
        "seed": SEED,
        "participants": "agents",
        "admission_budget_s": BUDGET_S,
        "compares": [],
        "population": {"runner_class": "recorded demonstration"},
        "workflows": {
            workflow: {"version": 1, "tasks": {task: _task(workflow, task) for task in tasks}}
            for workflow, tasks in TASKS.items()
        },
        "agents": {"scripted": {"adapter": "mock", "mock": True}},
        "subjects": {
            "git": {"binary": "git", "version": "2.47.3"},
            "git-tuned": {"binary": "git", "version": "2.47.3", "parameters": {"config": "tuned"}},
            "hg": {
                "binary": "hg",
                "version": "6.9.4",
                "unsupported": {"upkeep.split-module": "the script has no way to split a module with hg"},
            },
        },
        "schedule": [
            {
                "trial_id": f"{place.block_id}.{place.subject}",
                "block_id": place.block_id,
                "workflow": blocks[place.block_id][0],
                "task": blocks[place.block_id][1],
                "instruction_level": blocks[place.block_id][2],
                "agent": "scripted",
                "model": None,
                "subject": place.subject,
                "repetition": place.repetition,
                "timeout_s": TIMEOUT_S,
                "retry_of": None,
            }
            for place in ordered(places, SEED)
        ],
        "provenance": {
            "tool": "oakbench demonstration recording",
            "definition_sha256": None,
            "source": "import",
            "parent": None,
        },
    }
    return document | {"plan_sha256": plan_hash(document)}


def _checks(plan: Plan, place: int, failing: str | None) -> list[Json]:
    return [
        {
            "name": name,
            "status": "fail" if name == failing else "pass",
            "detail": None if name != failing else ("exit 1, expected 0" if name == "tests" else "stdout is not empty"),
            "instrument": "python3" if name == "tests" else None,
        }
        for name in (check.name for check in plan.task(plan.schedule[place]).oracle.checks)
    ]


def _row(plan: Plan, place: int, **ending: Any) -> Json:
    trial = plan.schedule[place]
    subject = plan.subject(trial)
    return {
        "schema": "oakbench.row/1",
        "lane": "agent",
        "bench_id": plan.campaign_id,
        "run": trial.repetition,
        "workflow": trial.workflow,
        "task": trial.task,
        "instruction_level": trial.instruction_level,
        "agent": trial.agent,
        "model": None,
        "subject": trial.subject,
        "verified_success": ending.get("verified"),
        "timed_out": ending.get("timed_out", False),
        "exit_code": ending.get("exit_code"),
        "timeout_s": trial.timeout_s,
        "suspended_s": None,
        "oracle": {"version": 1, "checks": ending.get("checks", [])},
        "resources": dict.fromkeys(RESOURCE_UNITS) | ending.get("resources", {}),
        "accounting": dict.fromkeys(
            (
                "provider",
                "input_includes_cached",
                "output_includes_reasoning",
                "cost_source",
                "price_table",
                "token_weights",
            )
        ),
        "population": {
            "runner_class": "recorded demonstration",
            "os": "linux",
            "arch": "x86_64",
            "agent_version": None,
            "resolved_model": None,
            "subject_version": subject.version,
            "subject_binary_sha256": None,
            "fixture_version": plan.task(trial).fixture_sha256,
            "oracle_version": 1,
            "prompt_sha256": hashlib.sha256(plan.task(trial).prompts[trial.instruction_level].encode()).hexdigest(),
            "environment_isolation": None,
            "cache_state": None,
            "load_state": None,
            "token_calibration": None,
        },
        "skip": ending.get("skip"),
        "error": ending.get("error"),
        "artifacts": dict.fromkeys(("stdout", "stderr", "transcript", "changes", "oracle", "workspace")),
        "extra": {"scripted": True},
    }


def _finished(plan: Plan, place: int, terminal: str, **ending: Any) -> Json:
    trial_id = plan.schedule[place].trial_id
    return {"event": "finished", "trial_id": trial_id, "terminal": terminal, "row": _row(plan, place, **ending)}


def _ending(plan: Plan, place: int) -> tuple[float, Json]:
    """Seconds from the trial's start to its end, and the end."""
    trial = plan.schedule[place]
    duration = round(0.3 + 0.35 * share(f"{trial.trial_id} duration") + 0.12 * (trial.subject == "hg"), 3)
    used = {"duration_s": duration, "turns": 3 + int(4 * share(f"{trial.trial_id} turns"))}
    if share(f"{trial.trial_id} usage") > (0.4 if trial.subject == "hg" else 0.04):
        used["input_tokens"] = 700 + int(1600 * share(f"{trial.trial_id} input"))
        used["output_tokens"] = 180 + int(420 * share(f"{trial.trial_id} output"))
    match SPECIAL.get(trial.trial_id):
        case "timed_out":
            timed_out = {"duration_s": 2.041}
            return 2.041, _finished(plan, place, "timed_out", verified=False, timed_out=True, resources=timed_out)
        case "agent_not_started":
            error = {"type": "agent_not_started", "message": "permission denied: scripted-agent"}
            end = {"error": error, "resources": {"duration_s": 0}}
            return 0.1, _finished(plan, place, "infrastructure_failure", **end)
        case "supervisor_lost":
            error = {"type": "supervisor_lost", "message": "its process ended without a report"}
            return 0.6, _finished(plan, place, "infrastructure_failure", error=error)
        case "unmeasured":
            skip = {"phase": "after_start", "reason": "missing_instrument", "instrument": "python3", "detail": None}
            checks = [{"name": "tests", "status": "unmeasured", "detail": "not found", "instrument": "python3"}]
            return duration, _finished(plan, place, "skipped", skip=skip, checks=checks, resources=used)
    forgets = share(f"{trial.trial_id} forgets") < FORGETS[trial.subject]
    failing = None
    if forgets:
        failing = "committed" if share(f"{trial.trial_id} which") < 0.5 else "tests"
    checks = _checks(plan, place, failing)
    return duration, _finished(
        plan, place, "completed", verified=not forgets, exit_code=0, checks=checks, resources=used
    )


def _skip(plan: Plan, place: int) -> Json | None:
    trial = plan.schedule[place]
    reason = plan.subject(trial).unsupported.get(f"{trial.workflow}.{trial.task}")
    if reason is None:
        return None
    skip = {"phase": "before_start", "reason": "unsupported", "instrument": None, "detail": reason}
    return _finished(plan, place, "skipped", skip=skip)


def recording(plan: Plan) -> list[Json]:
    """The events of two runners, two trials at a time, with the moment of each in seconds from the first.

    The first runner is killed with its trials in flight; the second goes on until the budget admits no further trial.
    """
    lines: list[Json] = [{"at_s": 0.0, "runner": "opens"}]
    ends: list[tuple[float, Json, float]] = []  # (moment, event, charge)
    now, charged, crashed, place = 0.0, 0.0, False, 0
    while True:
        if not crashed and now >= CRASH_AFTER_S:
            lines.append({"at_s": round(now, 3), "runner": "is killed"})
            charged += TIMEOUT_S * len(ends)
            ends, crashed, now = [], True, now + RESUME_AFTER_S
            lines.append({"at_s": round(now, 3), "runner": "opens"})
        in_flight = TIMEOUT_S * len(ends)
        fits = place < len(plan.schedule) and charged + in_flight + TIMEOUT_S <= BUDGET_S
        skip = _skip(plan, place) if place < len(plan.schedule) else None
        if skip is not None:
            lines.append({"at_s": round(now, 3), "event": skip})
            place += 1
        elif fits and len(ends) < 2:
            trial_id = plan.schedule[place].trial_id
            lines.append({"at_s": round(now, 3), "event": {"event": "started", "trial_id": trial_id}})
            duration, end = _ending(plan, place)
            observed = end["row"]["resources"]["duration_s"]
            ends.append((now + duration, end, TIMEOUT_S if observed is None else observed))
            place, now = place + 1, now + 0.02
        elif ends:
            now, end, charge = ends.pop(min(range(len(ends)), key=lambda number: ends[number][0]))
            charged += charge
            lines.append({"at_s": round(now, 3), "event": end})
        else:
            reason, code = ("budget", 12) if place < len(plan.schedule) else ("exhausted", 0)
            lines.append({"at_s": round(now, 3), "runner": "closes", "reason": reason, "code": code})
            return lines

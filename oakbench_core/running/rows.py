"""The row of a trial, from what was seen of it: every key, in the format's order; what was not seen is null."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter

from oakbench_core.campaign.overriding import effective_agent
from oakbench_core.campaign.placeholders import expand
from oakbench_core.campaign.pricing import price_table, priced
from oakbench_core.campaign.row import Accounting, Artifacts, Row
from oakbench_core.campaign.row_rules import weighted_tokens
from oakbench_core.campaign.vocabulary import (
    RESOURCE_UNITS,
    TOKEN_FIELDS,
    CheckStatus,
    CostSource,
    ErrorType,
    SkipPhase,
    SkipReason,
    Terminal,
)
from oakbench_core.canonical import sha256_hex
from oakbench_core.running.agents.usage import NOTHING, Usage

if TYPE_CHECKING:
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import Agent, Prices, ScheduledTrial
    from oakbench_core.running.oracle import Judged

LONGEST_DETAIL: Final = 500
LONGEST_MESSAGE: Final = 4000
UNTIMED: Final = frozenset({ErrorType.SUPERVISOR_LOST, ErrorType.WORKER_LOST, ErrorType.RUNNER_ERROR})
"""Errors of ours: how long the agent ran is then not known, and its whole timeout is charged."""


class HostFacts(NamedTuple):
    """What a row says of the machine; `runner_class` where the plan names none."""

    os: str
    arch: str
    runner_class: str | None = None


class Ending(NamedTuple):
    """How a trial ended: the envelope's word and what the row says of it."""

    terminal: Terminal
    verified: bool | None = None
    error: tuple[ErrorType, str] | None = None
    skip: tuple[SkipPhase, SkipReason, str | None, str | None] | None = None


@dataclass(slots=True)
class Seen:
    """What has been seen of a trial so far, so that a row can be made of it wherever it ends."""

    exit_code: int | None = None
    duration_s: float | None = None
    suspended_s: float | None = None
    usage: Usage = NOTHING
    checks: list[Judged] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def agent_of(plan: Plan, trial: ScheduledTrial) -> Agent:
    """The agent as this trial starts it, with its subject's changes."""
    return effective_agent(plan.document.agents[trial.agent], plan.subject(trial).agent)


def prompt_of(plan: Plan, trial: ScheduledTrial) -> str:
    """The prompt with the subject's parameters filled in."""
    parameters = plan.subject(trial).parameters
    template = plan.task(trial).prompts[trial.instruction_level]
    return expand(template, {f"subject.{name}": value for name, value in parameters.items()})


def row_of(plan: Plan, trial: ScheduledTrial, host: HostFacts, seen: Seen, ending: Ending) -> dict[str, Any]:
    """The row as plain JSON data; text that is no Unicode has replacement characters."""
    agent = agent_of(plan, trial)
    resources: dict[str, Any] = dict.fromkeys(RESOURCE_UNITS) | dict(seen.usage.resources)
    untimed = seen.suspended_s is not None or (ending.error is not None and ending.error[0] in UNTIMED)
    resources["duration_s"] = None if untimed else seen.duration_s
    accounting: dict[str, Any] = dict.fromkeys(Accounting.model_fields) | dict(seen.usage.accounting)
    extra = dict(seen.extra)
    if agent.prices is not None:
        _price(resources, accounting, extra, agent.prices)
    if agent.token_weights is not None:
        accounting["token_weights"] = {name: float(weight) for name, weight in agent.token_weights.items()}
    row: dict[str, Any] = {
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
        "verified_success": ending.verified,
        "timed_out": ending.terminal == Terminal.TIMED_OUT,
        "exit_code": seen.exit_code,
        "timeout_s": trial.timeout_s,
        "suspended_s": seen.suspended_s,
        "oracle": {"version": plan.task(trial).oracle.version, "checks": [_check(judged) for judged in seen.checks]},
        "resources": resources,
        "accounting": accounting,
        "population": _population(plan, trial, host, seen.usage),
        "skip": _skip(ending),
        "error": _error(ending),
        "artifacts": dict.fromkeys(Artifacts.model_fields) | seen.artifacts,
        "extra": extra,
    }
    if accounting["token_weights"] is not None:
        resources["cost_weighted_tokens"] = weighted_tokens(TypeAdapter(Row).validate_python(_without_weighted(row)))
    return row


def _price(resources: dict[str, Any], accounting: dict[str, Any], extra: dict[str, Any], prices: Prices) -> None:
    """A cost by the plan's prices takes the place of what the agent says it cost, so that sources are not mixed."""
    if resources["cost_usd"] is not None:
        extra["cost_by_agent"] = {"cost_usd": resources["cost_usd"], "cost_source": accounting["cost_source"]}
    usd, missing = priced(resources, accounting, prices)
    if missing is not None and any(resources[name] is not None for name in TOKEN_FIELDS):
        extra["not_priced"] = missing
    resources["cost_usd"] = usd
    accounting["cost_source"] = None if usd is None else CostSource.PRICE_TABLE.value
    accounting["price_table"] = None if usd is None else price_table(prices)


def skipped_row(plan: Plan, trial: ScheduledTrial, host: HostFacts, skip: Ending) -> dict[str, Any]:
    """The row of a trial that is skipped before its start: nothing of it was seen."""
    return row_of(plan, trial, host, Seen(), skip)


def skipped_before_start(reason: SkipReason, instrument: str | None, detail: str | None) -> Ending:
    return Ending(Terminal.SKIPPED, skip=(SkipPhase.BEFORE_START, reason, instrument, detail))


def ending_of(checks: list[Judged]) -> Ending:
    """What the oracle's results say of a trial whose agent ended by itself."""
    for judged in checks:
        if judged.status == CheckStatus.UNMEASURED:
            skip = (SkipPhase.AFTER_START, SkipReason.MISSING_INSTRUMENT, judged.instrument, judged.detail)
            return Ending(Terminal.SKIPPED, skip=skip)
    return Ending(Terminal.COMPLETED, verified=all(judged.status == CheckStatus.PASS for judged in checks))


def plain(text: str | None, longest: int = LONGEST_DETAIL) -> str | None:
    """Text that a journal can hold, cut to `longest` characters, which is said."""
    if text is None:
        return None
    text = text.encode(errors="surrogateescape").decode(errors="replace") if not text.isascii() else text
    return text if len(text) <= longest else f"{text[:longest]}… [cut]"


def _check(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.name,
        "status": judged.status.value,
        "detail": plain(judged.detail),
        "instrument": plain(judged.instrument),
    }


def _population(plan: Plan, trial: ScheduledTrial, host: HostFacts, usage: Usage) -> dict[str, Any]:
    planned, subject, task = plan.document.population, plan.subject(trial), plan.task(trial)
    return {
        "runner_class": planned.runner_class or host.runner_class,
        "os": host.os,
        "arch": host.arch,
        "agent_version": _agent_version(usage.agent_version, agent_of(plan, trial).version),
        "resolved_model": usage.resolved_model,
        "subject_version": subject.version,
        "subject_binary_sha256": subject.binary_sha256,
        "fixture_version": task.fixture_sha256,
        "oracle_version": task.oracle.version,
        "prompt_sha256": sha256_hex(prompt_of(plan, trial)),
        "environment_isolation": planned.environment_isolation,
        "cache_state": planned.cache_state,
        "load_state": planned.load_state,
        "token_calibration": None,
    }


def _agent_version(said: str | None, frozen: str | None) -> str | None:
    """What an agent says in its stream may be a part of what it says when asked: `2.0.75 (Claude Code)`."""
    if said is None or (frozen is not None and said in frozen.split()):
        return frozen
    return said


def _skip(ending: Ending) -> dict[str, Any] | None:
    if ending.skip is None:
        return None
    phase, reason, instrument, detail = ending.skip
    return {"phase": phase.value, "reason": reason.value, "instrument": plain(instrument), "detail": plain(detail)}


def _error(ending: Ending) -> dict[str, Any] | None:
    if ending.error is None:
        return None
    kind, message = ending.error
    return {"type": kind.value, "message": plain(message, LONGEST_MESSAGE)}


def _without_weighted(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"resources": row["resources"] | {"cost_weighted_tokens": None}}

"""What a report says of the plan, as strict models: the field `describes` of its notice `diagnostic_only`."""

from __future__ import annotations

from typing import Literal

from oakbench_core.campaign.report_parts import Count, Hash, Part, PopulationValue


class Conditions(Part):
    """Conditions of the host as the plan says them; null where nobody said."""

    runner_class: str | None
    environment_isolation: str | None
    cache_state: str | None
    load_state: str | None


class Recorded(Part):
    """Every value that the rows with a verdict recorded, null first; empty without such a row."""

    runner_class: list[PopulationValue]
    os: list[PopulationValue]
    arch: list[PopulationValue]
    agent_version: list[PopulationValue]
    resolved_model: list[PopulationValue]


class RecordedAccounting(Part):
    """Every value that the accounting of these rows has, null first."""

    provider: list[str | None]
    input_includes_cached: list[bool | None]
    output_includes_reasoning: list[bool | None]
    cost_source: list[Literal["provider", "client_estimate", "price_table"] | None]
    price_table: list[str | None]


class CheckSetting(Part):
    name: str
    kind: Literal["command", "file", "changes"]


class OracleSetting(Part):
    version: Count
    files_sha256: Hash | None
    checks: list[CheckSetting]


class TaskSetting(Part):
    """`prompts`: instruction level → SHA-256 of the prompt as frozen, before a subject's parameters are filled in."""

    task: str
    fixture_sha256: Hash | None
    prompts: dict[str, Hash]
    oracle: OracleSetting


class WorkflowSetting(Part):
    workflow: str
    version: Count
    inputs_sha256: Hash | None
    tasks: list[TaskSetting]


class AgentSetting(Part):
    """`env` and `set_env` are names of variables; no value of one stands in a report."""

    agent: str
    adapter: str
    argv: list[str]
    model: str | None
    version: str | None
    binary_sha256: Hash | None
    home: Literal["fresh", "inherit"]
    env: list[str]
    set_env: list[str]
    mock: bool


class AgentChange(Part):
    """What a subject changes of its agent; null: as the agent has it."""

    adapter: str | None
    argv: list[str] | None
    model: str | None


class SubjectSetting(Part):
    subject: str
    binary: str | None
    version: str | None
    binary_sha256: Hash | None
    agent: AgentChange | None


class Setting(Part):
    """What was planned: only what the schedule uses, each list sorted by name."""

    created_at: str
    seed: int
    tool: str | None
    definition_sha256: Hash | None
    conditions: Conditions
    recorded: Recorded
    accounting: RecordedAccounting
    blocks: Count
    repetitions: Count
    timeouts_s: list[Count]
    workflows: list[WorkflowSetting]
    agents: list[AgentSetting]
    subjects: list[SubjectSetting]

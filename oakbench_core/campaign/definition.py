"""The definition, campaign.toml, as a mapping: its tables and their keys.

Rule: what this version does not do has no key here. How the tables fit together is tested in `definition_rules`, what
their templates may name in `definition_placeholders`; `definition_reading` asks all three at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from oakbench_core.campaign.definition_values import Argv, Command, Fixture, LoginPath, Parameter, Program, Prompt
from oakbench_core.campaign.plan_document import TokenWeights
from oakbench_core.campaign.vocabulary import Treatment
from oakbench_core.shapes import (
    Count,
    DecimalText,
    Document,
    EnvironmentName,
    Integer,
    Items,
    JoinedNames,
    Name,
    Positive,
    RelativePath,
    Sha256,
    Text,
    Word,
)

Names = Annotated[Items[Name], Field(min_length=1)]
RealAdapter = Literal["command", "claude-code", "codex"]
EnvironmentValues = dict[EnvironmentName, str]


class Inherited(Document):
    """What stands in the campaign, a workflow or a task: the innermost wins."""

    repetitions: Positive | None = None
    timeout_s: Positive | None = None
    agents: Names | None = None
    subjects: Names | None = None
    instruction_levels: Names | None = None


class CampaignTable(Inherited):
    id: Name | None = None
    seed: Integer = 0
    admission_budget_s: Count | None = None
    participants: Literal["agents"] = "agents"
    compares: Items[Word[Treatment]] = ()
    runner_class: Text | None = None
    environment_isolation: Text | None = None
    cache_state: Text | None = None
    load_state: Text | None = None


class RunTable(Document):
    """How a run goes about it: no part of the plan, read from the campaign folder, overridden by options.

    `max_parallel`: trials at a time. `halt_after`: infrastructure failures of one agent in a row, 0 is never.
    `hold_s`: after a provider's limit start nothing for so long, or until its own end where the stream says it; 0: go
    on at once. `min_free_gib`: free disk below which nothing is admitted. `output_cap_mib`: of each stream of a trial.
    `grace_s`: between TERM and KILL.
    """

    max_parallel: Positive = 1
    halt_after: Count = 3
    min_free_gib: Count = 5
    output_cap_mib: Positive = 64
    grace_s: Count = 10
    keep_workspaces: Literal["none", "failed", "all"] = "failed"
    hold_s: Count = 0


class PricesTable(Document):
    """USD per million tokens, as decimal text; without both of input and output no cost can be had."""

    input: DecimalText
    cached_input: DecimalText | None = None
    cache_write: DecimalText | None = None
    output: DecimalText
    as_of: Text | None = None


class AgentTable(Document):
    adapter: RealAdapter | Literal["mock"]
    argv: Argv
    model: Text | None = None
    version: Command | None = None
    env: Items[EnvironmentName] = ()
    set_env: EnvironmentValues = Field(default_factory=dict)
    home: Literal["fresh", "inherit"] = "fresh"
    login: Items[LoginPath] = ()
    cleanup: Items[Command] = ()
    mock: bool = False
    may_be_missing: bool = False
    prices: PricesTable | None = None
    token_weights: TokenWeights | None = None


class AgentOverrideTable(Document):
    """What a subject changes of its agent: each key given replaces the agent's."""

    adapter: RealAdapter | None = None
    model: Text | None = None
    argv: Argv | None = None
    env: Items[EnvironmentName] | None = None
    set_env: EnvironmentValues | None = None
    prices: PricesTable | None = None
    token_weights: TokenWeights | None = None


class SubjectTable(Document):
    binary: Program | None = None
    version: Command | None = None
    parameters: dict[Name, Parameter] = Field(default_factory=dict)
    setup: Items[Command] = ()
    instruments: Items[Text] = ()
    may_be_missing: bool = False
    unsupported: dict[JoinedNames, str] = Field(default_factory=dict)
    agent: AgentOverrideTable | None = None


class CommandCheckTable(Document):
    name: Text
    run: Command
    exit: Integer = 0
    stdout: str | None = None
    stdout_regex: str | None = None
    instruments: Items[Text] = ()
    timeout_s: Positive = 300


class FileCheckTable(Document):
    name: Text
    path: RelativePath
    present: bool = True
    contains: str | None = None
    sha256: Sha256 | None = None


class ChangesCheckTable(Document):
    name: Text
    may_change: Items[Text] | None = None
    must_change: Items[Text] | None = None


def _check_kind(value: object) -> str | None:
    """The tag of a check, by what it says, or None. No key is spelled as a tag: both stand in a problem's path."""
    if isinstance(value, CommandCheckTable) or (isinstance(value, Mapping) and "run" in value):
        return "(command)"
    if isinstance(value, FileCheckTable) or (isinstance(value, Mapping) and "path" in value):
        return "(file)"
    globs = {"may_change", "must_change"}
    if isinstance(value, ChangesCheckTable) or (isinstance(value, Mapping) and globs & value.keys()):
        return "(changes)"
    return None


CheckTable = Annotated[
    Annotated[CommandCheckTable, Tag("(command)")]
    | Annotated[FileCheckTable, Tag("(file)")]
    | Annotated[ChangesCheckTable, Tag("(changes)")],
    Discriminator(
        _check_kind,
        custom_error_type="check_kind",
        custom_error_message="a check with `run`, with `path`, or with `may_change` or `must_change`",
    ),
]


class OracleTable(Document):
    version: Count
    files: Text | None = None
    checks: Annotated[Items[CheckTable], Field(min_length=1)]


class TaskTable(Inherited):
    """`solution` is how the task can be solved: it is a note for whoever tests the oracle, no part of the plan."""

    fixture: Fixture | None = None
    setup: Items[Command] = ()
    setup_timeout_s: Positive = 600
    cleanup: Items[Command] = ()
    instruments: Items[Text] = ()
    prompts: Annotated[dict[Name, Prompt], Field(min_length=1)]
    solution: Command | None = None
    oracle: OracleTable


class WorkflowTable(Inherited):
    version: Count
    inputs: Items[RelativePath] = ()
    tasks: Annotated[dict[Name, TaskTable], Field(min_length=1)]


class OneTaskWorkflow(TaskTable):
    """A workflow without tasks is its own one task."""

    version: Count
    inputs: Items[RelativePath] = ()


def _workflow_kind(value: object) -> str:
    has_tasks = isinstance(value, WorkflowTable) or (isinstance(value, Mapping) and "tasks" in value)
    return "(tasks)" if has_tasks else "(one task)"


Workflow = Annotated[
    Annotated[WorkflowTable, Tag("(tasks)")] | Annotated[OneTaskWorkflow, Tag("(one task)")],
    Discriminator(_workflow_kind),
]


class Definition(Document):
    """The whole of campaign.toml."""

    campaign: CampaignTable
    run: RunTable = RunTable()
    workflows: Annotated[dict[Name, Workflow], Field(min_length=1)]
    agents: Annotated[dict[Name, AgentTable], Field(min_length=1)]
    subjects: Annotated[dict[Name, SubjectTable], Field(min_length=1)]


def tasks_of(name: str, workflow: WorkflowTable | OneTaskWorkflow) -> Mapping[str, TaskTable]:
    """The tasks of the workflow called `name`, by their names."""
    return workflow.tasks if isinstance(workflow, WorkflowTable) else {name: workflow}

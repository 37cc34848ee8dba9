"""`freeze [FILE]`: a definition becomes a campaign folder; what it will take is said before anything runs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.display import display_safe
from oakbench_tui.cli.definition_path import expect_definition
from oakbench_tui.cli.folder import campaign_folder
from oakbench_tui.cli.output import put_line
from oakbench_tui.view.figures import counted

if TYPE_CHECKING:
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.running.freezing import Frozen


def freezing(frozen: Frozen) -> dict[str, Any]:
    """What `--json` prints: `oakbench.freeze/1`.

    `worst_case_s`: every trial taking its whole timeout, `max_parallel` at a time, without setup and checks.
    `covered_at_worst`: how many trials the budget then admits; null without a budget. `over_budget`: how many trials
    have a timeout that is longer than the whole budget, so that they can never be admitted. `parent`: of a plan that
    follows an earlier campaign, as it stands in the plan. `drifts`: programs that are others than the parent's.
    """
    from oakbench_core.campaign.admission import admissible_at_worst
    from oakbench_core.campaign.ledger import Ledger

    plan = frozen.plan
    return {
        "schema": "oakbench.freeze/1",
        "folder": str(frozen.folder),
        "campaign_id": plan.campaign_id,
        "plan_sha256": plan.plan_sha256,
        "trials": len(plan.schedule),
        "blocks": len({trial.block_id for trial in plan.schedule}),
        "mock": plan.is_mock,
        "max_parallel": frozen.run.max_parallel,
        "worst_case_s": -(-sum(trial.timeout_s for trial in plan.schedule) // frozen.run.max_parallel),
        "admission_budget_s": plan.admission_budget_s,
        "covered_at_worst": admissible_at_worst(Ledger(plan)),
        "over_budget": len(_over_budget(plan)),
        "absent": [{"path": absence.path, "program": absence.program} for absence in frozen.absent],
        "missing_instruments": dict(frozen.missing_instruments),
        "parent": _parent(plan),
        "drifts": [] if frozen.extension is None else [drift._asdict() for drift in frozen.extension.drifts],
    }


def _parent(plan: Plan) -> dict[str, Any] | None:
    parent = plan.document.provenance.parent
    return None if parent is None else parent.model_dump(mode="json")


def freezing_lines(frozen: Frozen) -> list[str]:
    """The same for people."""
    facts, plan = freezing(frozen), frozen.plan
    tasks = {(trial.workflow, trial.task) for trial in plan.schedule}
    agents = {trial.agent for trial in plan.schedule}
    subjects = {trial.subject for trial in plan.schedule}
    lines = [
        f"frozen     {plan.campaign_id}, in {frozen.folder}",
        f"plan       {plan.plan_sha256}",
        f"trials     {facts['trials']:,} in {counted(facts['blocks'], 'block')}: "
        + ", ".join(
            [
                counted(len({workflow for workflow, _ in tasks}), "workflow"),
                counted(len(tasks), "task"),
                counted(len(agents), "agent"),
                counted(len(subjects), "subject"),
            ]
        ),
        f"at worst   {facts['worst_case_s'] / 3600:,.2f} hours of agents, {_at_a_time(facts)}; setup and checks on top",
        f"budget     {_budget(facts)}",
    ]
    if facts["over_budget"]:
        lines.append(f"warning    {_never(plan)}")
    lines += [f"absent     {absence.program} ({absence.path})" for absence in frozen.absent]
    lines += [
        f"absent     {name}, an instrument: {counted(trials, 'trial')} would be skipped on this machine"
        for name, trials in frozen.missing_instruments.items()
    ]
    lines += _following(frozen)
    if facts["mock"]:
        lines.append("mock       scripted agents: the campaign proves instrumentation only")
    return [display_safe(line) for line in lines]


def _following(frozen: Frozen) -> list[str]:
    if frozen.extension is None:
        return []
    parent = frozen.extension.parent
    scheduled = len(parent.plan.schedule)
    lines = [
        f"extends    {parent.plan.campaign_id}, in {parent.folder}, beyond its {counted(scheduled, 'trial')}",
        "           nothing is pooled over the two, and the reports say so",
    ]
    lines += [
        f"changed    {drift.path}: {drift.parent or 'unmeasured'} there, {drift.found or 'unmeasured'} here"
        for drift in frozen.extension.drifts
    ]
    return lines


def _over_budget(plan: Plan) -> list[int]:
    """The places in the schedule whose timeout is longer than the whole budget."""
    budget_s = plan.admission_budget_s
    if budget_s is None:
        return []
    return [place for place, trial in enumerate(plan.schedule) if trial.timeout_s > budget_s]


def _never(plan: Plan) -> str:
    """What a budget that is smaller than a timeout means: a run stops at the first such trial, whatever comes after."""
    over = _over_budget(plan)
    if len(over) == len(plan.schedule):
        least_s = min(trial.timeout_s for trial in plan.schedule)
        return f"no trial can ever be admitted: each timeout, of {least_s:,} s or more, is above the whole budget"
    timeout_s = plan.schedule[over[0]].timeout_s
    return (
        f"a run stops at trial {over[0] + 1:,} of {len(plan.schedule):,} at the latest, unless that is skipped: "
        f"its timeout of {timeout_s:,} s is above the whole budget"
    )


def _at_a_time(facts: dict[str, Any]) -> str:
    return f"{counted(facts['max_parallel'], 'trial')} at a time"


def _budget(facts: dict[str, Any]) -> str:
    if facts["admission_budget_s"] is None:
        return "none: every trial is admitted"
    budget = f"{facts['admission_budget_s']:,} s of agents"
    if facts["covered_at_worst"] == facts["trials"]:
        return f"{budget}: covers every trial, even if each takes its whole timeout"
    return (
        f"{budget}: covers {facts['covered_at_worst']:,} of {facts['trials']:,} trials if each takes its whole timeout"
    )


def _next_step(plan: Plan, folder: Path) -> str:
    if len(_over_budget(plan)) == len(plan.schedule):
        return "raise admission_budget_s in the definition, or lower timeout_s, and freeze it into another folder (-o)"
    return f"oakbench-tui run {shlex.quote(str(folder))}"


def freeze(
    definition: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The definition, or the folder of its campaign.toml.", readable=False),
    ] = Path("campaign.toml"),
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="The new campaign folder. Default: runs/ID.", readable=False
        ),
    ] = None,
    campaign_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The campaign's name, instead of the definition's.")
    ] = None,
    parent: Annotated[
        Path | None,
        typer.Option("--parent", metavar="DIR", help="Schedule only what this earlier campaign lacks."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.freeze/1.")] = False,
) -> None:
    """Make a campaign folder from a definition. Nothing runs yet.

    \b
    Examples:
      oakbench-tui freeze
      oakbench-tui freeze studies/vcs/campaign.toml -o runs/vcs-2026
      oakbench-tui freeze --id vcs-2026-b --json | jq .trials
      oakbench-tui freeze --parent runs/vcs-2026 -o runs/vcs-2026-more

    The folder holds a copy of the definition, the plan, and every fixture and oracle file, each by its hash. The same
    definition gives the same schedule; SOURCE_DATE_EPOCH sets the time that the plan carries.

    With --parent the new campaign holds the subjects, tasks, instruction levels and repetitions that the earlier one
    lacks. What both name must be the same in both. Results of the two are never pooled, and the reports say so.

    Exit codes: 0 frozen; 1 the parent has everything; 2 no such file, or the folder exists; 40 refused, with every
    problem and its line; 42 the system refuses to read or to write; of the parent also 20, 21, 30, 31, 32 as `verify`.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.running.freezing import freeze as freeze_definition

    expect_definition(definition)
    earlier = None if parent is None else campaign_folder(parent)
    frozen = freeze_definition(definition, output, campaign_id=campaign_id, parent=earlier)
    if as_json:
        put_line(json.dumps(freezing(frozen), ensure_ascii=True))
        return
    for line in freezing_lines(frozen):
        put_line(line)
    put_line()
    put_line(display_safe(f"next: {_next_step(frozen.plan, frozen.folder)}"))

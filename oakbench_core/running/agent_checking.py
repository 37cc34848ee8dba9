"""`check --agents`: each agent is started once, on the first task that it has, as a trial would start it.

So logins and permission dialogues show before a night is spent. It is a real attempt, and costs what one costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.check_findings import Finding, FindingCode
from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.running.attempt import attempt
from oakbench_core.running.checking import Case, skip_reason

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from oakbench_core.running.bench import Bench

FIRST_LINES: Final = 12
_LONGEST: Final = 2000


class Started(NamedTuple):
    """What became of an agent.

    `result`: `verified success`, `task failure`, `timed out`, `infrastructure failure` or `skipped`. `resources`: what
    was observed, by name. `stdout`, `stderr`: their first lines, secrets replaced.
    """

    case: Case
    instruction_level: str
    result: str
    exit_code: int | None
    resources: Mapping[str, float]
    stdout: str
    stderr: str
    findings: tuple[Finding, ...]


def first_trials(bench: Bench) -> list[tuple[Case, int]]:
    """For each agent, and each subject that brings its own, the place of its first trial: of the first task."""
    plan = bench.plan
    tasks = [(name, task) for name, workflow in plan.document.workflows.items() for task in workflow.tasks]
    order = {task: number for number, task in enumerate(tasks)}
    first: dict[tuple[str, str | None], tuple[tuple[int, int], Case, int]] = {}
    for place, trial in enumerate(plan.schedule):
        own = trial.subject if plan.subject(trial).agent is not None else None
        rank = (order[trial.workflow, trial.task], place)
        known = first.get((trial.agent, own))
        if known is None or rank < known[0]:
            case = Case(trial.workflow, trial.task, trial.subject, trial.agent)
            first[trial.agent, own] = rank, case, place
    return [(case, place) for _, case, place in first.values()]


def started(bench: Bench, case: Case, place: int) -> Started:
    """Start the agent on that trial, in a throw-away workspace, and see what comes of it.

    Raises:
        AttemptInterruptedError: the check was told to end.
    """
    trial = bench.plan.schedule[place]
    findings: list[Finding] = []

    def find(code: FindingCode, detail: str) -> None:
        findings.append(Finding(code, bench.named(detail), "", *case))

    if skipped := skip_reason(bench, trial, find):
        return Started(case, trial.instruction_level, f"skipped: {skipped}", None, {}, "", "", tuple(findings))
    terminal, row = attempt(bench.request(place), bench.server, end_now=bench.end_now)
    out, err = (_first_lines(bench.folder, row["artifacts"][stream]) for stream in ("stdout", "stderr"))
    match terminal:
        case Terminal.INFRASTRUCTURE_FAILURE:
            find(FindingCode.AGENT_INFRASTRUCTURE, f"{row['error']['type']}: {row['error']['message']}")
        case Terminal.TIMED_OUT:
            find(FindingCode.AGENT_TIMED_OUT, f"{trial.timeout_s:,} s")
        case Terminal.COMPLETED if row["exit_code"] != 0:
            find(FindingCode.AGENT_EXIT, f"exit {row['exit_code']}")
        case Terminal.SKIPPED:
            find(FindingCode.CHECK_UNMEASURED, row["skip"]["detail"])
        case _:
            pass
    resources = {name: value for name, value in row["resources"].items() if value is not None}
    return Started(
        case, trial.instruction_level, _result(terminal, row), row["exit_code"], resources, out, err, tuple(findings)
    )


def _result(terminal: Terminal, row: Mapping[str, Any]) -> str:
    if terminal is Terminal.COMPLETED:
        return "verified success" if row["verified_success"] else "task failure"
    return terminal.value.replace("_", " ")


def _first_lines(folder: Path, artifact: str | None) -> str:
    """The first lines of a stream; the secrets in the file are replaced already."""
    if artifact is None or not (folder / artifact).is_file():
        return ""
    with (folder / artifact).open("rb") as file:
        lines = file.read(_LONGEST).decode(errors="replace").splitlines()
    return "\n".join(lines[:FIRST_LINES])

"""`check [FILE|DIR]`: whether every task can be set up and judged, before a campaign is frozen or paid for."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.display import display_safe
from oakbench_core.errors import ExitCode
from oakbench_tui.cli import check_lines
from oakbench_tui.cli.definition_path import expect_definition
from oakbench_tui.cli.output import put_line, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from threading import Event

    from oakbench_core.campaign.check_findings import Finding
    from oakbench_core.running.agent_checking import Started
    from oakbench_core.running.bench import Bench
    from oakbench_core.running.checking import Tried
    from oakbench_core.running.preview import Preview


class Checked:
    """What a check has found so far; each part is told as it comes."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.objections: tuple[Finding, ...] = ()
        self.cases: list[Tried] = []
        self.agents: list[Started] | None = None
        self.previews: list[Preview] = []

    @property
    def findings(self) -> list[Finding]:
        parts = [part.findings for part in (*self.cases, *(self.agents or ()))]
        return [*self.objections, *(finding for part in parts for finding in part)]

    def check(self, bench: Bench, *, with_agents: bool) -> None:
        """Try everything.

        Raises:
            AttemptInterruptedError: it was told to end.
        """
        from oakbench_core.running.checking import cases, tried
        from oakbench_core.running.preview import previews

        self._tell_all(check_lines.opening_lines(bench))
        self.objections = bench.objections()
        self.previews = list(previews(bench.plan, bench.environment))
        for case, place in cases(bench):
            self.cases.append(tried(bench, case, place))
            self._tell(check_lines.case_line(self.cases[-1]))
        if with_agents:
            self.agents = []
            self._start_agents(bench, self.agents)

    def _start_agents(self, bench: Bench, agents: list[Started]) -> None:
        from oakbench_core.running.agent_checking import first_trials, started

        if self.objections:
            say("no agent is started: a run would refuse to begin")
            return
        for case, place in first_trials(bench):
            say(check_lines.starting_line(case, bench.plan.schedule[place].timeout_s))
            agents.append(started(bench, case, place))
            self._tell_all(check_lines.agent_lines(agents[-1]))

    def _tell_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._tell(line)


def checking(checked: Checked, campaign_id: str) -> dict[str, Any]:
    """What `--json` prints: `oakbench.check/1`.

    `cases`: each task with each subject; `agents`: null without --agents; `trials`: what each kind of trial would be
    started with, values of the environment left out; `findings`: all of them, in the order in which they were found.
    """
    return {
        "schema": "oakbench.check/1",
        "campaign_id": campaign_id,
        "findings": [_finding(finding) for finding in checked.findings],
        "cases": [_case(tried) for tried in checked.cases],
        "agents": None if checked.agents is None else [_started(started) for started in checked.agents],
        "trials": [preview._asdict() for preview in checked.previews],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return finding._asdict() | {"sentence": finding.sentence, "next": finding.next_step}


def _case(tried: Tried) -> dict[str, Any]:
    return tried.case._asdict() | {
        "untouched": None if tried.untouched is None else [verdict._asdict() for verdict in tried.untouched],
        "solved": None if tried.solved is None else [verdict._asdict() for verdict in tried.solved],
        "has_solution": tried.has_solution,
        "skipped": tried.skipped,
        "findings": len(tried.findings),
    }


def _started(started: Started) -> dict[str, Any]:
    return started.case._asdict() | {
        "instruction_level": started.instruction_level,
        "result": started.result,
        "exit_code": started.exit_code,
        "resources": dict(started.resources),
        "stdout": started.stdout,
        "stderr": started.stderr,
        "findings": len(started.findings),
    }


def _checked(path: Path, end_now: Event, tell: Callable[[str], None], *, with_agents: bool) -> tuple[Checked, str]:
    from oakbench_core.running.bench import bench

    with bench(path, os.environ, end_now) as opened:
        checked = Checked(tell)
        checked.check(opened, with_agents=with_agents)
        return checked, opened.plan.campaign_id


def check(
    path: Annotated[
        Path, typer.Argument(metavar="FILE|DIR", help="A definition, its folder, or a campaign folder.")
    ] = Path("campaign.toml"),
    *,
    agents: Annotated[
        bool, typer.Option("--agents", help="Also start each agent once, on the first task. This costs money.")
    ] = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Show each trial's exact prompt, argv and environment names.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.check/1.")] = False,
) -> None:
    """Try every task without an agent: nothing is recorded, nothing is left.

    For each task and subject, in a throw-away workspace: setup works; the oracle does not pass on the untouched
    fixture; it passes after the task's `solution`, where there is one. ctrl+c ends it at once.

    \b
    Examples:
      oakbench-tui check
      oakbench-tui check studies/vcs/campaign.toml --prompts
      oakbench-tui check runs/vcs-2026 --agents
      oakbench-tui check --json | jq -r '.findings[].sentence'

    --agents is a real attempt of each agent, with its whole timeout: so logins and permission dialogues show before
    a campaign does. What it prints first is shown; values of its `env` are replaced.

    Exit codes: 0 nothing found; 1 something found; 2 no such file; 40 the definition is refused; 42 refused here;
    128+N ended by a signal.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.running.commands import AttemptInterruptedError
    from oakbench_core.running.stopping import StopSwitch

    if not (path / "plan.json").is_file():
        expect_definition(path)
    switch = StopSwitch()
    tell: Callable[[str], None] = (lambda _: None) if as_json else put_line
    with switch.on_signals():
        try:
            checked, campaign_id = _checked(path, switch.no_more, tell, with_agents=agents)
        except AttemptInterruptedError:
            say("ended before all was checked; nothing of it is left")
            raise typer.Exit(128 + (switch.signal or 0)) from None
    if as_json:
        put_line(json.dumps(checking(checked, campaign_id), ensure_ascii=True))
    else:
        _tell_result(checked, path, prompts=prompts)
    raise typer.Exit(ExitCode.GATE_NOT_MET if checked.findings else ExitCode.DONE)


def _tell_result(checked: Checked, path: Path, *, prompts: bool) -> None:
    if prompts:
        for preview in checked.previews:
            for line in check_lines.preview_lines(preview):
                put_line(line)
    for line in check_lines.all_finding_lines(checked.findings):
        put_line(line)
    for line in check_lines.closing_lines(checked.cases, checked.findings):
        put_line(line)
    if not prompts:
        put_line("what each trial would be started with: --prompts")
    if not checked.findings:
        put_line(_next(path))


def _next(path: Path) -> str:
    from oakbench_core.running.bench import is_campaign_folder

    command = "run" if is_campaign_folder(path) else "freeze"
    return display_safe(f"next: oakbench-tui {command} {shlex.quote(str(path))}")

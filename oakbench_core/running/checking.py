"""`check`: whether tasks can be set up and judged, tried in throw-away workspaces before anything is recorded.

For each task and subject: setup works; the oracle does not pass on what setup has left; it passes after the solution,
where there is one. All of it is done as a run does it, below a supervisor, and nothing of it is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.campaign.check_findings import Finding, FindingCode
from oakbench_core.campaign.vocabulary import CheckStatus, SkipReason
from oakbench_core.running.changes import Before
from oakbench_core.running.cleanup import clean_up
from oakbench_core.running.commands import TrialFailureError
from oakbench_core.running.oracle import judge, report
from oakbench_core.running.preparation import lay_down, prepare
from oakbench_core.running.removing import remove_tree
from oakbench_core.running.rows import agent_of
from oakbench_core.running.secrecy import Secrets
from oakbench_core.running.supervise.channel import NOT_STARTED, TIMED_OUT
from oakbench_core.running.supervisor import SupervisorLostError

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.running.bench import Bench
    from oakbench_core.running.commands import Finished, TrialCommands
    from oakbench_core.running.oracle import Judged

MOST_LINES: Final = 20
LONGEST_OUTPUT: Final = 2000


class Verdict(NamedTuple):
    """What one check said: `pass`, `fail` or `unmeasured`, why, and the end of its output."""

    name: str
    status: CheckStatus
    detail: str | None
    output: str


class Case(NamedTuple):
    """A task with a subject, tried as the agent's environment has it."""

    workflow: str
    task: str
    subject: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of one case.

    `untouched`, `solved`: what the checks said before any work, and after the solution; None: not asked. `skipped`: why
    a run would skip its trials, as the plan says it may.
    """

    case: Case
    untouched: tuple[Verdict, ...] | None = None
    solved: tuple[Verdict, ...] | None = None
    has_solution: bool = False
    skipped: str | None = None
    findings: tuple[Finding, ...] = ()


def cases(bench: Bench) -> list[tuple[Case, int]]:
    """Every task with each of its subjects, and the place of its first trial; more than once where environments differ.

    As the plan lists them, which a person finds again: the schedule's order means nothing here.
    """
    document = bench.plan.document
    tasks = [(name, task) for name, workflow in document.workflows.items() for task in workflow.tasks]
    orders = [
        {name: number for number, name in enumerate(names)} for names in (tasks, document.subjects, document.agents)
    ]

    def rank(place: int) -> tuple[int, int, int, int]:
        trial = bench.plan.schedule[place]
        names = ((trial.workflow, trial.task), trial.subject, trial.agent)
        task, subject, agent = (order[name] for order, name in zip(orders, names, strict=True))
        return task, subject, agent, place

    found: dict[tuple[object, ...], tuple[Case, int]] = {}
    for place in sorted(range(len(bench.plan.schedule)), key=rank):
        trial = bench.plan.schedule[place]
        agent = agent_of(bench.plan, trial)
        case = Case(trial.workflow, trial.task, trial.subject, trial.agent)
        found.setdefault((case[:3], agent.home, tuple(sorted(agent.set_env.items()))), (case, place))
    return list(found.values())


def tried(bench: Bench, case: Case, place: int) -> Tried:
    """Try one case to its end; when this returns or raises, nothing that it started is alive or on disk.

    Raises:
        AttemptInterruptedError: the check was told to end.
        PlatformError: no supervisor can be made on this system.
    """
    return _Case(bench, case, place).tried()


class _Case:
    def __init__(self, bench: Bench, case: Case, place: int) -> None:
        self._bench, self._case, self._place = bench, case, place
        self._trial = bench.plan.schedule[place]
        self._task = bench.plan.task(self._trial)
        self._solution = (bench.solutions or {}).get((case.workflow, case.task))
        self._findings: list[Finding] = []

    def tried(self) -> Tried:
        has_solution = self._solution is not None
        skipped = skip_reason(self._bench, self._trial, self._find)
        if skipped is not None:
            return Tried(case=self._case, has_solution=has_solution, skipped=skipped, findings=tuple(self._findings))
        for change in self._bench.lookups.changes_of(self._trial):
            self._find(FindingCode.CHANGED_INPUT, change)
        if self._findings:
            return Tried(case=self._case, has_solution=has_solution, findings=tuple(self._findings))
        untouched = self._attended(self._untouched)
        solved = None
        if self._solution is not None and untouched is not None:
            solved = self._attended(self._solved)
        return Tried(
            case=self._case,
            untouched=untouched,
            solved=solved,
            has_solution=has_solution,
            findings=tuple(self._findings),
        )

    def _attended(self, work: Callable[[TrialCommands], tuple[Verdict, ...] | None]) -> tuple[Verdict, ...] | None:
        """Do this in a new workspace that is set up; None where it did not come to its end."""
        try:
            with self._bench.server.supervisor() as supervisor:
                request = self._bench.request(self._place)
                commands = prepare(request, supervisor, Secrets({}), self._bench.end_now, self._leave)
                try:
                    return work(commands)
                finally:
                    self._leave(commands)
        except TrialFailureError as failure:
            is_setup = failure.kind.value == FindingCode.SETUP_FAILED
            self._find(FindingCode.SETUP_FAILED if is_setup else FindingCode.BROKEN_OFF, str(failure))
        except SupervisorLostError as lost:
            self._find(FindingCode.BROKEN_OFF, str(lost))
        return None

    def _leave(self, commands: TrialCommands) -> None:
        """Clean up as after a trial, and leave nothing of the workspace."""
        agent, task = agent_of(self._bench.plan, self._trial), self._task
        for failure in clean_up((*agent.cleanup, *task.cleanup), commands, self._bench.server):
            self._find(FindingCode.BROKEN_OFF, f"cleanup: {failure}")
        commands.places.remove()

    def _untouched(self, commands: TrialCommands) -> tuple[Verdict, ...]:
        before = Before(commands.places.workspace, commands.places.hidden / "before")
        self._lay_down_oracle(commands)
        verdicts = self._verdicts(commands, before)
        for verdict in verdicts:
            if verdict.status is CheckStatus.UNMEASURED:
                self._find(FindingCode.CHECK_UNMEASURED, verdict.detail, verdict.output, check=verdict.name)
        if all(verdict.status is CheckStatus.PASS for verdict in verdicts):
            self._find(FindingCode.PASSES_UNTOUCHED, f"passing: {', '.join(verdict.name for verdict in verdicts)}")
        return verdicts

    def _solved(self, commands: TrialCommands) -> tuple[Verdict, ...] | None:
        before = Before(commands.places.workspace, commands.places.hidden / "before")
        self._lay_down_oracle(commands)
        if not self._solve(commands):
            return None
        remove_tree(commands.places.oracle)  # the checks have fresh files, whatever the solution did to these
        self._lay_down_oracle(commands)
        verdicts = self._verdicts(commands, before)
        for verdict in verdicts:
            if verdict.status is CheckStatus.FAIL:
                self._find(FindingCode.FAILS_AFTER_SOLUTION, verdict.detail, verdict.output, check=verdict.name)
        return verdicts

    def _solve(self, commands: TrialCommands) -> bool:
        argv = commands.argv(self._solution or "")
        finished = commands.run(argv, timeout_s=self._trial.timeout_s)
        outcome = finished.outcome
        if outcome.cause == NOT_STARTED:
            self._find(FindingCode.SOLUTION_FAILED, outcome.problem)
        elif outcome.cause == TIMED_OUT:
            self._find(
                FindingCode.SOLUTION_FAILED, f"it did not end within {self._trial.timeout_s:,} s", _output(finished)
            )
        elif outcome.exit_code != 0:
            self._find(FindingCode.SOLUTION_FAILED, f"it ended with {outcome.exit_code}", _output(finished))
        else:
            return True
        return False

    def _lay_down_oracle(self, commands: TrialCommands) -> None:
        lay_down(self._bench.folder, self._task.oracle.files_sha256, commands.places.oracle)

    def _verdicts(self, commands: TrialCommands, before: Before) -> tuple[Verdict, ...]:
        changes = before.changes(commands.places.workspace)
        return tuple(map(self._verdict, judge(self._task.oracle.checks, commands, changes)))

    def _verdict(self, judged: Judged) -> Verdict:
        _, *said = report(judged)
        output = self._bench.named(end_of(b"".join(said).strip()))
        return Verdict(judged.name, judged.status, judged.detail and self._bench.named(judged.detail), output)

    def _find(self, code: FindingCode, detail: str | None = None, output: str = "", check: str | None = None) -> None:
        case = self._case
        named = self._bench.named
        detail = None if detail is None else named(detail)
        self._findings.append(Finding(code, detail, named(output), *case, check))


def skip_reason(bench: Bench, trial: ScheduledTrial, find: Callable[[FindingCode, str], None]) -> str | None:
    """Why a run would skip the trial before its start, or None. What the plan does not foresee is found as well."""
    skip = bench.lookups.skip_of(trial)
    if skip is None or skip.skip is None:
        return None
    _, reason, instrument, detail = skip.skip
    if reason is SkipReason.UNSUPPORTED:
        return f"unsupported: {detail}"
    subject = bench.plan.subject(trial)
    said = f"{instrument} is not on the PATH"
    if instrument == subject.binary and subject.may_be_missing:
        return f"{said}, and may be missing"
    find(FindingCode.MISSING_INSTRUMENT, said)
    return said


def end_of(text: bytes) -> str:
    """The last lines of an output, each as it is."""
    lines = text[-LONGEST_OUTPUT:].decode(errors="replace").splitlines()
    return "\n".join(lines[-MOST_LINES:])


def _output(finished: Finished) -> str:
    return end_of(finished.stdout.read_bytes() + finished.stderr.read_bytes())

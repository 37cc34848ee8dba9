"""What `check` says to people: a line for each case as it is tried, every finding at the end, trials on request."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import CheckStatus
from oakbench_core.display import display_safe
from oakbench_tui.view.figures import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oakbench_core.campaign.check_findings import Finding
    from oakbench_core.running.agent_checking import Started
    from oakbench_core.running.bench import Bench
    from oakbench_core.running.checking import Case, Tried, Verdict
    from oakbench_core.running.preview import Preview

_MOST_IDS = 3
_LONGEST_LINE = 500


def opening_lines(bench: Bench) -> Iterator[str]:
    plan = bench.plan
    tasks = {(trial.workflow, trial.task) for trial in plan.schedule}
    subjects = {trial.subject for trial in plan.schedule}
    yield display_safe(
        f"checking   {plan.campaign_id}: {counted(len(tasks), 'task')} with {counted(len(subjects), 'subject')}, "
        "in throw-away workspaces; nothing is recorded"
    )
    if bench.solutions is None:
        yield "solutions  none: the definition that this plan was frozen from is not beside it"


def case_line(tried: Tried) -> str:
    """`ok         bugfix.off-by-one, git: setup works; untouched: tests fails; solved: all 3 checks pass`."""
    fine = "ok" if tried.skipped is None else "skipped"
    word = "FOUND" if tried.findings else fine
    return display_safe(f"{word:<10} {_place(tried.case)}: {_said(tried)}")


def _said(tried: Tried) -> str:
    if tried.skipped is not None:
        return tried.skipped
    if tried.untouched is None:
        return tried.findings[0].sentence
    parts = ["setup works", f"untouched: {_verdicts(tried.untouched)}"]
    if tried.solved is not None:
        parts.append(f"solved: {_verdicts(tried.solved)}")
    elif tried.has_solution:
        parts.append("the solution does not work")
    else:
        parts.append("no solution to try")
    return "; ".join(parts)


def _verdicts(verdicts: Iterable[Verdict]) -> str:
    listed = list(verdicts)
    others = [verdict for verdict in listed if verdict.status is not CheckStatus.PASS]
    if not others:
        return {1: "the only check passes", 2: "both checks pass"}.get(len(listed), f"all {len(listed)} checks pass")
    words = {CheckStatus.FAIL: "fails", CheckStatus.UNMEASURED: "is unmeasured"}
    said = [
        f"{verdict.name} {words[verdict.status]}" + (f" ({verdict.detail})" if verdict.detail else "")
        for verdict in others
    ]
    return ", ".join(said) + (f", {len(listed) - len(others)} of {len(listed)} pass" if len(listed) > 1 else "")


def starting_line(case: Case, timeout_s: int) -> str:
    return display_safe(
        f"starting the agent {case.agent} once, on {_place(case)}: this is a real attempt and costs money "
        f"(it may take {timeout_s:,} s; ctrl+c ends it)"
    )


def agent_lines(started: Started) -> Iterator[str]:
    """What became of an agent, and the first lines that it printed."""
    case = started.case
    code = "" if started.exit_code is None else f", exit {started.exit_code}"
    used = ", ".join(f"{name} {value:,}" for name, value in started.resources.items())
    word = "FOUND" if started.findings else "agent"
    yield display_safe(
        f"{word:<10} {case.agent} on {_place(case)}: {started.result}{code}; {used or 'nothing was observed'}"
    )
    for name, text in (("stdout", started.stdout), ("stderr", started.stderr)):
        yield from indented(f"{name}:", text, longest=_LONGEST_LINE)


def shared_findings(findings: Iterable[Finding]) -> list[tuple[Finding, str]]:
    """Each finding once, with all subjects that share it."""
    subjects: dict[Finding, list[str]] = {}
    for finding in findings:
        subjects.setdefault(finding._replace(subject=None), []).append(finding.subject or "")
    return [(finding, ", ".join(filter(None, named))) for finding, named in subjects.items()]


def all_finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Every finding, told once for all subjects that share it."""
    for number, (finding, subjects) in enumerate(shared_findings(findings), start=1):
        yield from _finding_lines(number, finding, subjects)


def _finding_lines(number: int, finding: Finding, subjects: str) -> Iterator[str]:
    """What is wrong, where, what was seen of it, and what to do."""
    places = (
        ".".join(filter(None, (finding.workflow, finding.task))),
        subjects and f"{'subjects' if ', ' in subjects else 'subject'} {subjects}",
        finding.agent and f"agent {finding.agent}",
        finding.check and f"check {finding.check}",
    )
    yield ""
    where = ", ".join(filter(None, places))
    yield display_safe(f"{number}. {where}: {finding.sentence}" if where else f"{number}. {finding.sentence}")
    if finding.detail:
        yield from indented("", finding.detail, longest=_LONGEST_LINE)
    if finding.output:
        yield from indented("its output:", finding.output, longest=_LONGEST_LINE)
    yield f"   next: {finding.next_step}"


def preview_lines(preview: Preview) -> Iterator[str]:
    """The exact prompt and argv of some trials, and the names of what is in their environment."""
    ids = ", ".join(preview.trial_ids[:_MOST_IDS])
    more = len(preview.trial_ids) - _MOST_IDS
    yield ""
    yield display_safe(ids + (f" and {more:,} more" if more > 0 else ""))
    yield from indented("prompt:", preview.prompt)
    yield from indented("argv:", shlex.join(preview.argv))
    public = [name for name in preview.environment if name not in preview.secret]
    yield display_safe(f"   environment: {' '.join(public)}")
    if preview.secret:
        passed = [f"{name} (NOT SET)" if name in preview.unset else name for name in preview.secret]
        yield display_safe(f"   passed on, values secret: {' '.join(passed)}")
    yield f"   timeout: {preview.timeout_s:,} s"


def indented(title: str, text: str, *, longest: int | None = None) -> Iterator[str]:
    """Text of others, below its title, each line of it safe to show, and cut to `longest` characters."""
    if not text:
        return
    inner = "   "
    if title:
        yield f"   {title}"
        inner = "     | "
    for line in text.splitlines():
        kept = line if longest is None else line[:longest]
        more = f"… (+{len(line) - len(kept):,} characters)" if len(kept) < len(line) else ""
        yield display_safe(f"{inner}{kept}") + more


def closing_lines(cases: list[Tried], findings: Iterable[Finding]) -> Iterator[str]:
    """How much was tried, and what is not known all the same."""
    skipped = sum(tried.skipped is not None for tried in cases)
    tasks = {tried.case[:2]: tried.has_solution for tried in cases}
    unsolved = sum(not has_solution for has_solution in tasks.values())
    yield ""
    number = len(shared_findings(findings))
    found = counted(number, "finding") if number else "nothing found"
    yield counted(len(cases), "case") + (f", {skipped:,} of them skipped here" if skipped else "") + f"; {found}"
    if unsolved:
        yield (
            f"{counted(unsolved, 'task')} without a `solution`: that an oracle fails untouched is known of them, "
            "that it can pass is not"
        )


def _place(case: Case) -> str:
    return f"{case.workflow}.{case.task}, {case.subject}"

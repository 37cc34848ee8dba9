"""What a plan says of a task's oracle that a reader of verdicts has to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.plan_document import Check, Task

_SUBJECT_PLACEHOLDER = "{subject."


def is_unrecorded(task: Task) -> bool:
    """Whether the plan leaves open what judges the task: no check at all, or a command of which nothing is recorded."""
    return not task.oracle.checks or any(check.kind == "command" and not check.run for check in task.oracle.checks)


def depends_on_subject(task: Task) -> bool:
    """Whether a check is made of something that each subject brings, so that subjects are judged differently."""
    return any(_SUBJECT_PLACEHOLDER in text for check in task.oracle.checks for text in _texts(check))


def _texts(check: Check) -> Iterator[str]:
    match check.kind:
        case "command":
            yield from (check.run,) if isinstance(check.run, str) else check.run
            yield from filter(None, (check.stdout, check.stdout_regex))
        case "file":
            yield from filter(None, (check.path, check.contains))
        case "changes":
            yield from (*(check.may_change or ()), *(check.must_change or ()))

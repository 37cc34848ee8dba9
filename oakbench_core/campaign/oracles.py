"""What a plan says of a task's oracle that a reader of verdicts has to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oakbench_core.campaign.placeholders import TemplateError, names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oakbench_core.campaign.plan_document import Check, Task

_SUBJECT: Final = "subject."


def is_unrecorded(task: Task) -> bool:
    """Whether the plan leaves open what judges the task: no check at all, or a command of which nothing is recorded."""
    return not task.oracle.checks or any(check.kind == "command" and not check.run for check in task.oracle.checks)


def depends_on_subject(task: Task) -> bool:
    """Whether a check is made of something that each subject brings, so that subjects are judged differently.

    A doubled brace is text and no placeholder.
    """
    texts = (text for check in task.oracle.checks for text in _texts(check))
    return any(name.startswith(_SUBJECT) for text in texts for name in _names(text))


def _texts(check: Check) -> Iterator[str]:
    match check.kind:
        case "command":
            yield from (check.run,) if isinstance(check.run, str) else check.run
            yield from filter(None, (check.stdout, check.stdout_regex))
        case "file":
            yield from filter(None, (check.path, check.contains))
        case "changes":
            yield from (*(check.may_change or ()), *(check.must_change or ()))


def _names(template: str) -> tuple[str, ...]:
    try:
        return names_in(template)
    except TemplateError:  # text that is no template, such as a regular expression with a single brace
        return ()

"""Which agents, subjects and instruction levels meet in which task: the innermost of campaign, workflow and task wins.

Works on a mapping that may be wrong in any of its parts, so that one problem does not hide the next; of a mapping that
is a definition it gives exactly the tasks of the schedule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reach(NamedTuple):
    """One task and what it inherits. `path` is its JSON path.

    `timeout_s` is None where nothing says one that is a number; `lacks_timeout` where it is plain that nothing does.
    """

    workflow: str
    task: str
    path: str
    table: Mapping[str, Any]
    workflow_table: Mapping[str, Any]
    agents: tuple[str, ...]
    subjects: tuple[str, ...]
    instruction_levels: tuple[str, ...]
    repetitions: int
    timeout_s: int | None
    lacks_timeout: bool


def table_of(value: Any, key: str) -> Mapping[str, Any]:
    """The table under `key`, or an empty one where there is none."""
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def texts_of(value: Any) -> tuple[str, ...]:
    """The texts of a list; anything else is passed over."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def agents_of(definition: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each agent's table, then each that a subject overrides it with, with their JSON paths."""
    for name in table_of(definition, "agents"):
        yield f"$.agents.{name}", table_of(definition["agents"], name)
    for name in table_of(definition, "subjects"):
        yield f"$.subjects.{name}.agent", table_of(definition["subjects"][name], "agent")


def tasks_reached(definition: Mapping[str, Any]) -> list[Reach]:
    """Every task, in the order of the definition."""
    return list(_tasks(definition))


def _tasks(definition: Mapping[str, Any]) -> Iterator[Reach]:
    for workflow_name, workflow in table_of(definition, "workflows").items():
        if not isinstance(workflow, Mapping):
            continue
        path = f"$.workflows.{workflow_name}"
        if "tasks" not in workflow:
            yield _reach(definition, workflow, workflow, (workflow_name, workflow_name, path))
            continue
        for task_name, task in table_of(workflow, "tasks").items():
            if isinstance(task, Mapping):
                yield _reach(definition, workflow, task, (workflow_name, task_name, f"{path}.tasks.{task_name}"))


def _reach(
    definition: Mapping[str, Any], workflow: Mapping[str, Any], task: Mapping[str, Any], place: tuple[str, str, str]
) -> Reach:
    campaign = table_of(definition, "campaign")
    levels = (task, workflow, campaign)

    def inherited(key: str) -> Any:
        return next((level[key] for level in levels if level.get(key) is not None), None)

    def names(key: str, all_of: Mapping[str, Any]) -> tuple[str, ...]:
        said = inherited(key)
        return tuple(dict.fromkeys(texts_of(said))) if said is not None else tuple(all_of)

    def number(key: str) -> int | None:
        said = inherited(key)
        return said if isinstance(said, int) else None

    return Reach(
        *place,
        table=task,
        workflow_table=workflow,
        agents=names("agents", table_of(definition, "agents")),
        subjects=names("subjects", table_of(definition, "subjects")),
        instruction_levels=names("instruction_levels", table_of(task, "prompts")),
        repetitions=number("repetitions") or 1,
        timeout_s=number("timeout_s"),
        # A campaign that is no table, or is called by another name, may hold it: that is told where it is wrong.
        lacks_timeout=isinstance(definition.get("campaign"), Mapping) and inherited("timeout_s") is None,
    )

"""What each table of a definition may hold, but not all of them together.

Works on a mapping that may be wrong in any of its parts; what is wrong in form is not told here again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.definition_reach import Reach, agents_of, table_of, tasks_reached, texts_of
from oakbench_core.campaign.plan_document import looks_secret
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TRIALS: Final = 1_000_000  # readers hold every trial's state in memory
_LISTS: Final = ("agents", "subjects")


def contradictions(definition: Mapping[str, Any]) -> Iterator[Problem]:
    """Every contradiction between the tables, each once."""
    reached = tasks_reached(definition)
    yield from _names(definition, reached)
    yield from _lists(definition)
    for name, subject in table_of(definition, "subjects").items():
        yield from _subject(f"$.subjects.{name}", subject, reached)
    for path, agent in agents_of(definition):
        yield from _environment(path, agent)
    for reach in reached:
        yield from _task(reach)
    trials = sum(map(_trials, reached))
    if trials > MAX_TRIALS:
        yield Problem(path="$.campaign", rule=f"expected at most {MAX_TRIALS:,} trials, found {trials:,}")


def _trials(reach: Reach) -> int:
    return len(reach.agents) * len(reach.subjects) * len(reach.instruction_levels) * reach.repetitions


def _names(definition: Mapping[str, Any], reached: Iterable[Reach]) -> Iterator[Problem]:
    """IDs are made of names, and must differ also where case is ignored."""
    for key in ("workflows", "agents", "subjects"):
        yield from _same_but_for_case(f"$.{key}", table_of(definition, key))
    for name, workflow in table_of(definition, "workflows").items():
        yield from _same_but_for_case(f"$.workflows.{name}.tasks", table_of(workflow, "tasks"))
    for reach in reached:
        yield from _same_but_for_case(f"{reach.path}.prompts", table_of(reach.table, "prompts"))


def _same_but_for_case(path: str, names: Iterable[str]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(name.lower(), name)
        if other != name:
            yield Problem(path=f"{path}.{name}", rule=f"differs from {other!r} in case only")


def _lists(definition: Mapping[str, Any]) -> Iterator[Problem]:
    tables = {"$.campaign": table_of(definition, "campaign")}
    for name, workflow in table_of(definition, "workflows").items():
        tables[f"$.workflows.{name}"] = workflow if isinstance(workflow, Mapping) else {}
    tables |= {reach.path: reach.table for reach in tasks_reached(definition)}
    for path, table in tables.items():
        for key in _LISTS:
            known = table_of(definition, key)
            for number, name in enumerate(_listed(table, key)):
                if name not in known:
                    rule = f"no {key[:-1]} is called {name!r}, expected one of {', '.join(known) or 'none'}"
                    yield Problem(path=f"{path}.{key}[{number}]", rule=rule)
        for key in (*_LISTS, "instruction_levels", "compares"):
            listed = _listed(table, key)
            for number, name in enumerate(listed):
                if name in listed[:number]:
                    yield Problem(path=f"{path}.{key}[{number}]", rule=f"{name!r} stands there twice")


def _listed(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return texts_of(table.get(key))


def _subject(path: str, subject: Any, reached: list[Reach]) -> Iterator[Problem]:
    if "binary" in table_of(subject, "parameters"):
        rule = "`{subject.binary}` is the subject's program: give the parameter another name"
        yield Problem(path=f"{path}.parameters.binary", rule=rule)
    known = {reach.workflow for reach in reached} | {f"{reach.workflow}.{reach.task}" for reach in reached}
    for name in table_of(subject, "unsupported"):
        if name not in known:
            rule = f"no workflow, and no task of one, is called {name!r}"
            yield Problem(path=f"{path}.unsupported.{name}", rule=rule)


def _environment(path: str, agent: Mapping[str, Any]) -> Iterator[Problem]:
    passed = texts_of(agent.get("env"))
    for name in table_of(agent, "set_env"):
        if looks_secret(name):
            rule = "looks like a secret: set_env holds public values, pass it by `env`"
            yield Problem(path=f"{path}.set_env.{name}", rule=rule)
        elif name in passed:
            yield Problem(path=f"{path}.set_env.{name}", rule="stands in `env` too: expected one of the two")


def _task(reach: Reach) -> Iterator[Problem]:
    if reach.lacks_timeout:
        rule = "expected `timeout_s` here, in its workflow or in the campaign"
        yield Problem(path=reach.path, rule=rule)
    prompts = table_of(reach.table, "prompts")
    for level in reach.instruction_levels if prompts else ():
        if level not in prompts:
            rule = f"no prompt of the instruction level {level!r}, which is asked for"
            yield Problem(path=f"{reach.path}.prompts", rule=rule)
    names: set[str] = set()
    checks = table_of(reach.table, "oracle").get("checks")
    for number, check in enumerate(checks if isinstance(checks, list | tuple) else ()):
        if isinstance(check, Mapping):
            yield from _check(f"{reach.path}.oracle.checks[{number}]", check, names)


def _check(path: str, check: Mapping[str, Any], names: set[str]) -> Iterator[Problem]:
    name = check.get("name")
    if isinstance(name, str):
        if name in names:
            yield Problem(path=f"{path}.name", rule=f"two checks are called {name!r}")
        names.add(name)
    regex = check.get("stdout_regex")
    if isinstance(regex, str):
        try:
            re.compile(regex)
        except re.error as error:
            yield Problem(path=f"{path}.stdout_regex", rule=f"expected a regular expression: {error}")
    if check.get("present") is False:
        for key in sorted({"contains", "sha256"} & check.keys()):
            rule = "a file that must be absent holds nothing"
            yield Problem(path=f"{path}.{key}", rule=rule)
    for key in ("may_change", "must_change"):
        for number, glob in enumerate(texts_of(check.get(key))):
            if glob.startswith("/") or ".." in glob.split("/"):
                rule = f"expected a glob of paths inside the workspace, found {glob!r}"
                yield Problem(path=f"{path}.{key}[{number}]", rule=rule)

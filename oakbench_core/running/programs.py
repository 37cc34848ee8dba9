"""The programs of agents and subjects as freezing finds them: where they stand, what they say of their version."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from oakbench_core.campaign.definition_reach import agents_of, table_of, tasks_reached, texts_of
from oakbench_core.campaign.expansion import Program
from oakbench_core.campaign.overriding import effective_agent
from oakbench_core.campaign.placeholders import expand
from oakbench_core.campaign.vocabulary import Adapter
from oakbench_core.durable.opening import failures_named
from oakbench_core.errors import Problem
from oakbench_core.running.executables import VERSION_TIMEOUT_S, find_executable, sha256_of, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from oakbench_core.campaign.definition import AgentTable, Definition, SubjectTable
    from oakbench_core.campaign.plan import Plan


class Absence(NamedTuple):
    """A program that is not on this machine. `may_be_missing`: the definition says that this is no reason to refuse."""

    path: str
    program: str
    may_be_missing: bool


class Asked(NamedTuple):
    """`programs`: JSON path of an agent's or subject's table → what was found. `problems`: what gave none."""

    programs: dict[str, Program]
    problems: list[Problem]


def absences(definition: Mapping[str, Any], search: str) -> list[Absence]:
    """The programs of the scheduled agents and subjects that the search path (as in PATH) does not give.

    Works on a mapping that may be wrong in any of its parts.
    """
    return [absence for absence in _programs(definition) if find_executable(absence.program, search) is None]


def absence_problems(found: list[Absence]) -> list[Problem]:
    """Those that refuse the definition."""
    advice = "say may_be_missing = true if that is no mistake"
    return [
        Problem(path=absence.path, rule=f"no program {absence.program!r} on the PATH of this machine; {advice}")
        for absence in found
        if not absence.may_be_missing
    ]


def ask_programs(definition: Definition, value: Mapping[str, Any], search: str) -> Asked:
    """Hash the programs of the scheduled agents and subjects, and ask each for its version where a command is given.

    `value` is the mapping that the definition was read from. A program is asked in the user's own environment, as if
    from a shell. A version command that fails is a problem; a program that is not there has neither version nor hash.

    Raises:
        PlatformError: a program may not be read.
    """
    asked = Asked({}, [])
    for path in sorted(_scheduled(value)):
        kind, _, name = path.removeprefix("$.").partition(".")
        table = definition.agents[name] if kind == "agents" else definition.subjects[name]
        asked.programs[path] = _asked(path, table, search, asked.problems)
    return asked


def missing_instruments(plan: Plan, search: str) -> dict[str, int]:
    """Each instrument that the search path does not give → how many trials need it, and would be skipped here."""
    needed: Counter[str] = Counter()
    for trial in plan.schedule:
        task = plan.task(trial)
        names = {*task.instruments, *plan.subject(trial).instruments}
        for check in task.oracle.checks:
            names.update(check.instruments if check.kind == "command" else ())
        needed.update(names)
    return {name: trials for name, trials in sorted(needed.items()) if find_executable(name, search) is None}


def absent_of_plan(plan: Plan, search: str) -> Iterator[Absence]:
    """The programs of a plan's agents and subjects that the search path does not give; no reason to refuse it."""
    for name, subject in plan.document.subjects.items():
        program = subject.binary
        if program is not None and find_executable(program, search) is None:
            yield Absence(f"$.subjects.{name}.binary", program, may_be_missing=True)
    started = {(trial.agent, trial.subject) for trial in plan.schedule}
    for name, subject_name in sorted(started):
        override = plan.document.subjects[subject_name].agent
        is_own = override is None or override.argv is None
        path = f"$.agents.{name}" if is_own else f"$.subjects.{subject_name}.agent"
        agent = effective_agent(plan.document.agents[name], override)
        program = next(iter(agent.argv), "")
        if agent.adapter != Adapter.MOCK and _is_looked_up(program) and find_executable(program, search) is None:
            yield Absence(f"{path}.argv[0]", program, may_be_missing=True)


def _scheduled(definition: Mapping[str, Any]) -> set[str]:
    """JSON paths of the agents and subjects that some trial uses."""
    reached = tasks_reached(definition)
    agents = {f"$.agents.{name}" for reach in reached for name in reach.agents}
    return agents | {f"$.subjects.{name}" for reach in reached for name in reach.subjects}


def _programs(definition: Mapping[str, Any]) -> Iterator[Absence]:
    """Every program that is looked up, as if it were absent."""
    scheduled, subjects = _scheduled(definition), table_of(definition, "subjects")
    for name in subjects:
        subject, path = table_of(subjects, name), f"$.subjects.{name}"
        binary = subject.get("binary")
        if path in scheduled and isinstance(binary, str) and _is_looked_up(binary):
            yield Absence(f"{path}.binary", binary, subject.get("may_be_missing") is True)
    for path, agent in agents_of(definition):
        owner = path.removesuffix(".agent")
        program = "" if _is_script(definition, agent) else next(iter(texts_of(agent.get("argv"))), "")
        if owner in scheduled and _is_looked_up(program):
            table = agent if owner == path else table_of(subjects, owner.removeprefix("$.subjects."))
            yield Absence(f"{path}.argv[0]", program, table.get("may_be_missing") is True)


def _is_script(definition: Mapping[str, Any], agent: Mapping[str, Any]) -> bool:
    """Whether the argv of an agent, or of one that a subject changes, is the script of a mock."""
    agents = table_of(definition, "agents")
    adapters = {table_of(agents, name).get("adapter") for name in agents} if "adapter" not in agent else set()
    return agent.get("adapter") == "mock" or adapters == {"mock"}


def _is_looked_up(program: str) -> bool:
    """Whether it is a program of the machine: not one of the workspace, the inputs or the subject."""
    return bool(program) and "{" not in program and ("/" not in program or program.startswith("/"))


def _asked(path: str, table: AgentTable | SubjectTable, search: str, problems: list[Problem]) -> Program:
    # Both kinds have a version command and a program; only a subject has parameters that the command may name.
    parameters = getattr(table, "parameters", {})
    is_script = getattr(table, "adapter", None) == "mock"
    name = "" if is_script else getattr(table, "binary", None) or next(iter(getattr(table, "argv", ())), "")
    program = find_executable(name, search) if _is_looked_up(name) else None
    if program is None and _is_looked_up(name):
        return Program()
    version = None
    if table.version is not None:
        values = {f"subject.{key}": value for key, value in parameters.items()} | {"subject.binary": str(program)}
        words = ["sh", "-euc", table.version] if isinstance(table.version, str) else table.version
        version = version_of([expand(word, values) for word in words], os.environ)
        if version is None:
            rule = f"expected a command that prints a version and ends with 0 within {VERSION_TIMEOUT_S:.0f} s"
            problems.append(Problem(path=f"{path}.version", rule=rule))
    if program is None:
        return Program(version)
    with failures_named(program, f"read it, so it cannot be frozen ({path})"):
        return Program(version, sha256_of(program))

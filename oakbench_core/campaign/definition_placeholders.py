"""Which placeholders each template of a definition may name, and whether they have a value wherever it is used.

Works on a mapping that may be wrong in any of its parts; what is wrong in form is not told here again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oakbench_core.campaign.definition_reach import Reach, table_of, tasks_reached, texts_of
from oakbench_core.campaign.placeholders import TemplateError, names_in
from oakbench_core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ALWAYS: Final = frozenset({"workspace", "prompt", "prompt_file", "usage_file", "task", "trial_id"})
PLACEHOLDERS: Final = _ALWAYS | {"model", "oracle", "inputs"}
"""All that are not of the subject."""

_SUBJECT: Final = "subject."
_BINARY: Final = "subject.binary"


class Kind(StrEnum):
    """Where a template stands; its value is the word for it."""

    PROMPT = "a prompt"
    ARGV = "an agent's argv"
    SETUP = "a setup command"
    CLEANUP = "a cleanup command"
    CHECK = "a check"
    SUBJECT_VERSION = "a subject's version command"
    AGENT_VERSION = "an agent's version command"


class _Template(NamedTuple):
    path: str
    text: str
    kind: Kind


class _Scope(NamedTuple):
    """One task with one subject and one agent: what a template that is used there can name."""

    reach: Reach
    subject_name: str
    subject: Mapping[str, Any]
    agent_name: str
    agent: Mapping[str, Any]

    @property
    def override(self) -> Mapping[str, Any]:
        return table_of(self.subject, "agent")


def template_problems(definition: Mapping[str, Any]) -> list[Problem]:
    """Every placeholder that is unknown where it stands, or has no value somewhere its template is used; each once."""
    found: dict[Problem, None] = {}
    for template in _once(_all_templates(definition)):
        try:
            names_in(template.text)
        except TemplateError as error:
            found.setdefault(Problem(path=template.path, rule=error.message))
    for template, scope in _uses(definition):
        for name in _sound_names(template.text):
            rule = _objection(name, template.kind, scope)
            if rule:
                found.setdefault(Problem(path=template.path, rule=rule))
    return list(found)


def _sound_names(text: str) -> tuple[str, ...]:
    try:
        return names_in(text)
    except TemplateError:
        return ()


def _once(templates: Iterable[_Template]) -> Iterable[_Template]:
    return dict.fromkeys(templates)


def _all_templates(definition: Mapping[str, Any]) -> Iterator[_Template]:
    """Those that no trial uses as well."""
    for name, agent in table_of(definition, "agents").items():
        yield from _of_agent(f"$.agents.{name}", agent)
    for name, subject in table_of(definition, "subjects").items():
        yield from _of_subject(f"$.subjects.{name}", subject)
        yield from _of_agent(f"$.subjects.{name}.agent", table_of(subject, "agent"))
    for reach in tasks_reached(definition):
        yield from _of_task(reach)


def _uses(definition: Mapping[str, Any]) -> Iterator[tuple[_Template, _Scope]]:
    agents, subjects = table_of(definition, "agents"), table_of(definition, "subjects")
    for reach in tasks_reached(definition):
        for subject_name in reach.subjects:
            for agent_name in reach.agents:
                scope = _Scope(
                    reach, subject_name, table_of(subjects, subject_name), agent_name, table_of(agents, agent_name)
                )
                of_override = list(_argv(f"$.subjects.{subject_name}.agent", scope.override))
                templates = [
                    *(of_override or _argv(f"$.agents.{agent_name}", scope.agent)),
                    *_commands(f"$.agents.{agent_name}.version", scope.agent.get("version"), Kind.AGENT_VERSION),
                    *_command_list(f"$.agents.{agent_name}.cleanup", scope.agent.get("cleanup"), Kind.CLEANUP),
                    *_of_subject(f"$.subjects.{subject_name}", scope.subject),
                    *_of_task(reach),
                ]
                yield from ((template, scope) for template in templates)


def _of_agent(path: str, agent: Any) -> Iterator[_Template]:
    if isinstance(agent, Mapping):
        yield from _argv(path, agent)
        yield from _commands(f"{path}.version", agent.get("version"), Kind.AGENT_VERSION)
        yield from _command_list(f"{path}.cleanup", agent.get("cleanup"), Kind.CLEANUP)


def _argv(path: str, agent: Mapping[str, Any]) -> Iterator[_Template]:
    argv = agent.get("argv")
    if isinstance(argv, list | tuple):
        yield from _commands(f"{path}.argv", argv, Kind.ARGV)


def _of_subject(path: str, subject: Any) -> Iterator[_Template]:
    if isinstance(subject, Mapping):
        yield from _commands(f"{path}.version", subject.get("version"), Kind.SUBJECT_VERSION)
        yield from _command_list(f"{path}.setup", subject.get("setup"), Kind.SETUP)


def _of_task(reach: Reach) -> Iterator[_Template]:
    yield from _command_list(f"{reach.path}.setup", reach.table.get("setup"), Kind.SETUP)
    yield from _command_list(f"{reach.path}.cleanup", reach.table.get("cleanup"), Kind.CLEANUP)
    yield from _commands(f"{reach.path}.solution", reach.table.get("solution"), Kind.CHECK)
    for level, prompt in table_of(reach.table, "prompts").items():
        if isinstance(prompt, str):
            yield _Template(f"{reach.path}.prompts.{level}", prompt, Kind.PROMPT)
    checks = table_of(reach.table, "oracle").get("checks")
    for number, check in enumerate(checks if isinstance(checks, list | tuple) else ()):
        if isinstance(check, Mapping):
            yield from _commands(f"{reach.path}.oracle.checks[{number}].run", check.get("run"), Kind.CHECK)


def _command_list(path: str, commands: Any, kind: Kind) -> Iterator[_Template]:
    for number, command in enumerate(commands if isinstance(commands, list | tuple) else ()):
        yield from _commands(f"{path}[{number}]", command, kind)


def _commands(path: str, command: Any, kind: Kind) -> Iterator[_Template]:
    """The templates of one command: the text itself, or each word of an argv list."""
    if isinstance(command, str):
        yield _Template(path, command, kind)
    else:
        for number, word in enumerate(texts_of(command)):
            yield _Template(f"{path}[{number}]", word, kind)


def _objection(name: str, kind: Kind, scope: _Scope) -> str | None:
    """Why `{name}` may not stand there, or None."""
    shown = f"`{{{name}}}`"
    if name.startswith(_SUBJECT):
        return _subject_objection(name, kind, scope)
    if name not in PLACEHOLDERS:
        return f"{shown} is no placeholder: expected one of {_expected(kind)}, or `{{{{` for a brace of the text"
    if kind in {Kind.PROMPT, Kind.SUBJECT_VERSION, Kind.AGENT_VERSION}:
        return f"{shown} has no value in {kind}: expected one of {_expected(kind)}"
    if name == "oracle" and kind is not Kind.CHECK:
        return (
            f"{shown} has no value in {kind}: the oracle's files are laid down when the agent has ended, for the checks"
        )
    return _missing(name, scope)


def _missing(name: str, scope: _Scope) -> str | None:
    task = f"{scope.reach.workflow}.{scope.reach.task}"
    if name == "oracle" and not table_of(scope.reach.table, "oracle").get("files"):
        return f"`{{oracle}}` has no value: the oracle of {task} has no `files`"
    if name == "inputs" and not scope.reach.workflow_table.get("inputs"):
        return f"`{{inputs}}` has no value: the workflow {scope.reach.workflow!r} has no `inputs`"
    if name == "model" and not (scope.override.get("model") or scope.agent.get("model")):
        return f"`{{model}}` has no value: the agent {scope.agent_name!r} names no model"
    return None


def _subject_objection(name: str, kind: Kind, scope: _Scope) -> str | None:
    if kind is Kind.AGENT_VERSION:
        return f"`{{{name}}}` has no value in {kind}: it is asked once for all subjects"
    if name == _BINARY:
        if kind is Kind.PROMPT:
            return "`{subject.binary}` has no value in a prompt: name the program by a parameter of the subject"
        if scope.subject and not scope.subject.get("binary"):
            return f"`{{{name}}}` has no value: the subject {scope.subject_name!r} has no `binary`"
        return None
    parameter = name.removeprefix(_SUBJECT)
    if scope.subject and parameter not in table_of(scope.subject, "parameters"):
        return f"`{{{name}}}` has no value: the subject {scope.subject_name!r} has no parameter {parameter!r}"
    return None


def _expected(kind: Kind) -> str:
    match kind:
        case Kind.PROMPT:
            names = ["subject.NAME"]
        case Kind.AGENT_VERSION:
            return "none"
        case Kind.SUBJECT_VERSION:
            names = [_BINARY, "subject.NAME"]
        case _:
            names = [*sorted(_ALWAYS | {"model", "inputs"}), *(["oracle"] if kind is Kind.CHECK else [])]
            names += [_BINARY, "subject.NAME"]
    return " ".join(f"{{{name}}}" for name in names)

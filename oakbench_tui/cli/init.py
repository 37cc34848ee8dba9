"""`init [DIR]`: a commented definition with one small task, which `check`, `freeze` and `run` accept as it is."""

from __future__ import annotations

import shlex
import tomllib
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from oakbench_core.display import display_safe
from oakbench_core.errors import Problem, UsageError
from oakbench_tui.cli.output import put_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

DEFINITION: Final = "campaign.toml"
_SCRIPT: Final = "scripts/agent.sh"
_INPUTS: Final = f'inputs = ["{_SCRIPT}"]           # files for the agents, below {{inputs}}'
_AGENT_MARK: Final = "# @agent\n"
_INPUTS_MARK: Final = "# @inputs\n"


class AgentKind(StrEnum):
    """Whose definition is written."""

    COMMAND = "command"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


_NEEDS: Final = {
    AgentKind.COMMAND: "the agent is a script that knows the answer: put your own program in its place",
    AgentKind.CLAUDE_CODE: "needs `claude` on the PATH and ANTHROPIC_API_KEY in the environment; its trials cost money",
    AgentKind.CODEX: "needs `codex` on the PATH and its login (~/.codex/auth.json); its trials cost money",
}


def starter_files(agent: AgentKind) -> dict[str, str]:
    """The files of a first campaign, by their relative paths.

    Raises:
        UsageError: this version's definitions know no such agent.
    """
    starter = files("oakbench_tui") / "starter"
    text = (starter / DEFINITION).read_text(encoding="utf-8")
    fragment = (starter / "agents" / f"{agent.value}.toml").read_text(encoding="utf-8")
    is_scripted = agent is AgentKind.COMMAND
    text = text.replace(_AGENT_MARK, fragment).replace(_INPUTS_MARK, f"{_INPUTS}\n" if is_scripted else "")
    _expect_known(agent, tomllib.loads(text))
    trees = {name: _texts(starter / name, name) for name in ("fixtures", "oracles", "scripts")}
    return {DEFINITION: text} | {
        path: content for tree in trees.values() for path, content in tree if is_scripted or path != _SCRIPT
    }


def _expect_known(agent: AgentKind, definition: Mapping[str, object]) -> None:
    from oakbench_core.campaign.definition_reading import read_definition

    _, problems = read_definition(definition)
    if problems:
        raise UsageError(
            f"no definition for {agent.value} can be written", problems, next_step="--agent command takes any program"
        )


def _texts(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _texts(entry, inner)
        else:
            yield inner, entry.read_text(encoding="utf-8")


def write_starter(directory: Path, agent: AgentKind) -> list[Path]:
    """Write the files below `directory`, which is made if need be; none is written over, and all or none are there.

    Raises:
        UsageError: one of them is there already, or the agent is not known.
        PlatformError: the system refuses.
    """
    from oakbench_core.durable.opening import failures_named

    contents = {directory / name: content for name, content in starter_files(agent).items()}
    if there := [path for path in contents if path.exists() or path.is_symlink()]:
        raise UsageError(
            "nothing was written, since nothing is written over",
            [Problem(file=str(path), rule="it is there already") for path in there],
            next_step="give a new folder: oakbench-tui init DIR",
        )
    written: list[Path] = []
    try:
        for path, content in contents.items():
            with failures_named(path, "write it"):
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("x", encoding="utf-8") as file:
                    written.append(path)
                    file.write(content)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


def init(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder for the definition and its files.")
    ] = Path(),
    *,
    agent: Annotated[AgentKind, typer.Option("--agent", help="What attempts the tasks.")] = AgentKind.COMMAND,
) -> None:
    """Write a first definition: commented, with one small task, ready to be checked, frozen and run.

    \b
    Examples:
      oakbench-tui init
      oakbench-tui init studies/first
      oakbench-tui init studies/first --agent claude-code

    Nothing is ever written over.

    Exit codes: 0 written; 2 a file is there already, or no such agent; 42 refused by the system.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    for path in write_starter(directory, agent):
        put_line(display_safe(f"written    {path}"))
    put_line(f"agent      {_NEEDS[agent]}")
    folder, campaign = (shlex.quote(str(path)) for path in (directory, directory / "runs" / "first"))
    put_line()
    put_line(display_safe(f"next: oakbench-tui check {folder}"))
    put_line(display_safe(f"      oakbench-tui freeze {folder} -o {campaign}"))
    put_line(display_safe(f"      oakbench-tui run {campaign}"))

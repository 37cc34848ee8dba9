"""`init`: a first campaign that is checked, frozen and run as it is, and answers to the mistakes made on the way."""

from __future__ import annotations

import os
import shlex
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.durable.documents import load_plan
from oakbench_core.errors import ExitCode, UsageError
from oakbench_tui.cli.init import AgentKind, starter_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a state folder beside it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.mark.parametrize("folder", [(), ("studies/a first",)])
def test_what_is_written_is_checked_frozen_and_run_by_the_commands_that_are_said(
    folder: tuple[str, ...], place: Path, cli: Callable[..., Any]
) -> None:
    code, out, err = cli("init", *folder)
    commands = [line.removeprefix("next: ").strip() for line in out.splitlines()[-3:]]
    target = place.joinpath(*folder)

    assert (code, err) == (ExitCode.DONE, "")
    for command in commands:
        program, name, *arguments = shlex.split(command)
        more = ["--set", "min_free_gib=0"] if name == "run" else []
        code, told, err = cli(name, *arguments, *more)
        assert (program, code, err) == ("oakbench-tui", ExitCode.DONE, ""), told
    plan = load_plan(target / "runs" / "first")
    assert len(plan.schedule) == 4
    assert told.count("verified success") == 4


def test_nothing_is_written_over_and_then_nothing_is_written(place: Path, cli: Callable[..., Any]) -> None:
    for name in starter_files(AgentKind.COMMAND):
        folder = place / name.replace("/", "-")
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine")
        code, _, err = cli("init", folder)

        assert code == ExitCode.USAGE
        assert f"{folder / name}: it is there already" in err
        assert [path for path in folder.rglob("*") if path.is_file()] == [folder / name]
        assert (folder / name).read_text() == "mine"


def test_a_folder_that_cannot_be_written_to_is_said_and_left_as_it_is(place: Path, cli: Callable[..., Any]) -> None:
    (place / "file").touch()
    code, _, err = cli("init", place / "file")

    assert code in {ExitCode.USAGE, ExitCode.PLATFORM}
    assert str(place / "file") in err
    assert [path.name for path in place.iterdir()] == ["file"]


@pytest.mark.parametrize(("agent", "program"), [(AgentKind.CLAUDE_CODE, "claude"), (AgentKind.CODEX, "codex")])
def test_a_real_agents_definition_freezes_where_its_adapter_is_known_and_is_refused_by_name_where_not(
    agent: AgentKind, program: str, place: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = place / "bin" / program
    binary.parent.mkdir()
    binary.write_text("#!/bin/sh\necho 1.0\n")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", f"{binary.parent}{os.pathsep}{os.environ['PATH']}")
    code, out, err = cli("init", "c", "--agent", agent.value)

    try:
        starter_files(agent)
    except UsageError:
        assert code == ExitCode.USAGE
        assert f'the adapter "{agent.value}" is not supported' in err
        assert not (place / "c").exists()
    else:
        assert code == ExitCode.DONE
        assert f"needs `{program}` on the PATH" in out
        assert cli("freeze", "c", "-o", "f")[0] == ExitCode.DONE
        assert load_plan(place / "f").document.agents[program].version == "1.0"
        assert not (place / "c" / "scripts").exists()


def test_an_agent_that_is_not_known_is_refused_with_those_that_are(place: Path, cli: Callable[..., Any]) -> None:
    code, _, err = cli("init", "--agent", "gemini")

    assert code == ExitCode.USAGE
    assert all(agent.value in err for agent in AgentKind)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ('"fixtures/leap-year"', '"fixture/leap-year"', 40, ["line 3", "fixture", "there is no such file or folder"]),
        ('instruments = ["sh"]', 'instruments = ["pytes"]', 1, ["pytes is not on the PATH", "install the program"]),
        ('argv = ["sh"', 'argv = ["claud"', 40, ["no program 'claud' on the PATH"]),
        (
            'run = ["sh", "{oracle}/test.sh"]',
            'run = ["true"]',
            1,
            ["an agent that does nothing succeeds", "next: add a"],
        ),
        ("# env = [", "env = [", 1, ["the variable MY_API_KEY is not set here", "export NAME="]),
        (
            "timeout_s = 300 ",
            "timeout = 300 ",
            40,
            ["line 8", "timeout: this key is unknown: did you mean `timeout_s`?"],
        ),
        ("{oracle}/test.sh", "{orcale}/test.sh", 40, ["`{orcale}` is no placeholder: expected one of"]),
        ("{oracle}/test.sh", "{oracle}/tests.sh", 1, ["cannot open {oracle}/tests.sh", "mend the check"]),
        ("{subject.advice}", "{subject.advise}", 40, ["the subject 'plain' has no parameter 'advise'"]),
        ("{oracle}/solved.sh", "{oracle}/solve.sh", 1, ["the solution does not work", "{oracle}/solve.sh"]),
        ('files = "oracles/leap-year"', "", 40, ["`{oracle}` has no value", "has no `files`"]),
    ],
)
def test_a_new_users_mistakes_are_answered_with_their_place_and_what_to_do(
    old: str, new: str, code: int, said: list[str], place: Path, cli: Callable[..., Any]
) -> None:
    cli("init")
    file = place / "campaign.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    found, out, err = cli("check")

    assert found == code
    assert all(words in out + err for words in said), out + err


def test_a_command_without_a_definition_says_how_to_come_by_one(place: Path, cli: Callable[..., Any]) -> None:
    for command in (("check",), ("freeze",), ("freeze", "elsewhere/campaign.toml")):
        code, _, err = cli(*command)

        assert code == ExitCode.USAGE
        assert "there is no such file" in err
        assert "next: oakbench-tui init DIR" in err

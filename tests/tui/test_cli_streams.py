"""Streams that take nothing more, or not every character: a clear word, the right exit code, never a traceback."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from oakbench_core.errors import ExitCode
from oakbench_tui.cli.output import put_json
from oakbench_tui.cli.program import app
from tests import campaigns

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_WRITTEN = "oakbench: stdout: what this command prints cannot be written: "


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a campaign `c` and a definition `d`."""
    place = tmp_path_factory.mktemp("streams")
    (place / "c").mkdir()
    (place / "c" / "plan.json").write_text(json.dumps(campaigns.plan_document()))
    shutil.copytree(ROOT / "tests" / "definitions" / "notes", place / "d")
    return place


def said(place: Path, command: str, **environment: str) -> tuple[int, str]:
    """Exit code and stderr of a shell's command, in which `oak` is the program."""
    script = f'oak() {{ "{sys.executable}" -m oakbench_tui "$@"; }}\n{command}'
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["report c", "-h"])
def test_a_full_disk_behind_stdout_is_the_systems_refusal(command: str, place: Path) -> None:
    code, err = said(place, f"oak {command} > /dev/full")

    assert code == ExitCode.PLATFORM
    assert err.splitlines()[0] == f"{NOT_WRITTEN}No space left on device"
    assert err.splitlines()[1].startswith("next: ")


@pytest.mark.parametrize("command", ["status c", "-h"])
def test_a_closed_stdout_loses_no_data_without_a_word(command: str, place: Path) -> None:
    code, err = said(place, f"oak {command} >&-")

    assert (code, err.splitlines()[0]) == (ExitCode.PLATFORM, f"{NOT_WRITTEN}it is closed")


def test_what_a_command_did_before_its_output_was_lost_is_done(place: Path) -> None:
    code, err = said(place, "oak freeze d -o frozen >&-")

    assert code == ExitCode.PLATFORM
    assert "whatever else the command did is done" in err
    assert (place / "frozen" / "plan.json").is_file()


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", "2>&1 | true; exit 2"])
def test_a_message_that_nobody_can_read_changes_no_exit_code(stream: str, place: Path) -> None:
    assert said(place, f"oak verify nowhere {stream}") == (ExitCode.USAGE, "")


def test_no_file_of_ours_takes_the_number_of_a_closed_stream(place: Path) -> None:
    """A journal or plan that became descriptor 1 or 2 would be written to by whoever prints."""
    assert said(place, "oak freeze d -o all-closed <&- >&- 2>&-") == (ExitCode.PLATFORM, "")
    json.loads((place / "all-closed" / "plan.json").read_text())
    assert said(place, "oak run all-closed --set min_free_gib=0 <&- >&- 2>&-", XDG_STATE_HOME=str(place / "s"))[0] in {
        ExitCode.DONE,
        ExitCode.BUDGET,
    }
    assert said(place, "oak verify all-closed")[0] == ExitCode.DONE


def printed(place: Path, arguments: Sequence[str], encoding: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "oakbench_tui", *arguments],
        capture_output=True,
        check=False,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
    )
    assert (done.returncode, done.stderr) == (ExitCode.DONE, b"")
    return done.stdout


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", b"\\xb7"), ("latin-1", b"\xb7")])
def test_characters_that_an_encoding_lacks_become_escapes(encoding: str, shown: bytes, place: Path) -> None:
    assert b"DIAGNOSTIC " + shown + b" not claim-eligible" in printed(place, ["status", "c"], encoding)


def test_the_help_of_every_command_is_plain_ascii() -> None:
    """The library of the command line writes it by itself, whatever the encoding."""
    commands = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    for command in ((), *((name,) for name in commands)):
        assert CliRunner().invoke(app, [*command, "-h"]).output.isascii()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
@given(values=st.dictionaries(st.text(), st.lists(st.text()), max_size=3))
def test_json_stays_the_same_json_in_every_encoding(encoding: str, values: dict[str, list[str]]) -> None:
    stream = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding=encoding))
        put_json(json.dumps(values, ensure_ascii=False))

        assert json.loads(stream.getvalue().decode(encoding)) == values

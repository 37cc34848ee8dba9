"""What the system refuses, what is too long to read, what is no campaign: a clear line, its code, the next step."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.errors import ExitCode
from tests import campaigns
from tests.core.definitions import NOTES

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return shutil.copytree(NOTES, tmp_path / "notes")


def campaign(folder: Path, **changes: Any) -> Path:
    folder.mkdir()
    (folder / "plan.json").write_text(json.dumps(campaigns.plan_document(**changes)))
    return folder


def as_a_user(*arguments: object, cwd: Path) -> tuple[int, str, str]:
    """The program without the right of root to pass over permissions."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root without setpriv: every permission is given")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "oakbench_tui", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("closed", "arguments", "words"),
    [
        ("c", ("status", "c", "d"), "c: cannot look into it: permission denied"),
        ("up", ("run", "up/c"), "up/c: cannot look into it: permission denied"),
        ("notes", ("freeze", "notes", "-o", "x"), "notes/campaign.toml: cannot read it: permission denied"),
        ("notes/prompts/helped.md", ("freeze", "notes"), "notes/prompts/helped.md: cannot read it: permission denied"),
        ("notes/fixtures", ("freeze", "notes", "-o", "x"), "cannot copy it ($.workflows.bugfix.tasks.off-by-one.fix"),
        ("out", ("freeze", "notes", "-o", "out/x"), "out/x: cannot write a campaign folder: permission denied"),
        ("out", ("report", "d", "-o", "out/x"), "out/x: cannot write it: permission denied"),
    ],
)
def test_a_permission_that_is_lacking_is_told_in_a_line_with_a_next_step(
    closed: str, arguments: tuple[str, ...], words: str, notes: Path
) -> None:
    place = notes.parent
    campaign(place / "c")
    campaign(place / "d")
    (place / "out").mkdir()
    (place / "up" / "c").mkdir(parents=True)
    target = place / closed
    mode = target.stat().st_mode
    target.chmod(0)
    try:
        code, _, err = as_a_user(*arguments, cwd=place)
    finally:
        target.chmod(mode)

    first, second = err.splitlines()
    assert code == ExitCode.PLATFORM
    assert words in first
    assert "Errno" not in err
    assert second.startswith("next: ")
    assert not (place / "x").exists()


def test_a_folder_below_a_file_cannot_be_made(notes: Path, cli: Callable[..., Any]) -> None:
    below = notes / "campaign.toml" / "x"

    code, _, err = cli("freeze", notes, "-o", below)

    assert (code, err.splitlines()) == (
        ExitCode.PLATFORM,
        [
            f"oakbench: {below}: cannot write a campaign folder: {notes / 'campaign.toml'} is no folder",
            "next: freeze into another folder with -o DIR",
        ],
    )


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("call", ["shutil.copyfile", "os.fsync"])
def test_a_disk_that_takes_no_more_is_told_of_the_folder_that_is_made(
    call: str, number: int, notes: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "somewhere inside")

    monkeypatch.setattr(call, refuse)
    target = notes.parent / "x"
    code, out, err = cli("freeze", notes, "-o", target)

    assert (code, out) == (ExitCode.PLATFORM, "")
    assert err.splitlines()[0] == f"oakbench: {target}: cannot write a campaign folder: {os.strerror(number)}"
    assert err.splitlines()[1].startswith("next: ")
    assert list(notes.parent.iterdir()) == [notes]


def test_what_the_system_refuses_where_nobody_expected_it_is_no_defect_of_ours(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "some/file")

    monkeypatch.setattr("oakbench_tui.cli.verify.verification_lines", refuse)
    code, _, err = cli("verify", campaign(tmp_path / "c"))

    assert (code, err.splitlines()[0]) == (
        ExitCode.PLATFORM,
        "oakbench: some/file: the system refuses: Too many open files",
    )


def test_a_defect_whose_details_cannot_be_kept_is_still_told(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("oakbench_tui.cli.verify.verification_lines", lambda *_: 1 / 0)
    monkeypatch.setattr("oakbench_tui.cli.refusals.write_crash_file", refuse)
    code, _, err = cli("verify", campaign(tmp_path / "c"))

    assert code == ExitCode.DEFECT
    assert "a defect of ours (ZeroDivisionError); its details could not be written down: No space left" in err


def test_status_of_many_folders_tells_each_that_cannot_be_read_and_answers_for_the_others(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    first, second = campaign(tmp_path / "a"), campaign(tmp_path / "b", campaign_id="c2")
    (tmp_path / "empty").mkdir()
    broken = campaign(tmp_path / "broken")
    (broken / "plan.json").write_text("{")

    code, out, err = cli("status", first, tmp_path / "missing", broken, tmp_path / "empty", second)

    assert code == ExitCode.USAGE
    assert [line.split()[0] for line in out.splitlines() if "plan " in line] == ["c1", "c2"]
    assert [str(tmp_path / name) in err for name in ("missing", "broken", "empty")] == [True] * 3
    assert cli("status", first, broken, second)[0] == ExitCode.REFUSED
    assert cli("status", first, second)[0] == ExitCode.DONE


@pytest.mark.parametrize("command", ["run", "status", "verify"])
def test_a_definition_that_is_not_frozen_is_answered_with_freeze(
    command: str, notes: Path, cli: Callable[..., Any]
) -> None:
    for given in (notes, notes / "campaign.toml"):
        code, _, err = cli(command, given)

        assert code == ExitCode.USAGE
        assert f"next: oakbench-tui freeze {given} makes a campaign folder of it" in err


def _definition(folder: Path, old: str, new: str) -> Path:
    text = (NOTES / "campaign.toml").read_text()
    assert old in text
    folder.mkdir()
    (folder / "campaign.toml").write_text(text.replace(old, new))
    return folder


MEGABYTE = "x" * 1_000_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 20261201", f"{MEGABYTE} = 1"),
        ("seed = 20261201", f'agents = ["{MEGABYTE}"]'),
        ('"fixtures/off-by-one"', f'"{MEGABYTE}"'),
        ('"prompts/helped.md"', f'"{MEGABYTE}"'),
        ('"no-such-agent"', f'"{MEGABYTE}", "{{{MEGABYTE}}}"'),
        ("[subjects.git]", f"[subjects.{MEGABYTE}]\n[subjects.{MEGABYTE.upper()}]\n[subjects.git]"),
    ],
)
def test_a_megabyte_in_a_definition_gives_lines_that_can_be_read(
    old: str, new: str, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    code, _, err = cli("freeze", _definition(tmp_path / "d", old, new), "-o", tmp_path / "x")

    assert code == ExitCode.REFUSED
    assert max(map(len, err.splitlines())) < 2000
    assert " characters)" in err


def test_a_megabyte_in_a_plan_gives_lines_that_can_be_read(tmp_path: Path, cli: Callable[..., Any]) -> None:
    folder = campaign(tmp_path / "c")
    document = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(document | {MEGABYTE: 1, "workflows": {MEGABYTE: {"tasks": 1}}}))

    code, _, err = cli("verify", folder)

    assert code == ExitCode.REFUSED
    assert max(map(len, err.splitlines())) < 2000
    assert ": this key is unknown" in err


def test_of_very_many_problems_the_first_are_told_and_the_others_counted(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    folder = campaign(tmp_path / "c")
    document = json.loads((folder / "plan.json").read_text())
    (folder / "plan.json").write_text(json.dumps(document | {f"key{number}": 1 for number in range(1000)}))

    _, _, err = cli("verify", folder)

    assert len(err.splitlines()) == 202
    assert err.splitlines()[-1] == "  … and 800 more problems"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("timeout_s = 20\n", 'timeout_s = "20"\n', ["$.campaign.timeout_s"]),
        ("[campaign]", "[[campaign]]", ["$.campaign"]),
        ("[campaign]", "[campain]", ["$.campaign", "$.campain"]),
        ("timeout_s = 20\n", "", ["$.workflows.bugfix.tasks.off-by-one"]),
    ],
)
def test_a_timeout_that_stands_in_a_wrong_place_is_not_called_missing_as_well(
    old: str, new: str, expected: list[str], notes: Path, cli: Callable[..., Any]
) -> None:
    text = (notes / "campaign.toml").read_text()
    (notes / "campaign.toml").write_text(text.replace(old, new, 1))

    _, _, err = cli("freeze", notes, "-o", notes.parent / "x")

    assert [line.split(": ")[0].rpartition(", ")[2] for line in err.splitlines()[1:]][: len(expected)] == expected
    assert ("expected `timeout_s` here" in err) == (new == "")

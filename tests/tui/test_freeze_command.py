"""`freeze`: what a campaign will take is said before anything runs; what is wrong is said with its line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import ExitCode
from oakbench_core.running.freezing import freeze
from oakbench_tui.cli.freeze import freezing, freezing_lines
from oakbench_tui.cli.main import run
from tests.core.definitions import NOTES

if TYPE_CHECKING:
    from pathlib import Path


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_a_frozen_campaign_says_its_size_its_worst_case_and_its_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "a campaign"
    code = run(["freeze", str(NOTES / "campaign.toml"), "-o", str(folder)])
    out, err = said(capsys)

    assert (code, err) == (ExitCode.DONE, "")
    assert (folder / "plan.json").is_file()
    assert "14 in 7 blocks: 2 workflows, 3 tasks, 2 agents, 2 subjects" in out
    assert "0.07 hours of agents, 1 trial at a time" in out
    assert "200 s of agents: covers 12 of 14 trials" in out
    assert "absent     no-such-agent ($.agents.absent.argv[0])" in out
    assert "instrumentation only" in out
    assert out.endswith(f"next: oakbench-tui run '{folder}'\n")


def test_figures_come_as_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["freeze", str(NOTES), "-o", str(tmp_path / "c"), "--id", "mine", "--json"]) == ExitCode.DONE
    document = json.loads(said(capsys)[0])

    assert document["schema"] == "oakbench.freeze/1"
    assert document["campaign_id"] == "mine"
    assert (document["trials"], document["blocks"]) == (14, 7)
    assert document["worst_case_s"] == 240
    assert document["covered_at_worst"] == 12


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ("", "none: every trial is admitted"),
        ("admission_budget_s = 240", "240 s of agents: covers every trial"),
        ("admission_budget_s = 239", "239 s of agents: covers 13 of 14 trials"),
        ("admission_budget_s = 0", "0 s of agents: covers 0 of 14 trials"),
    ],
)
def test_what_a_budget_covers_is_counted_by_the_rule_of_admission(budget: str, expected: str, tmp_path: Path) -> None:
    notes = shutil.copytree(NOTES, tmp_path / "notes")
    text = (notes / "campaign.toml").read_text()
    (notes / "campaign.toml").write_text(text.replace("admission_budget_s = 200", budget))

    frozen = freeze(notes, tmp_path / "c")

    assert any(expected in line for line in freezing_lines(frozen))


@pytest.mark.parametrize(
    ("budget_s", "over", "said"),
    [
        (19, 10, "a run stops at trial {first} of 14 at the latest, unless that is skipped: its timeout of 20 s is"),
        (9, 14, "no trial can ever be admitted: each timeout, of 10 s or more, is above the whole budget"),
        (20, 0, ""),
    ],
)
def test_a_timeout_that_is_longer_than_the_whole_budget_is_warned_of(
    budget_s: int, over: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = shutil.copytree(NOTES, tmp_path / "notes")
    text = (notes / "campaign.toml").read_text().replace("admission_budget_s = 200", f"admission_budget_s = {budget_s}")
    (notes / "campaign.toml").write_text(text)
    frozen = freeze(notes, tmp_path / "c")
    lines = freezing_lines(frozen)
    first = next((place for place, trial in enumerate(frozen.plan.schedule, 1) if trial.timeout_s > budget_s), None)

    assert freezing(frozen)["over_budget"] == over
    warnings = [line for line in lines if line.startswith("warning ")]
    assert len(warnings) == bool(over)
    assert all(said.format(first=first) in line for line in warnings)
    assert run(["freeze", str(notes), "-o", str(tmp_path / "d")]) == ExitCode.DONE
    assert ("raise admission_budget_s" in capsys.readouterr().out) == (over == 14)


def test_an_instrument_that_this_machine_lacks_is_counted_in_trials(tmp_path: Path) -> None:
    notes = shutil.copytree(NOTES, tmp_path / "notes")
    text = (notes / "campaign.toml").read_text()
    (notes / "campaign.toml").write_text(text.replace('instruments = ["sh"]', 'instruments = ["sh", "no-such-probe"]'))

    frozen = freeze(notes, tmp_path / "c")

    assert freezing(frozen)["missing_instruments"] == {"no-such-probe": 8}
    assert "absent     no-such-probe, an instrument: 8 trials would be skipped on this machine" in freezing_lines(
        frozen
    )


def test_a_refused_definition_says_file_line_and_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "campaign.toml").write_text('[campaign]\nid = "x"\nseed = "y"\nhue = 1\n')
    code = run(["freeze", str(tmp_path / "campaign.toml"), "-o", str(tmp_path / "c")])
    out, err = said(capsys)

    assert (code, out) == (ExitCode.REFUSED, "")
    assert f"{tmp_path}/campaign.toml, line 3, $.campaign.seed: expected" in err
    assert f"{tmp_path}/campaign.toml, line 4, $.campaign.hue: this key is unknown" in err
    assert "$.workflows: this key is required" in err
    assert not (tmp_path / "c").exists()


def test_freezing_twice_is_refused_with_a_way_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["freeze", str(NOTES), "-o", str(tmp_path / "c")]) == ExitCode.DONE
    assert run(["freeze", str(NOTES), "-o", str(tmp_path / "c")]) == ExitCode.USAGE
    assert "next: freeze into another folder" in said(capsys)[1]


def test_without_arguments_the_definition_of_this_folder_goes_to_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(NOTES, tmp_path / "notes"))

    assert run(["freeze"]) == ExitCode.DONE
    assert (tmp_path / "notes" / "runs" / "notes-2026" / "plan.json").is_file()


def test_a_definition_that_is_not_there_is_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["freeze"]) == ExitCode.USAGE


def test_a_timeout_that_is_said_wrongly_is_not_also_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = shutil.copytree(NOTES, tmp_path / "notes")
    text = (notes / "campaign.toml").read_text()
    (notes / "campaign.toml").write_text(re.sub(r"timeout_s = (\d+)", r'timeout_s = "\1"', text))

    assert run(["freeze", str(notes), "-o", str(tmp_path / "c")]) == ExitCode.REFUSED
    err = said(capsys)[1]
    assert "timeout_s: expected" in err
    assert "expected `timeout_s` here" not in err


# A disk that takes no more, for this process alone; the first file that cannot be written is an input's copy.
FULL = """
import resource, sys
from oakbench_tui.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.parametrize("room", [0, 400])
def test_what_the_system_refuses_is_no_fault_of_the_definition(tmp_path: Path, room: int) -> None:
    arguments = ["freeze", str(NOTES), "-o", str(tmp_path / "c")]
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(room), *arguments], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (ExitCode.PLATFORM, "")
    assert "file too large" in done.stderr.lower()
    assert "Errno" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_a_file_is_no_place_for_a_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")

    assert run(["freeze", str(NOTES), "-o", str(tmp_path / "file" / "c")]) == ExitCode.PLATFORM
    assert "is no folder" in said(capsys)[1]

"""The demonstration: the same plan however it is installed, and a run that never outlives whoever looks on."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import ExitCode
from tests.running.real_runs import PATIENCE_S, RealCampaign, wait_for
from tests.running.trials import alive
from tests.tui.terminal import ROOT, needs_tmux, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.tui.terminal import Terminal

MAKE = """
import sys
from pathlib import Path
from oakbench_tui.cli.demo import make_campaign
make_campaign(Path(sys.argv[1]))
"""


def plan_sha256(code: Path, target: Path) -> str:
    """The hash of the demonstration's plan as the package in the folder `code` makes it."""
    subprocess.run(
        [sys.executable, "-P", "-c", MAKE, str(target)],
        check=True,
        cwd=target.parent,
        env={**os.environ, "PYTHONPATH": f"{code}:{ROOT}", "SOURCE_DATE_EPOCH": "1800000000"},
    )
    sha256: str = json.loads((target / "plan.json").read_text())["plan_sha256"]
    return sha256


def test_an_installation_that_compiles_its_files_makes_the_same_plan(tmp_path: Path) -> None:
    code = tmp_path / "code"
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "oakbench_tui", code / "oakbench_tui", ignore=without)
    before = plan_sha256(code, tmp_path / "before")
    bundled = code / "oakbench_tui" / "demo" / "campaign"
    assert compileall.compile_dir(bundled, quiet=1)
    assert list(bundled.rglob("*.pyc"))

    assert plan_sha256(code, tmp_path / "after") == before


@contextmanager
def running(tmp_path: Path, command: str = "") -> Iterator[tuple[Terminal, RealCampaign]]:
    """The demonstration with its console, when two of its trials have ended."""
    campaign = RealCampaign(tmp_path)
    demo = f"{command} {sys.executable} -m oakbench_tui demo --dir {campaign.folder}"
    with terminal(tmp_path, demo, XDG_STATE_HOME=str(tmp_path / "state")) as window:
        wait_for(lambda: len(campaign.ids("finished")) >= 2)
        window.until_seen("LIVE")
        yield window, campaign


def expect_ended_in_order(campaign: RealCampaign) -> None:
    """As after one ctrl+c to its runner: what had started has its end."""
    wait_for(lambda: campaign.events()[-1]["event"] == "closed")
    wait_for(lambda: alive(str(campaign.folder)) == [])

    assert campaign.stop()["reason"] == "signal"
    assert campaign.stop()["code"] == 128 + signal.SIGINT
    assert campaign.stop()["detail"] == "the program that started this run is gone"
    assert set(campaign.ids("started")) <= set(campaign.ids("finished"))
    assert len(campaign.ids("finished")) < len(campaign.plan.schedule)


@needs_tmux
def test_a_signal_to_the_console_of_a_demonstration_ends_its_run_in_order(tmp_path: Path) -> None:
    with running(tmp_path) as (window, campaign):
        window.signal(signal.SIGTERM)
        text = window.until_seen("ended 143")
        assert window.is_restored
    expect_ended_in_order(campaign)
    assert f"next  oakbench-tui run {campaign.folder}" in text.replace("\n", "")


@needs_tmux
def test_kill_9_of_a_demonstration_ends_its_run_in_order(tmp_path: Path) -> None:
    with running(tmp_path) as (window, campaign):
        window.signal(signal.SIGKILL)
        wait_for(lambda: campaign.events()[-1]["event"] == "closed")
    expect_ended_in_order(campaign)


@needs_tmux
@pytest.mark.parametrize("command", ["", "trap '' HUP;"], ids=["HUP", "HUP ignored"])
def test_a_terminal_that_goes_away_ends_a_demonstration_and_its_run_in_order(command: str, tmp_path: Path) -> None:
    with running(tmp_path, command) as (window, campaign):
        window.tmux("kill-server")
    expect_ended_in_order(campaign)


def test_the_companion_of_whoever_is_gone_brings_its_trial_to_its_end(tmp_path: Path) -> None:
    """The pipe alone, without any console."""
    campaign = RealCampaign(tmp_path)
    campaign.folder.parent.mkdir(exist_ok=True)
    subprocess.run(
        [sys.executable, "-c", MAKE, str(campaign.folder)], check=True, env=campaign.environment, cwd=tmp_path
    )
    command = [sys.executable, "-m", "oakbench_tui", "run", str(campaign.folder), "--company", "0"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=campaign.environment, cwd=tmp_path
    ) as runner:
        wait_for(lambda: campaign.ids("started"))
        out, _ = runner.communicate(timeout=PATIENCE_S)

    assert runner.returncode == 128 + signal.SIGINT
    assert "stopped as by SIGINT (exit 130): the program that started this run is gone" in out
    expect_ended_in_order(campaign)


INTERRUPTED = """
import os, signal, sys
from oakbench_tui.cli import demo, main
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
setattr(demo, sys.argv[1], interrupt)
sys.exit(main.run(["demo", "--headless", "--dir", sys.argv[2]]))
"""


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("make_campaign", "interrupted before {0} was made\n"),
        ("run_folder", "interrupted; the campaign is in {0}\nnext: oakbench-tui run {0} goes on, "),
    ],
)
def test_a_demonstration_that_is_interrupted_early_says_where_it_is_and_how_to_go_on(
    step: str, said: str, tmp_path: Path
) -> None:
    target = tmp_path / "d"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, step, str(target)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert done.returncode == 128 + signal.SIGINT
    assert said.format(target) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_short_demonstration_has_a_plan_at_every_moment_and_the_first_of_the_schedule(tmp_path: Path) -> None:
    campaign = RealCampaign(tmp_path)
    short = subprocess.run(
        [sys.executable, "-m", "oakbench_tui", "demo", "--headless", "--trials", "2", "--dir", str(campaign.folder)],
        capture_output=True,
        text=True,
        check=False,
        env=campaign.environment,
        cwd=tmp_path,
    )

    assert short.returncode == ExitCode.DONE
    assert len(campaign.plan.schedule) == 2
    assert sorted(path.name for path in campaign.folder.iterdir() if path.name.startswith(".")) == [".gitignore"]
    assert short.stdout.startswith("# vcs-habits")

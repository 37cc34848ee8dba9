"""Three in the morning: a login dies, a limit is met, a disk fills up. The run stops or waits by itself."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import ExitCode
from tests.core.test_durable_mounts import cannot_mount
from tests.running.real_runs import COMMAND, PATIENCE_S, RealCampaign, definition, task
from tests.running.streams import failed, init, thread, turn, turn_failed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.running.streams import Event

TRIALS = 30


def printed(*events: Event) -> str:
    return "\n".join(f"echo {shlex.quote(json.dumps(event))}" for event in events)


def streaming(place: Path, script: str, adapter: str, run: str) -> RealCampaign:
    """A campaign whose agent prints a stream; its settings of `[run]` are lines of TOML."""
    campaign = RealCampaign(place)
    text = definition({"t": task(script)}, campaign=f"repetitions = {TRIALS}")
    text = text.replace('"command"', f'"{adapter}"').replace(', "{usage_file}"', "")
    return campaign.freeze(text.replace("[run]\nhalt_after = 0", f"[run]\n{run}"))


def test_a_login_that_died_costs_a_handful_of_trials_and_not_the_night(tmp_path: Path) -> None:
    dead = printed(init(), failed("OAuth token revoked · Please run /login"))
    campaign = streaming(tmp_path, dead, "claude-code", "halt_after = 3\nmax_parallel = 4")
    code, out, err = campaign.run()

    assert code == ExitCode.SELF_STOPPED
    started = len(campaign.ids("started"))
    assert 3 <= started <= 3 + 4
    assert {row["error"]["type"] for row in campaign.rows().values()} == {"provider_auth"}
    assert "the run stopped itself (exit 13): 3 infrastructure failures of a in a row, the last: provider_auth" in out
    assert "OAuth token revoked · Please run /login" in out
    assert "next  oakbench-tui run " in out
    assert err == "" or "no further trial is started, for 3 infrastructure failures" in err
    assert campaign.stop()["reason"] == "halted"
    report = campaign.report()
    assert (report["counts"]["started"], report["counts"]["unstarted"]) == (started, TRIALS - started)


def test_a_limit_whose_end_is_said_is_waited_for_and_the_run_goes_on_by_itself(tmp_path: Path) -> None:
    marks = RealCampaign(tmp_path).marks
    limited = printed(thread(), *turn_failed("You've hit your usage limit. Try again in 2s."))
    works = printed(thread(), *turn(9, 0, 3))
    script = f"if [ $(ls {marks} | wc -l) -lt 2 ]; then touch {marks}/$0; {limited}\nelse {works}\nfi"
    campaign = streaming(tmp_path, script, "codex", "halt_after = 3\nmax_parallel = 2\nhold_s = 600")
    begun = time.monotonic()
    code, out, _ = campaign.run()

    assert code == ExitCode.DONE
    assert time.monotonic() - begun < PATIENCE_S
    assert "a provider's limit was met: no trial is started before " in out
    report = campaign.report()
    assert report["counts"]["infrastructure_failure"] == 2
    assert report["counts"]["verified_success"] == TRIALS - 2


def test_a_limit_without_an_end_halts_after_a_few_tries(tmp_path: Path) -> None:
    limited = printed(thread(), *turn_failed("Quota exceeded. Check your plan and billing details."))
    campaign = streaming(tmp_path, limited, "codex", "halt_after = 3\nmax_parallel = 4\nhold_s = 1")
    code, out, _ = campaign.run()

    assert code == ExitCode.SELF_STOPPED
    assert len(campaign.ids("started")) <= 4 + 2
    assert "provider_limit: Quota exceeded" in out


def test_a_disk_that_fills_up_stops_the_run_with_room_to_spare(tmp_path: Path) -> None:
    if reason := cannot_mount():
        pytest.skip(reason)
    place = tmp_path / "disk"
    place.mkdir()
    text = definition({"t": task("head -c 12000000 /dev/zero > filler")}, campaign=f"repetitions = {TRIALS}")
    (tmp_path / "campaign.toml").write_text(text.replace("min_free_gib = 0", "min_free_gib = 1\nmax_parallel = 2"))
    python = " ".join(COMMAND)
    script = (
        f"mount -t tmpfs -o size=1070m none {place} && {python} freeze {tmp_path} -o {place}/c >&2 && "
        f"{python} run {place}/c --workspaces {place}/ws --set keep_workspaces=all; echo code $?; "
        f"cat {place}/c/journal.jsonl | tail -1; ls {place}/c/workspaces | wc -l"
    )
    environment = RealCampaign(tmp_path).environment
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=True, env=environment,
        timeout=PATIENCE_S,
    )  # fmt: skip

    assert f"code {int(ExitCode.SELF_STOPPED)}" in done.stdout
    assert "GiB are free on the disk of workspaces, fewer than 1" in done.stdout
    assert "next  oakbench-tui run " in done.stdout
    assert '"stop":{"reason":"disk","code":13' in done.stdout
    assert 2 <= int(done.stdout.split()[-1]) <= 6

"""Fault 24, as a whole: secrets in environment, login, arguments, output and names, and a search over all we write."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from oakbench_core.errors import ExitCode
from tests.running.real_runs import COMMAND, RealCampaign, definition, task
from tests.running.streams import failed, init, message

if TYPE_CHECKING:
    from pathlib import Path

TOKEN, ACCESS, OTHER = "sentinel-of-env-0123456789", "sentinel-of-login-0123456789", "sentinel-of-nobody-0123456789"
SENTINELS = (TOKEN, ACCESS, OTHER)

LOUD = f"""
access=$(sed 's/.*: "//; s/".*//' ~/.auth.json); echo $access
env; env >&2; cat ~/.auth.json
half=sentinel-of-env-; printf %s "$half"; sleep 0.2; printf '%s\\n' "${{MY_TOKEN#$half}}"
sh -c 'tr "\\000" " " < /proc/self/cmdline' $MY_TOKEN "$(cat ~/.auth.json)" || true
i=0; while [ $i -lt 3000 ]; do echo "$i $MY_TOKEN"; i=$((i+1)); done
echo $MY_TOKEN > leaked; cat ~/.auth.json > "$MY_TOKEN"; ln -s $MY_TOKEN link; printf 'a\\0%s' $MY_TOKEN > binary
printf '{{"resolved_model": "m %s", "agent_version": "%s", "accounting": {{"provider": "%s"}}, "%s": 1}}' \\
  $MY_TOKEN {ACCESS} $MY_TOKEN $MY_TOKEN > $1
echo {OTHER} > /dev/null
"""
CHECKS = '{ name = "tells", run = "cat leaked; ls; cat sentinel*; cat leaked >&2; exit 1" }'


@pytest.fixture
def campaign(tmp_path: Path) -> RealCampaign:
    campaign = RealCampaign(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".auth.json").write_text(json.dumps({"tokens": [{"access": ACCESS}]}))
    return campaign


def environment(campaign: RealCampaign) -> dict[str, str]:
    own = {"HOME": str(campaign.place / "home"), "MY_TOKEN": TOKEN, "UNRELATED_TOKEN": OTHER}
    return campaign.environment | own


def script(text: str) -> str:
    """A script that holds no secret itself: it has them from where the agent has them."""
    return text.replace(ACCESS, "$access").replace(OTHER, "$UNRELATED_TOKEN")


def everything_written(campaign: RealCampaign) -> bytes:
    places = (campaign.folder, campaign.place / "state")
    files = [path for place in places for path in place.rglob("*")]
    names = "\n".join(map(str, files)).encode()
    return names + b"".join(path.read_bytes() for path in files if path.is_file() and not path.is_symlink())


def expect_no_sentinel(text: bytes | str) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    for sentinel in SENTINELS:
        at = data.find(sentinel.encode())
        assert at < 0, f"{sentinel} at {data[max(at - 80, 0) : at + 60]!r}"


def test_a_search_over_everything_that_we_write_and_print_finds_no_secret(campaign: RealCampaign) -> None:
    tasks = {
        "loud": task(script(LOUD), checks=CHECKS),
        "setup": task("true", more='setup = ["cp -r ~ . && false $(ls ~)"]'),
        "hangs": task(script("cat ~/.auth.json; echo $MY_TOKEN >&2; sleep 60"), more="timeout_s = 1"),
        "missing": task("exec /no/such/$MY_TOKEN"),
    }  # fmt: skip
    agent = 'env = ["MY_TOKEN"]\nlogin = ["~/.auth.json"]\ncleanup = ["env; ls ~; exit 1"]'
    campaign.freeze(definition(tasks, agent=agent, campaign="repetitions = 2"))
    code, out, err = campaign.run("--set", "max_parallel=2", "--json", env=environment(campaign))

    assert code == ExitCode.DONE
    rows = campaign.rows()
    assert rows["loud"]["population"]["agent_version"] == "[login:.auth.json]"
    assert rows["loud"]["population"]["resolved_model"] == "m [MY_TOKEN]"
    assert rows["setup"]["error"]["type"] == "setup_failed"
    assert rows["hangs"]["timed_out"] is True
    written = everything_written(campaign)
    expect_no_sentinel(written)
    expect_no_sentinel(out + err)
    assert written.count(b"[MY_TOKEN]") > 6000
    assert b"[login:.auth.json]" in written
    for command in ("status", "verify", "report"):
        told = subprocess.run(
            [*COMMAND, command, str(campaign.folder)], capture_output=True, check=False, env=environment(campaign)
        )
        expect_no_sentinel(told.stdout + told.stderr)


def test_a_provider_that_repeats_the_key_tells_nobody(campaign: RealCampaign) -> None:
    events = [init(), message("m1"), failed("API Error: 401 the key KEY is wrong")]
    lines = "\n".join(f"echo '{json.dumps(event)}' | sed s/KEY/$MY_TOKEN/" for event in events)
    text = definition({"t": task(lines)}, agent='env = ["MY_TOKEN"]').replace('"command"', '"claude-code"')
    campaign.freeze(text.replace(', "{usage_file}"', ""))
    code, out, err = campaign.run(env=environment(campaign))

    assert code == ExitCode.DONE
    assert campaign.rows()["t"]["error"]["message"] == "API Error: 401 the key [MY_TOKEN] is wrong"
    expect_no_sentinel(everything_written(campaign) + out.encode() + err.encode())


def test_a_plan_that_holds_a_secret_is_refused_and_does_not_show_it(campaign: RealCampaign) -> None:
    """The variable was not set when it was frozen."""
    campaign.freeze(definition({"t": task(f"echo {TOKEN}")}, agent='env = ["MY_TOKEN"]'))
    code, out, err = campaign.run(env=environment(campaign))

    assert code == ExitCode.REFUSED
    assert "holds the value of MY_TOKEN, which is secret" in err
    expect_no_sentinel(out + err)
    assert not campaign.journal.exists()

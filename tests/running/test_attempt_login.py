"""Login files: in the agent's HOME alone, for its time alone, and their texts nowhere else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.running.login import LoginFile, login_secrets
from tests.running.trials import shell

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_core.running.attempt import Attempted
    from tests.running.trials import Trials

ACCESS, REFRESH, RENEWED = "access-0123456789abcdef", "refresh-0123456789abcdef", "renewed-0123456789abcdef"
AUTH = {"tokens": {"access_token": ACCESS, "list": [REFRESH]}, "mode": "short", "count": 3}
LOGIN = "~/.codex/auth.json"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "auth.json").write_text(json.dumps(AUTH))
    return home


def logged_in(trials: Trials, home: Path, script: str, **more: Any) -> Attempted:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}
    return trials.attempt(shell(script), agent={"login": [LOGIN]}, environment=environment, **more)


def test_the_agent_alone_has_the_file_and_only_while_it_runs(trials: Trials, home: Path) -> None:
    log = trials.place / "log"
    attempted = logged_in(
        trials, home, f"stat -c '%a %F' ~/.codex ~/.codex/auth.json; cmp ~/.codex/auth.json {home}/.codex/auth.json",
        task={"setup": [f"find ~ -type f > {log}"]},
        checks=[{"name": "c", "kind": "command", "run": "find ~ -type f", "stdout": ""}],
    )  # fmt: skip

    assert attempted.row["verified_success"] is True
    assert attempted.row["exit_code"] == 0
    assert trials.artifact(attempted, "stdout") == "700 directory\n600 regular file\n"
    assert log.read_text() == ""
    assert [*trials.workspaces.iterdir()] == []


def test_every_text_of_the_file_is_replaced_wherever_it_is_written(trials: Trials, home: Path) -> None:
    script = f"cat ~/.codex/auth.json; echo {REFRESH} >&2; cp ~/.codex/auth.json stolen; mv stolen {ACCESS}"
    check = {"name": "c", "kind": "command", "run": f"cat {ACCESS}; exit 1"}
    attempted = logged_in(trials, home, script, checks=[check], task={"setup": [f"echo {REFRESH}; true"]})

    written = str(attempted.row) + "".join(
        trials.artifact(attempted, name) for name in ("stdout", "stderr", "oracle", "changes")
    )
    assert ACCESS not in written
    assert REFRESH not in written
    assert trials.artifact(attempted, "stderr") == "[login:auth.json]\n"
    assert '"mode": "short"' in trials.artifact(attempted, "stdout")
    everything = b"".join(path.read_bytes() for path in trials.folder.rglob("*") if path.is_file())
    assert ACCESS.encode() not in everything


def test_what_the_agent_renewed_is_secret_too_and_the_users_file_is_untouched(trials: Trials, home: Path) -> None:
    script = f"""printf '"%s"' {RENEWED} > ~/.codex/auth.json; cp ~/.codex/auth.json kept; cat kept; cat kept >&2"""
    check = {"name": "c", "kind": "command", "run": "cat kept; exit 1"}
    attempted = logged_in(trials, home, script, checks=[check])

    names = ("changes", "oracle", "stdout", "stderr")
    assert RENEWED not in "".join(trials.artifact(attempted, name) for name in names)
    assert trials.artifact(attempted, "stdout") == '"[login:auth.json]"'
    assert sorted(path.name for path in (trials.folder / "artifacts").rglob("*.*")) == [
        "changes.diff", "oracle.txt", "stderr.txt", "stdout.txt", "w.t.plain.a.r001.git",
    ]  # fmt: skip
    assert "[login:auth.json]" in trials.artifact(attempted, "changes")
    assert json.loads((home / ".codex" / "auth.json").read_text()) == AUTH


@pytest.mark.parametrize(
    "script",
    [
        "rm -r ~/.codex && ln -s {real} ~/.codex",
        "rm ~/.codex/auth.json && ln -s {real}/auth.json ~/.codex/auth.json",
        "rm -r ~/.codex",
        "rm ~/.codex/auth.json && mkdir ~/.codex/auth.json",
        "chmod 0 ~/.codex",
    ],
)
def test_whatever_the_agent_makes_of_its_home_the_users_own_stays(trials: Trials, home: Path, script: str) -> None:
    attempted = logged_in(trials, home, script.replace("{real}", str(home / ".codex")))

    assert attempted.terminal is Terminal.COMPLETED
    assert json.loads((home / ".codex" / "auth.json").read_text()) == AUTH
    assert [*trials.workspaces.iterdir()] == []


def test_a_login_that_is_gone_starts_no_agent(trials: Trials, home: Path) -> None:
    (home / ".codex" / "auth.json").unlink()
    attempted = logged_in(trials, home, f"touch {trials.place}/started")

    assert attempted.row["error"]["type"] == "setup_failed"
    assert "the login file ~/.codex/auth.json cannot be read: No such file" in attempted.row["error"]["message"]
    assert not (trials.place / "started").exists()


def test_what_setup_put_in_its_place_gives_way(trials: Trials, home: Path) -> None:
    setup = ["mkdir ~/.codex; echo 'model = 1' > ~/.codex/config.toml; echo old > ~/.codex/auth.json"]
    attempted = logged_in(
        trials, home, "cat ~/.codex/config.toml; stat -c %a ~/.codex/auth.json", task={"setup": setup}
    )

    assert trials.artifact(attempted, "stdout") == "model = 1\n600\n"


def test_secrets_of_a_file_are_its_json_texts_or_else_its_words() -> None:
    def secrets(content: bytes) -> list[tuple[str, str]]:
        return list(login_secrets([LoginFile((".x", "token"), content)]))

    label = "[login:token]"
    assert secrets(json.dumps(AUTH).encode()) == [(ACCESS, label), (REFRESH, label)]
    assert secrets(f"machine x password {ACCESS}\n".encode()) == [(ACCESS, label)]
    assert secrets(b"{torn " + ACCESS.encode()) == [(ACCESS, label)]
    assert secrets(b"\xff" * 16) == [("\udcff" * 16, label)]
    assert secrets(b"short words only") == []

"""The conditions of a trial: its environment, its files, what is kept of it, and what is written of its secrets."""

from __future__ import annotations

import hashlib
import json
import stat
from typing import TYPE_CHECKING

import pytest

from tests.running.trials import HIDDEN, shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.running.trials import Trials

ALLOWED = {"PATH", "LANG", "TZ", "TMPDIR", "HOME", "GIT_CEILING_DIRECTORIES", "GIT_CONFIG_NOSYSTEM"}


def variables(text: str) -> dict[str, str]:
    return dict(line.partition("=")[::2] for line in text.splitlines())


def everything_written(place: Path) -> bytes:
    return b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())


def test_the_environment_is_the_list_of_what_is_allowed_and_nothing_else(trials: Trials) -> None:
    log = trials.place / "setup"
    attempted = trials.attempt(
        ["env"],
        agent={"env": ["TOKEN"], "set_env": {"GIT_AUTHOR_NAME": "bench"}},
        task={"setup": [f"env > {log}"]},
        checks=[{"name": "c", "kind": "command", "run": ["env"]}],
    )

    agent = variables(trials.artifact(attempted, "stdout"))
    setup = variables(log.read_text())
    check = variables(trials.artifact(attempted, "oracle").partition("-- stdout\n")[2].strip())
    assert agent.keys() == {*ALLOWED, "GIT_AUTHOR_NAME", "TOKEN"}
    assert check.keys() == {*ALLOWED, "GIT_AUTHOR_NAME"}
    assert setup.keys() - {"PWD", "SHLVL", "_", "OLDPWD"} == check.keys()
    assert [agent["TOKEN"]] == ["[TOKEN]"]
    assert (agent["LANG"], agent["TZ"], agent["GIT_CONFIG_NOSYSTEM"]) == ("C.UTF-8", "UTC", "1")
    assert agent["GIT_CEILING_DIRECTORIES"] == str(trials.workspaces.resolve())
    assert agent["HOME"] != "/nowhere"
    assert len(agent["TMPDIR"]) <= len(str(trials.workspaces.resolve())) + 14


def test_a_home_is_empty_and_new_unless_it_is_inherited(trials: Trials) -> None:
    assert trials.artifact(trials.attempt(shell("ls -A $HOME; ls -A $TMPDIR")), "stdout") == ""
    another = trials.another()
    assert another.artifact(another.attempt(shell("echo $HOME"), agent={"home": "inherit"}), "stdout") == "/nowhere\n"


def test_every_placeholder_has_its_value(trials: Trials) -> None:
    fixture, inputs = trials.frozen_tree({"f": "1"}), trials.frozen_tree({"scripts/agent.sh": "#!/bin/sh\n"})
    names = [
        "workspace",
        "prompt",
        "prompt_file",
        "usage_file",
        "model",
        "task",
        "trial_id",
        "inputs",
        "subject.binary",
        "subject.help",
    ]
    script = 'cat $3; test $1 = $PWD; ls $8/scripts; printf \'%s\\n\' "$2" $5 $6 $7 $9 "${10}" $0'
    attempted = trials.attempt(
        ["sh", "-ec", script.replace("{", "{{").replace("}", "}}"), "{{}}", *(f"{{{name}}}" for name in names)],
        task={"fixture_sha256": fixture, "prompts": {"plain": "Do it: {subject.help} {{now}}.\n"}},
        agent={"model": "m-1"},
        subject={"binary": "sh", "parameters": {"help": "use {git}"}},
        inputs=inputs,
    )

    said = trials.artifact(attempted, "stdout").split("\n")
    assert attempted.row["exit_code"] == 0
    assert said[:4] == ["Do it: use {git} {now}.", "agent.sh", "Do it: use {git} {now}.", ""]
    assert said[4:7] == ["m-1", "t", attempted.row["artifacts"]["stdout"].split("/")[1]]
    assert said[7].endswith("/sh")
    assert said[8:] == ["use {git}", "{}", ""]


def test_the_row_carries_the_conditions_on_every_ending(trials: Trials) -> None:
    attempted = trials.attempt(["no-such-program"], subject={"version": "2.1", "binary_sha256": "b" * 64})

    population = attempted.row["population"]
    assert (population["os"], population["arch"], population["runner_class"]) == ("linux", "x86_64", "test machine")
    assert (population["subject_version"], population["subject_binary_sha256"]) == ("2.1", "b" * 64)
    assert population["oracle_version"] == 3
    assert population["prompt_sha256"] == hashlib.sha256(b"do it").hexdigest()
    assert population["token_calibration"] is population["resolved_model"] is population["agent_version"] is None


@pytest.mark.clause("A10-30")
def test_what_an_agent_does_not_say_of_its_use_is_null_and_what_is_no_number_is_named(trials: Trials) -> None:
    said = {
        "input_tokens": 12, "turns": 0, "cost_usd": "free", "duration_s": 0, "tool_calls": True, "surprise": 1,
        "agent_version": "9.1", "resolved_model": 4,
        "accounting": {"provider": "p", "cost_source": "guess", "input_includes_cached": False},
    }  # fmt: skip
    attempted = trials.attempt(
        ["sh", "-c", 'printf %s "$1" > $0', "{usage_file}", json.dumps(said).replace("{", "{{").replace("}", "}}")]
    )

    resources, accounting = attempted.row["resources"], attempted.row["accounting"]
    assert (resources["input_tokens"], resources["turns"]) == (12, 0)
    assert resources["cost_usd"] is resources["tool_calls"] is resources["output_tokens"] is None
    assert resources["duration_s"] > 0
    assert accounting == dict.fromkeys(accounting) | {"provider": "p", "input_includes_cached": False}
    assert attempted.row["population"]["agent_version"] == "9.1"
    assert attempted.row["extra"]["usage_refused"] == [
        "accounting.cost_source", "cost_usd", "duration_s", "resolved_model", "surprise", "tool_calls",
    ]  # fmt: skip


@pytest.mark.parametrize("made", ["ln -s /etc/passwd $0", "mkfifo $0", "mkdir $0", "printf '{' > $0", "true"])
def test_a_usage_file_that_is_none_leaves_everything_unmeasured(trials: Trials, made: str) -> None:
    attempted = trials.attempt([*shell(made), "{usage_file}"])

    resources = attempted.row["resources"]
    assert attempted.terminal == "completed"
    assert {name for name, value in resources.items() if value is not None} == {"duration_s"}


def test_weighted_tokens_are_made_of_the_plans_weights(trials: Trials) -> None:
    weights = {"input_tokens": "0.1", "output_tokens": "5"}
    usage = '{{"input_tokens": 3, "output_tokens": 2, "cost_weighted_tokens": 999}}'
    argv = ["sh", "-c", f"echo '{usage}' > $0", "{usage_file}"]

    attempted = trials.attempt(argv, agent={"token_weights": weights})

    assert attempted.row["accounting"]["token_weights"] == {"input_tokens": 0.1, "output_tokens": 5.0}
    assert attempted.row["resources"]["cost_weighted_tokens"] == 10.3


def test_no_value_of_a_secret_variable_stands_in_anything_that_is_written(trials: Trials) -> None:
    usage = '{{"resolved_model": "m-%s", "accounting": {{"provider": "%s"}}}}'
    work = (
        "echo $TOKEN; echo $TOKEN >&2; echo $TOKEN > file; echo x > $TOKEN",
        f"printf '{usage}' $TOKEN $TOKEN > $0",
        "for c in $(echo $TOKEN | sed 's/./& /g'); do printf %s $c; sleep 0.01; done",
    )
    attempted = trials.attempt(
        ["sh", "-c", "; ".join(work), "{usage_file}"],
        agent={"env": ["TOKEN"]},
        checks=[{"name": "c", "kind": "command", "run": "cat file; exit $(cat file | wc -l)", "stdout": "no"}],
    )

    assert trials.artifact(attempted, "stdout") == "[TOKEN]\n[TOKEN]"
    assert trials.artifact(attempted, "stderr") == "[TOKEN]\n"
    assert attempted.row["population"]["resolved_model"] == "m-[TOKEN]"
    assert attempted.row["accounting"]["provider"] == "[TOKEN]"
    assert "+[TOKEN]\n" in trials.artifact(attempted, "changes")
    assert HIDDEN not in json.dumps(attempted.row)
    assert HIDDEN.encode() not in everything_written(trials.place)


def test_no_part_of_a_secret_stands_where_a_text_was_cut(trials: Trials) -> None:
    usage = '{{"agent_version": "%s%s", "%s%s": 1}}'
    argv = [
        "sh",
        "-c",
        f"x=$(head -c 190 /dev/zero | tr '\\0' x); printf '{usage}' $x $TOKEN $x $TOKEN > $0",
        "{usage_file}",
    ]

    attempted = trials.attempt(argv, agent={"env": ["TOKEN"]})

    assert attempted.row["population"]["agent_version"] == "x" * 190 + "[TOKEN]"
    assert attempted.row["extra"]["usage_refused"] == ["x" * 190 + "[TOKEN]"]


def test_output_beyond_the_cap_is_drained_counted_and_said(trials: Trials) -> None:
    attempted = trials.attempt(shell("head -c 30000000 /dev/zero; echo end >&2"), output_cap_bytes=1000)

    stdout = trials.artifact(attempted, "stdout")
    assert attempted.row["exit_code"] == 0
    assert stdout == "\0" * 1000 + "\n[output cut: 30,000,000 bytes came, the first 1,000 are kept]\n"
    assert attempted.row["extra"] == {"output_cut": {"stdout": 30_000_000}}
    assert trials.artifact(attempted, "stderr") == "end\n"


@pytest.mark.parametrize(
    ("wanted", "end", "kept"),
    [("all", "exit 0", True), ("failed", "exit 0", False), ("failed", "exit 1", True), ("none", "exit 1", False)],
)
def test_a_workspace_is_kept_as_asked_and_named_in_the_row(
    trials: Trials, wanted: str, end: str, *, kept: bool
) -> None:
    checks = [{"name": "c", "kind": "command", "run": "test -e good"}]
    work = "touch good" if end == "exit 0" else "touch bad"

    attempted = trials.attempt(shell(work), keep_workspaces=wanted, checks=checks)

    name = attempted.row["artifacts"]["workspace"]
    assert (name is not None) is kept
    assert list(trials.workspaces.iterdir()) == []
    if kept:
        assert [path.name for path in (trials.folder / name).iterdir()] == [work.split()[1]]


def test_a_tree_of_any_depth_and_kind_is_removed(trials: Trials) -> None:
    deep = "import os\nfor i in range(1200):\n os.mkdir('d' * 50); os.chdir('d' * 50)\nopen('x', 'w')\n"
    attempted = trials.attempt(
        ["sh", "-c", f'python3 -c "{deep}"; mkfifo p; mkdir no; touch no/x; chmod 0 no; ln -s / up']
    )

    assert attempted.row["exit_code"] == 0
    assert list(trials.workspaces.iterdir()) == []


def test_artifacts_are_for_their_user_only(trials: Trials) -> None:
    attempted = trials.attempt(["true"])

    names = [name for name in attempted.row["artifacts"].values() if name]
    modes = {stat.S_IMODE((trials.folder / name).stat().st_mode) for name in names}
    assert sorted(name.rpartition("/")[2] for name in names) == [
        "changes.diff",
        "oracle.txt",
        "stderr.txt",
        "stdout.txt",
    ]
    assert modes == {0o600}


def test_an_agent_inherits_no_descriptor_but_three(trials: Trials) -> None:
    attempted = trials.attempt(["sh", "-c", "ls /proc/$$/fd"])

    assert trials.artifact(attempted, "stdout").split() == ["0", "1", "2"]


def test_git_sees_no_repository_above_the_workspace(trials: Trials) -> None:
    trials.workspaces.mkdir(mode=0o700)
    (trials.workspaces / ".git").mkdir()

    attempted = trials.attempt(["git", "rev-parse", "--show-toplevel"])

    assert attempted.row["exit_code"] == 128

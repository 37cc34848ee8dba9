"""What judges a trial: checks of three kinds, what they may not see, and what is never the agent's failure."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.running.trials import asleep, shell

if TYPE_CHECKING:
    from tests.running.trials import Json, Trials


def command(**keys: Any) -> Json:
    return {"name": "c", "kind": "command", "run": ["true"]} | keys


def file(**keys: Any) -> Json:
    return {"name": "f", "kind": "file", "path": "a.txt"} | keys


def changes(**keys: Any) -> Json:
    return {"name": "s", "kind": "changes"} | keys


def result(trials: Trials, argv: list[str], *checks: Json, **options: Any) -> tuple[str, str | None]:
    """Status and detail of the first check."""
    attempted = trials.attempt(argv, checks=list(checks), **options)
    found = attempted.row["oracle"]["checks"][0]
    assert attempted.row["verified_success"] is {"pass": True, "fail": False, "unmeasured": None}[found["status"]]
    return found["status"], found["detail"]


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (command(run="exit 3"), ("fail", "exit 3, expected 0")),
        (command(run="exit 3", exit=3), ("pass", None)),
        (command(run="kill -9 $$"), ("fail", "exit -9, expected 0")),
        (command(run="false; true"), ("fail", "exit 1, expected 0")),
        (command(run="echo $x"), ("fail", "exit 2, expected 0")),
        (command(run="printf 5", stdout="5"), ("pass", None)),
        (command(run="printf '5\\n\\n'", stdout="5"), ("pass", None)),
        (command(run="printf '5\\n'", stdout="5\n"), ("pass", None)),
        (command(run="printf 5", stdout="5\n"), ("fail", "stdout is '5', expected '5\\n'")),
        (command(run="printf ' 5'", stdout="5"), ("fail", "stdout is ' 5', expected '5'")),
        (command(run="echo noise >&2", stdout=""), ("pass", None)),
        (command(run="printf 'a\\nb 12\\n'", stdout_regex="^b [0-9]+$"), ("pass", None)),
        (command(run="echo c", stdout_regex="^b"), ("fail", "stdout 'c\\n' has no match of '^b'")),
        (command(run="printf '\\377'", stdout_regex="."), ("pass", None)),
        (
            command(run="yes | head -c 3000000", stdout="y"),
            ("fail", "3,000,000 bytes on stdout are more than can be compared"),
        ),
        (command(run=["sleep", "93"], timeout_s=1), ("fail", "timed out")),
    ],
)
def test_a_command_passes_if_it_ends_as_the_plan_says(
    trials: Trials, check: Json, expected: tuple[str, str | None]
) -> None:
    assert result(trials, ["true"], check) == expected
    assert asleep(93) == []


@pytest.mark.clause("A10-20")
@pytest.mark.parametrize(
    "check",
    [
        command(instruments=["no-such-tool"]),
        command(run=["no-such-tool"]),
        command(run=["/no/such/tool"]),
        command(run=["/etc/passwd"]),
    ],
)
def test_a_check_without_its_tool_is_unmeasured_and_the_trial_skipped_after_its_start(
    trials: Trials, check: Json
) -> None:
    attempted = trials.attempt(shell("exit 1"), checks=[check, file(path="none")])

    tool = attempted.row["oracle"]["checks"][0]["instrument"]
    assert attempted.terminal == "skipped"
    assert attempted.row["verified_success"] is None
    assert attempted.row["skip"]["phase"] == "after_start"
    assert attempted.row["skip"]["reason"] == "missing_instrument"
    assert attempted.row["skip"]["instrument"] == tool != ""
    assert [found["status"] for found in attempted.row["oracle"]["checks"]] == ["unmeasured", "fail"]
    assert attempted.row["resources"]["duration_s"] > 0


def test_a_program_that_the_agent_was_to_make_is_no_tool_that_is_missing(trials: Trials) -> None:
    status, detail = result(trials, ["true"], command(run=["./build/app"]))

    assert status == "fail"
    assert detail == "cannot start ./build/app: No such file or directory"
    trials = trials.another()
    assert result(trials, ["true"], command(run=["{workspace}/app"]))[0] == "fail"


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (file(), ("pass", None)),
        (file(path="none"), ("fail", "none is not there")),
        (file(path="dangling"), ("fail", "dangling is not there")),
        (file(path="none", present=False), ("pass", None)),
        (file(path="dangling", present=False), ("fail", "dangling is there")),
        (file(contains="öne"), ("pass", None)),
        (file(contains="two"), ("fail", "a.txt does not contain 'two'")),
        (file(sha256=hashlib.sha256("öne\n".encode()).hexdigest()), ("pass", None)),
        (file(sha256="0" * 64), ("fail", "a.txt has another content")),
        (file(path="out", contains="root"), ("fail", "out leads out of the workspace")),
        (file(path="up/passwd"), ("fail", "up/passwd leads out of the workspace")),
        (file(path="in", contains="öne"), ("pass", None)),
        (file(path="pipe", contains="x"), ("fail", "pipe is no regular file")),
        (file(path="folder", contains="x"), ("fail", "folder is no regular file")),
        (file(path="a.txt/b"), ("fail", "a.txt/b is not there")),
    ],
)
def test_a_file_is_as_the_plan_says_and_inside_the_workspace(
    trials: Trials, check: Json, expected: tuple[str, str | None]
) -> None:
    made = "echo öne > a.txt; ln -s none dangling; ln -s /etc/passwd out; ln -s /etc up; ln -s a.txt in; mkfifo pipe"

    assert result(trials, shell(f"{made}; mkdir folder"), check) == expected


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (changes(may_change=["src/**", "new"]), ("pass", None)),
        (changes(may_change=["src/*"]), ("fail", "new and 1 more changed, which may not")),
        (changes(may_change=[]), ("fail", "new and 3 more changed, which may not")),
        (changes(must_change=["src/a", "n?w"]), ("pass", None)),
        (changes(must_change=["kept"]), ("fail", "nothing of kept changed, which must")),
        (changes(must_change=["**"]), ("pass", None)),
    ],
)
def test_changes_are_of_content_against_the_state_after_setup(
    trials: Trials, check: Json, expected: tuple[str, str | None]
) -> None:
    fixture = trials.frozen_tree(
        {"src/a": "1\n", "src/gone": "1\n", "kept": "1\n", "setup": "1\n", "script": "#!/bin/sh\n"}
    )
    work = (
        "echo 2 > src/a; rm src/gone; mkdir -p src/deep .git; echo 3 | tee new src/deep/x .git/HEAD; "
        "touch kept; cp kept k; mv k kept"
    )

    assert result(trials, shell(work), check, task={"fixture_sha256": fixture, "setup": ["echo 2 > setup"]}) == expected


def test_what_the_checks_write_is_no_change_of_the_agent(trials: Trials) -> None:
    checks = [command(run="echo x > made"), changes(may_change=[])]

    attempted = trials.attempt(["true"], checks=checks)

    assert attempted.row["verified_success"] is True
    assert trials.artifact(attempted, "changes") == ""


def test_the_oracles_files_are_nowhere_while_the_agent_lives_and_fresh_for_the_checks(trials: Trials) -> None:
    oracle = trials.frozen_tree({"expected.txt": "hidden answer\n"})
    look = f"cd {trials.workspaces.resolve()} && grep -rl 'hidden answer' . ; exit 0"

    attempted = trials.attempt(
        shell(look),
        oracle_files=oracle,
        checks=[command(run="grep -q 'hidden answer' {oracle}/expected.txt && echo {{$HOME}}")],
    )

    assert trials.artifact(attempted, "stdout") == ""
    assert attempted.row["verified_success"] is True


def test_the_oracle_artifact_says_what_each_check_ran_and_wrote(trials: Trials) -> None:
    attempted = trials.attempt(
        ["true"], checks=[command(name="first", run="echo out; echo err >&2; exit 2"), file(name="second")]
    )

    assert trials.artifact(attempted, "oracle") == (
        "== first: fail, exit 2, expected 0\n"
        "$ sh -euc 'echo out; echo err >&2; exit 2'\n"
        "-- stdout\nout\n-- stderr\nerr\n\n"
        "== second: fail, a.txt is not there\n\n"
    )


def test_a_check_leaves_nothing_running(trials: Trials) -> None:
    trials.attempt(["true"], checks=[command(run="setsid sleep 94 & sleep 0.1")])

    assert asleep(94) == []

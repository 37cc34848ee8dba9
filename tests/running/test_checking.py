"""`check`: what would spoil a campaign is found before it is frozen, and nothing of the search is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.errors import ExitCode
from tests.running.real_runs import COMMAND, PATIENCE_S, RealCampaign, definition, task, wait_for
from tests.running.trials import alive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SENTINEL = "never-on-a-screen-77c1"
DONE = '{ name = "done", path = "done" }'
SOLVED = 'solution = "touch done"'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for everything: temporary files and state included."""
    for name in ("tmp", "state"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def write(place: Path, tasks: Mapping[str, str], **options: str) -> Path:
    folder = place / "source"
    folder.mkdir(exist_ok=True)
    (folder / "campaign.toml").write_text(definition(tasks, **options))
    return folder


def left(place: Path) -> list[Path]:
    return [path for name in ("tmp", "state") for path in (place / name).iterdir()]


def codes(out: str) -> list[str]:
    return [finding["code"] for finding in json.loads(out)["findings"]]


def test_a_sound_task_gives_no_finding_and_leaves_nothing(place: Path, cli: Callable[..., Any]) -> None:
    setup = f"setup = [\"setsid sh -c 'sleep 70; : {place}' & mkdir -p deep && chmod 0 deep\"]"
    folder = write(place, {"t": task("true", more=f"{setup}\n{SOLVED}", checks=DONE)})
    before = sorted(folder.rglob("*"))
    code, out, err = cli("check", folder)

    assert (code, err) == (ExitCode.DONE, "")
    assert (
        "ok         w.t, one: setup works; untouched: done fails (done is not there); solved: the only check passes"
        in out
    )
    assert out.endswith(f"next: oakbench-tui freeze {folder}\n")
    assert left(place) == []
    assert sorted(folder.rglob("*")) == before
    assert alive(str(place)) == []


@pytest.mark.parametrize(
    ("more", "checks", "found"),
    [
        ("", '{ name = "done", run = ["true"] }', ["passes_untouched"]),
        (SOLVED, '{ name = "done", run = ["true"] }', ["passes_untouched"]),
        ('setup = ["touch done"]', DONE, ["passes_untouched"]),
        ('setup = ["echo so >&2; exit 7"]\nsolution = "touch done"', DONE, ["setup_failed"]),
        ('solution = "echo so >&2; exit 7"', DONE, ["solution_failed"]),
        ('solution = ["no-such-program"]', DONE, ["solution_failed"]),
        ('solution = "true"', DONE, ["fails_after_solution"]),
        (SOLVED, f'{DONE}, {{ name = "scope", may_change = ["src/**"] }}', ["fails_after_solution"]),
        (SOLVED, f'{DONE}, {{ name = "probe", run = ["no-such-probe"] }}', ["check_unmeasured"]),
        ('instruments = ["no-such-probe"]', DONE, ["missing_instrument"]),
        ('timeout_s = 1\nsolution = "sleep 71"', DONE, ["solution_failed"]),
    ],
)
def test_what_would_spoil_a_campaign_is_found_with_its_place_and_a_next_step(
    more: str, checks: str, found: list[str], place: Path, cli: Callable[..., Any]
) -> None:
    folder = write(place, {"t": task("true", more=more, checks=checks)})
    code, out, _ = cli("check", folder, "--json")
    document = json.loads(out)

    assert code == ExitCode.GATE_NOT_MET
    assert document["schema"] == "oakbench.check/1"
    assert codes(out) == found
    for finding in document["findings"]:
        assert (finding["workflow"], finding["task"], finding["subject"]) == ("w", "t", "one")
        assert finding["next"]
    assert left(place) == []


def test_the_output_of_what_failed_is_shown_with_placeholders_for_its_folders(
    place: Path, cli: Callable[..., Any]
) -> None:
    more = 'solution = "echo worked in $PWD with $TMPDIR; exit 7"'
    folder = write(place, {"t": task("true", more=more, checks=DONE)}, subjects="[subjects.one]\n[subjects.two]")
    code, out, _ = cli("check", folder)

    assert code == ExitCode.GATE_NOT_MET
    assert "1. w.t, subjects one, two, agent a: the solution does not work" in out
    assert "     | worked in {workspace} with $TMPDIR\n" in out
    assert "2 cases; 1 finding" in out
    assert str(place / "tmp") not in out


def test_hostile_and_endless_output_is_shown_safe_and_cut(place: Path, cli: Callable[..., Any]) -> None:
    script = r"printf '\033]52;c;eA==\007[/foo]'; echo; head -c 1000 /dev/zero | tr '\000' x; exit 7"
    more = f"solution = {json.dumps(script)}"
    code, out, _ = cli("check", write(place, {"t": task("true", more=more, checks=DONE)}))

    assert code == ExitCode.GATE_NOT_MET
    assert "\033" not in out
    assert "\\x1b]52;c;eA==\\x07[/foo]" in out
    assert max(map(len, out.splitlines())) < 600
    assert "characters)" in out


def test_whoever_stops_listening_ends_a_check_quietly_and_nothing_is_left(place: Path) -> None:
    folder = write(place, {name: task("true", checks=DONE) for name in "abc"})
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "check", str(folder)], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=PATIENCE_S
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")
    assert left(place) == []


def test_a_solution_cannot_bend_the_files_that_judge_it(place: Path, cli: Callable[..., Any]) -> None:
    folder = write(place, {})
    (folder / "oracle").write_text("exit 1\n")
    more = 'solution = "echo exit 0 > {oracle}/oracle"\noracle.files = "oracle"'
    tasks = {"t": task("true", more=more, checks='{ name = "judge", run = ["sh", "{oracle}/oracle"] }')}
    code, out, _ = cli("check", write(place, tasks), "--json")

    assert (code, codes(out)) == (ExitCode.GATE_NOT_MET, ["fails_after_solution"])


def test_what_a_plan_skips_by_its_own_word_is_no_finding(place: Path, cli: Callable[..., Any]) -> None:
    subjects = """
[subjects.one]
[subjects.absent]
binary = "no-such-binary"
may_be_missing = true
[subjects.unable]
unsupported = { "w.t" = "cannot" }
"""
    code, out, _ = cli("check", write(place, {"t": task("true", checks=DONE)}, subjects=subjects))

    assert code == ExitCode.DONE
    assert "skipped    w.t, absent: no-such-binary is not on the PATH, and may be missing" in out
    assert "skipped    w.t, unable: unsupported: cannot" in out
    assert "3 cases, 2 of them skipped here; nothing found" in out
    assert "1 task without a `solution`" in out


def test_a_case_is_tried_in_each_environment_that_its_agents_bring(place: Path, cli: Callable[..., Any]) -> None:
    agents = """
[agents.b]
adapter = "command"
argv = ["true"]
set_env = { PROBE = "set" }
[agents.c]
adapter = "command"
argv = ["true"]
"""
    more = 'setup = ["test -z \\"$PROBE\\" || exit 4"]'.replace("$PROBE", "${{PROBE-}}")
    code, out, _ = cli("check", write(place, {"t": task("true", more=more, checks=DONE)}, agent=agents), "--json")
    document = json.loads(out)

    assert code == ExitCode.GATE_NOT_MET
    assert [case["agent"] for case in document["cases"]] == ["a", "b"]
    assert [(finding["code"], finding["agent"]) for finding in document["findings"]] == [("setup_failed", "b")]


def test_a_variable_that_is_not_set_is_named_and_one_that_is_set_is_never_shown(
    place: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_TOKEN", SENTINEL)
    agent = 'env = ["PROBE_TOKEN", "UNSET_TOKEN"]'
    folder = write(place, {"t": task("echo $PROBE_TOKEN", checks=DONE)}, agent=agent)
    refused, unset, _ = cli("check", folder, "--prompts", "--agents")
    write(place, {"t": task("echo $PROBE_TOKEN", checks=DONE)}, agent='env = ["PROBE_TOKEN"]')
    code, out, err = cli("check", folder, "--prompts", "--agents")
    _, document, _ = cli("check", folder, "--agents", "--json")

    assert refused == ExitCode.GATE_NOT_MET
    assert "the variable UNSET_TOKEN is not set here" in unset
    assert "passed on, values secret: PROBE_TOKEN UNSET_TOKEN (NOT SET)" in unset
    assert code == ExitCode.DONE
    assert "[PROBE_TOKEN]" in out
    assert SENTINEL not in unset + out + err + document


def test_prompt_argv_and_environment_are_those_that_a_run_then_gives(place: Path, cli: Callable[..., Any]) -> None:
    subjects = '[subjects.one]\nparameters = { word = "a b" }'
    agent = 'model = "m"\nset_env = { PUBLIC = "x" }\nhome = "fresh"'
    record = 'for x in "$@"; do printf "%s\\\\0" "$x"; done > "$1"; env -0 | cut -z -d= -f1 > "$2"'
    checks = '[ { name = "ok", run = ["true"] } ]'
    said = f'prompts = {{ plain = "Say {{subject.word}}." }}\noracle.version = 1\noracle.checks = {checks}'
    text = definition({"t": said}, subjects=subjects, agent=agent)
    argv = [
        "sh",
        "-c",
        record,
        "{{}}",
        str(place / "argv"),
        str(place / "env"),
        "{prompt}",
        "{model}",
        "{task}",
        "{subject.word}",
    ]
    old = next(line for line in text.splitlines() if line.startswith("argv"))
    campaign = RealCampaign(place)
    campaign.freeze(text.replace(old, f"argv = {json.dumps(argv)}"))
    _, out, _ = cli("check", campaign.folder, "--json")
    [preview] = json.loads(out)["trials"]
    assert campaign.run()[0] == ExitCode.DONE
    seen = (place / "argv").read_text().split("\0")[:-1]
    names = set((place / "env").read_text().split("\0")[:-1])

    assert preview["prompt"] == "Say a b."
    assert preview["argv"][4:] == seen
    assert preview["argv"][3] == "{}"
    assert preview["trial_ids"] == [trial.trial_id for trial in campaign.plan.schedule]
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == set(preview["environment"])


def test_each_agent_is_started_once_and_what_it_says_first_is_shown(place: Path, cli: Callable[..., Any]) -> None:
    marks = place / "marks"
    marks.mkdir()
    subjects = """
[subjects.one]
[subjects.two]
[subjects.other.agent]
argv = ["sh", "-c", "echo Please run /login; exit 1"]
"""
    script = f'mktemp -p {marks}; echo "at work" >&2; touch done; echo {{"turns": 3}} > $1'.replace(
        '{"turns": 3}', "'{\"turns\": 3}'"
    )
    tasks = {"first": task(script, checks=DONE), "second": task("exit 9", checks=DONE)}
    code, out, err = cli("check", write(place, tasks, subjects=subjects), "--agents")
    _, document, _ = cli("check", place / "source", "--agents", "--json")
    agents = json.loads(document)["agents"]

    assert code == ExitCode.GATE_NOT_MET
    assert err.count("this is a real attempt and costs money") == 2
    assert len(list(marks.iterdir())) == 2
    assert "a on w.first" in out
    assert "verified success, exit 0" in out
    assert "turns 3" in out
    assert "     | at work\n" in out
    assert "     | Please run /login\n" in out
    assert "the agent ended by itself, but says by its exit code that something failed" in out
    assert {(agent["task"], agent["result"]) for agent in agents} == {
        ("first", "verified success"), ("first", "task failure"),
    }  # fmt: skip
    assert left(place) == []


@pytest.mark.parametrize(
    ("script", "found", "words"),
    [
        ("sleep 72", "agent_timed_out", "timed out"),
        ("kill -KILL $$", "agent_infrastructure", "agent_killed"),
    ],
)
def test_an_agent_that_does_not_get_to_its_end_is_a_finding(
    script: str, found: str, words: str, place: Path, cli: Callable[..., Any]
) -> None:
    folder = write(place, {"t": task(script, checks=DONE, more="timeout_s = 1")})
    code, out, _ = cli("check", folder, "--agents")

    assert code == ExitCode.GATE_NOT_MET
    assert words in out
    assert codes(cli("check", folder, "--agents", "--json")[1]) == [found]


def test_a_frozen_campaign_is_checked_as_it_would_run_and_only_read(place: Path, cli: Callable[..., Any]) -> None:
    source = place / "source"
    (source / "fixture").mkdir(parents=True)
    (source / "fixture" / "file").write_text("as frozen")
    campaign = RealCampaign(place)
    campaign.freeze(definition({"t": task("touch done", more=f'fixture = "fixture"\n{SOLVED}', checks=DONE)}))
    before = sorted(campaign.folder.rglob("*"))
    sound, out, _ = cli("check", campaign.folder, "--agents")
    after = sorted(campaign.folder.rglob("*"))
    (campaign.folder / "campaign.toml").unlink()
    unsolved = cli("check", campaign.folder)
    [tree] = (campaign.folder / "inputs").iterdir()
    (tree / "file").write_text("as edited")
    changed, document, _ = cli("check", campaign.folder, "--json")

    assert sound == ExitCode.DONE
    assert "solved: the only check passes" in out
    assert out.endswith(f"next: oakbench-tui run {campaign.folder}\n")
    assert before == after
    assert unsolved[0] == ExitCode.DONE
    assert "the definition that this plan was frozen from is not beside it" in unsolved[1]
    assert (changed, codes(document)) == (ExitCode.GATE_NOT_MET, ["changed_input"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_check_at_once_with_all_that_it_started(number: signal.Signals, place: Path) -> None:
    folder = write(
        place, {"t": task("true", more=f'setup = ["touch {place}/begun; sleep 73; : {place}"]', checks=DONE)}
    )
    with subprocess.Popen(
        [*COMMAND, "check", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ,
        start_new_session=True,
    ) as check:  # fmt: skip
        wait_for((place / "begun").exists)
        check.send_signal(number)
        _, err = check.communicate(timeout=PATIENCE_S)

    assert check.returncode == 128 + number
    assert err == "ended before all was checked; nothing of it is left\n"
    assert left(place) == []
    assert alive(str(place)) == []


def test_workspaces_stand_outside_a_repository_that_holds_the_temporary_files(
    place: Path, cli: Callable[..., Any]
) -> None:
    (place / "tmp" / ".git").mkdir()
    more = f'setup = ["pwd > {place}/at"]'
    code, _, _ = cli("check", write(place, {"t": task("true", more=more, checks=DONE)}))

    assert code == ExitCode.DONE
    assert not (place / "at").read_text().startswith(str(place))
    assert not Path((place / "at").read_text().strip()).exists()


def test_what_cannot_be_frozen_cannot_be_checked(place: Path, cli: Callable[..., Any]) -> None:
    folder = write(place, {"t": task("true", more='fixture = "nowhere"\nsolucion = "true"', checks=DONE)})
    refused, _, err = cli("check", folder)
    missing, _, told = cli("check", place / "nowhere")

    assert refused == ExitCode.REFUSED
    assert "solucion: this key is unknown: did you mean `solution`?" in err
    assert "there is no such file or folder" in err
    assert missing == ExitCode.USAGE
    assert "next: oakbench-tui init DIR" in told
    assert left(place) == []

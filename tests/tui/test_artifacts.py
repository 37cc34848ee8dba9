"""What a trial left behind is shown as it is, escaped, and nothing outside the campaign folder is ever opened."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from oakbench_tui.feed.artifacts import artifacts_of
from oakbench_tui.view.inspector.artifact import Artifact, artifacts_page, explanation, section
from oakbench_tui.view.inspector.record import RawEvent, Records
from oakbench_tui.view.segments import plain

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = """== tests: fail, exit 1, expected 0
$ python3 -m unittest
one
two

== committed: pass
$ git status

== a: b: unmeasured
nothing
"""


def ended(artifacts: dict[str, str | None]) -> Records:
    return Records(0, RawEvent(0, b"{}"), RawEvent(9, json.dumps({"row": {"artifacts": artifacts}}).encode()))


def lines_of(artifacts: tuple[Artifact, ...], width: int = 60) -> list[str]:
    page = artifacts_page(artifacts, width)
    return [plain(page.line_at(row)) for row in range(page.rows)]


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("tests", "$ python3 -m unittest\none\ntwo"),
        ("committed", "$ git status"),
        ("a: b", "nothing"),
        ("absent", ""),
    ],
)
def test_the_output_of_one_check_is_found_by_its_name(check: str, text: str) -> None:
    assert section(OUTPUT, check) == text


def test_a_failing_check_is_explained_by_its_output_and_by_what_was_changed() -> None:
    artifacts = (
        Artifact("oracle", "o", size=9, text=OUTPUT),
        Artifact("changes", "c", size=9, text="+added\n-taken\n"),
        Artifact("stdout", "s", size=9, text="chatter"),
    )

    text = "\n".join(map(plain, explanation(artifacts, "tests", 60, 2)))

    assert "Output of tests" in text
    assert "last 2 of 3 lines" in text
    assert "one" in text
    assert "+added" in text
    assert "chatter" not in text


def test_without_a_failing_check_the_agents_own_output_explains() -> None:
    text = "\n".join(map(plain, explanation((Artifact("stdout", "s", size=9, text="waiting"),), None, 60, 8)))

    assert "waiting" in text


def test_no_byte_of_an_artifact_reaches_the_screen_raw() -> None:
    hostile = "\x1b]52;c;eA==\x07 \u202e \u200b \ud800 \r \x9b31m [/x]\n+\x1b[2J"
    artifacts = tuple(Artifact(name, "p\x1b", size=1, text=hostile) for name in ("oracle", "changes", "stdout"))

    shown = "".join(lines_of(artifacts)) + "".join(map(plain, explanation(artifacts, None, 60, 8)))

    assert not set("\x1b\x07\u202e\u200b\ud800\r\x9b") & set(shown)
    assert "[/x]" in shown


def test_the_artifacts_of_an_ended_trial_are_those_its_row_names(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    (tmp_path / "artifacts" / "out.txt").write_text("hello")

    found = artifacts_of(tmp_path, ended({"stdout": "artifacts/out.txt", "stderr": None}), "t")

    assert found == (Artifact("stdout", "artifacts/out.txt", size=5, text="hello"),)


def test_a_running_trial_shows_what_its_agent_has_written_so_far(tmp_path: Path) -> None:
    (tmp_path / "artifacts" / "t").mkdir(parents=True)
    (tmp_path / "artifacts" / "t" / "stdout.txt").write_text("so far")

    found = {artifact.name: artifact for artifact in artifacts_of(tmp_path, Records(0, RawEvent(0, b"{}")), "t")}

    assert found["stdout"].text == "so far"
    assert found["stderr"].failure == "not there"


def test_of_a_large_file_only_its_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"a" * (1 << 20) + b"the end")

    [artifact] = artifacts_of(tmp_path, ended({"stdout": "out"}), "t")

    assert artifact.size == (1 << 20) + 7
    assert len(artifact.text or "") <= 64 << 10
    assert (artifact.text or "").endswith("the end")


@pytest.mark.parametrize("kind", ["link", "folder link", "fifo", "folder", "missing"])
def test_what_is_no_file_of_the_campaign_is_named_and_not_opened(kind: str, tmp_path: Path) -> None:
    outside, campaign = tmp_path / "outside", tmp_path / "campaign"
    outside.mkdir()
    campaign.mkdir()
    (outside / "secret").write_text("sentinel")
    path = "out"
    match kind:
        case "link":
            (campaign / "out").symlink_to(outside / "secret")
        case "folder link":
            (campaign / "inner").symlink_to(outside)
            path = "inner/secret"
        case "fifo":
            os.mkfifo(campaign / "out")
        case "folder":
            (campaign / "out").mkdir()

    [artifact] = artifacts_of(campaign, ended({"stdout": path}), "t")

    assert artifact.text is None
    assert artifact.failure
    assert (artifact.failure == "a symbolic link, which is not followed") == (kind == "link")
    assert "sentinel" not in "".join(lines_of((artifact,)))


def test_a_trial_without_artifacts_says_so() -> None:
    assert lines_of(()) == ["no artifacts: nothing was kept of this trial"]

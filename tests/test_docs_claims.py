"""docs/claims.md is true: its commands are run, in order, and what they print is what the page shows."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oakbench_core.baseline.vocabulary import CAPS, INVALIDATES, LEAVES_OPEN, NOTICES, UNMEASURES
from oakbench_tui.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "claims.md"
FENCE = re.compile(r"```(\w+)\n(.*?)```\n", re.DOTALL)
OLD_BOOK = {
    "schema_version": 1,
    "cells": [
        {
            "key": {
                "lane": "core",
                "scenario": "tiny_text",
                "operation": "status",
                "track": "default",
                "subject": "git",
                "metric": "wall_ms",
            },
            "median": 101.5,
            "uncertainty": {"bootstrap": [98.0, 103.0]},
        }
    ],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder, with the files that the page shows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.book.json").write_text(json.dumps(OLD_BOOK))
    for language, text in FENCE.findall(PAGE.read_text()):
        name = re.match(r"# (\S+\.(?:py|toml))\n", text)
        if language in {"python", "toml"} and name:
            (tmp_path / name[1]).write_text(text)
    return tmp_path


def commands(block: str) -> Iterator[str]:
    return (line[2:] for line in block.splitlines() if line.startswith("$ "))


def printed(command: str, capfd: pytest.CaptureFixture[str]) -> str:
    """What one command prints; ours are run in this process, and `| grep` at their end keeps lines by a pattern."""
    capfd.readouterr()
    if not command.startswith("oakbench-tui "):
        program = command.replace("python3 ", f"{shlex.quote(sys.executable)} ", 1)
        subprocess.run(["sh", "-c", program], check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        shown = capfd.readouterr()
        return shown.out + shown.err
    ours, _, pattern = command.partition(" | grep ")
    run(shlex.split(ours)[1:])
    shown = capfd.readouterr()
    text = re.sub(r"made \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "made 2026-11-30T09:00:00Z", shown.out) + shown.err
    if not pattern:
        return text
    return "".join(line for line in text.splitlines(keepends=True) if re.search(shlex.split(pattern)[0], line))


def test_every_command_of_the_page_prints_what_the_page_shows(
    place: Path, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    page = PAGE.read_text()

    def rerun(fence: re.Match[str]) -> str:
        if fence[1] != "console":
            return fence[0]
        lines = [f"$ {command}\n{printed(command, capfd)}" for command in commands(fence[2])]
        return f"```console\n{''.join(lines)}```\n"

    rewritten = FENCE.sub(rerun, page)
    if request.config.getoption("--regold"):
        PAGE.write_text(rewritten)
        return
    assert rewritten == page


def test_the_page_shows_every_way_in_which_a_claim_can_fail() -> None:
    outputs = "".join(text for language, text in FENCE.findall(PAGE.read_text()) if language == "console")
    named = {code for code in {*INVALIDATES, *UNMEASURES, *LEAVES_OPEN, *CAPS} if f"{code}:" in outputs}

    assert {*INVALIDATES, *UNMEASURES, *LEAVES_OPEN, *CAPS} - named == set()
    assert not named & set(NOTICES)

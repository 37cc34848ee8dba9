"""docs/running.md: its example can be copied and frozen, and it has a word on every key."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from oakbench_core.campaign import definition as tables
from oakbench_core.campaign.definition_placeholders import PLACEHOLDERS
from oakbench_core.campaign.definition_reading import read_definition
from oakbench_core.campaign.placeholders import names_in
from oakbench_core.running.agents.command import read_usage
from oakbench_core.running.freezing import freeze
from oakbench_core.shapes import Document
from tests.core.definitions import definition

DOCUMENT = (Path(__file__).resolve().parent.parent / "docs" / "running.md").read_text()
FILES = dict(re.findall(r"^`([\w/.-]+)`:\n\n```\w+\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL))


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The document's files, and an agent on the PATH that only says its version."""
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    agent = tmp_path / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\necho 2.0\n")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{agent.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_the_example_freezes_as_it_stands(copied: Path) -> None:
    plan = freeze(copied, copied / "runs" / "c").plan

    assert len(plan.schedule) == 20
    assert plan.document.agents["claude"].version == "2.0"
    assert {trial.model for trial in plan.schedule} == {None}


def test_the_examples_oracle_tells_its_solution_from_its_fixture(copied: Path) -> None:
    plan = freeze(copied, copied / "runs" / "c").plan
    check = plan.document.workflows["bugfix"].tasks["off-by-one"].oracle.checks[0]
    assert check.kind == "command"
    workspace = copied / "fixtures" / "off-by-one"
    argv = [
        sys.executable,
        *(word.replace("{oracle}", str(copied / "oracles" / "off-by-one")) for word in check.run[1:]),
    ]
    solution = re.search(r'^solution = "(.*)"$', FILES["campaign.toml"], re.MULTILINE)
    assert solution

    assert subprocess.run(argv, cwd=workspace, capture_output=True, check=False).returncode != 0
    subprocess.run(["sh", "-euc", solution[1]], cwd=workspace, check=True)
    assert subprocess.run(argv, cwd=workspace, capture_output=True, check=False).returncode == 0


def test_the_examples_usage_file_is_understood(copied: Path) -> None:
    example = re.search(r"^    (\{\"input_tokens\".*?\n)\n", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert example
    (copied / "usage").write_text(example[1])
    usage = read_usage(copied / "usage")

    assert usage.refused == ()
    assert usage.resources == {"input_tokens": 5210, "output_tokens": 340, "turns": 4, "cost_usd": 0.021}
    assert usage.resolved_model == "m-2026-11"
    assert usage.accounting == {"input_includes_cached": False, "cost_source": "provider"}


def test_the_agents_to_copy_are_read() -> None:
    snippets = [
        tomllib.loads(text) for text in re.findall(r"^```toml\n(\[agents.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    ]
    assert len(snippets) == 2
    for snippet in snippets:
        read, problems = read_definition(definition() | snippet)
        assert problems == ()
        assert read is not None


def test_every_key_of_a_definition_is_explained() -> None:
    models = [model for model in vars(tables).values() if isinstance(model, type) and issubclass(model, Document)]
    keys = {key for model in models for key in model.model_fields}

    assert {key for key in keys - {"name"} if f"`{key}`" not in DOCUMENT and f"[{key}]" not in DOCUMENT} == {
        "workflows"
    }


def test_every_placeholder_is_explained() -> None:
    table = DOCUMENT.partition("| placeholder |")[2].partition("\n\n")[0]
    explained = {name for code in re.findall(r"`(\{[^`]+\})`", table) for name in names_in(code)}

    assert explained == PLACEHOLDERS | {"subject.binary", "subject.NAME"}

"""Secrets that were written where everybody can read them are found, and not shown again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.definition_secrets import secrets_in
from oakbench_core.errors import DocumentError
from oakbench_core.running.freezing import freeze, freeze_plan
from tests.core.definitions import changed

if TYPE_CHECKING:
    from pathlib import Path

VALUE = "sk-0123456789abcdef"


def test_a_secret_is_found_in_every_text_and_key_and_shown_in_no_problem() -> None:
    data = {"a": [f"x {VALUE}", {"b": VALUE}], VALUE: 1, "c": {f"k{VALUE}": VALUE}, "d": "sk-0123456789", "n": 3}
    found = secrets_in(data, [(VALUE, "TOKEN"), ("short", "OTHER")])

    assert [problem.path for problem in found] == ["$.a[0]", "$.a[1].b", "$", "$.c"]
    assert VALUE not in str(found)
    assert "holds the value of TOKEN" in found[0].rule


def test_a_text_that_is_too_short_to_be_looked_for_is_not() -> None:
    assert secrets_in({"a": "abc 1234567"}, [("1234567", "PIN")]) == []


@pytest.mark.parametrize("place", ["workflows.w.tasks.t.prompts.plain", "agents.a.argv", "subjects.one.setup"])
def test_a_definition_that_holds_a_secret_is_refused_and_nothing_else_is_said_of_it(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", VALUE)
    text = f"use {VALUE} " + "{"  # a problem of its own, whose words would show it
    document = changed(("agents.a.env", ["MY_TOKEN"]), (place, text if "prompts" in place else [text]))
    with pytest.raises(DocumentError) as refused:
        freeze_plan(document)

    assert all("holds the value of MY_TOKEN" in problem.rule for problem in refused.value.problems)
    assert VALUE not in str(refused.value)


def test_a_secret_of_a_login_file_is_found_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "auth.json").write_text(json.dumps({"token": VALUE}))
    monkeypatch.setenv("HOME", str(tmp_path))
    document = changed(
        ("agents.a.login", ["~/auth.json", "~/gone.json"]),
        ("workflows.w.tasks.u.prompts.plain", f"Log in with {VALUE}."),
    )
    with pytest.raises(DocumentError) as refused:
        freeze_plan(document)

    assert [problem.path for problem in refused.value.problems] == ["$.workflows.w.tasks.u.prompts.plain"]
    assert "[login:auth.json]" in refused.value.problems[0].rule


def test_a_secret_in_a_prompts_file_is_found_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", VALUE)
    (tmp_path / "prompt.md").write_text(f"The key: {VALUE}\n")
    (tmp_path / "campaign.toml").write_text(
        """
        campaign = { id = "c", timeout_s = 5 }
        subjects.s = {}
        agents.a = { adapter = "command", argv = ["sh"], env = ["MY_TOKEN"] }
        [workflows.w]
        version = 1
        prompts.plain = { file = "prompt.md" }
        oracle = { version = 1, checks = [{ name = "ok", run = "true" }] }
        """
    )
    with pytest.raises(DocumentError) as refused:
        freeze(tmp_path, tmp_path / "out")

    assert [problem.file for problem in refused.value.problems] == [str(tmp_path / "prompt.md")]
    assert VALUE not in str(refused.value)
    assert not (tmp_path / "out").exists()

"""`check` leaves nothing behind that a definition's own cleanup takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.errors import ExitCode
from oakbench_tui.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_cleanup_of_agent_and_task_is_run_after_each_try(tmp_path: Path) -> None:
    assert run(["init", str(tmp_path / "first")]) == ExitCode.DONE
    definition = tmp_path / "first" / "campaign.toml"
    noted = tmp_path / "noted"
    text = definition.read_text()
    text = text.replace("mock = true\n", f'mock = true\ncleanup = ["echo agent >> {noted}"]\n', 1)
    text = text.replace('fixture = "fixtures', f'cleanup = ["echo task >> {noted}"]\nfixture = "fixtures', 1)
    definition.write_text(text)

    assert run(["check", str(tmp_path / "first")]) == ExitCode.DONE
    # Two subjects, each untouched and solved.
    assert noted.read_text().split() == ["agent", "task"] * 4

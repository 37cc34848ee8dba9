"""The screens as golden text, at the sizes that the look was drawn for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.durable.head import Head, encode_head
from tests.tui.harness import SIZES, console, pressed, run, screen_text, until
from tests.tui.staging import Stage, live_stage, staged_plan, writer_lives

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


def name(scene: str, size: tuple[int, int]) -> str:
    return f"tui/{scene}-{size[0]}x{size[1]}.txt"


async def drawn(stage: Stage, size: tuple[int, int], *keys: str, **paint: Any) -> str:
    """The screen after these keys."""
    async with console(stage.folder, size, now=stage.now + 1.2, **paint) as (app, pilot):
        await pressed(pilot, *keys)
        if app.console_screen.report.is_making:
            await until(pilot, lambda: app.console_screen.report.made)
        return screen_text(app)


def shown(golden: Callable[[str, str], None], scene: str, stage: Stage, size: tuple[int, int], *keys: str) -> None:
    async def story() -> None:
        golden(name(scene, size), await drawn(stage, size, *keys))

    run(story())


@sizes
def test_a_live_campaign(tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with writer_lives(stage.journal):
        shown(golden, "live", stage, size)


@sizes
def test_the_inspector_opens_on_the_failing_check(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with writer_lives(stage.journal):
        shown(golden, "inspector", stage, size, "right_square_bracket", "enter")


@sizes
def test_resources_say_why_a_total_is_withheld(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    with writer_lives(stage.journal):
        shown(golden, "resources", stage, size, "right_square_bracket", "enter", "left")


@sizes
def test_a_campaign_stopped_by_its_budget(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    stage = Stage(tmp_path / "vcs-habits", staged_plan(budget_s=30))
    stage.open()
    stage.run_all(range(44))
    stage.close("budget", 12)

    shown(golden, "stopped", stage, size)


@sizes
def test_a_killed_runner_leaves_interrupted_trials(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    shown(golden, "killed", live_stage(tmp_path / "vcs-habits", budget_s=None, mock=False), size)


@sizes
def test_waiting_for_a_journal(tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]) -> None:
    shown(golden, "waiting", Stage(tmp_path / "vcs-habits", staged_plan()), size)


@sizes
def test_an_invalid_journal_shows_no_figures(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = live_stage(tmp_path / "vcs-habits", running=0)
    data = stage.journal.read_bytes()
    stage.journal.write_bytes(data.replace(b'"input_tokens":1022', b'"input_tokens":1023'))
    monkeypatch.chdir(tmp_path)
    stage.folder = stage.folder.relative_to(tmp_path)

    shown(golden, "invalid", stage, size)


@sizes
def test_records_that_are_missing_are_said_and_no_figure_is_shown(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    lines = stage.journal.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])
    head = Head(last["seq"], sum(map(len, lines)), last["hash"])
    stage.journal.with_name("journal.head").write_bytes(encode_head(head))
    stage.journal.write_bytes(b"".join(lines[:-1]))
    monkeypatch.chdir(tmp_path)
    stage.folder = stage.folder.relative_to(tmp_path)

    shown(golden, "behind-head", stage, size)


@sizes
def test_a_torn_end_is_said_and_counted_as_a_recovery_would_leave_it(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    data = stage.journal.read_bytes()
    stage.journal.write_bytes(data[:-40])
    monkeypatch.chdir(tmp_path)
    stage.folder = stage.folder.relative_to(tmp_path)

    shown(golden, "torn", stage, size)


@sizes
def test_the_report_is_the_text_that_export_writes(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits", running=0, ended=72, budget_s=None)

    shown(golden, "report", stage, size, "6")


@sizes
def test_help_is_made_from_the_keys(tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]) -> None:
    shown(golden, "help", live_stage(tmp_path / "vcs-habits"), size, "question_mark")


@sizes
def test_a_filter_counts_its_hits_as_it_is_typed(
    tmp_path: Path, golden: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")

    shown(golden, "filter", stage, size, "slash", *"outcome:task !hg")


def test_ascii_without_colour(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    stage = live_stage(tmp_path / "vcs-habits")

    async def story() -> None:
        with writer_lives(stage.journal):
            text = await drawn(stage, (80, 24), "right_square_bracket", ascii_only=True, colourless=True)
        assert text.isascii()
        golden("tui/ascii-80x24.txt", text)

    run(story())


def test_every_state_is_told_by_a_glyph_and_a_word_of_its_own(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "vcs-habits")

    async def story() -> None:
        with writer_lives(stage.journal):
            text = await drawn(stage, (160, 60), colourless=True)
        for said in ("✓ verified", "✗ task failure", "◷ timed out", "▲ infra failure", "⊘ skipped", "▶ running"):
            assert said in text

    run(story())


def test_the_real_campaign_opens_and_shows_what_is_missing(data_dir: Path) -> None:
    """The timed-out trial is three keys away, and its group's tokens say why they have no total."""

    async def story() -> None:
        async with console(data_dir / "haiku-opus-371", (100, 30), now=1_800_000_000.0) as (app, pilot):
            assert "742 = 742 finished" in screen_text(app)
            await pressed(pilot, "slash", *"outcome:timed", "enter", "enter", "left")
            text = screen_text(app)
        assert "task_358_range_parser" in text
        assert "370 of 371   sum 33,759, no total: 1 unmeasured" in text

    run(story())

"""What stands in the folder of an open console may vanish or change: then nothing is shown, the cause is named, and the
console comes back by itself."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.reading import read_journal
from oakbench_core.errors import ExitCode
from oakbench_tui.cli.main import run as command
from oakbench_tui.feed.once import snapshot_of
from oakbench_tui.feed.plan_file import PlanFile, plan_stamp
from oakbench_tui.feed.reader import Feed
from oakbench_tui.view.glyphs import Shown
from oakbench_tui.view.head import head
from oakbench_tui.view.layout import Frame
from oakbench_tui.view.segments import plain
from oakbench_tui.view.snapshot import Chip
from oakbench_tui.view.status import status_document, status_lines
from oakbench_tui.view.trouble import banner, trouble_page
from tests.tui.harness import console, pressed, run, screen_text
from tests.tui.harness import until as until_shown
from tests.tui.staging import Stage, live_stage, staged_plan
from tests.tui.test_feed import feeding, read, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oakbench_tui.view.snapshot import Snapshot

Undo = "Callable[[], object]"


def aside(path: Path) -> Callable[[], object]:
    """Rename it away; the way back."""
    kept = path.with_name(f"{path.name}.kept")
    path.rename(kept)

    def back() -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        kept.rename(path)

    return back


def fifo(stage: Stage) -> Callable[[], object]:
    back = aside(stage.journal)
    os.mkfifo(stage.journal)
    return back


def directory(stage: Stage) -> Callable[[], object]:
    back = aside(stage.journal)
    stage.journal.mkdir()
    return back


def loop(stage: Stage) -> Callable[[], object]:
    back = aside(stage.journal)
    stage.journal.symlink_to(stage.journal.name)
    return back


def folder_away(stage: Stage) -> Callable[[], object]:
    return aside(stage.folder)


def plan_away(stage: Stage) -> Callable[[], object]:
    return aside(stage.folder / "plan.json")


def plan_edited(stage: Stage) -> Callable[[], object]:
    place = stage.folder / "plan.json"
    before = place.read_text()
    place.write_text(before.replace('"do it"', '"do this"'))
    return lambda: place.write_text(before)


def plan_exchanged(stage: Stage) -> Callable[[], object]:
    back = aside(stage.folder / "plan.json")
    other = Stage(stage.folder.parent / "other", staged_plan(budget_s=61))
    (other.folder / "plan.json").rename(stage.folder / "plan.json")
    return back


def plan_garbled(stage: Stage) -> Callable[[], object]:
    back = aside(stage.folder / "plan.json")
    (stage.folder / "plan.json").write_text("{")
    return back


TROUBLES: dict[Callable[[Stage], Callable[[], object]], tuple[Chip, str, str]] = {
    fifo: (Chip.UNREADABLE, "journal.jsonl", "expected a regular file, found a FIFO"),
    directory: (Chip.UNREADABLE, "journal.jsonl", "expected a regular file, found a directory"),
    loop: (Chip.UNREADABLE, "journal.jsonl", "symbolic links"),
    folder_away: (Chip.UNREADABLE, "vcs-habits", "the campaign folder is not there"),
    plan_away: (Chip.UNREADABLE, "plan.json", "there is no such file"),
    plan_edited: (Chip.INVALID, "plan.json", "no longer the plan"),
    plan_exchanged: (Chip.INVALID, "plan.json", "another plan stands there"),
    plan_garbled: (Chip.INVALID, "plan.json", "no longer the plan"),
}
troubles = pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)


def everything(held: Snapshot, folder: Path, width: int, height: int) -> str:
    """All that the console would show."""
    rows = head(
        held, Frame(width=width, height=height, now=held.at, banner=banner(held, str(folder), width, replaced=False))
    )
    page = trouble_page(held, str(folder), width)
    return "\n".join([*map(plain, rows), *(plain(page.line_at(row)) for row in range(page.rows))])


@troubles
def test_what_cannot_be_read_shows_no_count_names_the_cause_and_is_read_again(
    tmp_path: Path, trouble: Callable[[Stage], Callable[[], object]]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    chip, place, rule = TROUBLES[trouble]
    with feeding(stage.folder) as feed:
        until(feed, lambda shown: shown.counts()[Shown.VERIFIED] == 28)
        back = trouble(stage)
        failed = until(feed, lambda shown: shown.reading.failure)
        back()
        again = until(feed, lambda shown: read(shown) and shown.sound)

    assert failed.chip is chip
    assert failed.reading.failure is not None
    assert failed.reading.failure.place.endswith(place)
    for width, height in ((40, 10), (80, 24), (160, 48)):
        text = everything(failed, stage.folder, width, height)
        assert rule in " ".join(text.split())
        assert str(chip) in text
        assert "28" not in text
        assert "unstarted" not in text
        assert "next" in text
    assert again.counts()[Shown.VERIFIED] == 28
    assert again.chip is Chip.STOPPED


@troubles
def test_a_console_that_is_opened_on_it_says_the_same(
    tmp_path: Path, trouble: Callable[[Stage], Callable[[], object]]
) -> None:
    stage = live_stage(tmp_path / "vcs-habits")
    stamp, plan = plan_stamp(stage.folder), load_plan(stage.folder)
    back = trouble(stage)
    feed = Feed(stage.folder, plan, plan_stamp=stamp)
    feed.start()
    try:
        failed = until(feed, lambda shown: shown.version > 0)
        back()
        again = until(feed, lambda shown: read(shown) and shown.sound)
    finally:
        feed.stop()

    assert failed.chip is TROUBLES[trouble][0]
    assert again.counts()[Shown.VERIFIED] == 28


def test_a_plan_that_is_only_touched_or_written_otherwise_is_the_same_plan(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    place = stage.folder / "plan.json"
    held = PlanFile(stage.folder, stage.plan.plan_sha256, plan_stamp(stage.folder))

    os.utime(place, (1, 1))
    assert held.failure() is None
    place.write_text(json.dumps(json.loads(place.read_text()), indent=3))
    assert held.failure() is None


def test_a_journal_that_was_edited_at_the_same_size_is_noticed(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    with feeding(stage.folder) as feed:
        until(feed, lambda shown: shown.counts()[Shown.VERIFIED] == 28)
        content = stage.journal.read_bytes()
        with stage.journal.open("r+b") as file:
            file.write(content.replace(b'"input_tokens":1022', b'"input_tokens":1023'))
        edited = until(feed, lambda shown: shown.chip is Chip.INVALID)
        stage.journal.write_bytes(content)
        mended = until(feed, lambda shown: read(shown) and shown.sound)

    assert edited.reading.replaced == 1
    assert edited.reading.problems[0].line is not None
    assert mended.counts()[Shown.VERIFIED] == 28


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (160, 48)], ids=str)
def test_the_screen_changes_to_the_cause_and_back(tmp_path: Path, size: tuple[int, int]) -> None:
    stage = live_stage(tmp_path / "vcs-habits")

    async def story() -> None:
        async with console(stage.folder, size, now=stage.now) as (app, pilot):
            before = screen_text(app)
            back = plan_away(stage)
            await until_shown(pilot, lambda: "UNREADABLE" in screen_text(app))
            text = screen_text(app)
            assert "plan.json" in text
            assert "verified" not in text
            assert "unstarted" not in text
            await pressed(pilot, "enter", "6", "1", "e")
            back()
            await until_shown(pilot, lambda: "STOPPED" in screen_text(app))
            assert screen_text(app) == before

    run(story())


def leave_artifacts(stage: Stage) -> None:
    for trial in stage.plan.schedule[:5]:
        (stage.folder / "artifacts" / trial.trial_id).mkdir(parents=True)
    (stage.folder / "artifacts" / "something else").mkdir()


def test_artifacts_without_a_journal_are_said_by_console_and_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path / "c", staged_plan())
    leave_artifacts(stage)
    with feeding(stage.folder) as feed:
        waiting = until(feed, read)
        stage.journal.touch()
        empty = until(feed, lambda shown: shown.reading.state == "EMPTY")
        stage.open()
        opened = until(feed, lambda shown: shown.reading.seq is not None)

    said = plain(banner(waiting, "c", 160, replaced=False))
    assert "no journal, yet 5 trials have artifacts here" in said
    assert "an empty journal, yet 5 trials" in plain(banner(empty, "c", 160, replaced=False))
    assert opened.reading.leftovers == 0
    stage.journal.unlink()
    assert command(["status", str(stage.folder)]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert "no journal, yet 5 trials have artifacts here" in out
    once = snapshot_of(stage.folder, stage.plan, read_journal(stage.folder, stage.plan))
    assert status_document(once, now=stage.now)["journal"]["trials_with_leftover_artifacts"] == 5
    assert any("refuses to begin" in line for line in status_lines(once, now=stage.now))

"""The console under the hands of a person: every key, at every size, on a campaign that lives."""

from __future__ import annotations

import csv
import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from textual.events import Key

from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.reading import read_journal
from oakbench_core.rendering.markdown import render_markdown
from oakbench_tui.screens.actions import Actions
from oakbench_tui.screens.help import HelpScreen
from oakbench_tui.screens.reporting import Reporter
from oakbench_tui.view.export import Form, exported_words, fitted_command
from oakbench_tui.view.inspector.tabs import Tab
from oakbench_tui.view.keys import KEYS, Where, keys_of
from oakbench_tui.view.views import View
from tests.tui.harness import SIZES, console, pressed, run, screen_text, send, settled, until
from tests.tui.staging import Stage, live_stage, staged_plan, writer_lives

if TYPE_CHECKING:
    from pathlib import Path

    from oakbench_tui.app import ConsoleApp

sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


def is_typing(app: ConsoleApp) -> bool:
    return app.console_screen.bar.entry is not None


def cursor(app: ConsoleApp) -> int | None:
    return app.console_screen.trials.listing.cursor


def test_every_key_of_the_table_does_something_and_no_two_do_it_at_once() -> None:
    for where in Where:
        if where is Where.ANY:
            continue
        names = [name for key in keys_of(where) for name in key.keys.split(",")]
        assert len(names) == len(set(names))
    for key in KEYS:
        assert callable(getattr(Actions, key.action.partition("(")[0]))


@sizes
def test_every_key_can_be_pressed_at_every_size_and_esc_never_quits(tmp_path: Path, size: tuple[int, int]) -> None:
    stage = live_stage(tmp_path / "c", ended=6, running=1)
    out = tmp_path / "out"
    out.mkdir()
    names = dict.fromkeys(key.keys.split(",")[0] for key in KEYS if key.action != "leave")

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, size, now=stage.now, out=out) as (app, pilot):
                for name in names:
                    for start in ((), ("enter",), ("6",)):
                        send(app, *start, name, "escape", "escape", "escape")
                    await settled(pilot)
                    assert app.is_running, (name, app.crash, app.return_code)
                assert app.console_screen.view is View.TRIALS

    run(story())


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
@pytest.mark.parametrize("before", [(), ("enter",), ("6",), ("question_mark",), ("e",)])
def test_q_and_ctrl_c_quit_from_everywhere(tmp_path: Path, key: str, before: tuple[str, ...]) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (80, 24), now=stage.now) as (app, pilot):
            await pressed(pilot, *before)
            await pressed(pilot, key)
            await pilot.pause()
            assert app.return_code == 0
            assert not app.is_running or app._exit  # noqa: SLF001 - on its way out

    run(story())


def test_letters_go_into_the_entry_while_it_is_typed_and_esc_restores_what_was(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            listing = app.console_screen.trials.listing
            await pressed(pilot, "slash", *"subject:hg", "enter")
            assert (listing.filter.text, listing.matched) == ("subject:hg", 24)
            await pressed(pilot, "slash", *" q")
            assert listing.matched == 0
            await pressed(pilot, "escape")
            assert (listing.filter.text, listing.matched) == ("subject:hg", 24)
            await pressed(pilot, "escape")
            assert listing.matched == 72
            assert app.is_running

    run(story())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(" state:failed", "no state is called failed"), (" stat:failed", "no key is called stat"), (" (", "no regex")],
)
def test_a_wrong_filter_shows_the_rows_of_the_one_before_says_so_and_is_not_kept(
    tmp_path: Path, wrong: str, said: str
) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            listing = app.console_screen.trials.listing
            await pressed(pilot, "slash", *wrong.strip())
            assert "still unfiltered" in screen_text(app)
            assert listing.matched == 72
            await pressed(pilot, "escape", "slash", *"subject:hg", "enter", "j")
            held = cursor(app)
            await pressed(pilot, "slash", *wrong)
            assert said in screen_text(app)
            assert "still / subject:hg  24 of 72" in screen_text(app)
            assert (listing.filter.text, listing.matched, cursor(app)) == ("subject:hg", 24, held)
            await pressed(pilot, "enter")
            assert is_typing(app)
            assert said in screen_text(app)
            await pressed(pilot, *["backspace"] * len(wrong), "enter")
            assert not is_typing(app)
            assert (listing.filter.text, listing.matched) == ("subject:hg", 24)

    run(story())


def test_a_half_typed_filter_is_not_kept_however_fast_it_was_typed(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            send(app, "slash", *"state:", "enter")
            await settled(pilot)
            assert "state: is not finished: unstarted running" in screen_text(app)
            assert app.console_screen.trials.listing.matched == 72
            await pressed(pilot, *"run", "enter")
            assert app.console_screen.trials.listing.filter.text == "state:run"

    run(story())


def test_keys_that_arrive_at_once_are_taken_one_after_the_other(tmp_path: Path) -> None:
    """As over a slow line: what is typed into the entry is no command; each key meets what the one before opened."""
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (160, 48), now=stage.now) as (app, pilot):
            listing = app.console_screen.trials.listing
            send(app, "slash", *"quest", "escape", "slash", *"subject:git-tuned", "enter", "j", "j", "y")
            await settled(pilot)
            copied = stage.plan.schedule[7].trial_id
            assert f"copied: {copied}" in screen_text(app)
            assert (listing.filter.text, listing.matched, cursor(app)) == ("subject:git-tuned", 24, 7)
            send(app, "enter", "right", "right", "question_mark", "j", "escape", "right", "escape", "k")
            await settled(pilot)
            assert app.console_screen.inspection.tab is Tab.CHECKS
            assert cursor(app) == 4
            send(app, "e", "q")
            await until(pilot, lambda: app.return_code == 0)

    run(story())


@pytest.mark.parametrize("size", SIZES[1:], ids=lambda size: f"{size[0]}x{size[1]}")
def test_without_a_row_no_trial_is_looked_at(tmp_path: Path, size: tuple[int, int]) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, size, now=stage.now) as (app, pilot):
            await pressed(pilot, "enter", "tab")
            assert "Oracle" in screen_text(app)
            await pressed(pilot, "slash", *"no-such-trial", "enter")
            text = screen_text(app)
            assert "no trial" in text
            assert "Oracle" not in text
            assert "null-check" not in text
            await pressed(pilot, "enter", "y", "Y", "escape", "escape")
            await until(pilot, lambda: "null-check" in screen_text(app))

    run(story())


def test_the_cursor_stays_on_its_trial_while_others_arrive(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", running=0)

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
                await pressed(pilot, "slash", *"state:finished", "enter", "G")
                held = cursor(app)
                shown = app.console_screen.shown.version
                stage.run_all(range(40, 44))
                await until(pilot, lambda: app.console_screen.shown.version > shown)
                await until(pilot, lambda: app.console_screen.shown.events == 87)
                assert cursor(app) == held
                assert app.console_screen.table.cursor == app.console_screen.trials.listing.row

    run(story())


def test_the_inspector_follows_what_happens_to_its_trials_block(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", ended=1, running=0)

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, (160, 48), now=stage.now) as (app, pilot):
                await until(pilot, lambda: "unstarted      git-tuned" in screen_text(app))
                assert cursor(app) == 0
                stage.run_all(range(1, 2))
                await until(pilot, lambda: "verified       git-tuned" in screen_text(app))

    run(story())


def test_pause_holds_every_figure_and_counts_what_waits(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", running=0)

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
                await pressed(pilot, "p")
                before = screen_text(app)
                stage.run_all(range(40, 42))
                await until(pilot, lambda: "PAUSED +4" in screen_text(app))
                assert screen_text(app).split("\n")[1:] == before.split("\n")[1:]
                await pressed(pilot, "p")
                await until(pilot, lambda: "seq 82 · 0 behind" in screen_text(app))

    run(story())


def test_follow_goes_with_the_newest_event_and_an_upward_key_leaves_it(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", running=0)

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
                await pressed(pilot, "F")
                stage.run(40)
                await until(pilot, lambda: cursor(app) == 40)
                assert "following" in screen_text(app)
                await pressed(pilot, "k")
                stage.run(41)
                await until(pilot, lambda: "F 2 new" in screen_text(app))
                assert cursor(app) == 39

    run(story())


def test_a_live_sort_is_held_and_s_sorts_again(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", running=0)

    async def story() -> None:
        with writer_lives(stage.journal):
            async with console(stage.folder, (120, 30), now=stage.now) as (app, pilot):
                listing = app.console_screen.trials.listing
                await pressed(pilot, "s", "s", "S", "j", "j", "j", "j")
                row, held = listing.row, listing.cursor
                stage.start(41)
                stage.end(41, "timed_out", resources={"duration_s": 9.0})
                await until(pilot, lambda: "order held, s sorts again" in screen_text(app))
                assert (listing.row, listing.cursor) == (row, held)
                await pressed(pilot, "s")
                assert listing.cursor == held
                assert listing.places[0] == 41

    run(story())


def test_exports_are_the_report_and_the_rows_shown(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c", running=0)
    out = tmp_path / "out"
    out.mkdir()

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now, out=out) as (app, pilot):
            for key in ("m", "j"):
                await pressed(pilot, "e", key)
                await until(pilot, lambda: "exported to" in screen_text(app))
            await until(pilot, (out / "report.json").exists)
            await pressed(pilot, "slash", *"outcome:task", "enter", "e", "c", "e", "t", "e", "c")
            await until(pilot, (out / "trials-2.csv").exists)

    run(story())

    plan = load_plan(stage.folder)
    summary = json.loads((out / "report.json").read_text())
    assert (out / "report.md").read_text() == render_markdown(summary)
    assert summary["counts"]["verified_success"] == read_journal(stage.folder, plan).ledger.tallies[5]
    first, *rows = (out / "trials.csv").read_text().splitlines()
    assert first.startswith("# filter outcome:task, campaign_id vcs-habits")
    assert {row["outcome"] for row in csv.DictReader(rows)} == {"task_failure"}
    document = json.loads((out / "trials.json").read_text())
    assert (document["rows"], document["of"], len(document["trials"])) == (7, 72, 7)
    assert "fraction" not in json.dumps(document)


def test_help_lists_every_key_of_the_pane(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (160, 60), now=stage.now) as (app, pilot):
            await pressed(pilot, "question_mark")
            assert isinstance(app.screen, HelpScreen)
            text = screen_text(app)
            for key in keys_of(Where.TRIALS):
                assert key.words[:30] in text
            await pressed(pilot, "escape")
            assert not isinstance(app.screen, HelpScreen)

    run(story())


def test_the_theme_changes_colours_and_nothing_else(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            before = screen_text(app)
            grounds = set()
            for _ in range(3):
                await pressed(pilot, "T")
                grounds.add(app.screen.styles.background.hex)
                assert screen_text(app).split("\n")[:-2] == before.split("\n")[:-2]
            assert len(grounds) == 3

    run(story())


def test_every_view_of_an_invalid_journal_is_the_same_page(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "c", staged_plan())
    stage.open()
    stage.run(0)
    with stage.journal.open("ab") as file:
        file.write(b"{}\n{}\n")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            first = screen_text(app)
            await pressed(pilot, "1", "6", "e", "enter", "slash")
            assert screen_text(app) == first
            assert "line 4" in first
            assert "verified" not in first

    run(story())


def test_resizing_goes_through_every_layout(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (160, 48), now=stage.now) as (app, pilot):
            await pressed(pilot, "j", "j", "j", "enter")
            for width, height in ((40, 10), (80, 24), (59, 30), (100, 11), (200, 60), (20, 5), (120, 40)):
                await pilot.resize_terminal(width, height)
                await settled(pilot)
                assert cursor(app) == 3
                lines = screen_text(app).split("\n")
                assert "LIVE" in lines[0] or "STOPPED" in lines[0]

    run(story())


def test_what_is_wrong_with_an_export_is_said_in_one_line_with_its_reason(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    away = tmp_path / "no such folder"

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now, out=away) as (app, pilot):
            await pressed(pilot, "e", "c")
            assert "not exported: cannot write it: there is no such file" in screen_text(app)
            stage.journal.write_bytes(stage.journal.read_bytes() + b"no record\nnor this\n")
            made = Reporter(stage.folder, stage.plan).make()
            assert made.failure is not None
            app.console_screen.say(f"not exported: {made.failure}")
            await settled(pilot)
            last = screen_text(app).rstrip("\n").split("\n")[-1]
            assert "not exported: expected a record that ends with its hash" in last
            assert r"\x0a" not in last

    run(story())


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_command_line_that_does_not_fit_is_marked_where_it_is_cut_and_keeps_its_options(width: int) -> None:
    folder = f"/{'somewhere' * 6}/in a folder/vcs-habits"
    said = exported_words(f"{folder}/report.md", Form.REPORT_MARKDOWN, folder, width)
    command = fitted_command(Form.REPORT_MARKDOWN, folder, width - 31)

    assert len(said) <= width
    assert said.endswith(("report.md", "--format md -o report.md"))
    assert command.endswith("--format md -o report.md")
    assert "…" in command or folder in command


def test_a_key_that_arrives_while_the_console_ends_does_nothing(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (80, 24), now=stage.now) as (app, pilot):
            send(app, "q", "j", "slash")
            await until(pilot, lambda: app.return_code == 0)
        await app.on_event(Key("j", "j"))

    run(story())


@pytest.mark.parametrize("lives", [True, False])
def test_the_report_of_a_run_that_goes_on_says_why_its_running_trial_is_an_interrupted_one(
    tmp_path: Path, *, lives: bool
) -> None:
    stage = live_stage(tmp_path / "c", ended=6, running=1)

    with writer_lives(stage.journal) if lives else nullcontext():
        markdown = Reporter(stage.folder, stage.plan).make().markdown

    assert ("A runner was writing this journal when it was read" in markdown) is lives
    assert "1 is interrupted" in markdown

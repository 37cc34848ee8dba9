"""The console on a scorecard's result: every verdict with its reasons at every size, and the keys that look into it."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core import build_book, scorecard
from oakbench_core.durable.baselines import load_scorecard
from oakbench_core.errors import DocumentError, ExitCode
from oakbench_tui.cli.main import run as run_command
from oakbench_tui.result import ResultApp
from oakbench_tui.view.scorecard import card_of, next_problem, rows_page
from oakbench_tui.view.scorecard_inspector import inspector_page
from oakbench_tui.view.segments import plain, width_of
from oakbench_tui.widgets.paint import Paint
from tests.core.baseline.staging import git_rows, noise_rows, oak_rows, target
from tests.core.baseline.test_rendering import HOSTILE, every_verdict
from tests.tui.harness import SIZES, run, screen_text, settled
from tests.tui.terminal import needs_tmux, terminal, watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from textual.pilot import Pilot

sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


@asynccontextmanager
async def opened(
    document: dict[str, Any], size: tuple[int, int], **paint: Any
) -> AsyncIterator[tuple[ResultApp, Pilot[None]]]:
    app = ResultApp(document, Paint(**paint))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield app, pilot


async def drawn(document: dict[str, Any], size: tuple[int, int], *keys: str, **paint: Any) -> str:
    async with opened(document, size, **paint) as (app, pilot):
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return screen_text(app)


@sizes
def test_a_result_opens_on_its_verdicts(size: tuple[int, int], golden: Callable[[str, str], None]) -> None:
    async def story() -> None:
        golden(f"tui/scorecard-{size[0]}x{size[1]}.txt", await drawn(every_verdict(), size))

    run(story())


@sizes
def test_the_inspector_shows_a_target_s_reasons_denominators_and_conditions(
    size: tuple[int, int], golden: Callable[[str, str], None]
) -> None:
    async def story() -> None:
        text = await drawn(every_verdict(), size, *["j"] * 4, "enter")
        golden(f"tui/scorecard-invalid-{size[0]}x{size[1]}.txt", text)

    run(story())


def test_what_the_inspector_says_in_full_is_all_that_the_result_says() -> None:
    for mode in ("claim", "diagnostic"):
        for result in every_verdict(mode)["results"]:
            page = inspector_page(result, 200, ascii_only=False)
            text = "\n".join(plain(page.line_at(row)) for row in range(page.rows))

            for entry in [*result["reasons"], *result["notices"]]:
                assert entry["text"] in text
            for label in ("attempted", "failed", "skipped", "unmeasured", "unknown", "trials", "cache_state"):
                assert label in text
    assert "≠ cold" in text or mode == "diagnostic"


@pytest.mark.parametrize("width", range(20, 220, 7))
def test_no_line_is_wider_than_its_pane_and_every_verdict_is_a_word(width: int) -> None:
    for document in (every_verdict(), hostile()):
        card = card_of(document)
        rows = rows_page(card, width, ascii_only=False)
        for row in range(rows.rows):
            line = rows.line_at(row)
            assert width_of(line) <= width
            assert card.results[row]["verdict"] in plain(line)
        for result in card.results:
            page = inspector_page(result, width, ascii_only=False)
            assert all(width_of(page.line_at(row)) <= width for row in range(page.rows)), width


def hostile() -> dict[str, Any]:
    names: dict[str, Any] = {"operation": HOSTILE, "fixture_version": HOSTILE, "cache_state": "名" * 60}
    book = build_book(git_rows(**names), noise_rows(**names))
    return scorecard(
        book, oak_rows(**(names | {"fixture_version": f"{HOSTILE}2"})), [target(operation=HOSTILE)], "claim"
    )


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    async def story() -> None:
        for size in SIZES:
            for keys in ((), ("enter",)):
                text = await drawn(hostile(), size, *keys)
                assert not set("\x1b\x07\u202e") & set(text)

    run(story())


def test_ascii_alone_tells_the_verdicts_apart() -> None:
    async def story() -> None:
        text = await drawn(every_verdict(), (100, 30), ascii_only=True)
        assert text.isascii()
        for words in ("v GREEN", "~ AMBER", "x RED", "!= INVALID", "% UNMEASURED"):
            assert words in text

    run(story())


def test_keys_move_inspect_go_back_and_leave() -> None:
    async def story() -> None:
        async with opened(every_verdict(), (60, 20)) as (app, pilot):
            screen = app.scorecard_screen

            async def press(*keys: str) -> None:
                await pilot.press(*keys)
                await settled(pilot)

            await press("right_square_bracket")
            assert screen.table.cursor == 1
            await press("G", "left_square_bracket")
            assert screen.table.cursor == 4
            await press("enter")
            assert (screen.inspector.display, screen.table.display) == (True, False)
            await press("question_mark")
            assert "next target that is not GREEN" in screen_text(app)
            await press("escape")
            assert screen.inspector.display
            await press("space", "g", "escape", "escape")
            assert (screen.inspector.display, screen.table.display) == (False, True)
            await press("g", "tab", "tab", "ctrl+d", "ctrl+u", "k", "down")
            assert screen.table.cursor == 1
            await press("q")
        assert app.return_code == 0

    run(story())


def test_the_next_problem_is_the_next_that_is_not_green() -> None:
    card = card_of(every_verdict())

    assert next_problem(card, 0, 1) == 1
    assert next_problem(card, 1, -1) is None
    assert next_problem(card, 5, 1) is None


def test_a_thousand_targets_are_drawn_row_by_row() -> None:
    one = every_verdict()["results"]
    document = every_verdict() | {
        "results": [entry | {"cell": entry["cell"] | {"scenario": f"s{n}"}} for n in range(200) for entry in one]
    }

    async def story() -> None:
        assert "✓ GREEN" in await drawn(document, (100, 30), "G", "g")

    run(story())


class TestTheFile:
    def test_what_the_command_prints_is_what_the_console_opens(self, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(every_verdict(), indent=1))

        assert load_scorecard(path) == every_verdict()

    @pytest.mark.parametrize(
        "content", ["{", "[]", '{"schema": "oakbench.book/2"}', json.dumps(every_verdict() | {"results": []})]
    )
    def test_anything_else_is_refused(self, content: str, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        path.write_text(content)

        with pytest.raises(DocumentError, match=r"scorecard result is refused"):
            load_scorecard(path)

    def test_without_a_terminal_it_is_refused_as_every_console(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(every_verdict()))

        assert run_command(["watch", str(path)]) == ExitCode.USAGE
        assert "terminal" in capsys.readouterr().err


@needs_tmux
class TestARealTerminal:
    def test_a_result_is_looked_into_and_left_and_the_terminal_is_as_before(self, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        path.write_text(json.dumps(every_verdict()))

        with terminal(tmp_path, watch(path)) as window:
            window.until_seen("6 targets =", "✓ GREEN", "≠ INVALID")
            window.keys("]", "Enter")
            window.until_seen("straddles_target", "esc back")
            window.keys("q")
            window.until_seen("ended 0")
            assert window.is_restored

    def test_a_file_that_is_no_result_is_refused_with_what_would_be_one(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_text('{"schema": "oakbench.plan/1"}')

        with terminal(tmp_path, watch(path), size=(160, 30)) as window:
            window.until_seen("this scorecard result is refused", "or a file that scorecard --format json", "ended 40")

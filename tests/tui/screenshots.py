"""Makes the pictures of `screenshots/` with the program itself.

    python -m tests.tui.screenshots

writes one SVG and one PNG a scene. They show the recorded run of the demonstration, or a staged campaign where a scene
needs what that run does not have; both are of mock agents, and say so.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import resvg_py

from oakbench_core.forms import utc_seconds
from tests.tui.harness import console, pressed, until
from tests.tui.staging import Stage, live_stage, staged_plan, writer_lives

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

FOLDER = Path(__file__).resolve().parent.parent.parent / "screenshots"
FONT = "DejaVu Sans Mono"
RECORDED = Path(__file__).resolve().parent.parent / "recorded"
MIDWAY = 127  # of its events: a trial is running
TO_A_FAILURE = ("right_square_bracket", "right_square_bracket", "right_square_bracket")


async def picture(
    name: str, stage: Stage | Recorded, size: tuple[int, int], *keys: str, live: bool = True, **paint: Any
) -> None:
    """One scene after these keys."""
    held: AbstractContextManager[None] = writer_lives(stage.journal) if live else nullcontext()
    # Named from beside it, as a person would: no path of this machine gets into a picture.
    with held, chdir(stage.folder.parent):
        async with console(Path(stage.folder.name), size, now=stage.now + 1.2, **paint) as (app, pilot):
            await pressed(pilot, *keys)
            screen = app.console_screen
            await until(pilot, lambda: screen.message is None and not screen.report.is_making)
            svg = app.export_screenshot(title="oakbench-tui watch")
    (FOLDER / f"{name}.svg").write_text(svg)
    png = resvg_py.svg_to_bytes(svg_string=svg, font_family=FONT, monospace_family=FONT)
    (FOLDER / f"{name}.png").write_bytes(bytes(png))


def invalid_stage(folder: Path) -> Stage:
    stage = live_stage(folder, running=0)
    data = stage.journal.read_bytes()
    stage.journal.write_bytes(data.replace(b'"input_tokens":1022', b'"input_tokens":1023'))
    return stage


def torn_stage(folder: Path) -> Stage:
    stage = live_stage(folder)
    stage.journal.write_bytes(stage.journal.read_bytes()[:-40])
    return stage


def stopped_stage(folder: Path) -> Stage:
    stage = Stage(folder, staged_plan(budget_s=30))
    stage.open()
    stage.run_all(range(44))
    stage.close("budget", 12)
    return stage


@dataclass(frozen=True)
class Recorded:
    """The recorded run as it was after some of its events; `now` is the moment of the last of them."""

    folder: Path
    journal: Path
    now: float


def recorded_run(folder: Path, events: int) -> Recorded:
    shutil.copytree(RECORDED, folder)
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)[:events]
    journal.write_bytes(b"".join(lines))
    return Recorded(folder, journal, utc_seconds(json.loads(lines[-1])["at"]))


async def all_pictures(root: Path) -> None:
    demo = recorded_run(root / "demo" / "vcs-habits", MIDWAY)
    await picture("live", demo, (160, 48), *TO_A_FAILURE[:2])
    await picture("inspector", demo, (100, 30), *TO_A_FAILURE[:2], "enter")
    live = live_stage(root / "live" / "vcs-habits")
    await picture("resources", live, (120, 36), *TO_A_FAILURE, "enter", "left")
    await picture("small", live, (40, 10), "right_square_bracket")
    await picture("terminal", live, (80, 24))
    await picture("light", live, (120, 36), *TO_A_FAILURE, theme="light")
    await picture("safe", live, (120, 36), *TO_A_FAILURE, theme="safe")
    await picture("no-colour", live, (100, 30), *TO_A_FAILURE, "enter", colourless=True)
    await picture("help", live, (100, 30), "question_mark")
    await picture("stopped", stopped_stage(root / "stopped" / "vcs-habits"), (100, 30), live=False)
    await picture("report", stopped_stage(root / "report" / "vcs-habits"), (100, 30), "6", live=False)
    await picture("torn", torn_stage(root / "torn" / "vcs-habits"), (100, 30), live=False)
    await picture("invalid", invalid_stage(root / "invalid" / "vcs-habits"), (100, 30), live=False)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    root = Path(tempfile.mkdtemp())
    try:
        asyncio.run(all_pictures(root))
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()

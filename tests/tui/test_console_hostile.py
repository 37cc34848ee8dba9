"""Whatever stands in a plan or a journal, nothing of it commands a terminal or hides from the eye."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from textual.events import Paste

from oakbench_core.campaign.plan import Plan, plan_from_document
from oakbench_tui.view.status import status_lines
from tests.campaigns import plan_document, row, sealed
from tests.tui.harness import console, pressed, run, screen_text, until
from tests.tui.staging import Stage

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from oakbench_tui.app import ConsoleApp

EVIL = (
    "\x1b[31mred\x1b]52;c;aGk=\x07\x1b]8;;http://x\x1b\\ \x9b2J "
    "\u202etxt \u200b\u2066 [/] [bold]x[/bold] \x00 \x7f \u2028 `|`"
)
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
MEGABYTE = "x" * 900_000


def hostile_plan() -> Plan:
    document = plan_document(mock=True)
    document["workflows"]["w"]["tasks"] = {
        name: {
            **task,
            "prompts": {"plain": EVIL},
            "oracle": {
                "version": 1,
                "checks": [
                    {"name": f"tests {EVIL}", "kind": "command", "run": [EVIL], "stdout": EVIL, "instruments": [EVIL]},
                    {"name": "scope", "kind": "changes", "may_change": [EVIL]},
                ],
            },
        }
        for name, task in document["workflows"]["w"]["tasks"].items()
    }
    document["agents"]["a"] |= {"argv": [EVIL], "model": EVIL}
    document["subjects"]["git"] |= {"version": EVIL}
    del document["plan_sha256"]
    return plan_from_document(sealed(document))


def hostile_row(plan: Plan, place: int, terminal: str = "completed", **changes: Any) -> dict[str, Any]:
    value = row(plan, place, terminal, **changes)
    for check in value["oracle"]["checks"]:
        check |= {"detail": f"{EVIL}\n{EVIL}", "instrument": EVIL}
    value["accounting"] = {"provider": EVIL, "price_table": EVIL}
    value["population"] = {"os": EVIL, "subject_version": EVIL}
    value["extra"] = {EVIL: [EVIL, {EVIL: EVIL}]}
    return value


def hostile_stage(folder: Path) -> Stage:
    plan = hostile_plan()
    stage = Stage(folder, plan)
    stage.open()
    rows = [
        hostile_row(plan, 0, verified=False),
        hostile_row(plan, 1, "infrastructure_failure", error={"type": "runner_error", "message": EVIL}),
    ]
    for place, value in enumerate(rows):
        stage.start(place)
        terminal = "infrastructure_failure" if value["error"] else "completed"
        stage.append("finished", plan.schedule[place].trial_id, terminal=terminal, row=value)
    skip = {"phase": "before_start", "reason": "missing_instrument", "instrument": EVIL, "detail": EVIL}
    value = hostile_row(plan, 2, "skipped", skip=skip, resources={})
    stage.append("finished", plan.schedule[2].trial_id, terminal="skipped", row=value)
    stage.start(3)
    stage.append("closed", stop={"reason": "halted", "code": 13, "detail": EVIL})
    return stage


def expect_safe(text: str) -> None:
    seen = {character for character in text if character != "\n" and unicodedata.category(character) in UNSAFE}
    assert not seen, sorted(map(ascii, seen))


async def look_everywhere(app: ConsoleApp, pilot: Pilot[None]) -> str:
    """Every trial in every tab, the report, the help, a filter; everything that was seen."""
    seen = [screen_text(app)]

    async def see(*keys: str) -> None:
        await pressed(pilot, *keys)
        seen.append(screen_text(app))

    for _ in range(4):
        await see("enter")
        for _ in range(5):
            await see("right")
            await see("space")
        await see("escape", "j")
    await see("y")
    await see("Y")
    await pressed(pilot, "6")
    await until(pilot, lambda: app.console_screen.report.made)
    for _ in range(6):
        await see("space")
    await see("slash", "[", "enter")
    return "".join(seen)


@pytest.mark.parametrize("size", [(40, 12), (100, 30), (160, 60)])
def test_no_hostile_character_reaches_any_view(tmp_path: Path, size: tuple[int, int]) -> None:
    stage = hostile_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, size, now=stage.now) as (app, pilot):
            text = await look_everywhere(app, pilot)
            expect_safe(text)
            expect_safe("\n".join(status_lines(app.console_screen.shown, now=stage.now)))
            if size[0] > 80:
                assert r"\x1b[31mred" in text  # shown, not swallowed
                assert "[/]" in text

    run(story())


def test_exported_rows_hold_no_hostile_character(tmp_path: Path) -> None:
    stage = hostile_stage(tmp_path / "c")
    out = tmp_path / "out"
    out.mkdir()

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now, out=out) as (app, pilot):
            assert app.is_running
            await pressed(pilot, "e", "c", "e", "m")
            await until(pilot, (out / "report.md").exists)

    run(story())

    expect_safe((out / "trials.csv").read_text())
    expect_safe((out / "report.md").read_text())


def test_a_pasted_filter_is_made_visible(tmp_path: Path) -> None:
    stage = hostile_stage(tmp_path / "c")

    async def story() -> None:
        async with console(stage.folder, (100, 30), now=stage.now) as (app, pilot):
            await pressed(pilot, "slash")
            app.post_message(Paste(f"{EVIL}\nsecond line"))
            await until(pilot, lambda: "x1b[31mred" in screen_text(app))
            expect_safe(screen_text(app))

    run(story())


def test_an_event_of_a_megabyte_opens_and_can_be_read_to_its_end(tmp_path: Path) -> None:
    plan = hostile_plan()
    stage = Stage(tmp_path / "c", plan)
    stage.open()
    stage.start(0)
    stage.append(
        "finished", plan.schedule[0].trial_id, terminal="completed", row=row(plan, 0, extra={"log": f"{MEGABYTE}!"})
    )

    async def story() -> None:
        async with console(stage.folder, (160, 48), now=stage.now) as (app, pilot):
            await pressed(pilot, "enter", "right")
            assert "exact bytes" in screen_text(app) or app.console_screen.inspector_page.content.rows > 10_000
            await pressed(pilot, "G")
            text = screen_text(app)
            assert json.loads(stage.journal.read_bytes().splitlines()[1])["hash"] in text

    run(story())

"""The reader behind the screen: it sees what other processes do to the journal, and says so."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.admission import admissible_at_worst
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_ledger
from oakbench_core.campaign.vocabulary import StopReason, Terminal
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.writer import JournalWriter
from oakbench_tui.feed.once import snapshot_of
from oakbench_tui.feed.reader import Feed
from oakbench_tui.view.glyphs import Shown
from oakbench_tui.view.snapshot import Chip
from oakbench_tui.view.strip import stop_word
from tests.campaigns import plan_document, row, sealed
from tests.tui.staging import Stage, live_stage, staged_plan, writer_lives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_tui.view.snapshot import Snapshot

PATIENCE_S = 20


@contextmanager
def feeding(folder: Path) -> Iterator[Feed]:
    feed = Feed(folder, load_plan(folder))
    feed.start()
    try:
        yield feed
    finally:
        feed.stop()


def until(feed: Feed, holds: Callable[[Snapshot], object]) -> Snapshot:
    """The first snapshot for which it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if holds(feed.latest):
            return feed.latest
        time.sleep(0.005)  # a look again, not a hope: the condition decides
    raise AssertionError(f"it never came: {feed.latest.reading}")


def read(snapshot: Snapshot) -> bool:
    return snapshot.version > 0 and snapshot.reading.rate_mb_s is None


def clock() -> str:
    return "2026-11-30T14:00:00.000Z"


def ended(writer: JournalWriter, plan: Plan, place: int) -> None:
    trial_id = plan.schedule[place].trial_id
    writer.append_started(trial_id)
    writer.append_finished(trial_id, Terminal.COMPLETED, row(plan, place))


def test_a_campaign_is_followed_from_before_its_journal_exists_until_it_stops(tmp_path: Path) -> None:
    plan = staged_plan()
    folder = Stage(tmp_path / "c", plan).folder
    with feeding(folder) as feed:
        assert until(feed, read).chip is Chip.WAITING
        with JournalWriter.open(folder, plan, clock=clock) as writer:
            assert until(feed, lambda shown: shown.chip is Chip.LIVE).scheduled == 72
            writer.append_started(plan.schedule[0].trial_id)
            assert until(feed, lambda shown: shown.running).counts()[Shown.RUNNING] == 1
            writer.append_finished(plan.schedule[0].trial_id, Terminal.COMPLETED, row(plan, 0))
            assert until(feed, lambda shown: shown.counts()[Shown.VERIFIED] == 1).newest == 0
            writer.append_started(plan.schedule[1].trial_id)
            until(feed, lambda shown: shown.running)
            writer.append_closed(StopReason.SIGNAL, 143)
        stopped = until(feed, lambda shown: shown.chip is Chip.STOPPED)

    assert stop_word(stopped.reading) == "signal"
    assert stopped.counts()[Shown.INTERRUPTED] == 1


def test_a_writer_that_ends_without_a_word_was_killed(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    with feeding(stage.folder) as feed:
        with writer_lives(stage.journal):
            until(feed, lambda shown: shown.chip is Chip.LIVE)
        killed = until(feed, lambda shown: shown.chip is Chip.STOPPED)

    assert stop_word(killed.reading) == "killed"


def test_a_snapshot_does_not_change_while_events_arrive(tmp_path: Path) -> None:
    plan = staged_plan()
    folder = Stage(tmp_path / "c", plan).folder
    with JournalWriter.open(folder, plan, clock=clock) as writer, feeding(folder) as feed:
        ended(writer, plan, 0)
        writer.append_started(plan.schedule[1].trial_id)
        before = until(feed, lambda shown: shown.events == 4)
        said = (before.counts(), before.admission, before.measured, before.resource("duration_s", 1))
        writer.append_finished(plan.schedule[1].trial_id, Terminal.COMPLETED, row(plan, 1))
        until(feed, lambda shown: shown.events == 5)

    assert (before.counts(), before.admission, before.measured, before.resource("duration_s", 1)) == said
    assert before.shown(1) is Shown.RUNNING


def test_what_is_admitted_at_worst_is_never_more_than_what_is_left(tmp_path: Path) -> None:
    """Where timeouts differ it is counted once a second at most, and told in between as a lower bound."""
    document = plan_document(tasks=("t",), subjects=("a", "b"), repetitions=4, budget_s=60)
    for number, trial in enumerate(document["schedule"]):
        trial["timeout_s"] = 10 if number < 4 else 5
    del document["plan_sha256"]
    plan = plan_from_document(sealed(document))
    folder = Stage(tmp_path / "c", plan).folder
    seen: list[Snapshot] = []
    wanted: list[int] = []
    with JournalWriter.open(folder, plan, clock=clock) as writer, feeding(folder) as feed:
        feed.arrived = lambda: seen.append(feed.latest)
        until(feed, lambda shown: shown.at_worst == 8)
        for place in range(6):
            ended(writer, plan, place)
            wanted.append(2 * place + 3)
            until(feed, lambda shown: shown.events == wanted[-1])
        last = until(feed, lambda shown: shown.at_worst == admissible_at_worst(shown.ledger))

    assert last.at_worst == 2
    assert all(shown.at_worst is not None and shown.at_worst <= shown.tallies[0] for shown in seen)


def replaced_by_another(stage: Stage) -> None:
    other = stage.folder / "other"
    other.write_bytes(b"")
    fresh = Stage(stage.folder.parent / "fresh", stage.plan)
    fresh.open()
    fresh.run(0)
    fresh.journal.replace(stage.journal)


def truncated(stage: Stage) -> None:
    data = stage.journal.read_bytes()
    with stage.journal.open("r+b") as file:
        file.truncate(data.index(b"\n") + 1)


def deleted(stage: Stage) -> None:
    stage.journal.unlink()


@pytest.mark.parametrize(
    ("change", "chip", "verified"),
    [(replaced_by_another, Chip.STOPPED, 1), (truncated, Chip.STOPPED, 0), (deleted, Chip.WAITING, 0)],
)
def test_a_journal_that_is_replaced_is_read_anew_and_said_to_be(
    tmp_path: Path, change: Callable[[Stage], None], chip: Chip, verified: int
) -> None:
    stage = live_stage(tmp_path / "c")
    with feeding(stage.folder) as feed:
        until(feed, lambda shown: shown.counts()[Shown.VERIFIED] == 28)
        change(stage)
        after = until(feed, lambda shown: shown.reading.replaced and read(shown) and shown.chip is chip)
        _, dirty = feed.take()

    assert after.counts()[Shown.VERIFIED] == verified
    assert dirty is None  # everything may differ


def test_a_journal_that_cannot_be_read_is_said_and_read_again_when_it_can(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    aside = stage.folder / "aside"
    with feeding(stage.folder) as feed:
        until(feed, lambda shown: shown.counts()[Shown.VERIFIED] == 28)
        stage.journal.rename(aside)
        stage.journal.mkdir()
        failed = until(feed, lambda shown: shown.reading.failure)
        stage.journal.rmdir()
        aside.rename(stage.journal)
        again = until(feed, lambda shown: shown.reading.failure is None and shown.counts()[Shown.VERIFIED] == 28)

    assert failed.reading.failure is not None
    assert failed.reading.failure.place.endswith("journal.jsonl")
    assert "found a directory" in failed.reading.failure.rule
    assert (failed.chip, failed.sound) == (Chip.UNREADABLE, False)
    assert again.chip is Chip.STOPPED


def test_an_invalid_journal_is_no_end_of_the_reader(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    good = stage.journal.read_bytes()
    with feeding(stage.folder) as feed:
        until(feed, read)
        with stage.journal.open("ab") as file:
            file.write(b"no record\nnor this\n")
        invalid = until(feed, lambda shown: shown.chip is Chip.INVALID)
        stage.journal.write_bytes(good)
        mended = until(feed, lambda shown: shown.sound)

    assert invalid.reading.problems[0].line == 82
    assert mended.counts()[Shown.VERIFIED] == 28


def test_what_the_screen_counts_is_what_the_report_counts(data_dir: Path) -> None:
    folder = data_dir / "haiku-opus-371"
    plan = load_plan(folder)
    journal = read_journal(folder, plan)
    summary = report_ledger(journal.ledger)
    with feeding(folder) as feed:
        live = until(feed, read)
    once = snapshot_of(folder, plan, journal, now=live.at)

    assert live.counts() == once.counts()
    assert live.measured == once.measured
    assert live.counts()[Shown.VERIFIED] == summary["counts"]["verified_success"]
    for group, measured in zip(summary["groups"], live.groups, strict=True):
        for each in measured:
            expected = group["resources"][each.name]
            assert each.observed == expected["observed"]
            assert (each.total is None) is (expected["partial_sum"] is None)
            if each.total is not None:
                assert float(each.total) == pytest.approx(expected["partial_sum"], rel=1e-15)


def test_a_feed_says_nothing_while_nothing_changes(tmp_path: Path) -> None:
    stage = live_stage(tmp_path / "c")
    told: list[int] = []
    feed = Feed(stage.folder, load_plan(stage.folder), arrived=lambda: told.append(1))
    looks = 0
    poll = feed.reader.poll

    def counted_poll(limit: int) -> object:
        nonlocal looks
        looks += 1
        return poll(limit)

    feed.reader.poll = counted_poll  # type: ignore[method-assign,assignment]  # to see that it looked
    feed.start()
    try:
        until(feed, lambda shown: told and read(shown))
        after_reading, seen = len(told), looks
        until(feed, lambda _: looks > seen + 3)
    finally:
        feed.stop()

    assert len(told) == after_reading

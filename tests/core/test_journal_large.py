"""Faults 6 and 7 on a journal of many thousands of records: a sample of cuts and of flipped bits, whole reader."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import pytest

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.head import Head, encode_head
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from tests.benchmarks.p1_read_journal import make_campaign
from tests.core.durable_outcomes import LONG, tell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oakbench_core.campaign.plan import Plan
    from oakbench_core.durable.reading import JournalReading

pytestmark = pytest.mark.slow

EVENTS = 60_000 if LONG else 4_000
SAMPLES = 600 if LONG else 120


class Large(NamedTuple):
    """`opened`, then a start and an end for each trial in turn; `ends[n]` is the size of the first n records."""

    folder: Path
    plan: Plan
    content: bytes
    ends: list[int]

    def head_after(self, records: int) -> bytes:
        end = self.ends[records]
        return encode_head(Head(records - 1, end, self.content[end - 35 : end - 3].decode()))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Large:
    folder = tmp_path_factory.mktemp("large")
    make_campaign(folder, EVENTS)
    content = (folder / "journal.jsonl").read_bytes()
    ends = list(accumulate((len(line) for line in content.splitlines(keepends=True)), initial=0))
    return Large(folder, load_plan(folder), content, ends)


def laid_down(large: Large, content: bytes, head: bytes | None) -> JournalReading:
    (large.folder / "journal.jsonl").write_bytes(content)
    (large.folder / "journal.head").write_bytes(head or b"")
    return read_journal(large.folder, large.plan)


def expected_reservation(large: Large, records: int) -> str | None:
    """Of a journal that is torn inside of the record after so many."""
    is_start = records % 2 == 1
    return large.plan.schedule[records // 2].trial_id if is_start else None


def cut_places(large: Large, chance: random.Random) -> Iterator[int]:
    for _ in range(SAMPLES):
        record = chance.randrange(1, len(large.ends))
        yield chance.choice([chance.randrange(large.ends[record - 1], large.ends[record]), large.ends[record] - 1])


@pytest.mark.clause("A10-05")
def test_a_sample_of_cuts_gives_the_truth_so_far_and_the_right_reservation(large: Large) -> None:
    outcomes, chance = Counter[str](), random.Random(6)  # noqa: S311 - where to cut, no secret
    for size in cut_places(large, chance):
        reading = laid_down(large, large.content[:size], None)
        outcomes[reading.state] += 1
        records = bisect_right(large.ends, size) - 1
        lacks_newline = size + 1 in large.ends[records + 1 : records + 2]
        whole = records + lacks_newline
        tallies, reserved = reading.ledger.tallies, [r.trial_id for r in reading.ledger_after_recovery.reservations]

        assert reading.records == whole
        assert tallies[Standing.UNSTARTED] == len(large.plan.schedule) - whole // 2
        assert tallies[Standing.INTERRUPTED] == (whole > 0 and whole % 2 == 0)
        if lacks_newline:
            assert reading.state is JournalState.NO_NEWLINE
        elif size == large.ends[records]:
            assert reading.state in {JournalState.CLEAN, JournalState.EMPTY}
        else:
            assert reading.state is JournalState.TORN
            assert reserved == [expected_reservation(large, records)]
    tell(outcomes, f"cuts of a journal of {EVENTS:,} events")


def test_a_sample_of_cuts_below_its_head_is_missed(large: Large) -> None:
    outcomes, chance = Counter[str](), random.Random(8)  # noqa: S311 - as above
    head = large.head_after(len(large.ends) - 1)
    for _ in range(SAMPLES // 4):
        reading = laid_down(large, large.content[: chance.randrange(len(large.content) - 1)], head)
        outcomes[reading.state] += 1

        assert reading.state is JournalState.BEHIND_HEAD
    tell(outcomes, f"cuts of a journal of {EVENTS:,} events, with its head")


@pytest.mark.parametrize("has_head", [False, True])
def test_a_sample_of_flipped_bits_is_never_passed_over(has_head: bool, large: Large) -> None:
    outcomes, chance = Counter[str](), random.Random(7)  # noqa: S311 - where to flip, no secret
    head = large.head_after(len(large.ends) - 1) if has_head else None
    last = large.ends[-2]
    places = [chance.randrange(len(large.content)) for _ in range(SAMPLES)]
    places += [chance.randrange(last, len(large.content)) for _ in range(SAMPLES // 8)]
    for place in places:
        changed = bytearray(large.content)
        changed[place] ^= 1 << chance.randrange(8)
        reading = laid_down(large, bytes(changed), head)
        outcomes[reading.state] += 1

        # A line feed that is gone joins the last two lines to one that is doubted.
        may_be_doubted = not has_head and place >= last - 1
        assert reading.state in {JournalState.INVALID} | ({JournalState.UNCERTAIN_TAIL} if may_be_doubted else set())
        assert reading.records == bisect_right(large.ends, place) - 1
        assert reading.problems[0].line == reading.records + 1 or has_head
    tell(outcomes, f"flipped bits of a journal of {EVENTS:,} events{', with its head' * has_head}")

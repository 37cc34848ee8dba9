"""How a campaign was executed: fed by transport fields and runners' own words alone, and changing no figure."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.execution import Chronicle
from oakbench_core.campaign.report import report_campaign, report_ledger
from oakbench_core.durable.documents import load_plan
from oakbench_core.durable.journal import JournalReader
from oakbench_core.durable.reading import read_journal
from oakbench_core.forms import utc_nanoseconds
from tests.campaigns import Json, closed, opened, plan, recovered, run

RECORDED = Path(__file__).resolve().parent.parent / "recorded"


def carried(events: list[Json], *, seconds: list[str] | None = None, writers: list[str] | None = None) -> list[Json]:
    return [
        {
            "seq": number,
            "v": 1,
            "writer": writers[number] if writers else "a" * 32,
            "at": f"2026-11-30T08:{seconds[number] if seconds else f'00:{number:02}'}Z",
            "hash": f"{number:032x}",
        }
        | event
        for number, event in enumerate(events)
    ]


def runner(p: Any, **facts: Any) -> Json:
    event = opened(p)
    return event | {"runner": event["runner"] | facts}


def test_everything_that_the_transport_fields_say_is_there() -> None:
    p = plan(tasks=["t"], repetitions=2)
    events = [
        runner(p, host="ws-2", max_parallel=4),
        *run(p, 0),
        closed(p, "signal", 13),
        runner(p, host="ws-1", max_parallel=1, unsafe_filesystem=True),
        recovered(p, 1, "zeros", "ambiguous"),
        closed(p, "budget", 12),
    ]
    writers = ["a" * 32] * 4 + ["b" * 32] * 3
    seconds = ["00:00", "00:01.5", "00:03", "00:02", "07:02.25", "07:02.25", "07:03"]

    assert report_campaign(p, carried(events, seconds=seconds, writers=writers))["execution"] == {
        "first_hash": f"{0:032x}",
        "last_seq": 6,
        "last_hash": f"{6:032x}",
        "writers": 2,
        "hosts": ["ws-1", "ws-2"],
        "first_at": "2026-11-30T08:00:00Z",
        "last_at": "2026-11-30T08:07:03Z",
        "longest_pause_s": 420.25,
        "max_parallel": [4, 1],
        "stops": [
            {"reason": "signal", "code": 13, "at": "2026-11-30T08:00:02Z"},
            {"reason": "budget", "code": 12, "at": "2026-11-30T08:07:03Z"},
        ],
        "recoveries": [{"kind": "zeros", "reason": "ambiguous", "trial_id": p.schedule[1].trial_id}],
        "unsafe_filesystem": True,
    }


def test_events_without_any_hash_have_no_execution() -> None:
    p = plan()

    assert report_campaign(p, [opened(p), *run(p, 0), closed(p)])["execution"] is None
    assert report_campaign(p, [])["execution"] is None


def test_the_last_record_is_the_last_one_that_carries_a_hash() -> None:
    p = plan()
    events = carried([opened(p), *run(p, 0), *run(p, 1)])
    for event in events[3:]:
        del event["hash"]
    found = report_campaign(p, events)["execution"]

    assert (found["last_seq"], found["last_hash"]) == (2, f"{2:032x}")
    assert found["last_at"] == events[-1]["at"]


def test_a_pause_is_exact_where_floats_of_seconds_are_not() -> None:
    p = plan()
    events = carried([opened(p), *run(p, 0)], seconds=["00:00.000000001", "00:01.300000001", "00:01"])

    assert report_campaign(p, events)["execution"]["longest_pause_s"] == 1.3


def test_times_that_only_fall_have_no_pause() -> None:
    p = plan()

    assert (
        report_campaign(p, carried([opened(p), *run(p, 0)], seconds=["03:00", "02:00", "01:00"]))["execution"][
            "longest_pause_s"
        ]
        == 0
    )


moments = st.builds(
    lambda day, hour, minute, second, fraction: (
        f"2026-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}T{hour:02}:{minute:02}:"
        f"{second:02}{fraction and f'.{fraction}'}Z"
    ),
    st.integers(0, 335),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["", "5", "000000001", "999999999", "123", "000001"]),
)


class Timed:
    """An event of a trial as far as the chronicle looks at it."""

    event = "started"
    seq = 1
    writer = "a" * 32
    hash = "b" * 32

    def __init__(self, at: str) -> None:
        self.at = at


@given(st.lists(moments, min_size=1, max_size=12), st.integers(0, 12))
def test_the_longest_pause_is_the_largest_positive_difference_however_events_are_noted(
    times: list[str], split: int
) -> None:
    together, apart = Chronicle(), Chronicle()
    together.note_trials([Timed(at) for at in times[:split]])
    together.note_trials([Timed(at) for at in times[split:]])
    for at in times:
        apart.note(Timed(at))  # type: ignore[arg-type]  # it has what is read
    instants = [utc_nanoseconds(at) for at in times]
    pauses = [later - earlier for earlier, later in pairwise(instants)]
    expected = max([0, *pauses]) / 10**9

    for chronicle in (together, apart):
        found = chronicle.as_document([])
        assert found is not None
        assert found["longest_pause_s"] == expected
        assert (found["first_at"], found["last_at"]) == (times[0], times[-1])


@pytest.mark.parametrize("chunk", [1, 1000, 10**6])
def test_a_journal_read_in_any_chunks_gives_the_report_of_its_plain_events(chunk: int) -> None:
    frozen = load_plan(RECORDED)
    events = [json.loads(line) for line in (RECORDED / "journal.jsonl").read_text().splitlines()]
    with JournalReader(RECORDED, frozen) as reader:
        while reader.poll(max_bytes=chunk).more:
            pass

        assert json.dumps(report_ledger(reader.ledger)) == json.dumps(report_campaign(frozen, events))


def test_a_recovery_that_would_be_is_listed_and_leaves_the_last_record_as_it_is(tmp_path: Path) -> None:
    lines = (RECORDED / "journal.jsonl").read_bytes().split(b"\n")
    (tmp_path / "plan.json").write_bytes((RECORDED / "plan.json").read_bytes())
    (tmp_path / "journal.jsonl").write_bytes(b"\n".join(lines[:60]) + b"\n" + lines[60][:40])
    frozen = load_plan(tmp_path)
    reading = read_journal(tmp_path, frozen)
    before, after = (report_ledger(one)["execution"] for one in (reading.ledger, reading.ledger_after_recovery))

    assert len(after["recoveries"]) == len(before["recoveries"]) + 1
    assert {key: value for key, value in after.items() if key != "recoveries"} == {
        key: value for key, value in before.items() if key != "recoveries"
    }

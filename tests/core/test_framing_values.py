"""What a record may say where a looser reader would say otherwise: versions, null lists, kept files, times, parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.events import event_type, evidence_type
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import BadLineError, link
from oakbench_core.forms import is_utc_time
from oakbench_core.shapes import checked
from tests.core.durable_samples import TRIALS, Script, row, sample_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from oakbench_core.errors import Problem


def fitting(script: Script, old: bytes, new: bytes) -> Script:
    """The script with other bytes in its last record, and the hash that fits them."""
    previous = script.lines[-2][-35:-3].decode()
    line = script.lines.pop()
    assert line.count(old) == 1
    body = line.replace(old, new).rpartition(b',"hash"')[0]
    return script.add_line(b'%b,"hash":"%b"}\n' % (body, link(previous, body).encode()))


LASTS: dict[str, Callable[[Script], Script]] = {
    "opened": lambda script: script.opened("2" * 32),
    "started": lambda script: script.started(TRIALS[1]),
    "finished": lambda script: script.finished(TRIALS[0]),
    "recovered": lambda script: script.recovered(TRIALS[1]),
    "closed": lambda script: script.closed(),
}


@pytest.mark.parametrize("version", ["1.0", "true", "1e+16", "2", "null"])
@pytest.mark.parametrize("kind", LASTS)
def test_the_version_is_the_integer_one_in_every_kind_of_record(kind: str, version: str) -> None:
    script = LASTS[kind](Script(sample_plan()).opened().started(TRIALS[0]))
    fold = Fold(sample_plan())
    assert fold.take(script.content) == len(script.content)

    fold = Fold(sample_plan())
    with pytest.raises(BadLineError) as caught:
        fold.take(fitting(script, b'"v":1', b'"v":' + version.encode()).content)
    assert (fold.records, caught.value.vouched) == (2, True)
    assert [problem.path for problem in caught.value.problems] == ["$.v"]


@pytest.mark.parametrize("version", [1.0, True, "1", 2])
def test_the_version_of_an_event_from_anywhere_is_the_integer_one(version: object) -> None:
    event = {"event": "started", "trial_id": TRIALS[0], "plan_sha256": sample_plan().plan_sha256}

    assert checked(evidence_type(), event | {"v": 1}) != (None, ())
    assert [problem.path for problem in checked(evidence_type(), event | {"v": version})[1]] == ["$.v"]


def test_the_published_schema_says_what_the_version_is() -> None:
    started = event_type().json_schema()["$defs"]["Started"]

    assert started["properties"]["v"] == {"const": 1, "title": "V", "type": "integer"}


def test_null_checks_are_absent_checks() -> None:
    """Legal wherever there may be none, and nowhere else."""
    script = Script(sample_plan()).opened().started(TRIALS[0]).started(TRIALS[1])
    nothing = {"version": 1, "checks": None}
    timed_out = row(TRIALS[0], verified_success=False, timed_out=True, oracle=nothing)
    fold = Fold(sample_plan())
    fold.take(script.finished(TRIALS[0], "timed_out", timed_out).content)
    assert fold.records == 4

    script.finished(TRIALS[1], its_row=row(TRIALS[1], oracle=nothing))
    with pytest.raises(BadLineError, match=r"row\.oracle\.checks are \[\]"):
        fold.take(script.lines[-1])


@pytest.mark.parametrize("kept", ["", "/x", "../x", "a\0b", "ü"])
def test_of_a_recovery_only_the_types_are_tested(kept: str) -> None:
    recovery = {"offset": 1, "bytes": 57, "sha256": "0" * 64, "kind": "torn", "reason": "torn_other"}
    script = Script(sample_plan()).opened().add("recovered", recovery=recovery | {"kept_as": [kept]})
    fold = Fold(sample_plan())
    assert fold.take(script.content) == len(script.content)

    script = Script(sample_plan()).opened().add("recovered", recovery=recovery | {"kept_as": [1]})
    with pytest.raises(BadLineError):
        Fold(sample_plan()).take(script.content)


ODD_TIMES = (
    "2026-11-30T08:15:00Z",
    "2026-11-30T08:15:59.1Z",
    "2026-11-30T08:15:00.123456789Z",
    "2024-02-29T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-11-30T24:00:00Z",
    "2026-11-30T08:15:60Z",
    "2026-11-30T08:15:00.1234567890Z",
    "2026-11-30T08:15:00.Z",
    "2026-11-30T08:15:00,1Z",
    "2026-11-30T08:15:00z",
    "2026-11-30T08:15:00",
    "2026-11-30 08:15:00Z",
    "2026-11-30T08:15:00Z\n",
    "2026-11-30T08:15:00Z\n2026-11-30T08:15:00Z",
    "2026-11-30T08:15:00.1e1Z",
    "2026-11-30T08:15:1_0Z",
    "2026-11-30T08:15:٠٠Z",
    "２026-11-30T08:15:00Z",
    "0000-11-30T08:15:00Z",
    "",
    "Z",
)


def taken(fold: Fold, content: bytes, *, by_lines: bool) -> tuple[Problem, ...]:
    """What the fold refuses, if anything."""
    try:
        if by_lines:
            for line in content.splitlines():
                fold.take_line(line)
        else:
            fold.take(content)
    except BadLineError as error:
        return error.problems
    return ()


@pytest.mark.parametrize("at", ODD_TIMES)
def test_a_time_among_others_is_a_time_as_by_itself(at: str) -> None:
    script = Script(sample_plan()).opened().started(TRIALS[0])
    script.add("started", TRIALS[1], at=at).started(TRIALS[2])
    fold, alone = Fold(sample_plan()), Fold(sample_plan())
    refusals = [taken(fold, script.content, by_lines=False), taken(alone, script.content, by_lines=True)]

    assert refusals[0] == refusals[1]
    assert bool(refusals[0]) is not is_utc_time(at)
    assert (fold.records, alone.records) == ((4, 4) if is_utc_time(at) else (2, 2))
    assert str(fold.ledger.started_at) == str(alone.ledger.started_at)


PARTS: list[tuple[bytes, bytes]] = [
    (b'"os":"linux"', b'"os": "linux"'),
    (b'"os":"linux"', b'"os":"linux","os":"linux"'),
    (b'"os":"linux"', rb'"os":"\u006cinux"'),
    (b'"os":"linux"', b'"os":1'),
    (b'"os":"linux"', b'"os":"\xff"'),
    (b'"os":"linux"', b'"os":"linux","oz":null'),
    (b'"oracle_version":1', b'"oracle_version":1.0'),
    (b'"token_weights":null', b'"token_weights":{"reasoning_tokens":1e-5}'),
    (b'"token_weights":null', b'"token_weights":{"turns":1}'),
    (b'"status":"pass"', b'"status":"passed"'),
    (b'"oracle":{"version":1,', b'"oracle":{"version":-0,'),
]


@pytest.mark.parametrize(("old", "new"), PARTS)
def test_a_part_that_many_rows_share_is_read_as_strictly_the_second_time(old: bytes, new: bytes) -> None:
    for _ in range(2):
        script = Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0]).started(TRIALS[1])
        script.finished(TRIALS[1])
        fold = Fold(sample_plan())

        with pytest.raises(BadLineError) as caught:
            fold.take(fitting(script, old, new).content)
        assert (fold.records, caught.value.vouched) == (4, True)

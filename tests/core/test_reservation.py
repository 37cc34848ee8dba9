"""What a lost tail reserves: each rule by examples, then every cut of a journal of every kind of record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.vocabulary import EventKind, RecoveryReason
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import NO_WRITER
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.reservation import Reserved, proved_event, reserve
from oakbench_core.durable.tail import JournalState
from tests.core.durable_outcomes import tell
from tests.core.durable_samples import TRIALS, Script, sample_lines, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

LINES = sample_lines()
START = b'{"event":"started","trial_id":"'
TORN, ZEROS, UNCERTAIN = JournalState.TORN, JournalState.ZEROS, JournalState.UNCERTAIN_TAIL
FIRST = Reserved(TRIALS[1], RecoveryReason.AMBIGUOUS)
OTHER = Reserved(None, RecoveryReason.TORN_OTHER)
IMPOSSIBLE = Reserved(None, RecoveryReason.START_IMPOSSIBLE)


def after(script: Script) -> Fold:
    fold = Fold(sample_plan())
    fold.take(script.content)
    return fold


def idle() -> Script:
    """The first trial has ended, nothing is running."""
    return Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0])


def busy() -> Script:
    return Script(sample_plan()).opened().started(TRIALS[0])


CASES: dict[str, tuple[Script, bytes, JournalState, Reserved]] = {
    "zeros": (idle(), bytes(9), ZEROS, FIRST),
    "a first byte": (idle(), b"{", TORN, FIRST),
    "up to the quote": (idle(), b'{"event":"', TORN, FIRST),
    "the first letter of a start": (idle(), b'{"event":"s', TORN, FIRST),
    "the first letter of a finish": (idle(), b'{"event":"f', TORN, OTHER),
    "an end, NULs before and after": (idle(), bytes(3) + b'{"event":"closed"' + bytes(3), UNCERTAIN, OTHER),
    "a half ID": (idle(), START + TRIALS[2][:-1].encode(), TORN, Reserved(TRIALS[2], RecoveryReason.AMBIGUOUS)),
    "a half ID of none": (idle(), START + b"x", TORN, Reserved(None, RecoveryReason.AMBIGUOUS)),
    "a half ID with an escape": (idle(), START + b"\\", TORN, Reserved(None, RecoveryReason.AMBIGUOUS)),
    "a whole ID": (
        idle(), START + TRIALS[5].encode() + b'"', TORN, Reserved(TRIALS[5], RecoveryReason.TORN_START),
    ),
    "a whole ID in damaged bytes": (idle(), START + TRIALS[5].encode() + b'"x\n', UNCERTAIN, FIRST),
    "damaged bytes": (idle(), b"hello\n", UNCERTAIN, FIRST),
    "all workers busy": (busy(), b"{", TORN, IMPOSSIBLE),
    "all workers busy, zeros": (busy(), bytes(5), ZEROS, IMPOSSIBLE),
    "all workers busy, a proved start": (busy(), b'{"event":"started"', TORN, FIRST),
    "a worker free": (Script(sample_plan()).opened(max_parallel=2).started(TRIALS[0]), b"{", TORN, FIRST),
    "nothing opened": (Script(sample_plan()), b"{", TORN, IMPOSSIBLE),
    "closed": (idle().closed(), b"\0", ZEROS, IMPOSSIBLE),
    "recovered": (idle().recovered(None, "torn_other"), START, TORN, IMPOSSIBLE),
    "recovered and opened again": (
        busy().recovered(None, "torn_other").opened("2" * 32), b"{", TORN, FIRST,
    ),
}  # fmt: skip


@pytest.mark.clause("A10-18")
@pytest.mark.parametrize("name", CASES)
def test_each_rule_decides_its_cases(name: str) -> None:
    script, tail, state, expected = CASES[name]

    assert reserve(tail, state, after(script).ledger) == expected


@pytest.mark.parametrize("trial_id", [TRIALS[0], "w.t.plain.a.r009.git"])
def test_a_torn_start_of_a_trial_that_is_not_unstarted_is_invalid(trial_id: str, tmp_path: Path) -> None:
    tail = START + trial_id.encode() + b'",'
    (tmp_path / "journal.jsonl").write_bytes(idle().content + tail)

    assert read_journal(tmp_path, sample_plan()).state is JournalState.INVALID


def test_no_trial_is_left_to_reserve() -> None:
    script = Script(sample_plan()).opened()
    for trial_id in TRIALS:
        script.started(trial_id).finished(trial_id)

    assert reserve(b"{", TORN, after(script).ledger) == Reserved(None, RecoveryReason.AMBIGUOUS)


def test_bytes_prove_an_event_as_far_as_they_agree_with_it() -> None:
    for kind in EventKind:
        whole = b'{"event":"%b"' % kind.encode()
        for size in range(len(whole) + 1):
            assert proved_event(whole[:size]) == (kind if size > 10 else None)
        assert proved_event(whole[:12] + b"~" + whole[13:]) is None
        assert proved_event(whole + b"\xff anything") is kind


def right(number: int, fragment: bytes) -> str | None:
    """The trial that must be reserved where record `number` was cut to this fragment, known from what it was."""
    line, fold = LINES[number], Fold(sample_plan())
    fold.take(b"".join(LINES[:number]))
    ledger = fold.ledger
    if not ledger.is_opened:
        return None
    if line.startswith(b'{"event":"started"'):
        trial_id = line.split(b'"')[7].decode()
        if len(fragment) > 10 or len(ledger.in_flight) < 1:
            return trial_id
    return ledger.first_unstarted() if len(fragment) <= 10 and not ledger.in_flight else None


@pytest.mark.clause("A10-18")
def test_every_cut_reserves_the_trial_whose_start_may_be_lost_and_no_other(tmp_path: Path) -> None:
    """Fault 6: every truncation point; a start that was cut is reserved for exactly its own trial."""
    outcomes = Counter[str]()
    for number, line in enumerate(LINES):
        before = b"".join(LINES[:number])
        for size in {*range(1, 64), *range(64, len(line) - 1, 41)} & {*range(1, len(line) - 1)}:
            (tmp_path / "journal.jsonl").write_bytes(before + line[:size])
            tail = read_journal(tmp_path, sample_plan()).tail
            assert tail is not None
            event = tail.would_recover
            assert event is not None
            outcomes[event["recovery"]["reason"]] += 1

            assert event["trial_id"] == right(number, line[:size])
            assert event["writer"] == (NO_WRITER if number == 0 else line_writer(number))
    tell(outcomes, "reservations")


def line_writer(number: int) -> str:
    opened = next(line for line in reversed(LINES[:number]) if line.startswith(b'{"event":"opened"'))
    return opened.split(b'"writer":"')[1][:32].decode()

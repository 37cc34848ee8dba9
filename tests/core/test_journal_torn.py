"""When a tail is the beginning of a record: every test but the hash and the ledger, and what a start may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.durable.framing import RECORD_LIMIT
from oakbench_core.durable.json_prefix import completed_object
from oakbench_core.durable.number_prefix import completed_number
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode
from tests.core.durable_outcomes import folded, judged
from tests.core.durable_samples import TRIALS, Script, row, sample_lines, sample_plan

if TYPE_CHECKING:
    from pathlib import Path

LINES = sample_lines()


def state_of(script: Script, tail: bytes) -> JournalState:
    return judged(folded(sample_plan(), script.lines), tail)


def opened() -> Script:
    return Script(sample_plan()).opened()


NUMBERS = [4.3515050251382465e-06, 1.4588437963928669e66, 9007199254740992.0, 1.2345678901234567e16, 5e-324, 0.0001]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_record_is_torn_wherever_one_of_its_numbers_is_cut(number: float) -> None:
    its_row = row(TRIALS[0])
    its_row["resources"]["cost_usd"] = number
    script = opened().started(TRIALS[0])
    line = opened().started(TRIALS[0]).finished(TRIALS[0], its_row=its_row).lines[-1]
    start = line.index(b'"cost_usd":') + len(b'"cost_usd":')

    for size in range(len(repr(number)) + 1):
        assert state_of(script, line[: start + size]) is JournalState.TORN
        assert state_of(script, line[: start + size] + b"\0") is JournalState.TORN


NO_NUMBERS = (
    "00 -00 01 0.0000 1e1 1e5 1e+08 1e-04 1e-00 12e 1.e 1.0e 1.50e 1e+309 1e+3080 -- + N I . 1_0 0x 1E"
    " 9007199254740993 90071992547409920 0.123456789012345678 12345678901234567 10000000000000000."
    " 1.2345678901234567891e"
)


@pytest.mark.parametrize("begun", [*NO_NUMBERS.split(), " 1", "1 ", "1" * 5000])
def test_what_is_the_beginning_of_no_number_is_known(begun: str) -> None:
    assert completed_number(begun.encode()) is None


def test_an_object_whose_keys_are_those_that_a_completion_tries_first_is_torn() -> None:
    assert completed_object(b'{"":0,"~":0,"~~":0,') is not None
    assert completed_object(b'{"":0,"~":0,"~~":0,"') is not None
    assert completed_object(b'{"":0,"":') is None


@pytest.mark.parametrize("extra", [b'{"":', b"[", b'[{"a":'])
def test_a_record_may_be_nested_as_deep_as_a_document_and_no_deeper(extra: bytes) -> None:
    containers = sum(extra.count(bracket) for bracket in (b"{", b"["))
    script, line = opened().started(TRIALS[0]), opened().started(TRIALS[0]).finished(TRIALS[0]).lines[-1]
    before = line[: line.index(b'"extra":{') + len(b'"extra":{')] + b'"x":'
    fitting = (64 - 3) // containers  # the record, its row and `extra` are three

    assert state_of(script, before + extra * fitting) is JournalState.TORN
    assert state_of(script, before + extra * (fitting + 1)) is JournalState.UNCERTAIN_TAIL


def test_a_record_as_long_as_may_be_is_torn_wherever_it_is_cut() -> None:
    """The beginning is completed with as few bytes as the record itself has left."""
    script = opened().started(TRIALS[0])

    def last(filler: int) -> bytes:
        its_row = row(TRIALS[0], extra={"a": "y" * filler, "": 0, "b": [0]})
        return opened().started(TRIALS[0]).finished(TRIALS[0], its_row=its_row).lines[-1]

    longest = last(RECORD_LIMIT - len(last(0)))
    longer = longest.replace(b"yy", b"yyy", 1)
    assert len(longest) == RECORD_LIMIT

    end = RECORD_LIMIT - len(',"hash":""}\n') - 32
    for size in range(end - 20, end):
        assert state_of(script, longest[:size]) is JournalState.TORN
    for size in (end + 1, end + 2, RECORD_LIMIT):
        assert state_of(script, longer[:size]) is JournalState.UNCERTAIN_TAIL


NO_IDS = ["bad id", "../../x", "é", "\ufeff", "a" * 65, "a" * 300, "a~b", "a~0", "a~1b", "a..b", "-a"]
BEGUN_IDS = ["", "a", "a.", "a~", "a~1", "a~2", "a~10", "a" * 64, "a" * 64 + ".", ".".join(["a" * 49] * 4)]


@pytest.mark.parametrize("event", ["started", "finished", "recovered"])
def test_the_form_of_a_trial_is_tested_in_a_beginning_too(event: str) -> None:
    script, before = opened(), b'{"event":"%b","trial_id":"' % event.encode()
    for name in NO_IDS:
        assert state_of(script, before + name.encode()) is JournalState.UNCERTAIN_TAIL
        assert state_of(script, before + name.encode() + b'"') is JournalState.UNCERTAIN_TAIL
    for name in BEGUN_IDS:
        assert state_of(script, before + name.encode()) is JournalState.TORN
    for name in ("", "a.", "a~", "a~1"):
        assert state_of(script, before + name.encode() + b'"') is JournalState.UNCERTAIN_TAIL
    longest = b".".join([b"a" * 49] * 3 + [b"a" * 50])
    assert state_of(script, before + longest) is JournalState.TORN
    for longer in (longest + b"a", longest[:-1] + b".", longest[:-2] + b"~1"):
        assert state_of(script, before + longer) is JournalState.UNCERTAIN_TAIL


@pytest.mark.parametrize("name", ["bad id", "../../x", "a~1", "a" * 65])
def test_a_whole_record_without_its_lf_whose_trial_has_no_name_is_no_beginning(name: str) -> None:
    line = opened().started(name).lines[-1]

    assert state_of(opened(), line[:-1]) is JournalState.UNCERTAIN_TAIL
    assert state_of(opened(), line) is JournalState.INVALID


STANDINGS: dict[str, tuple[Script, str]] = {
    "interrupted": (opened().started(TRIALS[0]), "is interrupted"),
    "finished": (opened().started(TRIALS[0]).finished(TRIALS[0]), "is verified success"),
    "reserved": (opened().recovered(TRIALS[0]).opened("2" * 32), "is uncertain"),
    "of another campaign": (opened(), "no trial of the plan"),
}


@pytest.mark.parametrize("name", STANDINGS)
def test_a_torn_start_of_a_trial_that_cannot_be_started_is_invalid(name: str, tmp_path: Path) -> None:
    script, rule = STANDINGS[name]
    trial_id = "w.t.plain.a.r001.svn" if name == "of another campaign" else TRIALS[0]
    whole = script_copy(script).started(trial_id).lines[-1][:-1]
    named = whole.index(trial_id.encode()) + len(trial_id)

    for size in range(1, len(whole) + 1):
        state = JournalState.INVALID if size > named else JournalState.TORN
        assert state_of(script, whole[:size]) is state
        assert state_of(script, whole[:size] + b"\0\0") is state

    (tmp_path / "journal.jsonl").write_bytes(script.content + whole[: named + 1])
    reading = read_journal(tmp_path, sample_plan())
    assert reading.refusal is not None
    assert reading.refusal.exit_code is ExitCode.INVALID
    assert rule in reading.problems[0].rule
    assert (reading.problems[0].line, reading.problems[0].byte) == (len(script.lines) + 1, len(script.content))


def script_copy(script: Script) -> Script:
    copy = Script(script.plan, script.writer)
    copy.lines, copy.last_hash = [*script.lines], script.last_hash
    return copy


def test_a_torn_start_of_an_unstarted_trial_is_torn_and_so_is_any_other_event_of_a_started_one() -> None:
    script = opened().started(TRIALS[0])

    assert state_of(script, b'{"event":"started","trial_id":"%b"' % TRIALS[1].encode()) is JournalState.TORN
    for event in (b"finished", b"recovered"):
        tail = b'{"event":"%b","trial_id":"%b"' % (event, TRIALS[0].encode())
        assert state_of(script, tail) is JournalState.TORN


def test_where_no_start_was_possible_a_torn_one_stays_torn() -> None:
    tail = b'{"event":"started","trial_id":"%b"' % TRIALS[0].encode()
    script = opened().started(TRIALS[0]).recovered(None, "torn_other")

    assert state_of(script, tail) is JournalState.TORN
    assert state_of(script.opened("2" * 32), tail) is JournalState.INVALID

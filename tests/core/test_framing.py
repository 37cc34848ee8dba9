"""Bytes ↔ records: the worked values, and each way of not being the next record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import (
    RECORD_LIMIT,
    BadLineError,
    compact,
    decode_line,
    encode_record,
    first_link,
    link,
)
from tests.core.durable_samples import (
    AT,
    FIRST_WRITER,
    TRIALS,
    Script,
    other_plan,
    row,
    sample_lines,
    sample_plan,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_worked_journal_is_written_byte_for_byte(vectors: dict[str, Any]) -> None:
    plan = plan_from_document(vectors["plan"])
    script = Script(plan)
    for line in vectors["journal"].splitlines():
        fields = json.loads(line)
        fields.pop("hash")
        script.add_line(encode_record(fields, script.last_hash))

    assert script.content.decode() == vectors["journal"]


def test_the_worked_journal_is_accepted_and_ends_as_its_head_says(vectors: dict[str, Any]) -> None:
    fold = Fold(plan_from_document(vectors["plan"]))
    content = vectors["journal"].encode()
    seq, size, last_hash, _ = vectors["head"].split()

    assert fold.take(content) == len(content) == int(size)
    assert (fold.last_seq, fold.last_hash) == (int(seq), last_hash)


def test_the_first_record_is_chained_to_the_plan(vectors: dict[str, Any]) -> None:
    body = vectors["journal"].splitlines()[0].encode().rpartition(b',"hash"')[0]

    assert link(vectors["plan"]["plan_sha256"][:32], body) == "3848344d1889ba2c5ce595e401c9b1f5"


def refused(line: bytes) -> BadLineError:
    """What is said of a first record."""
    plan_sha256 = sample_plan().plan_sha256
    with pytest.raises(BadLineError) as caught:
        decode_line(line, plan_sha256, first_link(plan_sha256))
    return caught.value


def rehashed(line: bytes) -> bytes:
    """The line with the hash that fits its bytes, so that nothing but the change is wrong."""
    body = line.rpartition(b',"hash"')[0]
    return b'%b,"hash":"%b"}' % (body, link(first_link(sample_plan().plan_sha256), body).encode())


FIRST = sample_lines()[0].removesuffix(b"\n")


def replaced(old: bytes, new: bytes) -> bytes:
    assert FIRST.count(old) == 1
    return rehashed(FIRST.replace(old, new))


SPELLINGS: dict[str, tuple[bytes, bytes]] = {
    "a duplicate key": (b'"pid":1,', b'"pid":1,"pid":1,'),
    "a duplicate key in an open part": (b'"grace_s":10', b'"grace_s":10,"grace_s":10'),
    "a float for an integer": (b'"pid":1,', b'"pid":1.0,'),
    "an exponent": (b'"grace_s":10', b'"grace_s":1e1'),
    "a float too long": (b'"grace_s":10', b'"grace_s":0.10000000000000001'),
    "a trailing zero": (b'"grace_s":10', b'"grace_s":1.50'),
    "minus zero": (b'"grace_s":10', b'"grace_s":-0'),
    "a leading zero": (b'"grace_s":10', b'"grace_s":010'),
    "a plus": (b'"grace_s":10', b'"grace_s":+10'),
    "an exponent with one digit": (b'"grace_s":10', b'"grace_s":1e-7'),
    "an exponent without a sign": (b'"grace_s":10', b'"grace_s":1e22'),
    "a capital exponent": (b'"grace_s":10', b'"grace_s":1E+22'),
    "NaN": (b'"grace_s":10', b'"grace_s":NaN'),
    "Infinity": (b'"grace_s":10', b'"grace_s":-Infinity'),
    "a number that overflows": (b'"grace_s":10', b'"grace_s":1E400'),
    "an integer beyond 2^53": (b'"grace_s":10', b'"grace_s":9007199254740992'),
    "10^30": (b'"pid":1,', b'"pid":1' + b"0" * 30 + b","),
    "a space": (b'"pid":1,', b'"pid": 1,'),
    "a tab": (b'"pid":1,', b'"pid":1,\t'),
    "an escaped letter": (b'"host":"h"', rb'"host":"\u0068"'),
    "an escaped umlaut": (b'"host":"h"', rb'"host":"\u00e4"'),
    "an escaped slash": (b'"host":"h"', rb'"host":"\/"'),
    "a capital escape": (b'"host":"h"', rb'"host":"\u001B"'),
    "a long escape": (b'"host":"h"', rb'"host":"\u000a"'),
    "a raw control character": (b'"host":"h"', b'"host":"\x1b"'),
    "a lone surrogate": (b'"host":"h"', rb'"host":"\ud800"'),
    "a surrogate in UTF-8": (b'"host":"h"', b'"host":"\xed\xa0\x80"'),
    "a surrogate pair": (b'"host":"h"', rb'"host":"\ud83d\ude00"'),
    "invalid UTF-8": (b'"host":"h"', b'"host":"\xff"'),
    "an overlong character": (b'"host":"h"', b'"host":"\xc0\xaf"'),
    "depth 65": (b'"grace_s":10', b'"grace_s":' + b"[" * 62 + b"]" * 62),
    "depth 100,000": (b'"grace_s":10', b'"grace_s":' + b"[" * 100_000 + b"]" * 100_000),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_another_spelling_is_refused_although_its_hash_fits(name: str) -> None:
    error = refused(replaced(*SPELLINGS[name]))

    assert error.vouched
    assert not error.foreign
    assert all(problem.rule for problem in error.problems)


ENVELOPES: dict[str, tuple[bytes, bytes]] = {
    "an unknown event": (b'"event":"opened"', b'"event":"paused"'),
    "an event that is no word": (b'"event":"opened"', b'"event":1'),
    "another version": (b'"v":1', b'"v":2'),
    "a float for the version": (b'"v":1', b'"v":1.0'),
    "a boolean for the version": (b'"v":1', b'"v":true'),
    "an unknown key": (b'"host":"h"', b'"host":"h","hosts":1'),
    "an unknown envelope key": (b',"v":1,', b',"v":1,"w":1,'),
    "a missing key": (b'"v":1,', b""),
    "a boolean for a number": (b'"pid":1,', b'"pid":true,'),
    "a text for a number": (b'"seq":0', b'"seq":"0"'),
    "a trial where none is": (b'"trial_id":null', b'"trial_id":"w.t.plain.a.r001.git"'),
    "a second 60": (b"08:15:00.123Z", b"08:15:60.123Z"),
    "a day that is none": (b"2026-11-30T", b"2026-11-31T"),
    "a time with an offset": (b"08:15:00.123Z", b"08:15:00.123+00:00"),
    "ten digits of a second": (b"08:15:00.123Z", b"08:15:00.1234567890Z"),
    "a writer that is not hex": (FIRST_WRITER.encode(), b"Z" * 32),
    "a writer too short": (FIRST_WRITER.encode(), b"1" * 31),
    "no parallel trial": (b'"max_parallel":1', b'"max_parallel":0'),
    "another order": (b'"event":"opened","trial_id":null,', b'"trial_id":null,"event":"opened",'),
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_another_envelope_is_refused_although_its_hash_fits(name: str) -> None:
    error = refused(replaced(*ENVELOPES[name]))

    assert error.vouched
    assert all(problem.rule for problem in error.problems)


def test_the_place_of_another_spelling_is_the_byte_where_it_begins() -> None:
    line = replaced(b'"pid":1,', b'"pid": 1,')
    (problem,) = refused(line).problems

    assert problem.byte == line.index(b'"pid": 1') + len('"pid":')
    assert "one encoding" in problem.rule


def test_a_record_is_refused_anywhere_but_in_its_place() -> None:
    second = sample_lines()[1].removesuffix(b"\n")
    error = refused(second)

    assert not error.vouched
    assert "hash" in error.problems[0].rule


@pytest.mark.clause("A10-07")
def test_another_plans_record_is_foreign_before_its_hash_is_looked_at() -> None:
    foreign = Script(other_plan()).opened().lines[0].removesuffix(b"\n")
    damaged = foreign.replace(b'"hash":"', b'"hash":"0')

    for line in (foreign, damaged, foreign[:200]):
        error = refused(line)
        assert error.foreign
        assert other_plan().plan_sha256 in error.problems[0].rule


@pytest.mark.parametrize(
    "line", [b"", b"{}", b"hello", b"[]", b'{"hash":"' + b"0" * 32 + b'"}', FIRST[:-1], FIRST + b"}"]
)
def test_what_does_not_end_with_its_hash_is_no_record(line: bytes) -> None:
    assert not refused(line).vouched


def changed_row(change: Callable[[dict[str, Any]], object]) -> BadLineError:
    its_row = row(TRIALS[0])
    change(its_row)
    script = Script(sample_plan()).opened().started(TRIALS[0])
    previous = script.last_hash
    line = script.finished(TRIALS[0], its_row=its_row).lines[-1].removesuffix(b"\n")
    with pytest.raises(BadLineError) as caught:
        decode_line(line, sample_plan().plan_sha256, previous)
    assert caught.value.vouched
    with pytest.raises(BadLineError):
        Fold(sample_plan()).take(script.content)
    return caught.value


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda its: its.update(surprise=1), "$.row.surprise"),
        (lambda its: its.pop("timeout_s"), "$.row.timeout_s"),
        (lambda its: its.update(timeout_s=600.0), "$.row.timeout_s"),
        (lambda its: its.update(timed_out=0), "$.row.timed_out"),
        (lambda its: its["resources"].update(input_tokens=-1), "$.row.resources.input_tokens"),
        (lambda its: its["resources"].update(duration_s=-0.5), "$.row.resources.duration_s"),
        (lambda its: its["resources"].update(duration_s=True), "$.row.resources.duration_s"),
        (lambda its: its["oracle"]["checks"][0].update(status="passed"), "$.row.oracle.checks[0].status"),
        (lambda its: its["artifacts"].update(stdout="../secret"), "$.row.artifacts.stdout"),
        (lambda its: its["artifacts"].update(stdout="/etc/passwd"), "$.row.artifacts.stdout"),
        (lambda its: its["artifacts"].update(stdout=""), "$.row.artifacts.stdout"),
        (lambda its: its["artifacts"].update(stdout="a\0b"), "$.row.artifacts.stdout"),
    ],
)
def test_a_row_that_the_format_forbids_is_refused_with_its_json_path(
    change: Callable[[dict[str, Any]], object], path: str
) -> None:
    assert path in [problem.path for problem in changed_row(change).problems]


def test_all_problems_of_a_row_are_named_together() -> None:
    error = changed_row(lambda its: its.update(run=0, timed_out="no", surprise=1))

    assert {problem.path for problem in error.problems} == {"$.row.run", "$.row.timed_out", "$.row.surprise"}


def test_row_keys_may_stand_in_any_order_and_optional_ones_be_absent() -> None:
    its_row = dict(reversed(row(TRIALS[0]).items()))
    for key in ("model", "suspended_s", "extra", "artifacts", "population", "accounting", "exit_code"):
        del its_row[key]
    script = Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0], its_row=its_row)
    fold = Fold(sample_plan())

    assert fold.take(script.content) == len(script.content)


@pytest.mark.parametrize("value", [0.0, 1e-05, 1.5e-07, 5e-324, 1e16, 1e22, 1.7976931348623157e308, 0.1 + 0.2, 12, 0])
def test_every_number_as_python_writes_it_is_accepted(value: float) -> None:
    its_row = row(TRIALS[0])
    its_row["resources"]["duration_s"] = value
    its_row["extra"] = {"inside": [value, {"": value}]}
    script = Script(sample_plan()).opened().started(TRIALS[0]).finished(TRIALS[0], its_row=its_row)
    fold = Fold(sample_plan())
    fold.take(script.content)

    assert fold.ledger.resource("duration_s", 0) == value


@pytest.mark.parametrize("text", ["0.00001", "1e-5", "1e16", "10000000000000000.0", "1.50", "12.0e0", "-0", "1E2"])
@pytest.mark.parametrize("place", [b'"duration_s":12.5', b'"extra":{"x":1'])
def test_a_number_spelled_as_python_would_not_is_refused_in_a_row(text: str, place: bytes) -> None:
    script = Script(sample_plan()).opened().started(TRIALS[0])
    previous = script.last_hash
    good = script.finished(TRIALS[0], its_row=row(TRIALS[0], extra={"x": 1})).lines.pop()
    body = good.replace(place, place.rpartition(b":")[0] + b":" + text.encode()).rpartition(b',"hash"')[0]
    script.add_line(b'%b,"hash":"%b"}\n' % (body, link(previous, body).encode()))
    fold = Fold(sample_plan())

    with pytest.raises(BadLineError) as caught:
        fold.take(script.content)
    assert caught.value.vouched
    assert fold.records == 2


def sized(size: int) -> Script:
    """A journal whose last record has `size` bytes with its LF."""
    script = Script(sample_plan()).opened().started(TRIALS[0])
    bare = len(
        Script(sample_plan())
        .opened()
        .started(TRIALS[0])
        .finished(TRIALS[0], its_row=row(TRIALS[0], extra={"x": ""}))
        .lines[-1]
    )
    return script.finished(TRIALS[0], its_row=row(TRIALS[0], extra={"x": "y" * (size - bare)}))


def test_a_record_of_one_mebibyte_with_its_lf_is_accepted_and_one_byte_more_refused() -> None:
    longest, longer = sized(RECORD_LIMIT), sized(RECORD_LIMIT + 1)
    assert len(longest.lines[-1]) == RECORD_LIMIT

    fold = Fold(sample_plan())
    assert fold.take(longest.content) == len(longest.content)

    fold = Fold(sample_plan())
    with pytest.raises(BadLineError) as caught:
        fold.take(longer.content)
    assert (fold.records, caught.value.vouched) == (2, True)


def test_an_encoded_record_is_one_line_in_the_one_encoding() -> None:
    for line in sample_lines():
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert compact(json.loads(line)) + b"\n" == line


def test_the_time_of_a_record_is_kept_as_it_is_written() -> None:
    fold = Fold(sample_plan())
    fold.take(sample_lines()[0])

    assert fold.first_at == fold.last_at == AT

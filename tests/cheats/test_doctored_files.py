"""Cheats by someone who can edit a journal's bytes: refused, or counted against the one who edited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from oakbench_core.durable.framing import encode_record, first_link
from oakbench_core.durable.head import Head, encode_head
from oakbench_core.durable.reading import read_journal
from oakbench_core.durable.tail import JournalState
from oakbench_core.errors import ExitCode
from oakbench_tui.cli.main import run
from tests.cheats.honest import FAILED, document, flat, history, honest_plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.campaigns import Json

WRITER: Final = "1" * 32
LAST_FAILURE: Final = max(FAILED)


def lines_of(events: list[Json]) -> list[bytes]:
    """A journal's records with right hashes, whatever they say; the first is an `opened`."""
    runner = {"format": "oakbench.event/1", "tool": "t", "host": "h", "pid": 1, "boot_id": None, "file_system": None}
    runner |= {"max_parallel": 1, "unsafe_filesystem": False, "settings": {}}
    plan_sha256 = honest_plan().plan_sha256
    opened = {"event": "opened", "trial_id": None, "plan_sha256": plan_sha256, "runner": runner}
    lines: list[bytes] = []
    previous = first_link(plan_sha256)
    for seq, event in enumerate([opened, *events]):
        told = {key: event[key] for key in ("event", "trial_id")}
        told |= {"seq": seq, "v": 1, "plan_sha256": plan_sha256, "writer": WRITER, "at": "2026-11-30T08:15:00.123Z"}
        lines.append(encode_record(told | event, previous))
        previous = hash_of(lines[-1])
    return lines


def hash_of(line: bytes) -> str:
    return line[-35:-3].decode()


def head_of(lines: list[bytes]) -> bytes:
    return encode_head(Head(len(lines) - 1, len(b"".join(lines)), hash_of(lines[-1])))


def honest_lines() -> list[bytes]:
    return lines_of(flat(history()))


def line_of(place: int) -> int:
    """The line of the end of the trial at `place`, from 0."""
    return 1 + 2 * place + 1


def write(folder: Path, content: bytes, head: bytes | None) -> Path:
    (folder / "plan.json").write_text(json.dumps(document()))
    (folder / "journal.jsonl").write_bytes(content)
    if head is not None:
        (folder / "journal.head").write_bytes(head)
    return folder


def in_place(old: bytes, new: bytes) -> Callable[[list[bytes]], bytes]:
    """Every end of a failure edited, as with a text editor."""

    def doctored(lines: list[bytes]) -> bytes:
        for place in FAILED:
            assert old in lines[line_of(place)]
            lines[line_of(place)] = lines[line_of(place)].replace(old, new)
        return b"".join(lines)

    return doctored


def without_failures(lines: list[bytes]) -> bytes:
    gone = {line_of(place) for place in FAILED}
    return b"".join(line for number, line in enumerate(lines) if number not in gone)


def rehashed_failure(lines: list[bytes]) -> bytes:
    """The edited record's own hash is right again; the next record still names the old one."""
    number = line_of(FAILED[0])
    event = json.loads(lines[number])
    previous = hash_of(lines[number - 1])
    event["row"]["verified_success"] = True
    for check in event["row"]["oracle"]["checks"]:
        check["status"] = "pass"
    del event["hash"]
    lines[number] = encode_record(event, previous)
    return b"".join(lines)


def swapped(lines: list[bytes]) -> bytes:
    lines[2], lines[4] = lines[4], lines[2]
    return b"".join(lines)


def repeated(lines: list[bytes]) -> bytes:
    return b"".join([*lines[:9], lines[2], *lines[9:]])


def two_verdicts(lines: list[bytes]) -> bytes:
    number = line_of(FAILED[0])
    lines[number] = lines[number].replace(
        b'"verified_success":false', b'"verified_success":true,"verified_success":false'
    )
    return b"".join(lines)


def with_a_comment(lines: list[bytes]) -> bytes:
    return b"".join([*lines[:3], b"# pilot, not counted\n", *lines[3:]])


def last_failure_cut(lines: list[bytes]) -> bytes:
    return b"".join(lines[: line_of(LAST_FAILURE)])


def last_failure_torn(lines: list[bytes]) -> bytes:
    number = line_of(LAST_FAILURE)
    return b"".join(lines[:number]) + lines[number][:40]


def first_block_alone(lines: list[bytes]) -> bytes:
    return b"".join(lines[:5])


def emptied(_lines: list[bytes]) -> bytes:
    return b""


EDITED: Final[dict[str, Callable[[list[bytes]], bytes]]] = {
    "the lines of failures are deleted": without_failures,
    "a failure is edited to a success": in_place(b'"verified_success":false', b'"verified_success":true '),
    "a failure is edited, and its own hash made right": rehashed_failure,
    "an unmeasured value is edited to 0": in_place(b'"output_tokens":null', b'"output_tokens":0'),
    "a cost is edited": in_place(b'"cost_usd":0.', b'"cost_usd":1.'),
    "records change places": swapped,
    "a success is repeated": repeated,
    "a record says both": two_verdicts,
    "a line is added between": with_a_comment,
}
SHORTENED: Final[dict[str, Callable[[list[bytes]], bytes]]] = {
    "the last failure and what follows is cut off": last_failure_cut,
    "the last failure is torn": last_failure_torn,
    "an older copy is put back": first_block_alone,
    "the journal is emptied": emptied,
}


@pytest.mark.clause("A10-05")
@pytest.mark.parametrize("name", EDITED)
@pytest.mark.parametrize("with_head", [True, False], ids=["head", "no-head"])
def test_an_edited_journal_proves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, *, with_head: bool
) -> None:
    head = head_of(honest_lines()) if with_head else None
    folder = write(tmp_path, EDITED[name](honest_lines()), head)

    reading = read_journal(folder, honest_plan())

    assert reading.refusal is not None
    assert reading.refusal.exit_code in {ExitCode.INVALID, ExitCode.MISSING_RECORDS}
    assert run(["report", str(folder)]) == reading.refusal.exit_code
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", SHORTENED)
def test_a_journal_shorter_than_its_head_is_missing_acknowledged_records(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, SHORTENED[name](honest_lines()), head_of(honest_lines()))

    reading = read_journal(folder, honest_plan())

    assert reading.refusal is not None
    assert reading.refusal.exit_code == ExitCode.MISSING_RECORDS


@pytest.mark.parametrize("with_head", [True, False], ids=["head", "no-head"])
def test_a_success_repeated_at_the_end_is_not_counted(tmp_path: Path, *, with_head: bool) -> None:
    lines = honest_lines()
    folder = write(tmp_path, b"".join([*lines, lines[2]]), head_of(lines) if with_head else None)

    reading = read_journal(folder, honest_plan())

    assert reading.state == JournalState.UNCERTAIN_TAIL
    assert reading.records == len(lines)


@pytest.mark.clause("A10-16", "A10-17", "A10-24")
@pytest.mark.parametrize("name", ["the last failure and what follows is cut off", "the last failure is torn"])
def test_without_a_head_a_failure_that_was_cut_off_is_an_interruption_and_no_result_is_final(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = write(tmp_path, SHORTENED[name](honest_lines()), None)

    run(["report", str(folder), "--format", "json"])
    report = json.loads(capsys.readouterr().out)

    assert report["completeness"] == "partial"
    assert report["counts"]["interrupted"] == 1
    own = next(group for group in report["groups"] if group["key"]["subject"] == "git")
    assert (own["success"]["final"], own["success"]["wilson"]) == (False, None)


def test_a_journal_written_anew_is_told_from_the_published_one_by_its_last_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing in the files can tell: whoever writes all of them anew is caught by a hash that others keep."""
    trials = history()
    for place in FAILED:
        its_row = trials[place][1]["row"]
        its_row["verified_success"] = True
        for check in its_row["oracle"]["checks"]:
            check["status"] = "pass"
    anew = lines_of(flat(trials))
    folder = write(tmp_path, b"".join(anew), head_of(anew))

    assert run(["verify", str(folder)]) == ExitCode.DONE
    capsys.readouterr()
    published = hash_of(honest_lines()[-1])
    assert run(["report", str(folder), "--expect-last", published]) == ExitCode.INVALID
    assert capsys.readouterr().out == ""


def test_a_plan_frozen_anew_is_told_from_the_published_one_by_its_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, b"".join(honest_lines()), None)

    assert run(["report", str(folder), "--expect-plan", "f" * 64]) == ExitCode.IDENTITY
    assert capsys.readouterr().out == ""

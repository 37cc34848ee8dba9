"""What a record may say where a looser reader would say otherwise: versions, null lists, kept files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oakbench_core.campaign.events import event_type, evidence_type
from oakbench_core.campaign.fields import checked
from oakbench_core.durable.fold import Fold
from oakbench_core.durable.framing import BadLineError, link
from tests.core.durable_samples import TRIALS, Script, row, sample_plan

if TYPE_CHECKING:
    from collections.abc import Callable


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

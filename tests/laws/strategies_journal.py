"""Legal histories of the sample campaign as lines of a journal, and ways to damage a line whose hash still fits."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from oakbench_core.canonical import MAX_INTEGER
from oakbench_core.durable.framing import NO_WRITER, link
from tests.core.durable_samples import (
    TRIALS,
    Script,
    broken_row,
    failed_row,
    row,
    sample_plan,
    skipped_row,
    timed_out_row,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
INTEGERS = st.integers(-MAX_INTEGER, MAX_INTEGER)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
AMOUNTS = st.none() | st.floats(0, allow_nan=False, allow_infinity=False) | st.integers(0, MAX_INTEGER)
COUNTS = st.none() | st.integers(0, MAX_INTEGER)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OPTIONAL = (
    "model", "exit_code", "suspended_s", "resources", "accounting", "population", "artifacts", "extra",
)  # fmt: skip


@st.composite
def measured(draw: st.DrawFn, its_row: dict[str, Any]) -> dict[str, Any]:
    """A row that says the same of its trial, with other measurements, and maybe other keys in another order."""
    resources = its_row["resources"] | {
        "duration_s": draw(AMOUNTS),
        "input_tokens": draw(COUNTS),
        "cost_usd": draw(AMOUNTS),
        "transcript_bytes": draw(COUNTS),
    }
    artifacts = its_row["artifacts"] | {"stdout": draw(st.sampled_from([None, "a/b.txt", "-x", ".y", "a..b", "ü"]))}
    if draw(st.booleans()):
        its_row = its_row | draw(conditions(its_row))
    its_row = its_row | {
        "resources": resources,
        "artifacts": artifacts,
        "timeout_s": draw(st.integers(1, 1000)),
        "extra": draw(st.none() | st.just({}) | st.dictionaries(TEXTS, VALUES, max_size=3)),
    }
    left_out = draw(st.frozensets(st.sampled_from(OPTIONAL)))
    keys = [key for key in its_row if key not in left_out]
    shuffled: bool = draw(st.booleans())
    order = draw(st.permutations(keys)) if shuffled else keys
    return {key: its_row[key] for key in order}


LONG_TEXT = "x" * 5_000
TIMES = (
    "2026-11-30T08:15:00.123Z", "2026-11-30T08:15:59Z", "2024-02-29T23:59:59.999999999Z", "0001-01-01T00:00:00.0Z",
)  # fmt: skip


@st.composite
def conditions(draw: st.DrawFn, its_row: dict[str, Any]) -> dict[str, Any]:
    """Parts of a row that other rows may share: some small, some large, some with a number that is spelled apart."""
    texts = st.none() | st.sampled_from(["a", "b", "größe", "", LONG_TEXT])
    weights = st.none() | st.dictionaries(
        st.sampled_from(
            ["reasoning_tokens", "cache_write_tokens"]
        ),  # null in every row, so that no sum is held to them
        st.sampled_from([0, 1, 0.5, -2, 1e-05, -1e-07, 1e22, 0.0]),
        min_size=1,
        max_size=2,
    )
    oracle = its_row["oracle"]
    if oracle is not None:
        checks = [check | {"detail": draw(texts), "instrument": draw(texts)} for check in oracle["checks"]]
        oracle = oracle | {"checks": checks, "version": draw(st.none() | INTEGERS)}
    accounting = {"provider": draw(texts), "input_includes_cached": draw(st.none() | st.booleans())}
    population = {"os": draw(texts), "cache_state": draw(texts), "oracle_version": draw(st.none() | INTEGERS)}
    return {
        "oracle": oracle,
        "accounting": its_row["accounting"] | accounting | {"token_weights": draw(weights)},
        "population": its_row["population"] | population,
    }


ENDINGS = {
    "completed": row,
    "failed": failed_row,
    "timed_out": timed_out_row,
    "infrastructure_failure": broken_row,
}


@st.composite
def histories(draw: st.DrawFn) -> Script:
    """A legal journal: one run or several, some ended in order, some recovered from, trials in every standing."""
    script, trials = Script(sample_plan()), list(TRIALS)
    for number in range(draw(st.integers(1, 3))):
        recovers: bool = draw(st.booleans())
        reserves: bool = draw(st.booleans())
        if recovers:
            script.writer = script.writer if number else NO_WRITER
            script.recovered(trials.pop(0) if trials and reserves else None)
        script.opened(f"{number + 1}" * 32)
        for trial_id in [trials.pop(0) for _ in range(draw(st.integers(0, len(trials))))]:
            add_trial(draw, script, trial_id)
        if draw(st.booleans()):
            script.closed()
    return script


def add_trial(draw: st.DrawFn, script: Script, trial_id: str) -> None:
    ending = draw(st.sampled_from(["open", "skipped before", "skipped after", *ENDINGS]))
    if ending == "skipped before":
        add_end(draw, script, trial_id, "skipped", skipped_row(trial_id, "before_start"))
        return
    script.add("started", trial_id, at=draw(st.sampled_from(TIMES)))
    if ending == "skipped after":
        add_end(draw, script, trial_id, "skipped", skipped_row(trial_id, "after_start"))
    elif ending != "open":
        add_end(draw, script, trial_id, "completed" if ending == "failed" else ending, ENDINGS[ending](trial_id))


def add_end(draw: st.DrawFn, script: Script, trial_id: str, terminal: str, its_row: dict[str, Any]) -> None:
    at = draw(st.sampled_from(TIMES))
    script.add("finished", trial_id, at=at, terminal=terminal, row=draw(measured(its_row)))


SPELLINGS = (
    b"0", b"1", b"-1", b"0.0", b"-0.0", b"-0", b"1.0", b"1e5", b"1e-05", b"1e-5", b"0.00001", b"1e+16", b"1e16",
    b"9007199254740991", b"9007199254740992", b"12.5", b"12.50", b"NaN", b"1e999", b"null", b"true", b"false",
    b'""', b'"x"', b'"\\u0041"', b'"\\u001b"', b'"\\ud800"', b'"\xff"', b'"/x"', b'"../x"', b'"a/../b"', b'"\\u0000"',
    b'"completed"', b'"pass"', b"{}", b"[]", b'{"a":1,"a":1}', b'{"a": 1}', b"[" * 70 + b"]" * 70,
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, line: bytes, previous: str) -> bytes:
    """The line with some bytes changed as a clumsy or hostile writer might, and the hash that fits them."""
    body = line.rpartition(b',"hash"')[0]
    for _ in range(draw(st.integers(1, 2))):
        colons = [place for place in range(len(body)) if body[place : place + 1] == b":"]
        match draw(st.sampled_from(["value", "value", "byte", "insert", "drop"])):
            case "value" if colons:
                start = draw(st.sampled_from(colons)) + 1
                ends = [place for place in (body.find(mark, start) for mark in (b",", b"}", b"]")) if place >= 0]
                body = body[:start] + draw(st.sampled_from(SPELLINGS)) + body[min(ends, default=len(body)) :]
            case "byte":
                place = draw(st.integers(0, len(body) - 1))
                body = body[:place] + draw(st.binary(min_size=1, max_size=1)) + body[place + 1 :]
            case "insert":
                place = draw(st.integers(0, len(body)))
                body = body[:place] + draw(st.sampled_from([b" ", b"0", b'"', b",", b'"x":1,', b"\t"])) + body[place:]
            case _:
                place = draw(st.integers(0, len(body) - 1))
                body = body[:place] + body[place + draw(st.integers(1, 30)) :]
    body = body.replace(b"\n", b" ")
    return b'%b,"hash":"%b"}\n' % (body, link(previous, body).encode())

"""The script of a mock agent: what share of its trials ends how, how long they take, what they say that they used.

The script is the agent's argv, words of the form `key=value`. What becomes of a trial is drawn from its ID, so that the
same plan has the same course on every machine, in whatever order its trials run.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OUTCOMES: Final = ("pass", "fail", "crash", "hang", "killed", "auth", "limit", "outage")
"""Weights. The first two end well, with the work done or not; then an exit of 1, no end, a KILL, provider's errors."""

FAULTS: Final = ("daemon", "stubborn", "flood", "silent")
"""Percent of all trials: leaves a child that holds the output, ignores TERM, prints 8 MiB, does not say its usage."""

RANGES: Final = ("seconds", "tokens", "turns", "tool_calls", "cost_usd", "resets_in_s")
_RANGE: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:-(\d{1,9}(?:\.\d{1,6})?))?", re.ASCII)
_WHOLE: Final = frozenset({"tokens", "turns", "tool_calls"})


class Span(NamedTuple):
    """From where to where a number is drawn."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MockScript:
    """`work`: a command for `sh -ec` that solves the task. `seed`: another course of the same plan."""

    outcomes: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, Span] = field(default_factory=dict)
    work: str | None = None
    seed: int = 0


class MockCourse(NamedTuple):
    """What becomes of one trial; of the numbers, those that the script names."""

    outcome: str
    faults: tuple[str, ...]
    numbers: Mapping[str, float]
    work: str | None


def mock_script(words: Sequence[str]) -> tuple[MockScript, list[tuple[int, str]]]:
    """The script of these words, and what is wrong with it: the number of each refused word, and why."""
    outcomes: dict[str, int] = {}
    faults: dict[str, int] = {}
    ranges: dict[str, Span] = {}
    work, seed, problems, seen = None, 0, [], set[str]()
    for number, word in enumerate(words):
        key, _, value = word.partition("=")
        rule = _problem(key, value)
        if key in seen:
            rule = f"{key} stands there twice"
        seen.add(key)
        if rule is not None:
            problems.append((number, rule))
        elif key == "do":
            work = value
        elif key == "seed":
            seed = int(value)
        elif key in RANGES:
            ranges[key] = _span(value) or Span(0, 0)
        else:
            (outcomes if key in OUTCOMES else faults)[key] = int(value)
    if not problems and outcomes and not sum(outcomes.values()):
        problems.append((0, "expected a weight above 0 for one of the outcomes"))
    return MockScript(outcomes or {"pass": 1}, faults, ranges, work, seed), problems


def course_of(script: MockScript, trial_id: str) -> MockCourse:
    """What becomes of the trial of that ID."""
    digest = hashlib.sha256(f"oakbench.mock.v1\0{script.seed}\0{trial_id}".encode()).digest()
    chance = Random(int.from_bytes(digest))  # noqa: S311 - a script, no secret
    names = [name for name in OUTCOMES if name in script.outcomes]
    outcome = chance.choices(names, [script.outcomes[name] for name in names])[0]
    faults = tuple(name for name in FAULTS if chance.uniform(0, 100) < script.faults.get(name, 0))
    return MockCourse(outcome, faults, dict(_drawn(script, chance)), script.work)


def _drawn(script: MockScript, chance: Random) -> Iterator[tuple[str, float]]:
    for name in RANGES:
        if span := script.ranges.get(name):
            number = chance.uniform(*span)
            yield name, round(number) if name in _WHOLE else round(number, 6)


def _span(value: str) -> Span | None:
    match = _RANGE.fullmatch(value)
    if match is None:
        return None
    low = float(match[1])
    span = Span(low, low if match[2] is None else float(match[2]))
    return span if span.low <= span.high else None


def _problem(key: str, value: str) -> str | None:
    if key == "do":
        return None if value.strip() else "expected a command after do="
    if key in RANGES:
        return None if _span(value) else f"expected a number or a range such as {key}=1-5, found {value!r}"
    if key in {*OUTCOMES, "seed"}:
        return None if re.fullmatch(r"\d{1,9}", value) else f"expected a whole number after {key}=, found {value!r}"
    if key in FAULTS:
        fine = re.fullmatch(r"\d{1,3}", value) and int(value) <= 100
        return None if fine else f"expected percent of all trials after {key}=, found {value!r}"
    known = ", ".join((*OUTCOMES, *FAULTS, *RANGES, "do", "seed"))
    return f"expected a word of the mock's script ({known}), found {key!r}"

"""A trial's records as they stand on file: exact bytes, and what they say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oakbench_tui.view.inspector.artifact import Artifact
    from oakbench_tui.view.snapshot import Measured, Snapshot


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One line of the journal without its LF, and where it begins."""

    offset: int
    data: bytes

    def decoded(self) -> Mapping[str, Any]:
        """The record as plain data. The reader has checked these bytes before."""
        value = json.loads(self.data)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Records:
    """What is on file of one trial; None where nothing is. `failure`: why the file cannot be read at the moment."""

    place: int
    start: RawEvent | None = None
    end: RawEvent | None = None
    failure: str | None = None

    @cached_property
    def row(self) -> Mapping[str, Any] | None:
        """The row of the trial's end; None where it has not ended."""
        return None if self.end is None else self.end.decoded().get("row")

    @cached_property
    def start_data(self) -> Mapping[str, Any]:
        return {} if self.start is None else self.start.decoded()

    @cached_property
    def end_data(self) -> Mapping[str, Any]:
        return {} if self.end is None else self.end.decoded()


@dataclass(frozen=True)
class Inspected:
    """The trial that is looked at, at one moment.

    `siblings`: the places of all trials of its block, its own among them; `group`: what was measured of its group;
    `artifacts`: what can be seen of the files it left.
    """

    snapshot: Snapshot
    records: Records
    siblings: Sequence[int]
    group: Sequence[Measured]
    now: float
    artifacts: Sequence[Artifact] = ()

    @property
    def place(self) -> int:
        return self.records.place


def part(row: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """A part of a row that may be absent or null; both mean that nothing of it was measured."""
    held = None if row is None else row.get(name)
    return held if isinstance(held, dict) else {}

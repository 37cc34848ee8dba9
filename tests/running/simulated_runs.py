"""Runs without processes and without waiting: the real loop and journal, with trials that take simulated time."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from oakbench_core.campaign.admission import admission
from oakbench_core.campaign.definition import RunTable
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.vocabulary import CheckStatus, ErrorType, Terminal
from oakbench_core.durable.documents import write_plan
from oakbench_core.durable.writer import JournalWriter, RunnerFacts
from oakbench_core.errors import OakbenchError
from oakbench_core.running.attempt import Attempted
from oakbench_core.running.clocks import utc_text
from oakbench_core.running.commands import AttemptInterruptedError
from oakbench_core.running.failures import FailureWatch
from oakbench_core.running.flight import Landing
from oakbench_core.running.lookups import Lookups
from oakbench_core.running.oracle import Judged
from oakbench_core.running.rows import Ending, HostFacts, Seen, ending_of, row_of
from oakbench_core.running.run_loop import NO_LIMITS, RunLimits, RunLoop, Stop
from oakbench_core.running.stopping import StopSwitch
from tests.campaigns import plan_document, sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from oakbench_core.campaign.admission import Admission
    from oakbench_core.campaign.plan import Plan
    from oakbench_core.campaign.plan_document import ScheduledTrial
    from oakbench_core.durable.files import FileLayer
    from oakbench_core.running.listening import TrialEnd

HOST = HostFacts("linux", "x86_64", "test machine")
BEGUN_S = 1_790_000_000.0


class Course(NamedTuple):
    """What becomes of a trial: how long its agent runs (None: its duration is lost), and how it ends."""

    seconds: float | None = 1.0
    outcome: str = "passes"  # fails, timed_out, setup_failed, provider_limit …; interrupted
    resets_after_s: float | None = None


@dataclass
class Time:
    """A clock that only moves where somebody waits."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now

    def boottime(self) -> float:
        return self.now

    def wall(self) -> float:
        return BEGUN_S + self.now


@dataclass
class Simulation:
    """Flights and the listener in one: it knows what is in the air, and what the account was at each moment."""

    plan: Plan
    courses: list[Course]
    switch: StopSwitch = field(default_factory=StopSwitch)
    time: Time = field(default_factory=Time)
    flying: dict[int, float] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    most_flying: int = 0
    act: Callable[[str], None] = lambda _: None
    accounts: list[Admission] = field(default_factory=list)
    writer: JournalWriter | None = None

    def start(self, place: int) -> None:
        seconds = self.courses[place].seconds
        self.flying[place] = self.time.now + (1.0 if seconds is None else seconds)
        self.most_flying = max(self.most_flying, len(self.flying))

    def next_landing(self, timeout_s: float | None) -> Landing | None:
        if not self.flying and timeout_s is None:
            raise AssertionError("the loop waits for ever")
        place = min(self.flying, key=lambda place: self.flying[place], default=None)
        if place is None or (timeout_s is not None and self.flying[place] > self.time.now + timeout_s):
            assert timeout_s is not None
            assert timeout_s > 0
            self.time.now += timeout_s
            return None
        self.time.now = max(self.time.now, self.flying.pop(place))
        try:
            return Landing(place, self._result(place))
        except ValueError as error:
            return Landing(place, error)

    def _result(self, place: int) -> Attempted | BaseException:
        course, trial = self.courses[place], self.plan.schedule[place]
        if self.switch.end_now.is_set() or course.outcome == "interrupted":
            return AttemptInterruptedError()
        ending, seen = _ending(course.outcome), Seen(duration_s=course.seconds)
        if course.resets_after_s is not None:
            seen.extra["provider_resets_at"] = utc_text(self.time.wall() + course.resets_after_s)
        if ending.terminal is Terminal.COMPLETED:
            seen.checks.append(Judged("ok", CheckStatus.PASS if ending.verified else CheckStatus.FAIL))
        return Attempted(ending.terminal, row_of(self.plan, trial, HOST, seen, ending))

    def started(self, trial: ScheduledTrial) -> None:
        self._note(f"start {trial.repetition}")

    def ended(self, end: TrialEnd) -> None:
        self._note(f"end {end.trial.repetition}")

    def interrupted(self, trial: ScheduledTrial) -> None:
        self._note(f"interrupted {trial.repetition}")

    def holding(self, seconds: float) -> None:
        self._note(f"hold {seconds:g}")

    def stopping(self, detail: str, in_flight: int) -> None:
        self._note(f"stopping with {in_flight}: {detail}")

    def _note(self, text: str) -> None:
        assert self.writer is not None
        self.accounts.append(admission(self.writer.ledger))
        self.log.append(f"{self.time.now:g} {text}")
        self.act(text)

    def repaired(self, repair: object) -> None: ...
    def noticed(self, text: str) -> None: ...
    def opened(self, ledger: object) -> None: ...


class Simulated(NamedTuple):
    stop: Stop | OakbenchError
    simulation: Simulation
    events: list[dict[str, Any]]

    @property
    def log(self) -> list[str]:
        return self.simulation.log

    @property
    def started(self) -> list[int]:
        return [int(line.split()[-1]) for line in self.log if line.split()[1] == "start"]


def planned(timeouts_s: list[int], *, budget_s: int | None = None) -> dict[str, Any]:
    """A plan document with one trial for each timeout, in this order: its repetition is its number from 1."""
    value = plan_document(tasks=["t"], subjects=["s"], repetitions=len(timeouts_s), budget_s=budget_s)
    value["subjects"] = {"s": {}}
    value["workflows"]["w"]["tasks"]["t"] |= {
        "fixture_sha256": None,
        "oracle": {"version": 1, "checks": [{"name": "ok", "kind": "command", "run": ["true"]}]},
    }
    for entry, timeout_s in zip(value["schedule"], timeouts_s, strict=True):
        entry["timeout_s"] = timeout_s
    return sealed({key: part for key, part in value.items() if key != "plan_sha256"})


def simulated(
    place: Path, document: dict[str, Any], courses: list[Course], *, limits: RunLimits = NO_LIMITS,
    files: FileLayer | None = None, act: Callable[[str, Simulation], None] | None = None, **settings: Any,
) -> Simulated:  # fmt: skip
    """A run of the plan in the folder `place`, from what its journal says to its end."""
    plan = plan_from_document(document)
    table = RunTable(min_free_gib=0, halt_after=0).model_copy(update=settings)
    simulation = Simulation(plan, courses)
    if act is not None:
        simulation.act = lambda text: act(text, simulation)
    if not (place / "plan.json").exists():
        write_plan(place / "plan.json", json.dumps(document).encode())
    facts = RunnerFacts(max_parallel=table.max_parallel)
    with JournalWriter.open(
        place, plan, clock=lambda: utc_text(simulation.time.wall()), runner=facts, files=files
    ) as writer:
        simulation.writer = writer
        loop = RunLoop(
            plan=plan, settings=table, limits=limits, writer=writer, host=HOST, flights=simulation,
            lookups=Lookups(plan, place, {"PATH": ""}), failures=FailureWatch(table, simulation.time),
            switch=simulation.switch, listener=simulation, clocks=simulation.time, root=place / "ws",
            folders={"the disk": place},
        )  # fmt: skip
        stop: Stop | OakbenchError
        try:
            stop = loop.until_stopped()
        except OakbenchError as error:
            stop = error
        else:
            writer.append_closed(*stop)
    assert simulation.flying == {}
    return Simulated(stop, simulation, list(journal_events(place)))


def journal_events(place: Path) -> Iterator[dict[str, Any]]:
    for line in (place / "journal.jsonl").read_bytes().splitlines():
        yield json.loads(line)


def charges(plan: Plan, events: list[dict[str, Any]]) -> Decimal:
    """What the events charge in all, by a count of its own: durations, and whole timeouts where none is known."""
    timeouts = {trial.trial_id: Decimal(trial.timeout_s) for trial in plan.schedule}
    charged: dict[str, Decimal] = {}
    for event in events:
        if event["event"] == "started":
            charged[event["trial_id"]] = timeouts[event["trial_id"]]
        elif event["event"] == "finished":
            duration_s = event["row"]["resources"]["duration_s"]
            if duration_s is not None:
                charged[event["trial_id"]] = Decimal(repr(duration_s))
    return sum(charged.values(), Decimal(0))


def _ending(outcome: str) -> Ending:
    match outcome:
        case "passes" | "fails":
            return ending_of([])._replace(verified=outcome == "passes")
        case "timed_out":
            return Ending(Terminal.TIMED_OUT, verified=False)
        case _:
            return Ending(Terminal.INFRASTRUCTURE_FAILURE, error=(ErrorType(outcome), "the last word of it"))

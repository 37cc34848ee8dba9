"""The five-second answer as text, and as a document: the head of the console for who has no screen."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.display import display_safe
from oakbench_tui.view.budget import account, at_worst_words, budget_equation, next_words, shown_seconds
from oakbench_tui.view.coverage import RESOURCE_WORDS
from oakbench_tui.view.equation import outcome_equation, state_equation
from oakbench_tui.view.figures import amount, clock, counted, thousands
from oakbench_tui.view.glyphs import Shown
from oakbench_tui.view.running import elapsed_s, running_words, silence_s
from oakbench_tui.view.segments import plain
from oakbench_tui.view.snapshot import Chip, longest_running
from oakbench_tui.view.strip import stop_word
from oakbench_tui.view.trouble import leftovers_words

if TYPE_CHECKING:
    from decimal import Decimal

    from oakbench_tui.view.snapshot import Reading, Snapshot

STATUS_SCHEMA: Final = "oakbench.status/1"
_LABEL: Final = 11
_IS_NOT: Final = "no deadline, no cost cap"
_NO_FIGURES: Final = "no figures: this journal gives no results"


def status_lines(snapshot: Snapshot, *, now: float) -> list[str]:
    """The lines to print, safe to show. Where the journal gives no results they hold no figure."""
    lines = [_strip(snapshot), ""]
    if snapshot.sound:
        lines += _trials(snapshot)
        lines += _budget(snapshot)
        lines += _labelled("measured", [_measured(snapshot)])
        lines += _running(snapshot, now)
        lines += _left(snapshot)
    else:
        problems = [f"{problem.place}: {problem.rule}" for problem in snapshot.reading.problems]
        lines += _labelled("trials", [_NO_FIGURES, *problems])
    lines += _journal(snapshot)
    lines += _runner(snapshot)
    return [display_safe(line) for line in lines]


def _labelled(label: str, texts: list[str]) -> list[str]:
    held = [text for text in texts if text]
    return [("" if number else label).ljust(_LABEL) + text for number, text in enumerate(held)]


def _strip(snapshot: Snapshot) -> str:
    chip = str(snapshot.chip)
    if snapshot.chip is Chip.STOPPED:
        chip += f": {stop_word(snapshot.reading)}"
    words = [snapshot.plan.campaign_id, f"plan {snapshot.plan.plan_sha256[:12]}", chip]
    words += ["MOCK"] * snapshot.plan.is_mock
    return "   ".join([*words, "DIAGNOSTIC · not claim-eligible"])


def _trials(snapshot: Snapshot) -> list[str]:
    counts = snapshot.counts()
    first = plain(state_equation(counts, glyph=False, scheduled_word=True))
    uncertain = snapshot.tallies[Standing.UNCERTAIN]
    if uncertain:
        interrupted = f"{thousands(counts[Shown.INTERRUPTED])} interrupted"
        first = first.replace(interrupted, f"{interrupted} ({thousands(uncertain)} uncertain)")
    return _labelled("trials", [first, plain(outcome_equation(counts, glyph=False, short=False, lead="finished = "))])


def _budget(snapshot: Snapshot) -> list[str]:
    held = account(snapshot)
    if held is None:
        spent = amount(shown_seconds(snapshot.admission.observed_s))
        reserved = snapshot.admission.reserved_s
        also = f" + {thousands(reserved)} reserved" if reserved else ""
        said = f"none in the plan: it admits every trial; {spent} s observed{also}; {_IS_NOT}"
        return _labelled("budget", [said])
    following = "; ".join(filter(None, (next_words(snapshot), at_worst_words(snapshot, mean=True))))
    return _labelled("budget", [f"{plain(budget_equation(held, words=True))}; {_IS_NOT}", following])


def _measured(snapshot: Snapshot) -> str:
    """`of 79 started: duration 74, input tokens 60, cost unmeasured`; others where anything of them is observed."""
    if not snapshot.started:
        return "nothing yet: no trial has started"
    always = {"duration_s", "input_tokens", "cost_usd"}
    parts = [
        f"{RESOURCE_WORDS[each.name]} {thousands(each.observed) if each.observed else 'unmeasured'}"
        for each in snapshot.measured
        if each.observed or each.name in always
    ]
    return f"of {thousands(snapshot.started)} started: {', '.join(parts)}"


def _running(snapshot: Snapshot, now: float) -> list[str]:
    lines = [
        f"{snapshot.trial(running.place).trial_id}   {running_words(snapshot, running, now)}"
        for running in longest_running(snapshot)
    ]
    if not lines and snapshot.chip is Chip.LIVE:
        lines = ["nothing at the moment"]
    return _labelled("running", lines)


def left_at_worst_s(snapshot: Snapshot) -> float | None:
    """Seconds until a live runner has ended everything, if each trial takes its whole timeout; None: no one runs."""
    if snapshot.chip is not Chip.LIVE:
        return None
    unstarted = sum(
        trial.timeout_s
        for trial, standing in zip(snapshot.plan.schedule, snapshot.standings, strict=True)
        if standing == Standing.UNSTARTED
    )
    in_flight = sum(snapshot.trial(running.place).timeout_s for running in snapshot.running)
    return (unstarted + in_flight) / (snapshot.reading.max_parallel or 1)


def _left(snapshot: Snapshot) -> list[str]:
    left = left_at_worst_s(snapshot)
    unstarted = snapshot.tallies[Standing.UNSTARTED]
    if left is None or not unstarted:
        return []
    budget = "; the budget may end it earlier" if snapshot.admission.budget_s is not None else ""
    return _labelled("left", [f"{clock(left)} at worst for all {thousands(unstarted)}{budget}"])


def _journal(snapshot: Snapshot) -> list[str]:
    reading = snapshot.reading
    if reading.seq is None:
        said = f"{reading.state}, {counted(reading.size_bytes, 'byte')}"
        leftovers = f"{leftovers_words(reading)}; `run` refuses to begin" if reading.leftovers else ""
        return _labelled("journal", [said, leftovers, _foreseen(reading)])
    said = f"seq {thousands(reading.seq)}, last hash {reading.last_hash}, {counted(reading.size_bytes, 'byte')}"
    return _labelled("journal", [said, _tail(reading), _foreseen(reading)])


def _tail(reading: Reading) -> str:
    if reading.tail_offset is None:
        return ""
    return f"{reading.state}: {counted(reading.tail_bytes or 0, 'byte')} from byte {thousands(reading.tail_offset)} on"


def _foreseen(reading: Reading) -> str:
    """What a recovery would append, in words; the counts hold it already."""
    if reading.foreseen is None:
        return ""
    trial_id, kind, reason = reading.foreseen
    reserved = "reserves no trial" if trial_id is None else f"reserves {trial_id} as an uncertain interruption"
    return f"`recover` {reserved} ({kind}, {reason}); the counts above hold it already"


def _runner(snapshot: Snapshot) -> list[str]:
    reading = snapshot.reading
    if not reading.writer_lives or reading.pid is None:
        return []
    said = f"host {reading.host or 'unknown'}, pid {reading.pid}   stop in order: kill -INT {reading.pid}"
    if not snapshot.running:
        return _labelled("runner", [said])
    longest = max(snapshot.trial(running.place).timeout_s for running in snapshot.running)
    trials = counted(len(snapshot.running), "running trial")
    return _labelled("runner", [f"{said} ({trials} to the end, at most {thousands(longest)} s)"])


def status_document(snapshot: Snapshot, *, now: float) -> dict[str, Any]:
    """The same as plain JSON data, `oakbench.status/1`. Where the journal gives no results the figures are null."""
    reading, sound = snapshot.reading, snapshot.sound
    stopped = stop_word(reading) if snapshot.chip is Chip.STOPPED else reading.stop_reason
    return {
        "schema": STATUS_SCHEMA,
        "campaign_id": snapshot.plan.campaign_id,
        "plan_sha256": snapshot.plan.plan_sha256,
        "claim_eligible": False,
        "mock": snapshot.plan.is_mock,
        "state": str(snapshot.chip),
        "stop_reason": stopped,
        "counts": _counts(snapshot) if sound else None,
        "admission": _admission(snapshot) if sound else None,
        "measured": _coverage(snapshot) if sound else None,
        "running": [_running_document(snapshot, each.place, now) for each in longest_running(snapshot)]
        if sound
        else None,
        "left_at_worst_s": left_at_worst_s(snapshot) if sound else None,
        "journal": {
            "state": reading.state,
            "last_seq": reading.seq,
            "last_hash": reading.last_hash,
            "size_bytes": reading.size_bytes,
            "trials_with_leftover_artifacts": reading.leftovers,
            "tail": None
            if reading.tail_offset is None
            else {"offset": reading.tail_offset, "bytes": reading.tail_bytes or 0},
            "would_recover": None if reading.foreseen is None else reading.foreseen._asdict(),
            "problems": [
                {"file": problem.file, "line": problem.line, "byte": problem.byte, "rule": problem.rule}
                for problem in reading.problems
            ],
        },
        "runner": {"alive": reading.writer_lives, "host": reading.host, "pid": reading.pid},
    }


def _counts(snapshot: Snapshot) -> dict[str, int]:
    counts, tallies = snapshot.counts(), snapshot.tallies
    finished = {str(s.outcome): tallies[s] for s in Standing if s.outcome is not None}
    return {
        "scheduled": snapshot.scheduled,
        "started": snapshot.started,
        "unstarted": tallies[Standing.UNSTARTED],
        "interrupted": counts[Shown.INTERRUPTED],
        "interrupted_uncertain": tallies[Standing.UNCERTAIN],
        "running": len(snapshot.running),
        "skipped": counts[Shown.SKIPPED],
        "finished": sum(finished.values()),
        **finished,
    }


def _admission(snapshot: Snapshot) -> dict[str, Any]:
    held = snapshot.admission
    return {
        "budget_s": held.budget_s,
        "observed_s": _number(held.observed_s),
        "reserved_s": held.reserved_s,
        "unmeasured_charges": held.unmeasured_charges,
        "remaining_s": None if held.remaining_s is None else _number(held.remaining_s),
        "next_timeout_s": held.next_timeout_s,
        "next_admissible": held.next_admissible,
        "admissible_at_worst": snapshot.at_worst,
    }


def _number(value: Decimal) -> float | int:
    """As JSON: a float, or in full where no float is large enough, since JSON knows no infinity."""
    number = float(value)
    return number if isfinite(number) else int(value)


def _coverage(snapshot: Snapshot) -> dict[str, Any]:
    return {each.name: {"observed": each.observed, "started": each.started} for each in snapshot.measured}


def _running_document(snapshot: Snapshot, place: int, now: float) -> dict[str, Any]:
    running = next(each for each in snapshot.running if each.place == place)
    return {
        "trial_id": snapshot.trial(place).trial_id,
        "timeout_s": snapshot.trial(place).timeout_s,
        "elapsed_s": elapsed_s(running, now),
        "silent_s": silence_s(running, now),
    }

"""The tab Summary, which opens on what failed; then what was used, the block, the plan, what is on file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.campaign.vocabulary import CheckStatus, Standing
from oakbench_tui.view.figures import fixed, resource_value, seconds
from oakbench_tui.view.glyphs import LOOKS, Shown
from oakbench_tui.view.inspector.artifact import explanation
from oakbench_tui.view.inspector.checks import check_lines, command_words, recorded_checks, verdict_words
from oakbench_tui.view.inspector.record import part
from oakbench_tui.view.inspector.wrapping import quoted, shown, wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.running import running_words
from oakbench_tui.view.segments import EMPTY, Segment, Token, cells, fitted, left, spread, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.inspector.record import Inspected, Records
    from oakbench_tui.view.segments import Line
    from oakbench_tui.view.snapshot import Snapshot

_LABEL = 10
_PROMPT_MOST = 2000
_OUTPUT_LINES = 8
_SPEAK_FOR_THEMSELVES = frozenset({Shown.VERIFIED, Shown.SKIPPED, Shown.UNSTARTED})


def outcome_line(snapshot: Snapshot, place: int, now: float) -> Line:
    """`✗ task failure   0.589 of 2 s`."""
    kind = snapshot.shown(place)
    look = LOOKS[kind]
    timeout = f"of {snapshot.trial(place).timeout_s:,} s"
    said = [Segment(f"{look.glyph} {look.word}", look.token)]
    running = snapshot.running_at(place)
    if running is not None:
        said.append(Segment(f"   {running_words(snapshot, running, now)}", Token.SOFT))
    elif snapshot.standing(place) is Standing.UNCERTAIN:
        said.append(Segment("   its start is uncertain; its whole timeout is reserved", Token.NOTE))
    elif kind is Shown.INTERRUPTED:
        said.append(Segment("   started, no end on file; its whole timeout is reserved", Token.NOTE))
    elif snapshot.has_row(place) and kind is not Shown.SKIPPED:
        duration = snapshot.resource("duration_s", place)
        if duration is None:
            said.append(Segment(f"   duration unmeasured, {timeout}", Token.NOTE))
        else:
            said.append(Segment(f"   {fixed(duration, 3)} {timeout}", Token.SOFT))
    return tuple(said)


def summary_page(inspected: Inspected, width: int) -> Page:
    """Why the trial ended as it did, and what belongs to it."""
    snapshot, records, place = inspected.snapshot, inspected.records, inspected.place
    lines = [
        *_reason(records, width),
        *_output(inspected, width),
        *_used(snapshot, place, width),
        *_block(snapshot, place, inspected.siblings, width),
        *_plan(snapshot, place, width),
        *_history(records, width),
    ]
    return page_of(lines)


def _reason(records: Records, width: int) -> list[Line]:
    row = records.row
    if records.failure is not None:
        return [(Segment(line, Token.INTERRUPTED),) for line in wrapped(records.failure, width)]
    if row is None:
        return []
    lines: list[Line] = []
    if error := part(row, "error"):
        lines.append((Segment("Error  ", Token.STRONG), Segment(shown(str(error.get("type")), width - 7), Token.INFRA)))
        lines += quoted(error["message"], width) if error.get("message") else []
    if skip := part(row, "skip"):
        phase = str(skip.get("phase")).replace("_", " ")
        lines.append((Segment("Skipped  ", Token.STRONG), Segment(f"{skip.get('reason')}, {phase}")))
        needs = skip.get("instrument")
        lines += [(Segment(f"instrument {shown(needs, width - 11)}", Token.SOFT),)] if needs else []
        lines += quoted(skip["detail"], width) if skip.get("detail") else []
    if row.get("timed_out"):
        said = f"It did not end within its frozen timeout of {row.get('timeout_s'):,} s, so the oracle was not run."
        lines += [(Segment(line, Token.TIMEOUT),) for line in wrapped(said, width)]
    checks = recorded_checks(row)
    if checks:
        version = part(row, "oracle").get("version")
        end = () if version is None else (Segment(f"version {version}", Token.SOFT),)
        title = (Segment("Oracle  ", Token.STRONG), Segment(verdict_words(checks), Token.SOFT))
        lines += [spread(title, end, width), *check_lines(checks, width)]
    return [*lines, EMPTY] if lines else []


def _output(inspected: Inspected, width: int) -> list[Line]:
    """The output that explains the ending: of the check that did not pass, else of the agent."""
    not_passed = [check for check in recorded_checks(inspected.records.row) if check["status"] != CheckStatus.PASS]
    if not_passed:
        return explanation(inspected.artifacts, str(not_passed[0]["name"]), width, _OUTPUT_LINES)
    if inspected.snapshot.shown(inspected.place) in _SPEAK_FOR_THEMSELVES:
        return []
    return explanation(inspected.artifacts, None, width, _OUTPUT_LINES)


def _used(snapshot: Snapshot, place: int, width: int) -> list[Line]:
    if not snapshot.has_row(place) or snapshot.standing(place) is Standing.SKIPPED_BEFORE_START:
        return []
    shown_here = (
        ("input", "input_tokens"),
        ("output", "output_tokens"),
        ("cached", "cached_input_tokens"),
        ("cost", "cost_usd"),
        ("turns", "turns"),
        ("calls", "tool_calls"),
    )
    parts: list[Line] = []
    for label, name in shown_here:
        value = snapshot.resource(name, place)
        text = resource_value(name, value) + (" tokens" if name.endswith("tokens") and value is not None else "")
        token = Token.NOTE if value is None else Token.TEXT
        parts.append((Segment(left(label, 8), Token.SOFT), Segment(text, token)))
    half = max(width // 2, 18)
    if max(map(width_of, parts)) >= half:
        return [(Segment("Resources", Token.STRONG),), *parts, EMPTY]
    rows = [(*fitted(parts[at], half), *parts[at + 1]) for at in range(0, len(parts), 2)]
    return [(Segment("Resources", Token.STRONG),), *rows, EMPTY]


def _block(snapshot: Snapshot, place: int, siblings: Sequence[int], width: int) -> list[Line]:
    if len(siblings) < 2:
        return []
    lines: list[Line] = [(Segment("Block  ", Token.STRONG), Segment("the same task under each subject", Token.SOFT))]
    names = [shown(snapshot.trial(sibling).subject, width // 2) for sibling in siblings]
    column = max(map(cells, names))
    for sibling, name in zip(siblings, names, strict=True):
        look = LOOKS[snapshot.shown(sibling)]
        duration = snapshot.resource("duration_s", sibling)
        time = "" if duration is None else f"  {seconds(duration)}"
        here = Segment("▌" if sibling == place else " ", Token.LINE)
        state = Segment(left(f"{look.glyph} {look.short}", 17), look.token)
        lines.append((here, state, Segment(left(name, column)), Segment(time, Token.SOFT)))
    return [*lines, EMPTY]


def _plan(snapshot: Snapshot, place: int, width: int) -> list[Line]:
    trial = snapshot.trial(place)
    document = snapshot.plan.document
    agent, subject = document.agents[trial.agent], document.subjects[trial.subject]
    override = subject.agent
    argv = (override.argv if override is not None and override.argv is not None else None) or agent.argv
    model = (override.model if override is not None else None) or trial.model or agent.model
    said = [
        ("workflow", trial.workflow),
        ("task", trial.task),
        ("level", trial.instruction_level),
        ("agent", f"{trial.agent}, model {model or 'none'}"),
        ("subject", trial.subject + (f" {subject.version}" if subject.version else "")),
        ("round", f"repetition {trial.repetition}, timeout {trial.timeout_s:,} s"),
    ]
    if argv:
        said.append(("argv", command_words(argv)))
    lines: list[Line] = [(Segment("Plan", Token.STRONG),)]
    for label, text in said:
        for number, line in enumerate(wrapped(text, width - _LABEL)):
            lines.append((Segment(left("" if number else label, _LABEL), Token.SOFT), Segment(line)))
    prompt = snapshot.plan.task(trial).prompts.get(trial.instruction_level, "")
    if prompt:
        lines.append((Segment("prompt", Token.SOFT),))
        lines += [line for text in prompt[:_PROMPT_MOST].split("\n") for line in quoted(text, width)]
        if len(prompt) > _PROMPT_MOST:
            lines.append((Segment(f"{len(prompt) - _PROMPT_MOST:,} more characters in plan.json", Token.SOFT),))
    return [*lines, EMPTY]


def _history(records: Records, width: int) -> list[Line]:
    """When it began, and how and when it ended; in the journal's words each end is `finished`, a skip too."""
    lines: list[Line] = []
    for data, record in ((records.start_data, records.start), (records.end_data, records.end)):
        if record is not None:
            word = str(data.get("terminal") or data.get("event")).replace("_", " ")
            at = str(data.get("at"))
            place = f"seq {data.get('seq'):,}, byte {record.offset:,}"
            said = [f"{word}  {time}  {place}" for time in (at, f"{at[:19]}Z")]
            lines += [(Segment(line, Token.SOFT),) for line in _in_one_row(said, width)]
    return [(Segment("On file", Token.STRONG),), *lines, EMPTY] if lines else []


def _in_one_row(texts: Sequence[str], width: int) -> list[str]:
    """The first that fits into one row, else the last one in several."""
    return next(([text] for text in texts if cells(text) <= width), wrapped(texts[-1], width))

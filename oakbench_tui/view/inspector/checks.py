"""The tab Checks: what the plan's oracle asks, and what each check answered. What failed stands first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.campaign.vocabulary import CheckStatus
from oakbench_core.display import display_safe
from oakbench_tui.view.figures import counted
from oakbench_tui.view.glyphs import CHECK_LOOKS
from oakbench_tui.view.inspector.record import part
from oakbench_tui.view.inspector.wrapping import quoted, shown, wrapped
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, cells, left, spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oakbench_core.campaign.plan_document import ChangesCheck, CommandCheck, FileCheck
    from oakbench_tui.view.inspector.record import Inspected
    from oakbench_tui.view.segments import Line

_ORDER: Final = (CheckStatus.FAIL, CheckStatus.UNMEASURED, CheckStatus.PASS)
_NAME_MOST: Final = 24


def recorded_checks(row: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The checks of a row, failing ones first; the order of the row within each status."""
    checks = part(row, "oracle").get("checks") or []
    return sorted(checks, key=lambda check: _ORDER.index(check["status"]))


def verdict_words(checks: Sequence[Mapping[str, Any]]) -> str:
    """`1 of 4 checks fails`, `3 of 3 checks pass`."""
    if not checks:
        return "no checks recorded"
    total = counted(len(checks), "check")
    failed = sum(check["status"] == CheckStatus.FAIL for check in checks)
    missing = sum(check["status"] == CheckStatus.UNMEASURED for check in checks)
    said = [f"{failed} of {total} {'fails' if failed == 1 else 'fail'}"] * bool(failed)
    said += [f"{missing} of {total} unmeasured"] * bool(missing)
    return ", ".join(said) or f"{len(checks)} of {total} {'passes' if len(checks) == 1 else 'pass'}"


def check_lines(checks: Sequence[Mapping[str, Any]], width: int) -> list[Line]:
    """One line a check with as much of its detail as fits; the whole detail of what failed."""
    column = min(max((cells(shown(check["name"], _NAME_MOST)) for check in checks), default=0), _NAME_MOST)
    lines: list[Line] = []
    for check in checks:
        glyph, token = CHECK_LOOKS[check["status"]]
        start = (
            Segment(f"{glyph} ", token),
            Segment(left(shown(check["name"], column), column)),
            Segment(f"  {check['status']}", token),
        )
        detail = check.get("detail")
        room = width - column - len(check["status"]) - 7
        if detail is None:
            lines.append(start)
        elif check["status"] == CheckStatus.PASS or cells(display_safe(detail[:width])) <= room:
            lines.append((*start, Segment(f"   {shown(detail, max(room, 1))}", Token.SOFT)))
        else:
            lines += [start, *quoted(detail[: 40 * width], width)]
    return lines


def checks_page(inspected: Inspected, width: int) -> Page:
    """The oracle's answers, then what the plan asks."""
    snapshot, records = inspected.snapshot, inspected.records
    trial = snapshot.trial(records.place)
    oracle = snapshot.plan.task(trial).oracle
    checks = recorded_checks(records.row)
    lines: list[Line] = []
    title = (Segment("Oracle  ", Token.STRONG), Segment(verdict_words(checks), Token.SOFT))
    lines.append(spread(title, (Segment(f"version {oracle.version}", Token.SOFT),), width))
    lines += check_lines(checks, width)
    if not snapshot.has_row(records.place):
        lines.append((Segment("the oracle has not judged this trial", Token.SOFT),))
    lines += [EMPTY, (Segment("What the plan asks  ", Token.STRONG), _asked(len(oracle.checks)))]
    for check in oracle.checks:
        lines.append((Segment(shown(check.name, width), Token.TEXT),))
        lines += [(Segment(f"  {line}", Token.SOFT),) for text in asked_of(check) for line in wrapped(text, width - 2)]
    return page_of(lines)


def _asked(number: int) -> Segment:
    return Segment(counted(number, "check") if number else "no checks: the recorded verdict stands", Token.SOFT)


def command_words(command: Sequence[str] | str) -> str:
    return command if isinstance(command, str) else " ".join(command)


def asked_of(check: CommandCheck | FileCheck | ChangesCheck) -> list[str]:
    """What makes a check pass, in words."""
    if check.kind == "command":
        ran = command_words(check.run) or "a command that its source did not record"
        said = [f"{ran}: exit {check.exit} within {check.timeout_s:,} s"]
        said += [f"output is {check.stdout!r}"] if check.stdout is not None else []
        said += [f"output matches {check.stdout_regex}"] if check.stdout_regex is not None else []
        return said + [f"needs {', '.join(check.instruments)}"] * bool(check.instruments)
    if check.kind == "file":
        said = [f"{check.path} {'is there' if check.present else 'is not there'}"]
        said += [f"it contains {check.contains!r}"] if check.contains is not None else []
        return said + [f"its SHA-256 is {check.sha256}"] * (check.sha256 is not None)
    said = [f"changes only {', '.join(check.may_change) or 'nothing'}"] if check.may_change is not None else []
    return said + [f"changes {', '.join(check.must_change or ())}"] * bool(check.must_change)

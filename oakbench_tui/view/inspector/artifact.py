"""What a trial left behind: the tab Artifacts, and the piece of it that the summary opens on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oakbench_core.display import display_safe
from oakbench_tui.view.figures import counted
from oakbench_tui.view.inspector.wrapping import BAR, shown
from oakbench_tui.view.page import Page, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token, cut_left, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oakbench_tui.view.segments import Line

_WORDS: Final = {
    "oracle": "output of the checks",
    "changes": "what the agent changed",
    "stderr": "the agent's stderr",
    "stdout": "the agent's stdout",
    "transcript": "transcript",
}
_HEADING: Final = re.compile(r"^== (?P<name>.*): (?:pass|fail|unmeasured)\b.*$", re.MULTILINE)
_TAB_LINES: Final = 40
_DIFF_TOKENS: Final = {"+": Token.VERIFIED, "-": Token.FAILURE, "@": Token.SOFT}


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a trial. `text`: a piece of it, None where it cannot be read (`failure` says why); `size` in bytes.

    `whole`: whether the piece is all of it. The text is an agent's: it is escaped here, line by line.
    """

    name: str
    path: str
    size: int | None = None
    text: str | None = None
    whole: bool = True
    failure: str | None = None


def artifacts_page(artifacts: Sequence[Artifact], width: int) -> Page:
    """Every artifact with its size, its place and up to forty lines of it."""
    lines: list[Line] = []
    for artifact in artifacts:
        lines += [_title(artifact, width), (Segment(cut_left(display_safe(artifact.path), width), Token.SOFT),)]
        if artifact.text is not None:
            lines += _piece(artifact, artifact.text, width, _TAB_LINES)
        lines.append(EMPTY)
    if not lines:
        lines.append((Segment("no artifacts: nothing was kept of this trial", Token.SOFT),))
    return page_of(lines)


def explanation(artifacts: Sequence[Artifact], failing: str | None, width: int, most: int) -> list[Line]:
    """The end of what explains the trial best: the failing check's output and what was changed, or the agent's own."""
    held = {artifact.name: artifact for artifact in artifacts if artifact.text}
    lines: list[Line] = []
    if failing is not None:
        output = section(held["oracle"].text or "", failing) if "oracle" in held else ""
        lines += _tail(f"Output of {display_safe(failing)}", output, width, most)
        if "changes" in held:
            lines += _excerpt("Changes", held["changes"].text or "", width, most)
        return lines
    for name in ("stderr", "stdout"):
        if name in held:
            lines += _tail(_WORDS[name].capitalize(), held[name].text or "", width, most)
    return lines


def section(text: str, check: str) -> str:
    """What the checks' output holds of one check; empty where it holds nothing of it."""
    headings = list(_HEADING.finditer(text))
    for number, heading in enumerate(headings):
        if heading["name"] == check:
            end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
            return text[heading.end() : end].strip("\n")
    return ""


def _title(artifact: Artifact, width: int) -> Line:
    title = (Segment(_WORDS.get(artifact.name, artifact.name).capitalize(), Token.STRONG),)
    if artifact.size is None:
        return spread(title, (Segment(artifact.failure or "unreadable", Token.NOTE),), width)
    return spread(title, (Segment(counted(artifact.size, "byte"), Token.SOFT),), width)


def _piece(artifact: Artifact, text: str, width: int, most: int) -> list[Line]:
    rows = text.splitlines()
    if artifact.name in {"oracle", "changes"}:
        kept = rows[:most]
        more = len(rows) - len(kept)
        said = (
            [(Segment(f"{counted(more, 'more line')} in the file", Token.SOFT),)] if more or not artifact.whole else []
        )
        return [*(_quoted(row, width, diff=artifact.name == "changes") for row in kept), *said]
    return [_quoted(row, width) for row in rows[-most:]]


def _tail(title: str, text: str, width: int, most: int) -> list[Line]:
    rows = text.splitlines()
    if not rows:
        return []
    kept = rows[-most:]
    of = "" if len(kept) == len(rows) else f"last {len(kept)} of {counted(len(rows), 'line')}"
    return [_heading(title, of, width), *(_quoted(row, width) for row in kept), EMPTY]


def _excerpt(title: str, text: str, width: int, most: int) -> list[Line]:
    rows = text.splitlines()
    if not rows:
        return []
    kept = rows[:most]
    of = "" if len(kept) == len(rows) else f"first {len(kept)} of {counted(len(rows), 'line')}"
    return [_heading(title, of, width), *(_quoted(row, width, diff=True) for row in kept), EMPTY]


def _heading(title: str, of: str, width: int) -> Line:
    named = Segment(shown(title, max(width - len(of) - 2, 8)), Token.STRONG)
    return spread((named,), (Segment(of, Token.SOFT),), width)


def _quoted(row: str, width: int, *, diff: bool = False) -> Line:
    token = _DIFF_TOKENS.get(row[:1], Token.TEXT) if diff else Token.TEXT
    return Segment(BAR, Token.LINE), Segment(shown(row.replace("\t", "    "), max(width - len(BAR), 1)), token)

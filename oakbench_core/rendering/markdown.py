"""A report's summary → Markdown that can be read aloud in a meeting.

Rule: the summary is all that is read. Whatever its texts hold, the Markdown shows them and does not obey them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oakbench_core.rendering.contents.report import report_page
from oakbench_core.rendering.escaping import sentence
from oakbench_core.rendering.page import Heading, Items, Paragraph, Strong, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Part, Words


def render_markdown(summary: Mapping[str, Any], *, writer_alive: bool = False) -> str:
    """The whole report as Markdown text, LF at the end of each line.

    Args:
        summary: what `report_campaign` returns, or the same read back from report.json.
        writer_alive: say that a runner was writing the journal when it was read.
    """
    parts = (list(_lines(part)) for part in report_page(summary, writer_alive=writer_alive))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts if lines)


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Heading(text, level):
            yield f"{'#' * level} {sentence(text)}"
        case Paragraph(words):
            yield _shown(words)
        case Items(entries):
            for entry in entries:
                yield f"- {_shown(entry.words)}"
                yield from (f"  - {sentence(text)}" for text in entry.within)
        case Table(header, figures, rows):
            yield f"| {' | '.join(map(sentence, header))} |"
            yield f"|{'|'.join('---:' if figure else '---' for figure in figures)}|"
            yield from (f"| {' | '.join(map(_shown, row))} |" for row in rows)


def _shown(words: Words) -> str:
    return "".join(f"**{sentence(word.text)}**" if isinstance(word, Strong) else sentence(word) for word in words)

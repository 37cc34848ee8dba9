"""The tab Event: a trial's records, readable and byte for byte. And Row: the measured row alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from oakbench_tui.view.figures import counted, thousands
from oakbench_tui.view.inspector.wrapping import exact_bytes, shown
from oakbench_tui.view.page import Page, joined_pages, page_of
from oakbench_tui.view.segments import EMPTY, Segment, Token

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oakbench_tui.view.inspector.record import RawEvent, Records
    from oakbench_tui.view.segments import Line

_NOTHING: Final = "nothing of this trial is on file yet"


def pretty(value: Mapping[str, Any] | None, width: int) -> Page:
    """JSON, one key a row; a long value is cut and never looked at beyond its cut."""
    rows = json.dumps(value, indent=2, ensure_ascii=False).split("\n")

    def line_at(row: int) -> Line:
        text = rows[row]
        name, colon, rest = text.partition('": ')
        if colon and len(name) < width:
            label = shown(name.replace('"', "", 1), width)
            return Segment(f"{label}  ", Token.SOFT), Segment(shown(rest, max(width - len(label) - 2, 1)))
        return (Segment(shown(text, width)),)

    return Page(len(rows), line_at)


def event_page(records: Records, width: int) -> Page:
    """Every record of the trial, its newest first: readable, then its exact bytes."""
    pages = [page for record in (records.end, records.start) if record for page in _record(record, width)]
    return joined_pages(pages) if pages else missing_page(records)


def _record(record: RawEvent, width: int) -> list[Page]:
    data = record.decoded()
    title = Segment(f"{shown(str(data.get('event')), width)}  ", Token.STRONG)
    seq, at = data.get("seq"), data.get("at")
    place = Segment(f"seq {thousands(seq) if isinstance(seq, int) else '–'}, {shown(str(at), 40)}", Token.SOFT)
    envelope = {key: value for key, value in data.items() if key not in {"row", "event", "seq", "at"}}
    rows = [pretty(envelope, width)]
    if "row" in data:
        rows += [page_of([EMPTY, (Segment("row", Token.SOFT),)]), pretty(data["row"], width)]
    about = f"{counted(len(record.data), 'byte')} at byte {thousands(record.offset)}, its LF left out"
    exact = [EMPTY, (Segment("exact bytes  ", Token.STRONG), Segment(about, Token.SOFT))]
    return [page_of([(title, place)]), *rows, page_of(exact), exact_bytes(record.data, width), page_of([EMPTY])]


def row_page(records: Records, width: int) -> Page:
    """The measured row as JSON."""
    return missing_page(records) if records.row is None else pretty(records.row, width)


def missing_page(records: Records) -> Page:
    """Why there is nothing to show."""
    if records.failure is not None:
        return page_of([(Segment(shown(records.failure, 400), Token.INTERRUPTED),)])
    said = _NOTHING if records.start is None else "started, and no end is on file: there is no row yet"
    return page_of([(Segment(said, Token.SOFT),)])

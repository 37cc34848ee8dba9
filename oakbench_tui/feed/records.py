"""A trial's records, found again on file by their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oakbench_core.errors import OakbenchError
from oakbench_tui.view.inspector.record import RawEvent, Records
from oakbench_tui.view.trouble import error_in_a_line

if TYPE_CHECKING:
    from oakbench_core.durable.journal import JournalReader


def records_of(reader: JournalReader, place: int, *, ended: bool) -> Records:
    """What is on file of the trial at `place`; may be called from any thread.

    `ended` says whether its end belongs to the moment that is shown: what came later is left out.
    """
    offsets = (reader.start_offset(place), reader.end_offset(place) if ended else None)
    try:
        start, end = (None if offset is None else RawEvent(offset, reader.raw_event(offset)) for offset in offsets)
        # Other bytes may stand there by now; the next poll will say so, and nothing is shown of them.
        trial_id = reader.plan.schedule[place].trial_id
        for record in (start, end):
            if record is not None and record.decoded().get("trial_id") != trial_id:
                return Records(place, failure="the journal was replaced while it was read")
    except OakbenchError as error:
        return Records(place, failure=error_in_a_line(error))
    except (ValueError, RecursionError):
        return Records(place, failure="what stands there is no record: the journal was changed while it was read")
    return Records(place, start, end)

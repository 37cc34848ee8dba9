"""Many events at once are folded as one by one, and up to the first that is refused."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.endings import Step
from oakbench_core.campaign.events import evidence_type
from oakbench_core.campaign.ledger import Ledger
from oakbench_core.forms import utc_seconds
from oakbench_core.shapes import checked
from tests.campaigns import closed, finished, opened, plan, recovered
from tests.core.durable_outcomes import seen
from tests.core.test_ledger import CONTRADICTIONS, LEGAL_ENDINGS, STEPS

CAMPAIGN, OTHER = plan(), plan(seed=99)
TIMES = ("2026-11-30T08:15:00Z", "2026-11-30T08:15:00.25Z", "1969-12-31T23:59:59.999Z")


def _event(kind: tuple[str, int, int]) -> dict[str, Any]:
    what, place, choice = kind
    match what:
        case "step":
            event: dict[str, Any] = STEPS[list(Step)[choice % len(Step)]](CAMPAIGN, place)
        case "ending":
            terminal, changes = LEGAL_ENDINGS[choice % len(LEGAL_ENDINGS)]
            event = finished(CAMPAIGN, place, terminal, **changes)
        case "contradiction":
            terminal, changes, _ = CONTRADICTIONS[choice % len(CONTRADICTIONS)]
            event = finished(CAMPAIGN, place, terminal, **changes)
        case "foreign":
            event = STEPS[Step.STARTED](OTHER, place)
        case "unknown":
            event = STEPS[Step.STARTED](CAMPAIGN, place) | {"trial_id": "w.fix.other"}
        case _:
            event = (opened(CAMPAIGN), closed(CAMPAIGN), recovered(CAMPAIGN, None))[choice % 3]
    return event | {"at": TIMES[choice % len(TIMES)]}


KINDS = st.sampled_from(["step"] * 6 + ["ending", "ending", "contradiction", "foreign", "unknown", "runner"])
EVENTS = st.lists(st.builds(_event, st.tuples(KINDS, st.integers(0, 3), st.integers(0, 40))), max_size=12)


@given(st.lists(EVENTS, max_size=4))
def test_events_at_once_and_one_by_one_give_the_same_ledger_up_to_the_first_refusal(
    batches: list[list[dict[str, Any]]],
) -> None:
    at_once, by_one = Ledger(CAMPAIGN), Ledger(CAMPAIGN)
    for batch in batches:
        events: list[Any] = [checked(evidence_type(), event)[0] for event in batch]
        events = [event for event in events if event is not None]
        places = at_once.apply_all(events, [utc_seconds(event.at) for event in events])
        taken = 0
        for event in events:
            # What says nothing of a trial is not for the many.
            if event.trial_id is None or by_one.apply(event):
                break
            taken += 1

        assert places == [CAMPAIGN.index[event.trial_id] for event in events[:taken]]
        assert seen(at_once) == seen(by_one)
        for event in events[taken:]:
            assert at_once.apply(event) == by_one.apply(event)
    assert seen(at_once) == seen(by_one)

"""Laws of the report over random illegal campaigns: whatever was doctored, there is one named error and no number."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oakbench_core.campaign.report import report_campaign
from oakbench_core.errors import IdentityError, JournalError
from tests.laws.strategies_report import RESOLVED, Campaign, campaigns

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.campaigns import Json

laws = settings(max_examples=25)
JUDGED = ("success", "failure", "timed_out")


def _row(event: Json) -> Json:
    row: Json = event["row"]
    return row


DOCTORED: dict[str, Callable[[Json], Any]] = {
    "another plan's": lambda event: event.update(plan_sha256="f" * 64),
    "an unknown trial": lambda event: event.update(trial_id=event["trial_id"] + "~2"),
    "another campaign's row": lambda event: _row(event).update(bench_id="c2"),
    "another repetition": lambda event: _row(event).update(run=_row(event)["run"] + 1),
    "another subject's row": lambda event: _row(event).update(subject="zz"),
    "another condition's row": lambda event: _row(event).update(instruction_level="zz"),
    "a verdict against its checks": lambda event: _row(event).update(
        verified_success=not _row(event)["verified_success"]
    ),
    "a word that the row does not say": lambda event: event.update(
        terminal="timed_out" if event["terminal"] != "timed_out" else "infrastructure_failure"
    ),
    "a check that the plan does not have": lambda event: _row(event)["oracle"]["checks"].append(
        {"name": "extra", "status": "pass", "detail": None, "instrument": None}
    ),
    "a negative cost": lambda event: _row(event)["resources"].update(cost_usd=-1.0),
    "a duration that is no number": lambda event: _row(event)["resources"].update(duration_s=float("nan")),
    "tokens that are no whole number": lambda event: _row(event)["resources"].update(input_tokens=1.5),
    "a count that is true": lambda event: _row(event)["resources"].update(turns=True),
    "weighted tokens that the weights do not give": lambda event: (
        _row(event)["resources"].update(cost_weighted_tokens=0.5),
        _row(event).update(accounting={"token_weights": {"input_tokens": 1.0}}),
    ),
    "an unknown key": lambda event: _row(event).update(better=True),
    "no timeout": lambda event: _row(event).pop("timeout_s"),
    "a claim": lambda event: event.update(claim_eligible=True),
}


@pytest.mark.clause("A10-07")
@pytest.mark.parametrize("how", DOCTORED)
@laws
@given(campaigns(JUDGED, alike=True), st.data())
def test_a_doctored_end_is_named_and_gives_no_report(how: str, campaign: Campaign, data: st.DataObject) -> None:
    events = copy.deepcopy([event for trial in campaign.events() for event in trial])
    ends = [number for number, event in enumerate(events) if event["event"] == "finished"]
    number = data.draw(st.sampled_from(ends))
    DOCTORED[how](events[number])

    with pytest.raises((JournalError, IdentityError)) as caught:
        report_campaign(campaign.plan, events)

    assert f"$[{number}]" in {(problem.path or "")[: len(f"$[{number}]")] for problem in caught.value.problems}


@pytest.mark.clause("A10-15", "A10-06")
@laws
@given(campaigns(RESOLVED, alike=True), st.data())
def test_an_end_without_its_start_or_before_it_is_invalid(campaign: Campaign, data: st.DataObject) -> None:
    per_trial = campaign.events()
    place = data.draw(st.integers(0, len(per_trial) - 1))
    start, end = per_trial[place]
    without = [event for number, trial in enumerate(per_trial) for event in (trial if number != place else [end])]
    late = [event for number, trial in enumerate(per_trial) for event in (trial if number != place else [end, start])]

    for events in (without, late):
        with pytest.raises(JournalError):
            report_campaign(campaign.plan, events)


@pytest.mark.clause("A10-01")
@laws
@given(campaigns(), st.data())
def test_no_part_of_a_plan_can_be_changed_under_its_hash(campaign: Campaign, data: st.DataObject) -> None:
    document = copy.deepcopy(campaign.document)
    trial = data.draw(st.sampled_from(document["schedule"]))
    trial["timeout_s"] += 1
    for sibling in document["schedule"]:
        if sibling["block_id"] == trial["block_id"]:
            sibling["timeout_s"] = trial["timeout_s"]

    with pytest.raises(IdentityError):
        report_campaign(document, [])


@laws
@given(campaigns(), st.data())
def test_every_illegal_event_of_many_is_named_at_once(campaign: Campaign, data: st.DataObject) -> None:
    events = [event for trial in campaign.events() for event in trial]
    assume(events)
    places = data.draw(st.lists(st.integers(0, len(events) - 1), min_size=1, unique=True))
    doctored = [event | {"surprise": 1} if number in places else event for number, event in enumerate(events)]

    with pytest.raises(JournalError) as caught:
        report_campaign(campaign.plan, doctored)

    named = {problem.path for problem in caught.value.problems}
    assert {f"$[{number}].surprise" for number in places} <= named

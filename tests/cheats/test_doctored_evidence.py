"""Cheats by someone who can write events, rows and plans that are sound in form: refused, or named without a gain."""

from __future__ import annotations

import pytest

from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.errors import OakbenchError
from tests.cheats.evidence_cheats import LOST, NAMED, OWN, REFUSED, set_resource, with_rows
from tests.cheats.honest import codes, group, honest_plan, honest_report, improved, taken_home


def test_the_honest_campaign_has_every_result_that_a_cheat_could_want_better() -> None:
    report = honest_report()

    assert {"fraction", "interval", "difference", "interval of the difference", "cost_usd a success"} <= set(
        taken_home(report)
    )
    assert improved(report) == []
    assert group(report)["success"]["fraction"] == 0.5


@pytest.mark.clause("A10-06", "A10-07", "A10-15")
@pytest.mark.parametrize("name", REFUSED)
def test_evidence_that_contradicts_itself_is_refused(name: str) -> None:
    cheat, code, words = REFUSED[name]

    with pytest.raises(OakbenchError) as caught:
        cheat().report()

    assert caught.value.exit_code == code
    assert words in str(caught.value)


@pytest.mark.clause("A10-23", "A10-24", "A10-25", "A10-50")
@pytest.mark.parametrize("name", NAMED)
def test_what_can_be_written_down_is_named_and_gains_nothing(name: str) -> None:
    cheat, named = NAMED[name]
    report = cheat().report()

    assert named <= codes(report)
    assert improved(report) == []


@pytest.mark.clause("A10-21", "A10-22")
@pytest.mark.parametrize("name", [name for name in NAMED if "removed" in name or "called" in name or "torn" in name])
def test_what_is_taken_away_leaves_the_truth_inside_of_the_bounds(name: str) -> None:
    report, honest = NAMED[name][0]().report(), honest_report()
    success, pair = group(report)["success"], report["pairs"][0]

    assert (
        success["schedule_bounds"]["low"] <= group(honest)["success"]["fraction"] <= success["schedule_bounds"]["high"]
    )
    assert pair["bounds"]["low"] <= honest["pairs"][0]["difference"] <= pair["bounds"]["high"]


@pytest.mark.clause("A10-30", "A10-32", "A10-50")
def test_a_zero_in_the_place_of_an_unmeasured_cost_is_a_claim_of_its_own_and_no_default() -> None:
    """A runner may write a measured zero, and answers for it; a null never becomes one on the way to the report."""
    report = with_rows(LOST, set_resource("cost_usd", None)).report()
    cost = group(report)["resources"]["cost_usd"]

    assert (cost["observed"], cost["started"], cost["complete_total"]) == (len(OWN) - len(LOST), len(OWN), None)
    assert cost["total_per_verified_success"] is None


@pytest.mark.clause("A10-39")
@pytest.mark.parametrize("name", NAMED)
def test_no_cheat_makes_a_report_claim_eligible_or_a_schedule_smaller(name: str) -> None:
    report = NAMED[name][0]().report()

    assert (report["evidence_class"], report["claim_eligible"]) == ("diagnostic_agent_campaign", False)
    assert group(report)["counts"]["scheduled"] == len(OWN)


@pytest.mark.clause("A10-01")
@pytest.mark.parametrize(
    "name",
    [
        "a retry of failures is shown as the campaign",
        "an extension is shown as a campaign of its own",
        "scripted agents are shown as real ones",
        "a schedule written down afterwards is shown as a frozen one",
    ],
)
def test_what_a_plan_says_of_itself_cannot_be_taken_out_of_it(name: str) -> None:
    """Its notice stands on keys of the plan: to be rid of it, one needs another plan, with another hash."""
    plan = plan_from_document(NAMED[name][0]().plan)

    assert plan.plan_sha256 != honest_plan().plan_sha256

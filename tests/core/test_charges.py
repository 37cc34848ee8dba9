"""Durations add up exactly, whenever they are added up, and whoever keeps a sum keeps it."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from oakbench_core.campaign.charges import Charges
from oakbench_core.campaign.events import evidence_type
from oakbench_core.campaign.ledger import Ledger
from oakbench_core.campaign.row_rules import EXACT
from tests.campaigns import plan, recovered, run, violations

BATCHES = st.lists(
    st.tuples(st.lists(st.integers(0, 2**53 - 1) | st.floats(0, allow_infinity=False), max_size=4), st.booleans())
)


@given(BATCHES)
def test_nothing_is_rounded_and_asking_in_between_changes_nothing(batches: list[tuple[list[float], bool]]) -> None:
    charges, expected = Charges(), Decimal(0)
    kept: list[tuple[Charges, Decimal]] = []
    for durations, asks in batches:
        charges = Charges(durations, charges)
        for duration in durations:
            expected = EXACT.add(expected, Decimal(repr(duration)))
        assert not asks or charges.total_s == expected
        kept.append((charges, expected))

    assert charges.total_s == expected
    assert all(earlier.total_s == sum_s for earlier, sum_s in kept)


def test_a_hundred_thousand_batches_are_added_up_and_let_go() -> None:
    charges = Charges()
    for _ in range(100_000):
        charges = Charges([0.1], charges)

    assert charges.total_s == 10_000
    assert charges.parts == (Decimal(10_000), charges.parts[1], None)


def test_what_is_charged_after_a_foresight_is_charged_once_and_not_in_the_foresight() -> None:
    campaign = plan()
    ledger = Ledger(campaign)
    assert not violations(ledger, *run(campaign, 0, resources={"duration_s": 0.1}))
    foreseen = ledger.foreseeing(evidence_type().validate_python(recovered(campaign, 3)))

    assert not violations(ledger, *run(campaign, 1, resources={"duration_s": 0.2}))

    assert (foreseen.observed_charge_s, ledger.observed_charge_s) == (Decimal("0.1"), Decimal("0.3"))

"""The CSV tables: tidy, in full, null is empty, every row says what kind of evidence it is, no text is a command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakbench_core import load_plan, read_journal
from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.report import report_ledger
from oakbench_core.campaign.vocabulary import RESOURCE_UNITS
from oakbench_core.rendering.csv_columns import GROUPS, PAIRS, RESOURCES
from oakbench_core.rendering.csv_tables import TableName, render_csv
from oakbench_core.rendering.csv_text import csv_text
from tests.campaigns import Json, closed, folded, opened, plan, recovered, run, skipped_before_start, started
from tests.core.test_markdown import carried
from tests.laws.strategies_report import Campaign, campaigns, report

RECORDED = Path(__file__).resolve().parent.parent / "recorded"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def tables(*events: Json, **arguments: Any) -> dict[TableName, list[dict[str, str]]]:
    ledger = folded(plan(**arguments), *events)
    summary = report_ledger(ledger)
    return {table: rows_of(render_csv(summary, ledger, table)) for table in TableName}


def expected(value: Any) -> str:
    """A value of the summary as a cell has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


@pytest.mark.clause("A10-26", "A10-39")
@settings(max_examples=30)
@given(campaigns())
def test_every_figure_of_every_group_pair_and_resource_stands_there_in_full(campaign: Campaign) -> None:
    summary = report(campaign)
    ledger = fold(campaign.plan, [event for trial in campaign.events() for event in trial])
    found = {table: rows_of(render_csv(summary, ledger, table)) for table in TableName}

    assert len(found[TableName.TRIALS]) == summary["counts"]["scheduled"]
    for state in ("unstarted", "interrupted", "skipped", "finished"):
        assert sum(row["state"] == state for row in found[TableName.TRIALS]) == summary["counts"][state]
    for group, row in zip(summary["groups"], found[TableName.GROUPS], strict=True):
        assert {name: row[name] for name in group["counts"]} == {k: str(v) for k, v in group["counts"].items()}
        assert row["fraction"] == expected(group["success"]["fraction"])
        assert row["wilson_low"] == expected((group["success"]["wilson"] or {"low": None})["low"])
        assert row["omitted"].split() == group["success"]["omitted"]
    for pair, row in zip(summary["pairs"], found[TableName.PAIRS], strict=True):
        assert row["difference"] == expected(pair["difference"])
        assert row["unstarted_blocks"] == str(pair["blocks"]["reasons"].get("unstarted", 0))
        assert row["cost_usd_difference"] == expected(pair["resources"]["cost_usd"]["difference"])
        assert row["identity_differing"].split() == [one["field"] for one in pair["identity"]["differing"]]
    uses = [(group, name, use) for group in summary["groups"] for name, use in group["resources"].items()]
    for (group, name, use), row in zip(uses, found[TableName.RESOURCES], strict=True):
        assert (row["subject"], row["resource"]) == (group["key"]["subject"], name)
        assert row["complete_total"] == expected(use["complete_total"])
        assert json.loads(row["sources"]) == use["sources"]
    for table in found.values():
        assert {(row["evidence_class"], row["claim_eligible"]) for row in table} <= {
            ("diagnostic_agent_campaign", "false")
        }
        assert all(None not in row and None not in row.values() for row in table)


def test_a_trial_s_row_says_everything_that_is_on_file_of_it() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=4)
    done = run(
        p,
        0,
        verified=False,
        timeout_s=11,
        resources={"duration_s": 0.1, "output_tokens": 4, "cost_weighted_tokens": 10.0},
        accounting={"provider": "=HYPER()", "token_weights": {"output_tokens": 2.5}, "input_includes_cached": False},
        population={"os": "linux", "oracle_version": 1},
    )
    events = carried([opened(p), *done, skipped_before_start(p, 1), recovered(p, 2), closed(p)])
    ledger = folded(p, *events)
    first, second, third, fourth = rows_of(render_csv(report_ledger(ledger), ledger, TableName.TRIALS))

    assert (first["state"], first["outcome"], first["uncertain"]) == ("finished", "task_failure", "false")
    assert (first["checks"], first["checks_passed"], first["first_check_not_passed"]) == ("2", "1", "tests")
    assert (first["started_at"], first["ended_at"]) == ("2026-12-01T08:00:01.000000Z", "2026-12-01T08:00:02.000000Z")
    assert (first["timeout_s"], first["timeout_differs"], first["duration_s"]) == ("10", "true", "0.1")
    assert (first["provider"], first["input_includes_cached"]) == ("'=HYPER()", "false")
    assert (first["token_weights"], first["cost_weighted_tokens"]) == ('{"output_tokens":2.5}', "10.0")
    assert (first["os"], first["oracle_version"], first["arch"]) == ("linux", "1", "")
    assert (second["state"], second["skip_phase"], second["skip_reason"]) == (
        "skipped",
        "before_start",
        "missing_instrument",
    )
    assert (third["state"], third["uncertain"], third["outcome"]) == ("interrupted", "true", "")
    assert {fourth[name] for name in RESOURCE_UNITS} == {""}
    assert (fourth["state"], fourth["timeout_differs"], fourth["started_at"]) == ("unstarted", "", "")


@pytest.mark.clause("A10-30")
def test_null_is_an_empty_cell_and_zero_is_0() -> None:
    p = plan(tasks=["t"], subjects=["git"], repetitions=1)
    found = tables(*run(p, 0, resources={"turns": 0}), tasks=["t"], subjects=["git"], repetitions=1)
    uses = {row["resource"]: row for row in found[TableName.RESOURCES]}

    assert (uses["turns"]["partial_sum"], uses["turns"]["complete_total"]) == ("0", "0")
    assert (uses["tool_calls"]["partial_sum"], uses["tool_calls"]["observed"]) == ("", "0")


def test_a_campaign_without_pairs_has_the_header_of_their_table_alone() -> None:
    ledger = folded(plan(subjects=["git"]))
    lines = render_csv(report_ledger(ledger), ledger, TableName.PAIRS).splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("campaign_id,plan_sha256,as_of,evidence_class,claim_eligible,mock,workflow,")


@pytest.mark.parametrize("columns", [GROUPS, PAIRS, RESOURCES])
def test_no_two_columns_of_a_table_have_one_name(columns: tuple[tuple[str, Any], ...]) -> None:
    names = [name for name, _ in columns]

    assert len(set(names)) == len(names)


def test_a_prefix_says_so_in_every_row() -> None:
    frozen = load_plan(RECORDED)
    ledger = read_journal(RECORDED, frozen).ledger_at(40)
    summary = report_ledger(ledger, as_of=40)

    for table in TableName:
        assert {row["as_of"] for row in rows_of(render_csv(summary, ledger, table))} == {"40"}


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()), min_size=1))
def test_any_values_are_one_line_that_commands_nothing(values: list[Any]) -> None:
    text = csv_text([f"c{number}" for number in range(len(values))], [values])
    [row] = csv.reader(io.StringIO(text.split("\n", 1)[1]))

    assert text.count("\n") == 2
    assert all(character.isprintable() or character in "\n " or ord(character) > 0x2000 or character == "\u00a0"
               for character in text)  # fmt: skip
    for value, cell in zip(values, row, strict=True):
        assert not cell.startswith(("=", "@", "+")) or not isinstance(value, str)
        if isinstance(value, str):
            assert not cell.startswith("-")


def test_the_filter_stands_in_the_first_line_as_a_comment() -> None:
    text = csv_text(["a"], [[1]], first_line="filter state:failed\n\x1b[2J")

    assert text == "# filter state:failed\\x0a\\x1b[2J\na\n1\n"


def test_an_interrupted_trial_has_no_outcome() -> None:
    p = plan()
    [first, *_] = tables(started(p, 0))[TableName.TRIALS]

    assert (first["state"], first["outcome"]) == ("interrupted", "")

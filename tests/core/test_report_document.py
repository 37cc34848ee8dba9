"""The published shape of a report: exactly the keys that are there, closed lists that agree, a schema that holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from oakbench_core.campaign import report_codes, report_document, report_pair_document
from oakbench_core.campaign.report_document import ReportDocument
from oakbench_core.rendering import words

GOLDEN = Path(__file__).parent.parent / "golden" / "report_eventful.json"


def example() -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return summary


def test_the_json_schema_takes_a_report_and_knows_no_other_key() -> None:
    schema = ReportDocument.model_json_schema(by_alias=True)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)

    assert not list(validator.iter_errors(example()))
    paths: list[list[str | int]] = [
        [],
        ["counts"],
        ["groups", 0],
        ["groups", 0, "resources", "turns"],
        ["pairs", 0, "identity"],
        ["pairs", 0, "tasks"],
        ["pairs", 0, "resources", "cost_usd"],
        ["execution"],
        ["execution", "stops", 0],
        ["notices", 0],
        ["notices", 0, "describes", "agents", 0],
        ["notices", -1],
    ]
    for path in paths:
        for lacks in (False, True):
            broken = example()
            part: Any = broken
            for step in path:
                part = part[step]
            if lacks:
                part.popitem()
            else:
                part["surprise"] = 1
            assert list(validator.iter_errors(broken))
            with pytest.raises(ValidationError):
                ReportDocument.model_validate(broken)


@pytest.mark.clause("A10-39")
def test_a_report_that_claims_eligibility_is_of_another_format() -> None:
    for change in ({"claim_eligible": True}, {"evidence_class": "claim"}):
        with pytest.raises(ValidationError):
            ReportDocument.model_validate(example() | change)


def test_the_closed_lists_of_code_shape_and_words_are_the_same() -> None:
    interval = {*get_args(report_document.SuccessOmission), *get_args(report_pair_document.PairOmission)}

    assert interval == set(report_codes.Omission) == set(words.INTERVAL_WITHHELD)
    assert set(get_args(report_document.ResourceOmission)) == set(report_codes.ResourceOmission)
    assert tuple(get_args(report_pair_document.PairedOmission)) == tuple(report_codes.PairedOmission)
    assert set(words.RESOURCE_WITHHELD) == set(report_codes.ResourceOmission)
    assert set(get_args(report_pair_document.BlockReason)) == set(report_codes.BlockReason) == set(words.BLOCK_REASON)
    assert set(words.COMPLETENESS) == set(report_codes.Completeness)
    assert {notice["code"] for notice in example()["notices"]} <= set(report_codes.NoticeCode)


def test_codes_are_plain_strings_in_the_report() -> None:
    def words_of(value: Any) -> list[type]:
        if isinstance(value, dict):
            return [kind for key, inner in value.items() for kind in (type(key), *words_of(inner))]
        return [kind for inner in value for kind in words_of(inner)] if isinstance(value, list) else [type(value)]

    from tests.core.test_markdown import eventful

    assert set(words_of(eventful())) <= {str, int, float, bool, type(None)}

"""`schema NAME`: the JSON Schema of a document, as its model defines it."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import reduce
from importlib import import_module
from operator import or_
from typing import Annotated, Any, Final

import typer

from oakbench_tui.cli.output import put_json


class SchemaName(StrEnum):
    DEFINITION = "definition"
    PLAN = "plan"
    EVENT = "event"
    ROW = "row"
    REPORT = "report"
    BOOK = "book"
    SCORECARD = "scorecard"


_MODELS: Final = {
    SchemaName.DEFINITION: ("campaign.definition.Definition",),
    SchemaName.PLAN: ("campaign.plan_document.PlanDocument",),
    SchemaName.EVENT: ("campaign.events.Event",),
    # Of an agent's trial, and of an operation of a command lane.
    SchemaName.ROW: ("campaign.row.Row", "baseline.row.MeasuredRow"),
    SchemaName.REPORT: ("campaign.report_document.ReportDocument",),
    SchemaName.BOOK: ("baseline.book_document.BookDocument",),
    SchemaName.SCORECARD: ("baseline.scorecard_document.ScorecardDocument",),
}
_VERSIONS: Final = {SchemaName.BOOK: 2}


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the named format."""
    from pydantic import TypeAdapter

    models = [_model(place) for place in _MODELS[name]]
    body = TypeAdapter(reduce(or_, models)).json_schema(by_alias=True)
    heading = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"oakbench.{name}/{_VERSIONS.get(name, 1)}",
    }
    return heading | {key: value for key, value in body.items() if key not in heading}


def _model(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"oakbench_core.{module}"), name)


def schema(
    name: Annotated[
        SchemaName, typer.Argument(metavar="NAME", help="definition, plan, event, row, report, book or scorecard.")
    ],
) -> None:
    """Print the JSON Schema of a document.

    \b
    Examples:
      oakbench-tui schema plan > plan.schema.json
      oakbench-tui schema event | jq '.oneOf'
    """  # noqa: D301 - the \b keeps the examples' lines apart
    put_json(json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n")

"""`schema NAME`: the JSON Schema of a document, as its model defines it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from oakbench_tui.cli.output import put_line


class SchemaName(StrEnum):
    DEFINITION = "definition"
    PLAN = "plan"
    EVENT = "event"
    ROW = "row"
    REPORT = "report"
    BOOK = "book"
    SCORECARD = "scorecard"


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the named format."""
    body = _body(name)
    heading = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"oakbench.{name}/{2 if name is SchemaName.BOOK else 1}",
    }
    return heading | {key: value for key, value in body.items() if key not in heading}


def _body(name: SchemaName) -> dict[str, Any]:
    from pydantic import TypeAdapter

    match name:
        case SchemaName.DEFINITION:
            from oakbench_core.campaign.definition import Definition as Model
        case SchemaName.PLAN:
            from oakbench_core.campaign.plan_document import PlanDocument as Model  # type: ignore[assignment]  # one name, seven types
        case SchemaName.EVENT:
            from oakbench_core.campaign.events import Event as Model  # type: ignore[assignment]  # as above
        case SchemaName.ROW:
            from oakbench_core.baseline.row_document import OperationRow
            from oakbench_core.campaign.row import Row

            return TypeAdapter[Row | OperationRow](Row | OperationRow).json_schema(by_alias=True)
        case SchemaName.REPORT:
            from oakbench_core.campaign.report_document import ReportDocument as Model  # type: ignore[assignment]  # as above
        case SchemaName.BOOK:
            from oakbench_core.baseline.book_document import BookDocument as Model  # type: ignore[assignment]  # as above
        case SchemaName.SCORECARD:
            from oakbench_core.baseline.scorecard_document import ScorecardDocument as Model  # type: ignore[assignment]  # as above
    return TypeAdapter(Model).json_schema(by_alias=True)


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
    put_line(json.dumps(json_schema(name), indent=2, ensure_ascii=False))

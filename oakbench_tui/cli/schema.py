"""`schema NAME`: the JSON Schema of a document, as its model defines it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from oakbench_tui.cli.output import put_json


class SchemaName(StrEnum):
    DEFINITION = "definition"
    PLAN = "plan"
    EVENT = "event"
    ROW = "row"
    REPORT = "report"


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the named format."""
    from pydantic import TypeAdapter

    match name:
        case SchemaName.DEFINITION:
            from oakbench_core.campaign.definition import Definition as Model
        case SchemaName.PLAN:
            from oakbench_core.campaign.plan_document import PlanDocument as Model  # type: ignore[assignment]  # one name, five types
        case SchemaName.EVENT:
            from oakbench_core.campaign.events import Event as Model  # type: ignore[assignment]  # as above
        case SchemaName.ROW:
            from oakbench_core.campaign.row import Row as Model  # type: ignore[assignment]  # as above
        case SchemaName.REPORT:
            from oakbench_core.campaign.report_document import ReportDocument as Model  # type: ignore[assignment]  # as above
    body = TypeAdapter(Model).json_schema(by_alias=True)
    heading = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"oakbench.{name}/1",
    }
    return heading | {key: value for key, value in body.items() if key not in heading}


def schema(
    name: Annotated[SchemaName, typer.Argument(metavar="NAME", help="definition, plan, event, row or report.")],
) -> None:
    """Print the JSON Schema of a document.

    \b
    Examples:
      oakbench-tui schema plan > plan.schema.json
      oakbench-tui schema event | jq '.oneOf'
    """  # noqa: D301 - the \b keeps the examples' lines apart
    put_json(json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n")

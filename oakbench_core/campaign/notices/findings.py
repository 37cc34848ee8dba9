"""What notices are written from, and their one shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oakbench_core.campaign.conditions import Condition
    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.campaign.report_codes import NoticeCode

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything computed so far, as the report has it, and what it was computed from."""

    ledger: Ledger
    conditions: list[Condition]
    as_of: int | None
    counts: dict[str, int]
    admission: Document
    groups: list[Document]
    pairs: list[Document]
    judged: list[int]  # places of the completed and timed-out trials


def notice(code: NoticeCode, text: str, **fields: Any) -> Document:
    return {"code": code.value, "text": text, **fields}

"""A reason: a code, and one sentence that says it of this comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oakbench_core.baseline.sentences import NOTICE
from oakbench_core.baseline.vocabulary import NOTICES, REASON_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oakbench_core.baseline.vocabulary import Code


class Reason(NamedTuple):
    """`text` may quote names that a stranger chose."""

    code: Code
    text: str

    def as_document(self) -> dict[str, str]:
        return {"code": self.code.value, "text": self.text}


def standing(code: Code) -> Reason:
    """A notice whose sentence is always the same."""
    return Reason(code, NOTICE[code])


def in_order(reasons: Iterable[Reason]) -> list[Reason]:
    """Each code once, the decisive ones first; sentences of one code are joined."""
    held: dict[Code, list[str]] = {}
    for code, text in reasons:
        texts = held.setdefault(code, [])
        if text not in texts:
            texts.append(text)
    order = (*REASON_ORDER, *NOTICES)
    return [Reason(code, "; ".join(held[code])) for code in sorted(held, key=order.index)]

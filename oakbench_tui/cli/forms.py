"""`--format` of the commands that print figures of saved baselines."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.canonical import readable_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Form(StrEnum):
    TEXT = "text"
    JSON = "json"
    MD = "md"
    CSV = "csv"


FormOption = Annotated[Form, typer.Option("--format", help="text and md for people, json and csv for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No messages on stderr but errors.")]


def in_form(
    form: Form, document: Mapping[str, Any], renderings: Mapping[Form, Callable[[Mapping[str, Any]], str]]
) -> str:
    """The document in the form that was asked for."""
    return readable_text(document) if form is Form.JSON else renderings[form](document)

"""Arguments that the commands of measured rows share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Rows = Annotated[list[Path], typer.Argument(metavar="ROWS...", help="JSONL files of measured rows.")]
Confidence = Annotated[float, typer.Option(metavar="C", help="Of the intervals, between 0 and 1.")]

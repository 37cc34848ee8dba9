"""`recover DIR`: bring a journal's end into order, and say what was kept, cut and reserved, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from oakbench_core.campaign.vocabulary import RecoveryKind, RecoveryReason
from oakbench_core.display import display_safe
from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.output import put_line

if TYPE_CHECKING:
    from oakbench_core.durable.recovery import Repair

KINDS: Final = {
    RecoveryKind.TORN: "a record that was not written whole",
    RecoveryKind.ZEROS: "NUL bytes, as after a power loss",
    RecoveryKind.UNCERTAIN_PROVED: "uncertain bytes, which the head proves were never acknowledged",
    RecoveryKind.UNCERTAIN_ACCEPTED: "uncertain bytes, accepted by hand: they could be a lost acknowledged record",
}
REASONS: Final = {
    RecoveryReason.TORN_START: "the bytes are the torn start of this trial",
    RecoveryReason.TORN_OTHER: "the bytes are of another event than a start",
    RecoveryReason.START_IMPOSSIBLE: "no trial could have been starting",
    RecoveryReason.AMBIGUOUS: "the bytes do not say what they were; starts follow the schedule",
}


def recovery_document(repair: Repair | None, folder: Path) -> dict[str, Any]:
    """What `--json` prints: `oakbench.recover/1`."""
    event = None if repair is None else repair.event
    return {
        "schema": "oakbench.recover/1",
        "folder": str(folder),
        "found": None if repair is None else str(repair.found),
        "action": _action(repair),
        "kept_as": [] if event is None else event["recovery"]["kept_as"],
        "cut": None if repair is None or event is None else {"offset": repair.offset, "bytes": repair.cut_bytes},
        "reserved": None if event is None else event["trial_id"],
        "event": event,
    }


def _action(repair: Repair | None) -> str:
    if repair is None:
        return "nothing"
    return "newline" if repair.event is None else "recovered"


def recovery_lines(repair: Repair | None) -> list[str]:
    """The same for people."""
    if repair is None:
        return ["nothing to do: the journal's end is in order"]
    event = repair.event
    if event is None:
        return [f"{repair.found}: the last record lacked its line feed, which was added; nothing else was changed"]
    recovery, trial_id = event["recovery"], event["trial_id"]
    kept = ", ".join(recovery["kept_as"])
    reserved = "no trial" if trial_id is None else f"{trial_id}, as an uncertain interruption: it is never run again"
    lines = [
        f"found     {repair.found}: {KINDS[RecoveryKind(recovery['kind'])]}",
        f"kept      {recovery['bytes']:,} bytes, as {kept}",
        f"cut       {repair.cut_bytes:,} bytes from byte {repair.offset:,} on",
        f"reserved  {reserved}",
        f"why       {recovery['reason']}: {REASONS[RecoveryReason(recovery['reason'])]}",
    ]
    return [display_safe(line) for line in lines]


def recover(
    directory: Folder = Path(),
    *,
    accept_uncertain: Annotated[
        bool,
        typer.Option("--accept-uncertain-tail", help="Go on although the tail could be a lost acknowledged record."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.recover/1.")] = False,
) -> None:
    """Bring the end of a campaign's journal into order: keep the tail aside, cut it off, reserve its trial.

    Nothing is deleted, and recovering twice changes nothing. `run` does the same by itself for a torn end.

    \b
    Examples:
      oakbench-tui recover runs/vcs-2026
      oakbench-tui recover runs/vcs-2026 --accept-uncertain-tail
      oakbench-tui recover runs/vcs-2026 --json | jq -r .reserved

    Exit codes: 0 in order; 20 the journal is gone; 21 uncertain, not accepted; 30 invalid; 31 of another plan;
    32 acknowledged records are missing; 41 a runner has it; 42 refused here; 43 broken off: recover again.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.durable import recovery
    from oakbench_core.durable.documents import load_plan
    from oakbench_tui.cli.run import utc_now

    folder = campaign_folder(directory)
    repair = recovery.recover(folder, load_plan(folder), clock=utc_now, accept_uncertain=accept_uncertain)
    if as_json:
        put_line(json.dumps(recovery_document(repair, folder), ensure_ascii=True))
        return
    for line in recovery_lines(repair):
        put_line(line)

"""`retry DIR -o NEW`: a campaign folder that tries some trials of another campaign again, in whole blocks."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oakbench_core.display import display_safe
from oakbench_tui.cli.folder import Folder, campaign_folder
from oakbench_tui.cli.freeze import freezing, freezing_lines
from oakbench_tui.cli.output import put_line

if TYPE_CHECKING:
    from oakbench_core.running.retrying import Retry


def retrying(made: Retry) -> dict[str, Any]:
    """What `--json` prints: `oakbench.retry/1`, which is `oakbench.freeze/1` and what was picked.

    `selected`: how many trials of each kind were asked for; their whole blocks are scheduled. `unsupported`: skipped
    trials that were not picked. `changed`: what is not the frozen one any more, in words; a run would stop there.
    """
    return freezing(made.frozen) | {
        "schema": "oakbench.retry/1",
        "selected": {kind.value: number for kind, number in made.selection.trials.items()},
        "unsupported": made.selection.unsupported,
        "changed": list(made.changed),
    }


def retrying_lines(made: Retry) -> list[str]:
    """The same for people."""
    picked = ", ".join(f"{number:,} {kind.value}" for kind, number in made.selection.trials.items())
    frozen, *sizes = freezing_lines(made.frozen)
    lines = [
        f"retries    {made.parent.plan.campaign_id}, in {made.parent.folder}: {picked}, with the whole of their blocks",
        "           no interval is given of a retry, and nothing is pooled with the earlier campaign",
    ]
    if made.selection.unsupported:
        lines.append(f"left out   {made.selection.unsupported:,} skipped as unsupported: they would be skipped again")
    lines += [f"changed    {change}" for change in made.changed]
    if made.changed:
        lines.append("           a run stops there with 31: put back what was frozen, or freeze another campaign")
    return [frozen, *map(display_safe, lines), *sizes]


def retry(  # noqa: PLR0913 - each option of the command is an argument
    directory: Folder = Path(),
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NEW", help="The new campaign folder.")],
    interrupted: Annotated[
        bool, typer.Option("--interrupted", help="Trials without an end on file, uncertain ones included.")
    ] = False,
    infrastructure: Annotated[bool, typer.Option("--infrastructure", help="Infrastructure failures.")] = False,
    skipped: Annotated[bool, typer.Option("--skipped", help="Skipped trials, but for unsupported ones.")] = False,
    unstarted: Annotated[bool, typer.Option("--unstarted", help="Trials that were never started.")] = False,
    budget_s: Annotated[
        int | None, typer.Option("--budget", min=0, metavar="S", help="Admission budget in seconds. Default: the old.")
    ] = None,
    campaign_id: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="The new campaign's name. Default: ID-retry2, then -retry3."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, oakbench.retry/1.")] = False,
) -> None:
    """Make a campaign folder that tries trials of another campaign again. Nothing runs yet; the original stays.

    Without an option that says which: interrupted trials and infrastructure failures. Always whole blocks, so that
    pairs can become complete; each trial gets a new identity (~2, then ~3) and names the one that it retries.

    \b
    Examples:
      oakbench-tui retry runs/vcs-2026 -o runs/vcs-2026-b
      oakbench-tui retry runs/vcs-2026 -o runs/vcs-2026-b --unstarted --budget 9000
      oakbench-tui retry runs/vcs-2026 -o runs/vcs-2026-b --skipped --json | jq .selected

    Task failures and timeouts are results: they are never picked. Prompts, checks, timeouts and hashes stay what was
    frozen, and the new folder holds all that it needs.

    Exit codes: 0 made; 1 no such trial; 2 no such folder, or NEW exists; 31 the inputs are not the frozen ones;
    40 an import; 41 a runner is at work on it; of the journal also 21, 30, 31, 32 as `verify`.
    """  # noqa: D301 - the \b keeps the examples' lines apart
    from oakbench_core.campaign.retries import RetryKind
    from oakbench_core.running.retrying import retry as make_retry

    asked = {
        RetryKind.INTERRUPTED: interrupted,
        RetryKind.INFRASTRUCTURE: infrastructure,
        RetryKind.SKIPPED: skipped,
        RetryKind.UNSTARTED: unstarted,
    }
    kinds = [kind for kind, is_asked in asked.items() if is_asked] or [RetryKind.INTERRUPTED, RetryKind.INFRASTRUCTURE]
    made = make_retry(campaign_folder(directory), output, kinds, campaign_id=campaign_id, budget_s=budget_s)
    if as_json:
        put_line(json.dumps(retrying(made), ensure_ascii=True))
        return
    for line in retrying_lines(made):
        put_line(line)
    put_line()
    put_line(display_safe(f"next: oakbench-tui run {shlex.quote(str(made.frozen.folder))}"))

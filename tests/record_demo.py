"""Keeps a run of the demonstration for the golden files and the pictures.

    oakbench-tui demo --headless --dir /tmp/run
    python -m tests.record_demo /tmp/run

writes `tests/recorded/plan.json` and `journal.jsonl`: the run as it was, but for what names the machine it ran on
(host, pid, boot, kind of machine), which is replaced; the plan's hash and the chain are made anew over it. Of the first
round's failed trials the artifacts are kept too, for the inspector to show.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from oakbench_core.campaign.plan import plan_hash
from oakbench_core.durable.framing import encode_record, first_link

FOLDER = Path(__file__).resolve().parent / "recorded"
MACHINE = {"host": "ws-1", "pid": 4121, "boot_id": None}
RUNNER_CLASS = "the machine of the recording"


def record(run: Path) -> None:
    FOLDER.mkdir(exist_ok=True)
    plan = json.loads((run / "plan.json").read_text())
    plan["population"]["runner_class"] = RUNNER_CLASS
    plan["plan_sha256"] = plan_hash(plan)
    (FOLDER / "plan.json").write_text(json.dumps(plan, indent=1, ensure_ascii=False) + "\n")
    link, lines = first_link(plan["plan_sha256"]), []
    for line in (run / "journal.jsonl").read_text().splitlines():
        event = json.loads(line) | {"plan_sha256": plan["plan_sha256"]}
        if event["event"] == "opened":
            event["runner"] |= MACHINE
        if event["event"] == "finished":
            event["row"]["population"]["runner_class"] = RUNNER_CLASS
        del event["hash"]
        lines.append(encode_record(event, link))
        link = json.loads(lines[-1])["hash"]
        if event["event"] == "finished" and event["row"]["run"] == 1 and event["row"]["verified_success"] is False:
            keep_artifacts(run, event["row"]["artifacts"])
    (FOLDER / "journal.jsonl").write_bytes(b"".join(lines))


def keep_artifacts(run: Path, named: dict[str, str | None]) -> None:
    for path in filter(None, named.values()):
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        text = (run / path).read_text()
        (FOLDER / path).write_text(re.sub(r"/\S*/oakbench/", "~/.local/state/oakbench/", text))


if __name__ == "__main__":
    record(Path(sys.argv[1]))

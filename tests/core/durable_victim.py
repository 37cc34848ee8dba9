"""A program that writes a campaign until it is killed: `python -m tests.core.durable_victim FOLDER`.

It says what it is about to write, and what was acknowledged, each by one write to its standard output: a kill can cut
neither word. A second argument is the size of each row in bytes; large rows are what really tears.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from oakbench_core.campaign.plan import Plan, plan_from_document, plan_hash
from oakbench_core.campaign.vocabulary import Terminal
from oakbench_core.durable.writer import JournalWriter
from tests.core.durable_samples import AT, SUBJECTS, entry, plan_document, row

REPETITIONS = 200


def long_plan() -> Plan:
    trials = [f"w.t.plain.a.r{number:03}.{subject}" for number in range(1, REPETITIONS + 1) for subject in SUBJECTS]
    document = plan_document() | {"schedule": [entry(trial_id) for trial_id in trials]}
    return plan_from_document(document | {"plan_sha256": plan_hash(document)})


def say(word: str, event: str) -> None:
    os.write(1, f"{word} {event}\n".encode())


def main(folder: Path, row_size: int) -> None:
    plan = long_plan()
    with JournalWriter.open(folder, plan, clock=lambda: AT) as writer:
        extra = {"filler": "x" * row_size}
        for place, trial in enumerate(plan.schedule):
            if writer.ledger.standings[place]:
                continue
            say("attempted", f"started {trial.trial_id}")
            writer.append_started(trial.trial_id)
            say("acknowledged", f"started {trial.trial_id}")
            say("attempted", f"finished {trial.trial_id}")
            writer.append_finished(trial.trial_id, Terminal.COMPLETED, row(trial.trial_id, extra=extra))
            say("acknowledged", f"finished {trial.trial_id}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

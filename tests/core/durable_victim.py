"""A program that runs victims, one after the other: `python -m tests.core.durable_victim ROW_SIZE`.

For each line `FOLDER WORDS DELAY_S` on its standard input it forks a victim that writes a campaign in that folder, and
kills it when it has said so many words and so many seconds have passed, or (a negative delay) the journal grows: inside
of a write. Then it prints how many lines follow, and these: what the victim said. A victim says what it is about to
write, and what was acknowledged, each by one write: a kill can cut neither word. It writes with the writer as it is;
large rows are what really tears.
"""

from __future__ import annotations

import os
import signal
import sys
import time
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


def write_campaign(folder: Path, plan: Plan, row_size: int, told: int) -> None:
    def say(word: str, event: str) -> None:
        os.write(told, f"{word} {event}\n".encode())

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


def killed(folder: Path, plan: Plan, row_size: int, when: tuple[int, float]) -> list[str]:
    words, delay_s = when
    to_read, to_write = os.pipe()
    victim = os.fork()
    if not victim:
        os.close(to_read)
        write_campaign(folder, plan, row_size, to_write)
        os._exit(0)
    os.close(to_write)
    with os.fdopen(to_read) as said:
        lines = [said.readline() for _ in range(words)]
        _wait(folder / "journal.jsonl", delay_s)
        os.kill(victim, signal.SIGKILL)
        lines += said.readlines()
    os.waitpid(victim, 0)
    return [line for line in lines if line]


def _wait(journal: Path, delay_s: float) -> None:
    if delay_s >= 0:
        time.sleep(delay_s)
        return
    ends, size = time.monotonic() + 1, _size(journal)
    while _size(journal) == size and time.monotonic() < ends:
        pass


def _size(journal: Path) -> int:
    try:
        return journal.stat().st_size
    except FileNotFoundError:
        return 0


def main(row_size: int) -> None:
    plan = long_plan()
    for order in sys.stdin:
        folder, words, delay_s = order.rsplit(" ", 2)
        lines = killed(Path(folder), plan, row_size, (int(words), float(delay_s)))
        sys.stdout.write(f"{len(lines)}\n{''.join(lines)}")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))

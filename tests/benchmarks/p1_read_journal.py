"""P1: verify and fold a journal of full rows, against `orjson.loads` on each of its lines.

    python -m tests.benchmarks.p1_read_journal [EVENTS] [--small] [--keep FOLDER]

Prints the time of `read_journal` (frame, chain, strict decoding, fold), the yardstick's, their ratio (goal: ≤ 3), and
the memory above the loaded plan (goal: ≤ 150 MB). Times are of the processor (user and system), the least of five
rounds in processes of their own, in turns. The goal is said of 1,000,000 events, which are made in a minute or two.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakbench_core.canonical import canonical_text, sha256_hex
from oakbench_core.durable.framing import encode_record, first_link
from tests.benchmarks.turns import forget_peak, module, resident_mb, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 5
NAME = "tests.benchmarks.p1_read_journal"
WORKFLOWS = 8
START = datetime(2026, 11, 30, tzinfo=UTC)
SUBJECTS = ("git", "hg", "jj")
TIMEOUT_S = 600


def schedule(trials: int) -> Iterator[dict[str, Any]]:
    for number in range(trials):
        block, subject = divmod(number, len(SUBJECTS))
        repetition, workflow = divmod(block, WORKFLOWS)
        block_id = f"workflow-{workflow}.off-by-one.zero-shot.scripted.r{repetition + 1:05}"
        yield {
            "trial_id": f"{block_id}.{SUBJECTS[subject]}",
            "block_id": block_id,
            "workflow": f"workflow-{workflow}",
            "task": "off-by-one",
            "instruction_level": "zero-shot",
            "agent": "scripted",
            "model": None,
            "subject": SUBJECTS[subject],
            "repetition": repetition + 1,
            "timeout_s": TIMEOUT_S,
            "retry_of": None,
        }


def plan_document(trials: int) -> dict[str, Any]:
    checks = [
        {"name": "tests", "kind": "command", "run": ["true"]},
        {"name": "scope", "kind": "changes", "may_change": ["**"]},
    ]
    task = {"prompts": {"zero-shot": "Fix it."}, "oracle": {"version": 1, "checks": checks}}
    document: dict[str, Any] = {
        "schema": "oakbench.plan/1",
        "campaign_id": "benchmark",
        "created_at": "2026-11-30T00:00:00Z",
        "seed": 1,
        "workflows": {f"workflow-{n}": {"version": 1, "tasks": {"off-by-one": task}} for n in range(WORKFLOWS)},
        "agents": {"scripted": {"adapter": "command", "argv": ["true"], "mock": True}},
        "subjects": {name: {"binary": name} for name in SUBJECTS},
        "schedule": list(schedule(trials)),
        "provenance": {"tool": None, "definition_sha256": None, "source": "definition"},
    }
    return document | {"plan_sha256": sha256_hex(canonical_text(document))}


def row(entry: dict[str, Any], number: int) -> dict[str, Any]:
    """A row with every key, and most of them measured."""
    verified = number % 5 != 0
    status = "pass" if verified else "fail"
    folder = f"artifacts/{entry['trial_id']}"
    return {
        "schema": "oakbench.row/1",
        "lane": "agent",
        "bench_id": "benchmark",
        "run": entry["repetition"],
        **{key: entry[key] for key in ("workflow", "task", "instruction_level", "agent", "model", "subject")},
        "verified_success": verified,
        "timed_out": False,
        "exit_code": 0,
        "timeout_s": TIMEOUT_S,
        "suspended_s": None,
        "oracle": {
            "version": 1,
            "checks": [
                {"name": "tests", "status": status, "detail": f"{number % 17} of 17", "instrument": "python3"},
                {"name": "scope", "status": "pass", "detail": None, "instrument": None},
            ],
        },
        "resources": {
            "duration_s": 12.5 + number % 997 / 7,
            "input_tokens": 1200 + number % 5001,
            "cached_input_tokens": number % 301,
            "cache_write_tokens": None,
            "output_tokens": 340 + number % 777,
            "reasoning_tokens": None,
            "turns": 4 + number % 9,
            "tool_calls": 7 + number % 13,
            "cost_usd": 0.01 + number % 83 / 1000,
            "cost_weighted_tokens": None,
            "transcript_bytes": 48211 + number,
        },
        "accounting": {
            "provider": "mock",
            "input_includes_cached": True,
            "output_includes_reasoning": False,
            "cost_source": "client_estimate",
            "price_table": None,
            "token_weights": None,
        },
        "population": {
            "runner_class": "linux-x86_64-8c-32g",
            "os": "linux",
            "arch": "x86_64",
            "agent_version": "1.0.44",
            "resolved_model": "mock-1",
            "subject_version": "2.39.5",
            "subject_binary_sha256": "0" * 64,
            "fixture_version": "1" * 64,
            "oracle_version": 1,
            "prompt_sha256": "2" * 64,
            "environment_isolation": "fresh-home",
            "cache_state": None,
            "load_state": None,
            "token_calibration": None,
        },
        "skip": None,
        "error": None,
        "artifacts": {
            "stdout": f"{folder}/stdout.txt",
            "stderr": f"{folder}/stderr.txt",
            "transcript": None,
            "changes": f"{folder}/changes.diff",
            "oracle": f"{folder}/oracle.txt",
            "workspace": None,
        },
        "extra": {},
    }


def journal_lines(document: dict[str, Any]) -> Iterator[bytes]:
    plan_sha256 = document["plan_sha256"]
    previous, seq = first_link(plan_sha256), 0
    runner: dict[str, Any] = {"format": "oakbench.event/1", "tool": None, "host": None, "pid": None, "boot_id": None}
    runner |= {"file_system": None, "max_parallel": 1, "unsafe_filesystem": False}

    def record(kind: str, trial_id: str | None, payload: dict[str, Any]) -> bytes:
        nonlocal previous, seq
        at = f"{START + timedelta(seconds=7.001 * seq):%Y-%m-%dT%H:%M:%S.%f}Z"
        fields = {"event": kind, "trial_id": trial_id, "seq": seq, "v": 1, "plan_sha256": plan_sha256}
        line = encode_record(fields | {"writer": "a" * 32, "at": at} | payload, previous)
        previous, seq = line[-35:-3].decode(), seq + 1
        return line

    yield record("opened", None, {"runner": runner})
    for number, entry in enumerate(document["schedule"]):
        yield record("started", entry["trial_id"], {})
        yield record("finished", entry["trial_id"], {"terminal": "completed", "row": row(entry, number)})


def make_campaign(folder: Path, events: int) -> None:
    document = plan_document(events // 2)
    (folder / "plan.json").write_text(json.dumps(document, ensure_ascii=False))
    with (folder / "journal.jsonl").open("wb") as file:
        file.writelines(journal_lines(document))


def read(folder: Path) -> tuple[float, float]:
    from oakbench_core.durable.documents import load_plan
    from oakbench_core.durable.reading import read_journal
    from oakbench_core.durable.tail import JournalState

    plan = load_plan(folder)
    forget_peak()
    before_mb, start = resident_mb(), time.process_time()
    reading = read_journal(folder, plan)
    seconds = time.process_time() - start
    if reading.state is not JournalState.CLEAN:
        raise reading.refusal or RuntimeError(reading.state)
    return seconds, resident_mb(peak=True) - before_mb


def load_only(folder: Path) -> tuple[float, float]:
    import orjson

    loads: Callable[[bytes], object] = orjson.loads
    start = time.process_time()
    with (folder / "journal.jsonl").open("rb") as file:
        for line in file:
            loads(line)
    return time.process_time() - start, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=int, nargs="?", default=100_000)
    parser.add_argument("--small", action="store_true", help="only see that it works: 2,000 events")
    parser.add_argument("--keep", type=Path, help="make the campaign in this folder, or use the one that is there")
    parser.add_argument("--work", choices=("read", "load"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        sys.stdout.write(json.dumps({"read": read, "load": load_only}[options.work](options.keep)))
        return
    events = 2_000 if options.small else options.events
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "journal.jsonl").exists():
            make_campaign(folder, events)
        size_mb = (folder / "journal.jsonl").stat().st_size / 1e6
        works = ("read", "load")
        figures = told({work: module(NAME, "--work", work, "--keep", folder) for work in works}, ROUNDS)
    (read_s, grown_mb), (load_s, _) = (figures[work] for work in works)
    sys.stdout.write(
        f"P1 {events:,} events, {size_mb:,.0f} MB: read and fold {read_s:.2f} s (+{grown_mb:.0f} MB), "
        f"orjson.loads {load_s:.2f} s, ratio {read_s / load_s:.2f} (goal: 3, 150 MB)\n"
    )


if __name__ == "__main__":
    main()

"""A Baseline Book of many rows and a scorecard against it, held against pydantic's JSON parser on the same file.

    python tests/benchmarks/p13_baseline_books.py [ROWS] [--cells N] [--small] [--keep FOLDER]

Prints the time of `build_book` and of `scorecard` over a file of rows, the yardstick's (pydantic's JSON parser alone,
line by line), their ratios, and the memory above what was there before a row was read, beside what the metrics alone
take. Each figure is the best of two, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 2
METRICS = 2
STATISTICS = 2
SESSIONS = 2
ORACLES = {"output": {"version": 1, "recall": 1.0, "precision": 1.0}}


def row(subject: str, number: int, populations: int) -> dict[str, Any]:
    run, operation = divmod(number, populations)
    session, run = divmod(run, 50)
    return {
        "schema": "oakbench.row/1",
        "bench_id": f"{subject}-session-{session}",
        "run": run + 1,
        "lane": "core",
        "scenario": "tiny_text",
        "scenario_version": "3",
        "operation": f"operation.{operation:05}",
        "subject": subject,
        "subject_version": "2.39.5",
        "subject_binary_sha256": ("a" if subject == "git" else "b") * 64,
        "prompt_label": None,
        "track": "default",
        "semantics_version": "1",
        "fixture_version": "f2",
        "oracle_version": 1,
        "environment_isolation": "container",
        "runner_class": "ws-8c",
        "cache_state": "warm",
        "load_state": "idle",
        "outcome": "ok",
        "exit_code": 0,
        "skip_reason": None,
        "metrics": {"wall_ms": 100 + number % 9973 / 977, "peak_rss_bytes": 4096 * (1000 + number % 89)},
        "oracles": ORACLES,
        "at": f"2026-11-30T08:{run % 60:02}:{number % 60:02}Z",
    }


def make_rows(path: Path, subject: str, rows: int, populations: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row(subject, number, populations)) + "\n" for number in range(rows))


def targets(populations: int) -> Iterator[dict[str, Any]]:
    for operation in range(populations):
        for metric in ("wall_ms", "peak_rss_bytes"):
            for statistic in ("median", "p99"):
                yield {
                    "lane": "core",
                    "scenario": "tiny_text",
                    "operation": f"operation.{operation:05}",
                    "track": "default",
                    "metric": metric,
                    "statistic": statistic,
                    "candidate": "oak",
                    "baseline": "git",
                    "direction": "lower",
                    "target_ratio": 0.8,
                    "guards": ["recall"],
                }


def memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def build(folder: Path) -> tuple[float, float]:
    from oakbench_core import build_book, load_rows

    before, start = memory_mb("VmRSS:"), time.process_time()
    book = build_book(load_rows(folder / "git.jsonl"))
    seconds, grown = time.process_time() - start, memory_mb("VmHWM:") - before
    (folder / "book.json").write_text(json.dumps(book), encoding="utf-8")
    return seconds, grown


def judge(folder: Path) -> tuple[float, float]:
    from oakbench_core import load_rows, scorecard
    from oakbench_core.durable.baselines import read_book

    book = read_book(folder / "book.json")
    wanted = list(targets(len(book.cells) // (METRICS * STATISTICS)))
    before, start = memory_mb("VmRSS:"), time.process_time()
    card = scorecard(book, load_rows(folder / "oak.jsonl"), wanted, "claim")
    seconds, grown = time.process_time() - start, memory_mb("VmHWM:") - before
    if len(card["results"]) != len(wanted):
        raise RuntimeError("a target without a result")
    return seconds, grown


def parse(folder: Path) -> tuple[float, float]:
    from pydantic_core import from_json

    start = time.process_time()
    with (folder / "git.jsonl").open("rb") as file:
        for line in file:
            from_json(line)
    return time.process_time() - start, 0


def measured(work: str, folder: Path) -> tuple[float, float]:
    command = [sys.executable, __file__, "--work", work, "--keep", str(folder)]
    rounds = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(ROUNDS)]
    return min(seconds for seconds, _ in rounds), max(grown for _, grown in rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--small", action="store_true", help="only see that it works: 2,000 rows, 80 cells")
    parser.add_argument("--keep", type=Path, help="make the files in this folder, or use those that are there")
    parser.add_argument("--work", choices=("build", "judge", "parse"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        sys.stdout.write(json.dumps({"build": build, "judge": judge, "parse": parse}[options.work](options.keep)))
        return
    rows, cells = (2_000, 80) if options.small else (options.rows, options.cells)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "git.jsonl").exists():
            for subject in ("git", "oak"):
                make_rows(folder / f"{subject}.jsonl", subject, rows, cells // (METRICS * STATISTICS))
        size_mb = (folder / "git.jsonl").stat().st_size / 1e6
        yardstick, _ = measured("parse", folder)
        building, of_building = measured("build", folder)
        judging, of_judging = measured("judge", folder)
    sys.stdout.write(
        f"books {rows:,} rows, {cells:,} cells, {size_mb:,.0f} MB: build {building:.2f} s (+{of_building:.0f} MB), "
        f"scorecard {judging:.2f} s (+{of_judging:.0f} MB), metrics alone {rows * METRICS * 8 / 2**20:.0f} MB; "
        f"pydantic's JSON parser {yardstick:.2f} s, ratios {building / yardstick:.2f} and {judging / yardstick:.2f}\n"
    )


if __name__ == "__main__":
    main()

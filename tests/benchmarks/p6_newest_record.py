"""P6: from the start of the console to the newest record of a 188 MB journal, and to its whole fold.

    python -m tests.benchmarks.p6_newest_record [MEGABYTES] [--small]

The yardstick is `toolong` (the program `tl`) on the same file (goals: ≤ 1.5 times its time, and ≤ 4 times for the whole
fold); where it is not installed only our figures are printed. Both run on a pseudo-terminal; each is the best of three.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.console_stage import Console, watch
from tests.benchmarks.p1_read_journal import make_campaign

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = 3
BYTES_OF_AN_EVENT = 1_250


def seconds_to(words: Sequence[bytes], command: Sequence[str]) -> float:
    """Until all of the words have been painted."""
    began = time.monotonic()
    console = Console(*command)
    try:
        _, painted = console.until(lambda seen: all(word in seen for word in words), 120)
    finally:
        console.close()
    return painted - began


def main() -> None:
    given = [float(argument) for argument in sys.argv[1:] if argument != "--small"]
    megabytes = given[0] if given else 1 if "--small" in sys.argv else 188
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        make_campaign(folder, int(megabytes * 1e6 / BYTES_OF_AN_EVENT))
        journal = folder / "journal.jsonl"
        newest = json.loads(journal.read_bytes().splitlines()[-1])["seq"]
        ours = min(seconds_to([f"{newest:,}".encode()], watch(folder)) for _ in range(ROUNDS))
        theirs = None
        if shutil.which("tl"):
            theirs = min(seconds_to([b'"seq"'], ["tl", str(journal)]) for _ in range(ROUNDS))
        size_mb = journal.stat().st_size / 1e6
    ratio = "toolong is not installed" if theirs is None else f"toolong {theirs:.2f} s, ratio {ours / theirs:.1f}"
    sys.stdout.write(
        f"P6 {size_mb:,.0f} MB: newest record and whole fold on screen after {ours:.2f} s; {ratio} (goals: 1.5, 4)\n"
    )


if __name__ == "__main__":
    main()

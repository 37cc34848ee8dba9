"""P3: the block bootstrap of one pair, against `scipy.stats.bootstrap` (percentile, vectorised) of the same blocks.

    python -m tests.benchmarks.p3_bootstrap [BLOCKS] [DRAWS] [--small]

Prints processor seconds, memory above the loaded libraries and both ratios (goals: ≥ 7 times faster, ≤ 1 % of the
memory), and holds the sums to the same bits for several sizes of the chunks that they are drawn in. The goal is said of
50,000 blocks and 10,000 draws, for which scipy takes some 8 GB.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.benchmarks.turns import forget_peak, module, resident_mb, told

NAME = "tests.benchmarks.p3_bootstrap"
KEY = "00112233445566778899aabbccddeeff"
CHUNKS = (1 << 12, 1 << 15, 1 << 17, 1 << 20)


def ours(blocks: int, draws: int) -> None:
    from oakbench_core.intervals import Resampling, bootstrap

    source = Resampling(key=KEY, only_a=blocks // 5, only_b=blocks // 7, complete=blocks, draws=draws)
    bootstrap(Resampling(key=KEY, only_a=1, only_b=1, complete=3, draws=10))  # loads numpy
    forget_peak()
    before_mb, start = resident_mb(), time.process_time()
    bootstrap(source)
    sys.stdout.write(json.dumps([time.process_time() - start, resident_mb(peak=True) - before_mb]))


def theirs(blocks: int, draws: int) -> None:
    import numpy as np
    from scipy.stats import bootstrap

    differences = np.zeros(blocks)
    differences[: blocks // 5] = 1
    differences[blocks // 5 : blocks // 5 + blocks // 7] = -1
    forget_peak()
    before_mb, start = resident_mb(), time.process_time()
    bootstrap((differences,), np.mean, n_resamples=draws, vectorized=True, method="percentile", rng=1)
    sys.stdout.write(json.dumps([time.process_time() - start, resident_mb(peak=True) - before_mb]))


def same_bits(blocks: int, draws: int) -> bool:
    from oakbench_core.intervals import Resampling, draw_sums

    source = Resampling(key=KEY, only_a=blocks // 5, only_b=blocks // 7, complete=blocks, draws=draws)
    return len({draw_sums(source, chunk_words=chunk).tobytes() for chunk in CHUNKS}) == 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blocks", type=int, nargs="?", default=50_000)
    parser.add_argument("draws", type=int, nargs="?", default=10_000)
    parser.add_argument("--small", action="store_true", help="only see that it works: 500 blocks, 1,000 draws")
    parser.add_argument("--work", choices=("ours", "theirs"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    blocks, draws = (500, 1_000) if options.small else (options.blocks, options.draws)
    if options.work:
        {"ours": ours, "theirs": theirs}[options.work](blocks, draws)
        return
    if not same_bits(blocks, min(draws, 1_000)):
        raise SystemExit("the size of a chunk changed the sums")
    works = {work: module(NAME, blocks, draws, "--work", work) for work in ("ours", "theirs")}
    figures = told(works, 1 if blocks * draws > 10**8 else 3)
    mine, other = figures["ours"], figures["theirs"]
    memory = f"{mine.megabytes:.1f} MB of {other.megabytes:,.0f} MB"
    sys.stdout.write(
        f"P3 {blocks:,} blocks, {draws:,} draws: {mine.seconds:.2f} s, scipy {other.seconds:.2f} s, "
        f"{other.seconds / max(mine.seconds, 1e-4):.1f} times faster (goal: 7); {memory} (goal: 1 %); same bits\n"
    )


if __name__ == "__main__":
    main()

"""How time and memory grow with what grows: ``python tests benchmarks.growth [--only WORDS …]``.

Prints a line for each thing that may grow: the sizes, each twice the one before; CPU seconds at the largest; the
exponent, fitted to all sizes by least squares over logarithms (1 is linear); and the peak of the process, which does
nothing else, in MB: after the smallest size, and after the largest. A line that breaks a limit, of the exponent or of
seconds and MB, is marked with ``!``, and the exit status is 1. Run it alone: what else the machine does falls on the
figures.

``--faults`` adds bodies and streams that are spoilt as a whole, calls between all formats among them: over 600 lines.
Each is measured once, at its largest size and at a quarter of it; one that comes near a limit is measured again as the
others are. It takes about an hour.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.judge.rules import check

DOUBLINGS = 3
LIMIT = 1.25
MAX_MEGABYTES = 300
NEAR = 0.6
"""The part of a limit from which on a quick measurement is not enough; of the exponent, what is above 1."""


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the line through the logarithms of sizes and seconds, by least squares."""
    wide = [math.log(size) for size in sizes]
    high = [math.log(max(spent, 1e-6)) for spent in seconds]
    middle, level = sum(wide) / len(wide), sum(high) / len(high)
    rise = sum((at - middle) * (up - level) for at, up in zip(wide, high, strict=True))
    return rise / sum((at - middle) ** 2 for at in wide)


def sizes_up_to(limit: int) -> list[int]:
    """The sizes that are measured, each twice the one before."""
    return [max(1, limit >> left) for left in range(DOUBLINGS, -1, -1)]


def quick_sizes(most: int) -> list[int]:
    """The sizes of a quick measurement."""
    return [max(1, most >> 2), most]


def measure_seconds(name: str, size: int, rounds: int = 2) -> float:
    """CPU seconds that a line's work takes at a size: the least of some rounds, each without what was read before."""
    line = _line(name)
    times = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            work = line.make(size, Path(folder))
            formats.cached_reading.cache_clear()
            check._check_packed.cache_clear()  # it keeps what small bodies break, and not large ones
            re.purge()  # it keeps as many patterns as the smallest sizes have
            gc.collect()
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
    return min(times)


def _line(name: str) -> Any:
    from benchmarks.growth_lines import lines

    return next(line for line in lines(faults=True) if line.name == name)


def measure(name: str, sizes: Sequence[int], rounds: int = 2) -> dict[str, Any]:
    """The figures of a line, measured in this process."""
    import resource  # not on Windows

    measure_seconds(name, 2, 1)  # what is loaded on first use
    unit = 1 if sys.platform == "darwin" else 1024
    seconds, megabytes = [], []
    for size in sizes:
        seconds.append(measure_seconds(name, size, rounds))
        megabytes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)
    return {"seconds": seconds, "megabytes": megabytes}


def _measure_in_subprocess(name: str, sizes: Sequence[int], rounds: int = 2) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.growth", "--measure", name, "--rounds", str(rounds)]
    command += ["--sizes", *map(str, sizes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, cwd=Path(__file__).parents[1])
    measurement: dict[str, Any] = json.loads(done.stdout)
    return measurement


def main(arguments: Sequence[str]) -> int:
    """Measure, print; the exit status: 1 if a line grows faster than it may."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="WORDS", help="the lines whose names contain one of these")
    parser.add_argument("--faults", action="store_true", help="spoilt bodies and streams, too")
    parser.add_argument("--most", type=int, help="the largest size of every line; its own by default")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"the exponent that is too much ({LIMIT})")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--sizes", type=int, nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(options.measure, options.sizes, options.rounds)))
        return 0
    return _print_table(options)


def _print_table(options: argparse.Namespace) -> int:
    from benchmarks.growth_lines import lines

    chosen = [
        line
        for line in lines(faults=options.faults)
        if not options.only or any(words in line.name for words in options.only)
    ]
    if not chosen:
        print(f"no line contains {' or '.join(options.only)}; without --only all are printed", file=sys.stderr)
        return 2
    over = 0
    print(f"{'what grows':58}{'sizes':>12}{'seconds':>10}{'exponent':>10}{'MB':>10}")
    for line in chosen:
        most = options.most or line.most
        sizes = quick_sizes(most) if options.faults else sizes_up_to(most)
        measurement = _measure_in_subprocess(line.name, sizes, 1 if options.faults else 2)
        if options.faults and _is_near(_shares(line, sizes, measurement, options.limit)):
            sizes = sizes_up_to(most)
            measurement = _measure_in_subprocess(line.name, sizes, 2)
        grown = exponent(sizes, measurement["seconds"])
        is_over = max(_shares(line, sizes, measurement, options.limit)) > 1
        over += is_over
        mark = " !" if is_over else ""
        span = f"{sizes[0]}…{sizes[-1]}"
        memory = f"{measurement['megabytes'][0]:.0f}…{measurement['megabytes'][-1]:.0f}"
        figures = f"{span:>12}{measurement['seconds'][-1]:10.2f}{grown:10.2f}{memory:>10}"
        print(f"{line.name:58}{figures}{mark}", flush=True)
    return int(over > 0)


def _shares(line: Any, sizes: Sequence[int], measurement: dict[str, Any], limit: float) -> tuple[float, float, float]:
    """How much of each limit the figures take: of what the exponent may exceed 1 by, of seconds, and of MB."""
    steep = (exponent(sizes, measurement["seconds"]) - 1) / (limit - 1)
    slow = measurement["seconds"][-1] / line.seconds if line.seconds is not None else 0
    return steep, slow, measurement["megabytes"][-1] / MAX_MEGABYTES


def _is_near(shares: Sequence[float]) -> bool:
    return max(shares) > NEAR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

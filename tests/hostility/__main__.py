"""The fuzzer: ``python tests hostility [--count 2000] [--seed 1] [--kind KIND …] [--only COMBINATION …]``.

Draws combinations of a place and a hostile value, plays each in a process of its own, and looks for what must not be:
a bare traceback, an end by a signal, a run over its limit, a process left running, an item without a verdict. Prints a
line for each combination that fails, with the command that repeats it, and a table by kind. Exits with 1 if one failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hostility.forked_play import run_forked
from hostility.place import Place
from toolcall_conformance import load_corpus
from toolcall_conformance.checks.smoke import try_routes
from toolcall_conformance.drivers import load_driver

_FEW = 3
"""Up to so many combinations are played sooner than what they share is read."""


@dataclass(frozen=True)
class Combination:
    """A place and a value; ``seed`` decides what else is drawn."""

    place: Place
    value: str
    seed: int

    def __str__(self) -> str:
        return f"{self.place.full}={self.value}@{self.seed}"


def draw_combinations(places: Sequence[Place], count: int, seed: int) -> list[Combination]:
    """Combinations, each place about as often as any other of its kind, and each kind by its weight."""
    draw = Random(seed)
    by_kind: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_kind[place.kind].append(place)
    kinds = [kind for kind, some in by_kind.items() for _ in range(some[0].weight)]
    combinations = []
    for _ in range(count):
        place = draw.choice(by_kind[draw.choice(kinds)])
        combinations.append(Combination(place, place.values(draw), draw.randrange(10**6)))
    return combinations


def parse_combination(places: Sequence[Place], words: str) -> Combination:
    """The combination that a failure named."""
    name, _, rest = words.partition("=")
    value, _, seed = rest.rpartition("@")
    return Combination(next(place for place in places if place.full == name), value, int(seed))


def all_places() -> list[Place]:
    """All places."""
    from hostility import (
        bridges,
        files,
        paths,
        pytest_runs,
        python_translators,
        recordings,
        reference_gateway,
        servers,
        unfinished_runs,
    )

    modules = (
        *(files, servers, python_translators, pytest_runs, paths, bridges),
        *(unfinished_runs, recordings, reference_gateway),
    )
    return [place for module in modules for place in module.places()]


def play_combination(combination: Combination, *, show: bool = False) -> tuple[str | None, float]:
    """What is wrong with how a combination ended, None if nothing, and the seconds that it took."""
    with tempfile.TemporaryDirectory(prefix="hostility-") as folder:
        ending = run_forked(
            lambda: combination.place.play(Path(folder), combination.value, Random(combination.seed)),
            combination.place.seconds,
            Path(folder),
        )
    if show:
        print(ending.said)
        print(f"ended with {ending.code} after {ending.seconds:.1f} s")
    trouble = ending.trouble()
    if trouble and not show:
        trouble += f": {_last_words(ending.said)}"
    return trouble, ending.seconds


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return ascii(" | ".join(lines[-3:]))[:400]


def main(arguments: Sequence[str]) -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(prog="python tests hostility", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", help="only places of this kind")
    parser.add_argument("--only", metavar="COMBINATION", action="append", help="play this one, and show what it prints")
    options = parser.parse_args(arguments)
    places = [place for place in all_places() if not options.kind or place.kind in options.kind]
    if (len(options.only) if options.only else options.count) > _FEW:
        warm()
    if options.only:
        return max(_print_combination(parse_combination(places, words)) for words in options.only)
    tally = Tally(options.count)
    try:
        for combination in draw_combinations(places, options.count, options.seed):
            tally.add(combination, *play_combination(combination))
    except KeyboardInterrupt:
        print("\nstopped")
    tally.show()
    return int(bool(tally.failed))


def warm() -> None:
    """Read what most combinations read: each is a copy of this process, and need not do it again."""
    driver = load_driver("toolcall_reference:ReferenceTranslator", directory=Path(), timeout=10)
    for _ in try_routes(driver, load_corpus()):  # the command would leave beside this process who watches it
        pass
    driver.close()


def _print_combination(combination: Combination) -> int:
    """Play one combination, and print what it prints; 1 if it ended as it must not."""
    trouble, _ = play_combination(combination, show=True)
    print(f"{combination}: {trouble or 'as it should be'}")
    return int(trouble is not None)


class Tally:
    """What was tried so far, by kind of place."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._begun = time.monotonic()
        self.tried: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def add(self, combination: Combination, trouble: str | None, _seconds: float) -> None:
        """Count a combination, and print one that failed."""
        self.tried[combination.place.kind] += 1
        if trouble:
            self.failed[combination.place.kind] += 1
            print(f"\n{trouble}\n  again: python tests hostility --only '{combination}'", flush=True)
        number = self.tried.total()
        if sys.stderr.isatty() or number % 50 == 0 or number == self._count:
            end = "\r" if sys.stderr.isatty() else "\n"
            seconds = time.monotonic() - self._begun
            progress = f"{number} of {self._count}, {self.failed.total()} failed, {seconds:.0f} s"
            print(progress, end=end, file=sys.stderr, flush=True)

    def show(self) -> None:
        """Print the table."""
        print("\n| who speaks | tried | survived |\n|---|---|---|")
        for kind in sorted(self.tried):
            print(f"| {kind} | {self.tried[kind]} | {self.tried[kind] - self.failed[kind]} |")
        print(f"| all | {self.tried.total()} | {self.tried.total() - self.failed.total()} |")


if __name__ == "__main__":
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    sys.exit(main(sys.argv[1:]))

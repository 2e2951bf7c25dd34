"""Deals the dear tests to the days of a week, from what `pytest -n 1 --measure FILE` found.

``costs.json`` says of each dear test what CPU time all its items take, and on which day the first of them is run. It
may be old: a test that it does not know is run each day, and a test that is gone does no harm. Where it takes most of a
file's time to prepare what its tests share, the file is dealt as one.

A test keeps its day: only what is new is dealt, to the days that have least to do. ``--again`` deals all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from turns import TURNS

FILE = Path(__file__).with_name("costs.json")
DEAR = 0.4
"""So many seconds of CPU make a test dear, all its items together."""


@dataclass(frozen=True)
class Cost:
    """What a dear test takes, and the day of the first of its items, from 0 to ``TURNS - 1``."""

    seconds: float
    turn: int


@dataclass
class Measured:
    """What was measured of a test, or of a file: its items, their seconds, and those for what they share."""

    items: int = 0
    seconds: float = 0.0
    setup: float = 0.0

    def add(self, seconds: float, setup: float) -> None:
        """Add what an item takes."""
        self.items += 1
        self.seconds += seconds
        self.setup += setup


@cache
def known_costs() -> dict[str, Cost]:
    """The dear tests and files, by their names."""
    return {name: Cost(**cost) for name, cost in json.loads(FILE.read_text(encoding="utf-8")).items()}


def unit_of(nodeid: str, among: Collection[str]) -> str | None:
    """The test or the file, among those that are dealt, that an item belongs to."""
    return next((name for name in (nodeid.partition("::")[0], nodeid.partition("[")[0]) if name in among), None)


def dear_units(rows: Iterable[Mapping[str, object]], least: float = DEAR) -> dict[str, Measured]:
    """The tests and files that are to be dealt, of what was measured of each item."""
    files: dict[str, dict[str, Measured]] = defaultdict(lambda: defaultdict(Measured))
    for row in rows:
        if row["daily"]:
            continue
        name = str(row["id"])
        file, test = name.partition("::")[0], name.partition("[")[0]
        for unit in (file, test):
            files[file][unit].add(float(str(row["seconds"])), float(str(row["setup"])))
    units_of_all: dict[str, Measured] = {}
    for file, units in files.items():
        whole = units.pop(file)
        if whole.setup > whole.seconds / 2:
            units = {file: whole}
        units_of_all |= {name: unit for name, unit in units.items() if unit.seconds >= least}
    return units_of_all


def deal_days(units: Mapping[str, Measured], before: Mapping[str, Cost]) -> dict[str, Cost]:
    """A day for each: the one that it had, else the one that has least to do; the dearest choose first."""
    days: Counter[int] = Counter(dict.fromkeys(range(TURNS), 0))
    turns: dict[str, int] = {}

    def deal(name: str, turn: int) -> None:
        turns[name] = turn
        items = units[name].items if "::" in name else 1
        for place in range(items):
            days[(turn + place) % TURNS] += units[name].seconds / items  # type: ignore[assignment]

    for name in units.keys() & before.keys():
        deal(name, before[name].turn)
    for name in sorted(units.keys() - before.keys(), key=lambda name: (-units[name].seconds, name)):
        deal(name, min(days, key=lambda day: (days[day], day)))
    return {name: Cost(round(units[name].seconds, 1), turns[name]) for name in sorted(units)}


def write(costs: Mapping[str, Cost]) -> None:
    """Write the file, a test a line."""
    rows = [f'  {json.dumps(name)}: {{"seconds": {cost.seconds}, "turn": {cost.turn}}}' for name, cost in costs.items()]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser("python tests turns.costs", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("measured", nargs="+", type=Path, help="what `pytest --measure` wrote")
    parser.add_argument("--anew", action="store_true", help="deal all, not only what is new")
    options = parser.parse_args()
    rows = [json.loads(line) for path in options.measured for line in path.read_text(encoding="utf-8").splitlines()]
    units = dear_units(rows)
    costs = deal_days(units, {} if options.anew else known_costs())
    write(costs)
    whole, some = sum(float(row["seconds"]) for row in rows), sum(unit.seconds for unit in units.values())
    print(f"{len(costs)} of the tests take {some:.0f} of {whole:.0f} s: {whole - some + some / TURNS:.0f} s a day")


if __name__ == "__main__":
    main()

"""What two translators in a row lose that one would keep: ``python tests reference.paths``.

A client of the format A asks a provider of C through the reference: at once, and by way of B. In the upstream's
requests and the client's replies the *leaves* are counted: a place without its indexes, and the plain value there. A
leaf that the way at once has and the detour lacks is lost. The id of a call counts as the call's number, for one that
is spelt otherwise loses nothing; ids and times of replies are each translator's own.

``paths.json`` keeps the counts by case. They only shrink: ``--write`` writes them again, and refuses to raise one of a
case that was there before. ``--leaves`` prints the most frequent places.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any, TypeVar

from toolcall_conformance import formats
from toolcall_conformance.basics import atomic_files
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator, Refused, Session, Unsupported

KEPT = Path(__file__).with_name("paths.json")
OWN = {"/id", "/created", "/created_at", "/completed_at", "/responseId", "/createTime", "/output/*/id"}
"""Places of what each translator makes up for its own replies."""

Leaves = Counter[tuple[str, str]]
Counts = dict[str, dict[str, int]]
T = TypeVar("T")


def a_case_of_each_family() -> list[Case]:
    """So many that a test can afford them."""
    return list({case.family: case for case in reversed([*load_corpus().cases.values()])}.values())


def losses(case: Case) -> Iterator[tuple[str, Leaves]]:
    """The way (``request A > B > C``) and the lost leaves of each body that is made at once and on the detour."""
    for triple in permutations(case.formats, 3):
        for direction, lost in _losses_of_path(case, *triple):
            yield f"{direction} {' > '.join(triple)}", lost


def count_losses(cases: Iterable[Case]) -> Counts:
    """How many leaves are lost, by case and way; ways that lose none are not named."""
    counts_by_case: Counts = {}
    for case in cases:
        counts: Counter[str] = Counter()
        for way, lost in losses(case):
            counts[way] += lost.total()
        counts_by_case[case.id] = {way: number for way, number in sorted(counts.items()) if number}
    return counts_by_case


def recorded_losses() -> Counts:
    counts_by_case: Counts = json.loads(KEPT.read_bytes())
    return counts_by_case


def raised_losses(counts_by_case: Counts, before: Counts) -> list[str]:
    """Where more is lost than before; of a case that is new whatever is lost may be."""
    return [
        f"{case} {way}: {number} leaves are lost, {before[case].get(way, 0)} were"
        for case, counts in counts_by_case.items()
        for way, number in counts.items()
        if number > before.get(case, counts).get(way, 0)
    ]


def _losses_of_path(case: Case, start: str, middle: str, end: str) -> Iterator[tuple[str, Leaves]]:
    straight, near, far = (_session(case, *ends) for ends in ((start, end), (start, middle), (middle, end)))
    for exchange, answered in zip(case.exchanges(start), case.exchanges(end), strict=True):
        at_once = _translate_or_none(straight.request, exchange.request)
        detour = _translate_or_none(far.request, _translate_or_none(near.request, exchange.request))
        if at_once is None or detour is None:
            continue
        yield "request", _leaves_of(end, "request", at_once) - _leaves_of(end, "request", detour)
        at_once = _translate_or_none(straight.response, answered.response)
        detour = _translate_or_none(near.response, _translate_or_none(far.response, answered.response))
        if at_once is not None and detour is not None:
            yield "response", _leaves_of(start, "response", at_once) - _leaves_of(start, "response", detour)


def _session(case: Case, client: str, upstream: str) -> Session:
    return ReferenceTranslator().open(Route(client, upstream, case.model(client), case.model(upstream)))


def _translate_or_none(translated: Callable[[T], T], body: T | None) -> T | None:
    """What comes of a body; None where there is none, or the reference refuses: then there is nothing to compare."""
    try:
        return None if body is None else translated(body)
    except (Refused, Unsupported):
        return None


def _leaves_of(format_name: str, direction: str, body: Mapping[str, Any]) -> Leaves:
    calls = formats.read(format_name, direction, body).calls
    numbers = {call.id: f"the id of call {call.ordinal}" for call in calls if call.id is not None}
    return Counter(leaf for leaf in _leaves(body, "", numbers) if direction == "request" or leaf[0] not in OWN)


def _leaves(value: Any, place: str, ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from _leaves(member, f"{place}/{key}", ids)
    elif isinstance(value, list) and value:
        for member in value:
            yield from _leaves(member, f"{place}/*", ids)
    else:
        yield place, ids.get(value, value) if isinstance(value, str) else json.dumps(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write paths.json anew")
    parser.add_argument("--leaves", type=int, metavar="N", help="print the N most frequent places")
    options = parser.parse_args()
    cases = list(load_corpus().cases.values())
    if options.leaves:
        places: Counter[str] = Counter()
        for case in cases:
            for way, lost in losses(case):
                places.update({f"{way} {place}": number for (place, _), number in lost.items()})
        print(*(f"{number:6} {name}" for name, number in places.most_common(options.leaves)), sep="\n")
        return 0
    counts_by_case = count_losses(cases)
    ways: Counter[str] = Counter()
    for counts in counts_by_case.values():
        ways.update(counts)
    print(*(f"{number:6} {way}" for way, number in sorted(ways.items())), sep="\n")
    increases = raised_losses(counts_by_case, recorded_losses())
    print(*increases, sep="\n")
    if options.write and not increases:
        atomic_files.write(KEPT, dump(counts_by_case))
    return 1 if increases else 0


if __name__ == "__main__":
    sys.exit(main())

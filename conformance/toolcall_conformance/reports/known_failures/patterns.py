"""Many items in few patterns: ``shell/{a,b}::{request,stream}::anthropic-to-gemini``.

Braces name each item, so they match no other. A ``*`` stands only where all items of a family or a case, of one check
and route, are meant, of all that there are; with it the pattern says how many those are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from toolcall_conformance.reports.known_failures.entries import ItemPattern, Items, plain_id

_PLACE = re.compile(r"(\w+?)(?:-to-(\w+))?(-.*)?", re.DOTALL)
_SIGNS = re.compile("[{},*]")

_LONGEST = 1_000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class _Where(NamedTuple):
    """Where a case is played: a check, the ends of a route, and the variant, or ``*`` for each."""

    check: str
    client: str
    upstream: str
    variant: str


class _Id(NamedTuple):
    """The parts of an item's id."""

    family: str
    name: str
    where: _Where

    @property
    def case(self) -> str:
        return f"{self.family}/{self.name}"


def patterns(nodeids: Collection[str], items: Items) -> list[str]:
    """Patterns that match just these of the ``items``, sorted: the shorter of two ways to put them together."""
    nodeids_wanted = {plain_id(nodeid) for nodeid in nodeids}
    ids = [parsed for each in nodeids_wanted if (parsed := _parsed(each)) is not None]
    odd = [_SIGNS.sub("?", each) for each in nodeids_wanted if _parsed(each) is None]
    places = _places(ids, items)
    by_case = _inverted(places)
    ways = [
        [text for wheres, cases in _alike(places).items() for text in _texts(cases, wheres)],
        [text for cases, wheres in _alike(by_case).items() for text in _texts(cases, wheres)],
    ]
    shortest = min(ways, key=lambda way: sum(map(len, way)) + 6 * len(way))
    return sorted(_counted(text, items) for text in [*shortest, *odd])


def _parsed(plain: str) -> _Id | None:
    """The parts of an id; None of one that is not like those of the corpus."""
    case, _, rest = plain.partition("::")
    check, _, place = rest.partition("::")
    family, slash, name = case.partition("/")
    match = _PLACE.fullmatch(place)
    if match is None or not slash or _SIGNS.search(plain):
        return None
    return _Id(family, name, _Where(check, match[1], match[2] or "", match[3] or ""))


def _places(ids: Iterable[_Id], items: Items) -> Mapping[str, set[_Where]]:
    """Each case, or ``FAMILY/*``, with where it is played: with ``*`` for the variant, where each is meant."""
    places: dict[str, set[_Where]] = defaultdict(set)
    left = set(ids)
    for level in (lambda place: f"{place.family}/*", lambda place: place.case):
        groups: dict[tuple[str, _Where], list[_Id]] = defaultdict(list)
        for place in left:
            groups[level(place), place.where._replace(variant="*")].append(place)
        for (name, where), group in groups.items():
            every = where if any(place.where.variant for place in group) else where._replace(variant="")
            if len(group) > 1 and len(items.matching(ItemPattern(_text([name], [every]), 0))) == len(group):
                places[name].add(every)
                left.difference_update(group)
    for place in left:
        places[place.case].add(place.where)
    return places


def _inverted(groups: Mapping[K, Iterable[V]]) -> Mapping[V, set[K]]:
    inverted: dict[V, set[K]] = defaultdict(set)
    for key, values in groups.items():
        for value in values:
            inverted[value].add(key)
    return inverted


def _alike(groups: Mapping[K, Iterable[V]]) -> Mapping[frozenset[V], set[K]]:
    """Keys with the same values together."""
    return _inverted({key: [frozenset(values)] for key, values in groups.items()})


def _texts(cases: Iterable[str], wheres: Collection[_Where]) -> list[str]:
    """The product as a pattern, or as several where that were too long to read."""
    names = sorted(cases)
    text = _text(names, wheres)
    if len(text) <= _LONGEST or not names[1:]:
        return [text]
    half = len(names) // 2
    return [*_texts(names[:half], wheres), *_texts(names[half:], wheres)]


def _text(cases: Iterable[str], wheres: Iterable[_Where]) -> str:
    """The product of cases and places as a pattern."""
    by_family: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        family, _, name = case.partition("/")
        by_family[family].append(name)
    named = _braced(f"{family}/{_braced(names)}" for family, names in by_family.items())
    by_check: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for check, *route in wheres:
        by_check[check].add((route[0], route[1], route[2]))
    places = [
        f"{_braced(checks)}::{_braced(_routes(routes))}" if routes else _braced(checks)
        for routes, checks in _alike(by_check).items()
    ]
    return f"{named}::{_braced(places)}"


def _routes(routes: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """``{anthropic,gemini}-to-openai_chat{,-streamed}``: routes with the same ends and variants together."""
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for client, upstream, variant in routes:
        variants[client, upstream].add(variant)
    for names, ends in _alike(variants).items():
        upstreams: dict[str, set[str]] = defaultdict(set)
        for client, upstream in ends:
            upstreams[client].add(upstream)
        for ups, clients in _alike(upstreams).items():
            to = "" if ups == {""} else f"-to-{_braced(ups)}"
            yield f"{_braced(clients)}{to}{_braced(names)}"


def _braced(texts: Iterable[str]) -> str:
    ordered_texts = sorted(texts)
    return ordered_texts[0] if len(ordered_texts) == 1 else f"{{{','.join(ordered_texts)}}}"


def _counted(text: str, items: Items) -> str:
    """The pattern with the number of its items, where it does not name each."""
    return f"{len(items.matching(ItemPattern(text, 0)))} × {text}" if "*" in text else text

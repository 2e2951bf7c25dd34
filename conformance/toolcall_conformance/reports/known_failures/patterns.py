"""Writes many items as few patterns: ``shell/{a,b}::{request,stream}::anthropic-to-gemini``.

Braces name each item, so they match no other. A ``*`` is used only for all items of a family or a case, of one check
and route; such a pattern begins with the number of its items.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from toolcall_conformance.reports.known_failures.entries import ItemIndex, ItemPattern, plain_id

_ROUTE_PATTERN = re.compile(r"(\w+?)(?:-to-(\w+))?(-.*)?", re.DOTALL)
_PATTERN_SIGNS = re.compile("[{},*]")

_MAX_LENGTH = 1_000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class _CasePlace(NamedTuple):
    """A check, the two ends of a route, and the variant, or ``*`` for all variants."""

    check: str
    client: str
    upstream: str
    variant: str


class _ItemId(NamedTuple):
    """The parts of an item's id."""

    family: str
    name: str
    place: _CasePlace

    @property
    def case(self) -> str:
        return f"{self.family}/{self.name}"


def shortest_patterns(nodeids: Collection[str], items: ItemIndex) -> list[str]:
    """Return sorted patterns that match just these of the ``items``: the shorter of two groupings."""
    nodeids_wanted = {plain_id(nodeid) for nodeid in nodeids}
    ids = [parsed for each in nodeids_wanted if (parsed := _parse_id(each)) is not None]
    unparsed = [_PATTERN_SIGNS.sub("?", each) for each in nodeids_wanted if _parse_id(each) is None]
    places = _group_places(ids, items)
    by_case = _invert(places)
    ways = [
        [text for wheres, cases in _group_by_values(places).items() for text in _product_patterns(cases, wheres)],
        [text for cases, wheres in _group_by_values(by_case).items() for text in _product_patterns(cases, wheres)],
    ]
    shortest = min(ways, key=lambda way: sum(map(len, way)) + 6 * len(way))
    return sorted(_add_count(text, items) for text in [*shortest, *unparsed])


def _parse_id(plain: str) -> _ItemId | None:
    """Return the parts of an id; None if it is not like those of the corpus."""
    case, _, rest = plain.partition("::")
    check, _, place = rest.partition("::")
    family, slash, name = case.partition("/")
    match = _ROUTE_PATTERN.fullmatch(place)
    if match is None or not slash or _PATTERN_SIGNS.search(plain):
        return None
    return _ItemId(family, name, _CasePlace(check, match[1], match[2] or "", match[3] or ""))


def _group_places(ids: Iterable[_ItemId], items: ItemIndex) -> Mapping[str, set[_CasePlace]]:
    """Return the places of each case, or of ``FAMILY/*``; a variant is ``*`` if all variants are meant."""
    places: dict[str, set[_CasePlace]] = defaultdict(set)
    left = set(ids)
    for level in (lambda place: f"{place.family}/*", lambda place: place.case):
        groups: dict[tuple[str, _CasePlace], list[_ItemId]] = defaultdict(list)
        for place in left:
            groups[level(place), place.place._replace(variant="*")].append(place)
        for (name, where), group in groups.items():
            if len(group) == 1:
                continue
            all_items = where if any(place.place.variant for place in group) else where._replace(variant="")
            pattern = ItemPattern(_product_pattern([name], [all_items]), 0)
            if len(items.matching(pattern)) == len(group):
                places[name].add(all_items)
                left.difference_update(group)
    for place in left:
        places[place.case].add(place.place)
    return places


def _invert(groups: Mapping[K, Iterable[V]]) -> Mapping[V, set[K]]:
    inverted: dict[V, set[K]] = defaultdict(set)
    for key, values in groups.items():
        for value in values:
            inverted[value].add(key)
    return inverted


def _group_by_values(groups: Mapping[K, Iterable[V]]) -> Mapping[frozenset[V], set[K]]:
    """Return the keys by their sets of values."""
    return _invert({key: [frozenset(values)] for key, values in groups.items()})


def _product_patterns(cases: Iterable[str], wheres: Collection[_CasePlace]) -> list[str]:
    """Return the product of cases and places as a pattern, or as several if it is too long to read."""
    names = sorted(cases)
    text = _product_pattern(names, wheres)
    if len(text) <= _MAX_LENGTH or not names[1:]:
        return [text]
    half = len(names) // 2
    return [*_product_patterns(names[:half], wheres), *_product_patterns(names[half:], wheres)]


def _product_pattern(cases: Iterable[str], wheres: Iterable[_CasePlace]) -> str:
    """Return the product of cases and places as one pattern."""
    by_family: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        family, _, name = case.partition("/")
        by_family[family].append(name)
    named = _brace(f"{family}/{_brace(names)}" for family, names in by_family.items())
    by_check: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for check, *route in wheres:
        by_check[check].add((route[0], route[1], route[2]))
    places = [
        f"{_brace(checks)}::{_brace(_route_patterns(routes))}" if routes else _brace(checks)
        for routes, checks in _group_by_values(by_check).items()
    ]
    return f"{named}::{_brace(places)}"


def _route_patterns(routes: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield patterns of routes with the same ends and variants: ``{anthropic,gemini}-to-openai_chat{,-streamed}``."""
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for client, upstream, variant in routes:
        variants[client, upstream].add(variant)
    for names, ends in _group_by_values(variants).items():
        upstreams: dict[str, set[str]] = defaultdict(set)
        for client, upstream in ends:
            upstreams[client].add(upstream)
        for ups, clients in _group_by_values(upstreams).items():
            to = "" if ups == {""} else f"-to-{_brace(ups)}"
            yield f"{_brace(clients)}{to}{_brace(names)}"


def _brace(texts: Iterable[str]) -> str:
    ordered_texts = sorted(texts)
    return ordered_texts[0] if len(ordered_texts) == 1 else f"{{{','.join(ordered_texts)}}}"


def _add_count(text: str, items: ItemIndex) -> str:
    """Return the pattern with the number of its items, unless it names each."""
    return f"{len(items.matching(ItemPattern(text, 0)))} × {text}" if "*" in text else text

"""Members that are absent, null, empty or default; texts as parts; members and items in any order; unknown ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal, join, resolve
from toolcall_conformance.trust.harmless.notations import (
    Notation,
    Site,
    is_there,
    matching_sites,
    rewriter,
    value_at,
    whole,
    with_choices,
)
from toolcall_conformance.trust.nodes import holder_of, matches, nodes
from toolcall_conformance.trust.operators.spots import fit

_TEXT = "$text"


@rewriter(matching_sites)
def text_as_parts(notation: Notation, body: Any, site: Site) -> None:
    """``part`` is a part with ``$text`` in place of its text; ``member`` is the text's member at a site."""
    holder, key = _member(notation, body, site)
    fit(isinstance(holder.get(key), str) and holder[key])
    holder[key] = [_part_with(notation.raw["part"], holder[key])]


@rewriter(matching_sites)
def parts_as_text(notation: Notation, body: Any, site: Site) -> None:
    holder, key = _member(notation, body, site)
    parts, part = holder.get(key), notation.raw["part"]
    fit(isinstance(parts, list) and parts and isinstance(parts[0], dict))
    name = next(member for member, value in part.items() if value == _TEXT)
    text = parts[0].get(name) if isinstance(parts, list) else None
    fit(isinstance(text, str) and equal(parts, [_part_with(part, str(text))]))
    holder[key] = text


def _member(notation: Notation, body: Any, site: Site) -> tuple[dict[str, Any], str]:
    owner = resolve(body, site.pointer)
    fit(isinstance(owner, dict))
    return owner, str(notation.raw["member"])


def _part_with(part: dict[str, Any], text: str) -> dict[str, Any]:
    return {key: text if value == _TEXT else deep_copy(value) for key, value in part.items()}


@rewriter(matching_sites)
def split_part(notation: Notation, body: Any, site: Site) -> None:
    """A part that is nothing but a text is two; neither is blank, as an API may refuse such."""
    holder, number = holder_of(body, site.pointer)
    part, key = holder[number], notation.raw["text"]
    fit(isinstance(part, dict) and part.keys() <= set(notation.raw["plain"]) and isinstance(part.get(key), str))
    text = part[key]
    middle = len(text) // 2
    cut = next((position for position in (text.rfind(" ", 1, middle), text.find(" ", middle)) if position > 0), middle)
    fit(bool(text[:cut].strip() and text[cut:].strip()))
    holder.insert(number + 1, {**deep_copy(part), key: text[cut:]})
    part[key] = text[:cut]


ABSENT = "absent"


def _alike(notation: Notation, body: Any) -> Iterator[Site]:
    """Members that have one of the values that say the same, once with each of the others."""
    values = notation.raw["values"]
    for holder, key in _holders(notation, body):
        value = resolve(body, holder)
        has_key = key in value
        position = next(
            (number for number, element in enumerate(values) if has_key and equal(element, value[key])), None
        )
        if position is None and (has_key or not notation.raw["absent"]):
            continue
        if has_key and notation.raw["absent"]:
            yield Site(join(holder, key), ABSENT)
        for number in range(len(values)):
            if number != position:
                yield Site(join(holder, key), str(number))


def _holders(notation: Notation, body: Any) -> Iterator[tuple[str, str]]:
    """The objects that may have a member of the paths, each with the member's key."""
    objects = ["", *(node.pointer for node in nodes(body) if node.kind == "object")]
    for path in notation.paths:
        above, _, key = path.rpartition("/")
        for pointer in objects:
            if matches(above, pointer) and notation.fits(resolve(body, pointer)):
                yield pointer, key


@rewriter(_alike)
def alike(notation: Notation, body: Any, site: Site) -> None:
    holder, key = holder_of(body, site.pointer)
    if site.choice == ABSENT:
        del holder[key]
    else:
        holder[key] = deep_copy(notation.raw["values"][int(site.choice)])


@rewriter(with_choices(whole, "reversed", "sorted"))
def order_members(_spelling: Notation, body: Any, site: Site) -> None:
    for holder in [body, *(node.value for node in nodes(body))]:
        if isinstance(holder, dict):
            keys = sorted(holder) if site.choice == "sorted" else list(holder)[::-1]
            members = [(key, holder[key]) for key in keys]
            holder.clear()
            holder.update(members)


@rewriter(matching_sites)
def reverse_items(_spelling: Notation, body: Any, site: Site) -> None:
    items = resolve(body, site.pointer)
    fit(isinstance(items, list) and len(items) > 1)
    items.reverse()


def _lists(notation: Notation, body: Any) -> Iterator[Site]:
    for node in nodes(body):
        if node.kind == "list" and any(matches(path, node.pointer) for path in notation.paths):
            yield Site(node.pointer)


@rewriter(_lists)
def reverse_run(notation: Notation, body: Any, site: Site) -> None:
    """Reverse each run of items that fit."""
    items = resolve(body, site.pointer)
    before = list(items)
    items[:] = [
        item for fits, run in groupby(before, key=notation.fits) for item in (reversed(list(run)) if fits else run)
    ]
    fit(any(now is not then for now, then in zip(items, before, strict=True)))


@rewriter(_lists)
def merge_items(notation: Notation, body: Any, site: Site) -> None:
    """Merge adjacent items that differ only in their lists."""
    items, key = resolve(body, site.pointer), notation.raw["list"]
    before = len(items)
    for number in range(before - 1, 0, -1):
        first, second = items[number - 1], items[number]
        if (
            _joins(notation, first, key)
            and _joins(notation, second, key)
            and _others(first, key) == _others(second, key)
        ):
            first[key] += second[key]
            del items[number]
    fit(len(items) < before)


def _joins(notation: Notation, item: Any, key: str) -> bool:
    return isinstance(item, dict) and isinstance(item.get(key), list) and notation.fits(item)


def _others(item: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != key}


@rewriter(matching_sites)
def split_item(notation: Notation, body: Any, site: Site) -> None:
    """An item is two, each with a part of its list. What ``first`` describes stays together in the first."""
    holder, number = holder_of(body, site.pointer)
    item, key = holder[number], notation.raw["list"]
    entries = item.get(key)
    fit(isinstance(entries, list) and len(entries) > 1)
    together = [place for place, entry in enumerate(entries) if _is_first(notation, entry)]
    cut = max([0, *together]) + 1
    fit(cut < len(entries))
    holder.insert(number + 1, {**deep_copy(item), key: entries[cut:]})
    item[key] = entries[:cut]


def _is_first(notation: Notation, entry: Any) -> bool:
    first = notation.raw.get("first", {})
    return bool(first) and all(
        is_there(entry, place) and value_at(entry, place) == value for place, value in first.items()
    )

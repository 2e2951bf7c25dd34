"""Where two translators do not amount to the same, by cause: what is printed at the end of a run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_conformance.reports.model import ItemRecord
from toolcall_conformance.showing import many

MOST_CAUSES = 10
_WIDTH = 90
_ABSENT = "(absent)"


def against(items: Sequence[ItemRecord], other: str, compared: int, *, everything: bool) -> Iterator[str]:
    """The lines: how many of the ``compared`` items differ, and each cause with its first example."""
    causes: dict[str, list[tuple[ItemRecord, dict[str, Any]]]] = defaultdict(list)
    for item in items:
        for one in item.against:
            causes[one["cause"]].append((item, one))
    differing = sum(bool(item.against) for item in items)
    if not differing:
        yield f"compared with {other}: no difference in {many(compared, 'item')}"
        return
    counted = f"differences in {differing} of {many(compared, 'item')}, {many(len(causes), 'cause')}"
    yield f"compared with {other}: {counted}; no verdict rests on them"
    found = sorted(causes.values(), key=len, reverse=True)
    shown = found if everything else found[:MOST_CAUSES]
    for each in shown:
        yield from _block(each)
    if found[len(shown) :]:
        yield f"  … {many(len(found) - len(shown), 'cause')} more; -v shows all"


def _block(found: Sequence[tuple[ItemRecord, dict[str, Any]]]) -> Iterator[str]:
    item, one = found[0]
    count = len({record.nodeid for record, _ in found})
    yield f"  {one['element']}: {one['says']} (in {many(count, 'item')})"
    yield f"    in      {item.nodeid}, {one['body']} at {one['pointer'] or '/'}"
    yield f"    ours    {_shown(one['ours'])}"
    yield f"    theirs  {_shown(one['other'])}"


def _shown(value: Any) -> str:
    if value == {"$absent": True}:
        return _ABSENT
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"

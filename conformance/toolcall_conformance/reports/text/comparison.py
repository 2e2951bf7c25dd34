"""The differences from another translator, by cause, as lines at the end of a run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.reports.item_record import ItemRecord

MAX_CAUSES = 10
_WIDTH = 90
_ABSENT = "(absent)"


def comparison_lines(items: Sequence[ItemRecord], other: str, compared: int, *, everything: bool) -> Iterator[str]:
    """Yield how many of the ``compared`` items differ from ``other``, and each cause with its first example."""
    causes: dict[str, list[tuple[ItemRecord, dict[str, Any]]]] = defaultdict(list)
    for item in items:
        for witness in item.against:
            causes[witness["cause"]].append((item, witness))
    differing = sum(bool(item.against) for item in items)
    if not differing:
        yield f"compared with {other}: no difference in {pluralize(compared, 'item')}"
        return
    counted = f"differences in {differing} of {pluralize(compared, 'item')}, {pluralize(len(causes), 'cause')}"
    yield f"compared with {other}: {counted}; no verdict rests on them"
    groups = sorted(causes.values(), key=len, reverse=True)
    reported_causes = groups if everything else groups[:MAX_CAUSES]
    for group in reported_causes:
        yield from _cause_lines(group)
    if groups[len(reported_causes) :]:
        yield f"  … {pluralize(len(groups) - len(reported_causes), 'cause')} more; -v shows all"


def _cause_lines(group: Sequence[tuple[ItemRecord, dict[str, Any]]]) -> Iterator[str]:
    item, difference = group[0]
    count = len({record.nodeid for record, _ in group})
    yield f"  {difference['element']}: {difference['says']} (in {pluralize(count, 'item')})"
    yield f"    in      {item.nodeid}, {difference['body']} at {difference['pointer'] or '/'}"
    yield f"    ours    {_value_text(difference['ours'])}"
    yield f"    theirs  {_value_text(difference['other'])}"


def _value_text(value: Any) -> str:
    if value == {"$absent": True}:
        return _ABSENT
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"

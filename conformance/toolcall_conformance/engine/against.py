"""What two translators make of the same inputs (``--toolcall-against``): where it does not amount to the same.

The judge reads both bodies as one format's, and says what the second has otherwise than the first. Who is right it does
not say: a difference is told beside the verdict and is no part of it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding, Judgement
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.checks import CHECKS, ONE_FORMAT, Harness, ItemResult, PlayedBodies
from toolcall_conformance.drivers import Driver
from toolcall_conformance.engine.items.plan import PlannedItem, Support
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.text.comparison import comparison_lines
from toolcall_conformance.trust.fuzz.cases import CHECK

# A body that went there and back is made of two that are compared, and other checks have one format only.
COMPARED_CHECKS = CHECKS.keys() - ONE_FORMAT - {"round_trip"}
_BODY_KIND = re.compile(r"request|response|error")
_SPELLING_RULE = "translation/identity-spelling"
_OTHER_BODY_RULE = "translation/identity"


def find_differences(harness: Harness, item: PlannedItem, ours: ItemResult, other: ItemResult) -> tuple[Finding, ...]:
    """What the other's bodies of an item have otherwise than ours: ours is ``want``, the other's ``got``.

    Ids that a translator gives, and other spellings of the same, are no differences.
    """
    if item.check not in COMPARED_CHECKS:
        return ()
    findings: list[Finding] = []
    for name, left, right in _pair_bodies(ours.played, other.played):
        findings += [replace(each, body=name) for each in _compare_bodies(harness, item.route, name, left, right)]
    return tuple(findings)


def difference_lines(
    selected: Iterable[PlannedItem], driver: Driver, support: Support, items: Sequence[ItemRecord], *, everything: bool
) -> Iterator[str]:
    """The printed lines about differences. ``driver`` and ``support`` are the other translator's."""
    played = {record.nodeid for record in items}
    compared = [
        item
        for item in selected
        if item.nodeid in played and item.check in {*COMPARED_CHECKS, CHECK} and support.covers(item)
    ]
    name = f"{driver.name} {driver.version}" if driver.version else driver.name
    return (visible(line) for line in comparison_lines(items, name, len(compared), everything=everything))


def _pair_bodies(ours: Sequence[PlayedBodies], other: Sequence[PlayedBodies]) -> Iterator[tuple[str, Any, Any]]:
    """The bodies by name, in order, MISSING where one of the two has none."""
    sides: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for side, bodies in enumerate((ours, other)):
        for entry in bodies:
            sides[entry.name][side].append(_final_body(entry))
    for name, (first, second) in sides.items():
        yield from ((name, left, right) for left, right in zip_longest(first, second, fillvalue=MISSING))


def _final_body(body: PlayedBodies) -> Any:
    """What was produced; of a stream what it amounts to."""
    return body.files.get("assembled.json", MISSING) if "received.sse" in body.files else body.produced


def _compare_bodies(harness: Harness, route: Route, name: str, ours: Any, other: Any) -> Iterator[Finding]:
    direction = _BODY_KIND.search(name)
    if direction is None or equal(ours, other):
        return
    up = direction[0] == "request"
    spoken, model = (route.upstream, route.upstream_model) if up else (route.client, route.client_model)
    if MISSING in (ours, other):
        # One of them failed, which its own run tells. Whole bodies would fill the screen.
        sides = ("a body", MISSING) if other is MISSING else (MISSING, "a body")
        yield make_finding(harness.corpus, _OTHER_BODY_RULE, "", want=sides[0], got=sides[1], element="body")
        return
    own = Route(spoken, spoken, model, model, stream=route.stream)
    judged: Judgement = getattr(harness.judge, direction[0])(
        ours, _replace_call_ids(spoken, direction[0], ours, other), own
    )
    for entry in judged.findings:
        if entry.rule.startswith("translation/") and entry.rule != _SPELLING_RULE and not entry.is_note:
            yield entry


def _replace_call_ids(spoken: str, direction: str, ours: Any, other: Any) -> Any:
    """The other's body with our ids for its calls, in their order: each translator may give its own."""
    if direction == "error":
        return other
    pairs = zip(formats.read(spoken, direction, ours).calls, formats.read(spoken, direction, other).calls, strict=False)
    names = {theirs.id: mine.id for mine, theirs in pairs if mine.id and theirs.id}
    return _replace_strings(other, names)


def _replace_strings(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replace_strings(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replace_strings(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value

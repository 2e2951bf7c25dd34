"""Compares the outputs of two translators for the same inputs (``--toolcall-against``).

The judge reads both bodies in one format, and finds where the second differs in meaning from the first. It does not
decide which is right: differences are reported in addition to the verdict, and are no part of it.
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

# Not the round trip, whose bodies come from two others that are compared; nor checks within one format.
COMPARED_CHECKS = CHECKS.keys() - ONE_FORMAT - {"round_trip"}
_BODY_KIND = re.compile(r"request|response|error")
_SPELLING_RULE = "translation/identity-spelling"
_OTHER_BODY_RULE = "translation/identity"


def find_differences(harness: Harness, item: PlannedItem, ours: ItemResult, other: ItemResult) -> tuple[Finding, ...]:
    """The differences of the other's bodies of an item from ours: ours is ``want``, the other's ``got``.

    Ids that a translator invents, and other notations of the same value, are no differences.
    """
    if item.check not in COMPARED_CHECKS:
        return ()
    findings: list[Finding] = []
    for body_label, left, right in _pair_bodies(ours.played, other.played):
        compared = _compare_bodies(harness, item.route, body_label, left, right)
        findings += [replace(difference, body=body_label) for difference in compared]
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
    """The bodies of both by label, in order; MISSING if one of the two has none."""
    sides: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for side, bodies in enumerate((ours, other)):
        for entry in bodies:
            sides[entry.name][side].append(_final_body(entry))
    for name, (first, second) in sides.items():
        yield from ((name, left, right) for left, right in zip_longest(first, second, fillvalue=MISSING))


def _final_body(body: PlayedBodies) -> Any:
    """The output of an exchange; of a stream the assembled reply."""
    return body.files.get("assembled.json", MISSING) if "received.sse" in body.files else body.produced


def _compare_bodies(harness: Harness, route: Route, body_label: str, ours: Any, other: Any) -> Iterator[Finding]:
    """Compare two bodies of one label by the judge's translation rules, as if the format were both ends."""
    body_kind = _BODY_KIND.search(body_label)
    if body_kind is None or equal(ours, other):
        return
    is_request = body_kind[0] == "request"
    format_name, model = (route.upstream, route.upstream_model) if is_request else (route.client, route.client_model)
    if MISSING in (ours, other):
        # One of them failed, which its own run reports. Whole bodies would fill the screen.
        sides = ("a body", MISSING) if other is MISSING else (MISSING, "a body")
        yield make_finding(harness.corpus, _OTHER_BODY_RULE, "", want=sides[0], got=sides[1], element="body")
        return
    same_format_route = Route(format_name, format_name, model, model, stream=route.stream)
    judged: Judgement = getattr(harness.judge, body_kind[0])(
        ours, _replace_call_ids(format_name, body_kind[0], ours, other), same_format_route
    )
    for entry in judged.findings:
        if entry.rule.startswith("translation/") and entry.rule != _SPELLING_RULE and not entry.is_note:
            yield entry


def _replace_call_ids(format_name: str, body_kind: str, ours: Any, other: Any) -> Any:
    """The other's body with our ids for its calls, in order: each translator may invent its own."""
    if body_kind == "error":
        return other
    pairs = zip(
        formats.read(format_name, body_kind, ours).calls,
        formats.read(format_name, body_kind, other).calls,
        strict=False,
    )
    names = {theirs.id: mine.id for mine, theirs in pairs if mine.id and theirs.id}
    return _replace_strings(other, names)


def _replace_strings(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replace_strings(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replace_strings(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value

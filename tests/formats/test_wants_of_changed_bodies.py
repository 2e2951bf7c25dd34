"""Wherever a key of a body is taken away or gets a value of another type, findings say what must be there.

A third of the places drawn is tried a day.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles import wants
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import NOT_KNOWN, Finding, Form
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.text.failure import short_value
from turns import share

BODIES = 12
PLACES = 30
GONE = object()
STRANGE: tuple[Any, ...] = (GONE, None, [], {}, 7, "zz zz/!", True)
NOT_KNOWABLE = json.loads((Path(__file__).parents[1] / "judge" / "not_known.json").read_bytes())["want"]
DIRECTIONS = ("request", "response", "error", "stream")


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", formats.names())
def test_the_required_value_is_wanted(corpus: Corpus, name: str, direction: str) -> None:
    listed = {rule for entry in NOT_KNOWABLE for rule in entry["rules"]}
    findings = [finding for finding in findings_of_changes(corpus, name, direction) if finding.rule not in listed]
    assert len(findings) > 50
    assert [
        where(finding) for finding in findings if finding.want is NOT_KNOWN or wants.shows_no_difference(finding)
    ] == []
    assert [
        where(finding)
        for finding in findings
        if isinstance(finding.want, Form) and short_value(finding.want) == "anything"
    ] == []


def where(finding: Finding) -> str:
    values = f"want {short_value(finding.want)}, got {short_value(finding.got)}"
    return f"{finding.rule} at {finding.pointer}: {finding.message}; {values}"


def findings_of_changes(corpus: Corpus, name: str, direction: str) -> Iterator[Finding]:
    """Findings on the right examples of rules with one place changed; notes are left out."""
    raws = [rule.raw for rule_id, rule in corpus.rules.items() if rule_id.partition("/")[0] == name]
    bodies = [raw["obeys"] for raw in raws if raw["direction"] == direction]
    drawn = random.Random(f"{name} {direction}")
    pairs: list[tuple[Any, tuple[str | int, ...]]] = []
    for body in drawn.sample(bodies, min(len(bodies), BODIES)):
        every = [place for place in places(body) if is_on_the_wire(place, direction)]
        pairs += [(body, place) for place in drawn.sample(every, min(len(every), PLACES))]
    for body, place in pairs if direction == "error" else share(pairs, 3):  # errors are few
        for value in STRANGE:
            findings = check_body(corpus, name, direction, change_place(body, place, value))
            yield from (finding for finding in findings if not finding.is_note)


def places(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values inside a value."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*way, key)
        yield from places(inner, (*way, key))


def is_on_the_wire(place: tuple[str | int, ...], direction: str) -> bool:
    """Whether a translator could have a fault there: the frame that we put around streams and errors is ours."""
    return len(place) > {"stream": 3, "error": 1}.get(direction, 0)


def change_place(body: Any, place: tuple[str | int, ...], value: Any) -> Any:
    fresh = holder = deep_copy(body)
    *way, last = place
    for key in way:
        holder = holder[key]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value
    return fresh

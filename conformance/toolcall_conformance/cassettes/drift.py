"""Where what a provider sends is no longer what the corpus's goldens say: new members, other types, other order.

A golden cannot show everything, so this tells, and fails nothing: rules ``drift/…``, all of them SHOULD or NOTE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from toolcall_conformance.cassettes.identify import Recorded
from toolcall_conformance.cassettes.shapes import Member, Shape, successions, walk, walk_events
from toolcall_conformance.findings import MISSING, Finding, Level
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import parse


@cache
def golden_shapes(corpus: Corpus, format_name: str) -> tuple[Shape, Shape]:
    """The shapes of all golden replies of a format, and of all its golden streams; dialects are left out."""
    replies, streams = Shape(), Shape()
    for case in corpus.cases.values():
        if format_name not in case.formats or format_name in case.dialects:
            continue
        for exchange in case.exchanges(format_name):
            if exchange.response is not None:
                replies.learn(exchange.response)
            if exchange.stream_path is not None:
                streams.learn_stream(parse(exchange.stream_path.read_bytes())["events"])
    return replies, streams


def drift(corpus: Corpus, recorded: Recorded) -> list[Finding]:
    """What a recorded reply has that no golden of its format has, and lacks that all have."""
    replies, streams = golden_shapes(corpus, recorded.format)
    when = f"{recorded.host}, {recorded.date or 'no date'}"
    if recorded.stream is not None:
        events = parse(recorded.stream)["events"]
        return [
            *_members(corpus, streams, walk_events(events), when),
            *_order(corpus, streams, events, when),
        ]
    if recorded.response is not None:
        return list(_members(corpus, replies, walk(recorded.response), when))
    return []


def _members(corpus: Corpus, golden: Shape, found: Iterable[tuple[str, Member]], when: str) -> Iterator[Finding]:
    told: set[str] = set()
    present: dict[str, dict[str, set[str]]] = {}
    for place, member in found:
        parent = place.rpartition("/")[0]
        above = member.pointer.rpartition("/")[0]
        present.setdefault(parent, {}).setdefault(above, set()).add(place)
        if member.type == "object":
            present.setdefault(place, {}).setdefault(member.pointer, set())
        if place in told:
            continue
        types = golden.types.get(place)
        if types is None:
            # Told once, at the topmost new place; below it everything is new.
            if parent in golden.types:
                told.add(place)
                yield _finding(corpus, "drift/new-member", member.pointer, f"{place} ({when})", MISSING, member.type)
        elif member.type not in types and "null" not in (member.type, *types):
            told.add(place)
            yield _finding(
                corpus, "drift/type-changed", member.pointer, f"{place} ({when})", sorted(types), member.type
            )
    for place, objects in present.items():
        for wanted in sorted(golden.always(place)):
            if wanted in told:
                continue
            for pointer, members in objects.items():
                if wanted not in members:
                    told.add(wanted)
                    said = f"{wanted} ({when})"
                    yield _finding(corpus, "drift/member-gone", pointer, said, wanted.rpartition("/")[2], MISSING)
                    break


def _order(corpus: Corpus, golden: Shape, events: list[Any], when: str) -> Iterator[Finding]:
    kinds = {kind for pair in golden.follows for kind in pair}
    told = set()
    for before, kind, number in successions(events):
        if (before, kind) in golden.follows or (before, kind) in told:
            continue
        told.add((before, kind))
        pointer = f"/events/{number}" if number < len(events) else ""
        if kind not in kinds:
            yield _finding(corpus, "drift/new-event", pointer, f"{kind} ({when})", MISSING, kind)
        elif before in kinds:
            yield _finding(corpus, "drift/event-order", pointer, f"{kind} behind {before} ({when})", MISSING, kind)


def _finding(corpus: Corpus, rule: str, pointer: str, said: str, want: Any, got: Any) -> Finding:
    known = corpus.rule(rule)
    return Finding(rule, Level(known.level), pointer, f"{known.breach}: {said}", want, got, element=known.element)

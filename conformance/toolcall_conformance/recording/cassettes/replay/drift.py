"""Where a provider's replies differ from the goldens: new members, other types, another order of events.

A recording of a case of the corpus is compared with that case's golden. Any other is compared with all goldens of its
format: what none of them has, and what all of them have. A golden cannot show everything, so drift must not fail an
item: the rules ``drift/…`` are all SHOULD. The goldens are the provider's own, so at other hosts they are a NOTE: the
circumstance ``unofficial-drift``.

Known differences, ``drift/known/<format>.json`` of the corpus, are no drift: what another setting brings, what a cloud
that hosts the same API adds, and what is documented as optional.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from toolcall_conformance.basics.findings import NOT_KNOWN, Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Corpus, Exchange, read_json
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange
from toolcall_conformance.recording.cassettes.replay.shapes import Member, ReplyPlaces, Shape

IsKnown = Callable[[str, str], bool]
"""Whether a difference is known: the word for it in the corpus (``new``, ``gone``, ``types``, ``order``), its place."""


def known_differences(corpus: Corpus, recorded: RecordedExchange) -> IsKnown:
    """The test for known differences in replies to such a request, at such a host."""
    request_places = frozenset(_request_places(recorded.request))
    entries = [entry for entry in _entries(corpus, recorded.format) if _applies(entry, request_places, recorded.host)]
    patterns: dict[str, list[str]] = {}
    for entry in entries:
        for word, places in entry["places"].items():
            patterns.setdefault(word, []).extend(places)
    return lambda word, place: any(re.fullmatch(pattern, place) for pattern in patterns.get(word, ()))


@cache
def _entries(corpus: Corpus, format_name: str) -> tuple[Mapping[str, Any], ...]:
    path = corpus.root / "drift" / "known" / f"{format_name}.json"
    return tuple(read_json(path)["known"]) if path.is_file() else ()  # a small corpus may do without


def _applies(entry: Mapping[str, Any], request_places: frozenset[str], host: str) -> bool:
    def says(key: str) -> bool:
        return any(re.fullmatch(pattern, place) for pattern in entry[key] for place in request_places)

    return (
        any(fnmatch.fnmatch(host, pattern) for pattern in entry.get("hosts", ("*",)))
        and ("asked" not in entry or says("asked"))
        and ("unasked" not in entry or not says("unasked"))
    )


def _request_places(value: Any, place: str = "") -> Iterator[str]:
    """Every place of a request; of an entry with a type, and of a text or a truth value, also with what it is."""
    yield place
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _request_places(member, f"{place}/{key}")
    elif isinstance(value, list):
        for entry in value:
            kind = entry.get("type") if isinstance(entry, dict) else entry
            yield from _request_places(entry, f"{place}/*={kind}" if isinstance(kind, str) else f"{place}/*")
    elif isinstance(value, bool):
        yield f"{place}={str(value).lower()}"


def drift_findings(corpus: Corpus, recorded: RecordedExchange) -> list[Finding]:
    """Compare the shape of a recorded reply with the goldens; ``pointer`` leads into the reply or its events."""
    golden = golden_of(corpus, recorded)
    streamed = recorded.stream is not None
    if golden is None:
        shape, subject = _golden_shape(corpus, recorded.format, streamed=streamed), recorded.format
    else:
        shape = Shape(ReplyPlaces.of(corpus, recorded.format), enough=1)
        subject = f"{recorded.case}, {recorded.format}"
        _learn(shape, golden, streamed=streamed)
    circumstances = () if recorded.official else ("unofficial-drift",)
    write = _FindingWriter(corpus, f"{subject}; {_origin(recorded)}", circumstances)
    is_known = known_differences(corpus, recorded)
    if recorded.stream is not None:
        events = parse(recorded.stream)["events"]
        members = _members(shape, shape.places.of_events(events), write, is_known)
        return [*members, *_order(shape, events, write, is_known)]
    if recorded.response is not None:
        return list(_members(shape, shape.places.of_body(recorded.response), write, is_known))
    return []


def golden_of(corpus: Corpus, recorded: RecordedExchange) -> Exchange | None:
    """The exchange of the corpus that was recorded, or None."""
    case = corpus.cases.get(recorded.case or "")
    if case is None or recorded.format not in case.formats:
        return None
    exchanges = case.exchanges(recorded.format)
    exchange = exchanges[recorded.exchange - 1] if recorded.exchange <= len(exchanges) else None
    streamed = recorded.stream is not None
    return (
        exchange
        if exchange is not None and (exchange.stream_path if streamed else exchange.response) is not None
        else None
    )


@cache
def _golden_shape(corpus: Corpus, format_name: str, *, streamed: bool) -> Shape:
    """The shape of all golden replies, or streams, of a format, without those of other vendors."""
    shape = Shape(ReplyPlaces.of(corpus, format_name))
    for case in corpus.cases.values():
        if format_name in case.formats and format_name not in case.dialects:
            for exchange in case.exchanges(format_name):
                _learn(shape, exchange, streamed=streamed)
    return shape


def _learn(shape: Shape, exchange: Exchange, *, streamed: bool) -> None:
    if streamed and exchange.stream_path is not None:
        shape.learn_stream(parse(exchange.stream())["events"])
    elif not streamed and exchange.response is not None:
        shape.learn(exchange.response)


def _origin(recorded: RecordedExchange) -> str:
    """Where and when a reply was recorded."""
    host = recorded.host or "no host"
    whose = "" if recorded.official else ", not the provider's own host"
    return f"{host}{whose}, {recorded.date or 'no date'}"


class _FindingWriter:
    """Writes findings: the rule, its place, and where and when the reply was recorded (``subject``)."""

    def __init__(self, corpus: Corpus, subject: str, circumstances: tuple[str, ...]) -> None:
        self._corpus = corpus
        self._subject = subject
        self._circumstances = circumstances

    def __call__(
        self, rule: str, pointer: str, difference: str, want: Any = NOT_KNOWN, got: Any = NOT_KNOWN
    ) -> Finding:
        message = f"{self._corpus.rule(f'drift/{rule}').breach}: {difference} ({self._subject})"
        return make_finding(
            self._corpus, f"drift/{rule}", pointer, message, under=self._circumstances, want=want, got=got
        )


def _members(
    golden: Shape, members: Iterable[tuple[str, Member]], write: _FindingWriter, is_known: IsKnown
) -> Iterator[Finding]:
    reported: set[str] = set()
    objects: dict[str, dict[str, set[str]]] = {}  # by place, and pointer: the places of the members
    for place, member in members:
        if member.type == "object":
            objects.setdefault(place, {}).setdefault(member.pointer, set())
        parent, above = place.rpartition("/")[0], member.pointer.rpartition("/")[0]
        if parent in objects and above in objects[parent]:
            objects[parent][above].add(place)
        types = golden.types.get(place)
        if place in reported:
            continue
        # Reported at the topmost place alone: everything below it is new, too. A null says nothing.
        if types is None and parent in golden.types and parent not in reported and member.type != "null":
            reported.add(place)
            if not is_known("new", place):
                yield write("new-member", member.pointer, place, got=member.type)
        elif types is not None and member.type not in types and "null" not in (member.type, *types):
            reported.add(place)
            if not is_known("types", place):
                yield write("type-changed", member.pointer, place, sorted(types), member.type)
    for place, each in objects.items():
        for expected in sorted(golden.always(place) - reported):
            lacking = next((pointer for pointer, members in each.items() if expected not in members), None)
            if lacking is not None and not is_known("gone", expected):
                yield write("member-gone", lacking, expected, expected.rpartition("/")[2])


def _order(golden: Shape, events: list[Any], write: _FindingWriter, is_known: IsKnown) -> Iterator[Finding]:
    kinds = {kind for pair in golden.follows for kind in pair}
    reported = set()
    for before, kind, number in golden.places.successions(events):
        if (before, kind) in golden.follows or (before, kind) in reported:
            continue
        reported.add((before, kind))
        pointer = f"/events/{number}" if number < len(events) else ""
        if kind not in kinds:
            if not is_known("new", kind):
                yield write("new-event", pointer, kind, got=kind)
        elif before in kinds and not is_known("order", f"{kind} after {before}"):
            yield write("event-order", pointer, f"{kind} after {before}", got=kind)

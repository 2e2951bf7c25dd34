"""Marks findings at places that an adapter made up, since its library has only a part of an API.

Only findings of a format's own rules are marked, and only about elements that the circumstance names. A place that
encloses, or is in, what is judged (a call, a result, a text, a tool) is refused: no adapter may make that up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, OpenOutcome
from toolcall_conformance.judge.levels import apply_circumstances, make_finding
from toolcall_conformance.library import Corpus

MADE_UP_CIRCUMSTANCE: Final = "adapter-made-it-up"
# What an event of a stream may hold, by the key under which a format's transport says where.
_TRANSPORT_KEY_BY_PART: Final = {"text": "said", "call": "call_names", "call's arguments": "arguments"}


@dataclass(slots=True)
class MadeUpPlaces:
    """The places that an item's sessions declare as made up, by the formats of the route and the operation."""

    places: dict[tuple[str, str, str], dict[str, None]] = field(default_factory=dict)

    def record(self, route: Route, opened: OpenOutcome) -> OpenOutcome:
        """Record the places of a session that was opened; returns ``opened``."""
        if isinstance(opened, Opened):
            for operation, places in opened.session.made_up.items():
                key = (route.client, route.upstream, operation)
                self.places.setdefault(key, {}).update(dict.fromkeys(places))
        return opened

    def places_in(self, route: Route, body_label: str) -> Sequence[str]:
        """The made-up places in the body with a label."""
        return tuple(self.places.get((route.client, route.upstream, _operation(body_label)), ()))


def mark_made_up(
    corpus: Corpus,
    route: Route,
    made_up_places: MadeUpPlaces,
    findings: Iterable[Finding],
    played: Iterable[PlayedBodies],
) -> list[Finding]:
    """The findings; those at made-up places are marked.

    If the adapter claims what is judged, that is reported before them, and nothing is marked.
    """
    if not made_up_places.places:
        return list(findings)
    claimed = list(_claims(corpus, route, made_up_places, played))
    if claimed:
        return [*claimed, *findings]
    return [_mark(corpus, entry, made_up_places.places_in(route, entry.body)) for entry in findings]


def _mark(corpus: Corpus, entry: Finding, places: Sequence[str]) -> Finding:
    """The finding, marked and lowered if it is at one of the made-up ``places``."""
    of_format = entry.rule.partition("/")[0] in formats.names()  # what a translation must carry is not made up
    bears = corpus.circumstance(MADE_UP_CIRCUMSTANCE).bears_on(entry.rule, entry.element)
    if not of_format or not bears or not any(_is_at(entry.pointer, place) for place in places):
        return entry
    return replace(apply_circumstances(corpus, entry, [MADE_UP_CIRCUMSTANCE]), made_up=entry.level)


def _claims(
    corpus: Corpus, route: Route, made_up_places: MadeUpPlaces, played: Iterable[PlayedBodies]
) -> Iterator[Finding]:
    """For each body, the finding on the first place where it claims to have made up what is judged."""
    for bodies in played:
        for body_label, output in (
            (bodies.name, bodies.produced),
            (f"{bodies.name}, assembled", bodies.files.get("assembled.json")),
        ):
            places = made_up_places.places_in(route, body_label)
            if not places or output is MISSING or output is None:
                continue
            format_name = route.upstream if _operation(body_label) == "request" else route.client
            judged = _judged_parts(corpus, format_name, _operation(body_label), output)
            claim = next(((place, *what) for what in judged for place in places if _meet(place, what[1])), None)
            if claim is not None:
                yield _claim_finding(corpus, body_label, format_name, *claim)


def _claim_finding(corpus: Corpus, body_label: str, format_name: str, place: str, part: str, pointer: str) -> Finding:
    message = (
        f"made_up lists {place} of {_operation(body_label)}, where there is a {part} ({pointer}): an adapter cannot "
        "make up what is judged; list only places around it"
    )
    element = corpus.rule("translation/protocol-error").element
    refused = make_finding(corpus, "translation/protocol-error", pointer, message, element=element, body=body_label)
    return replace(refused, format=format_name)


def _judged_parts(corpus: Corpus, format_name: str, operation: str, body: Any) -> Iterator[tuple[str, str]]:
    """The parts that a translation is judged by, each with its pointer; of a stream all places in events for them."""
    if operation == "stream":
        transport = corpus.transports[format_name]["stream"]
        for part, key in _TRANSPORT_KEY_BY_PART.items():
            yield from ((part, f"/events/*/data{entry['at']}") for entry in transport.get(key, ()))
        return
    reading = formats.read(format_name, operation, body)
    yield from (("tool", tool.pointer) for tool in reading.tools)
    yield from (("system prompt", text.pointer) for text in reading.system)
    yield from ((type(item).__name__.lower(), item.pointer) for turn in reading.turns for item in turn.items)


def _operation(body_label: str) -> str:
    """The operation that made a body, by its name (``02-request``); a stream that is put together is a reply."""
    name, _, together = body_label.partition(", ")
    if ".sse" in name:
        return "response" if together else "stream"
    return name.partition(".")[0].rpartition("-")[2]


def _is_at(pointer: str, place: str) -> bool:
    """Whether a pointer is at a place or inside it. The empty place is the whole body only, and nothing inside it."""
    if not place:
        return not pointer
    pairs = zip(pointer.split("/"), place.split("/"), strict=False)
    return pointer.count("/") >= place.count("/") and all(step in (token, "*") for token, step in pairs)


def _meet(place: str, pointer: str) -> bool:
    """Whether one of the two may be at or inside the other; the empty place encloses nothing."""
    pairs = zip(pointer.split("/"), place.split("/"), strict=False)
    return bool(place) and all(token == other or "*" in (token, other) for token, other in pairs)

"""The bodies that an item's findings are about, for reports. Letters tell which call each id belongs to."""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.differences import find_differences
from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.known_secrets import redact_secrets
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.engine.client_reactions import is_about
from toolcall_conformance.judge.translation.calls.align import align_calls
from toolcall_conformance.library import Corpus

# Longer texts in bodies are cut: a page shows faults, not pictures.
_MAX_TEXT = 2_000
_MAX_BODY = 200_000
_MAX_DIFFERENCES = 30
_RECORDED_LABEL = "reply"
"""The label of a recorded body that is compared with the golden of its case."""
_BODY_KIND = re.compile("request|response|error")
_STREAM_FILES = {"sent": "sent.sse", "received": "received.sse", "usual": "usual.sse"}


def shown_bodies(corpus: Corpus, route: Route, result: ItemResult) -> list[dict[str, Any]]:
    """The bodies of each exchange with a finding: ``name``, ``parts``, ``differs``, ``marks`` and ``ids`` by part."""
    body_labels = {finding.body for finding in result.findings}
    about = [
        exchange
        for exchange in result.played
        if any(is_about(body_label, exchange, result.played) for body_label in body_labels)
    ]
    return [_exchange_entry(corpus, route, exchange) for exchange in about]


def _exchange_entry(corpus: Corpus, route: Route, played: PlayedBodies) -> dict[str, Any]:
    parts = dict(_exchange_parts(played))
    labels = _label_parts(corpus, route, played.name, parts)
    entry: dict[str, Any] = {
        "name": played.name,
        "parts": {name: _shorten_body(part) for name, part in parts.items()},
    }
    marks = {name: label.places for name, label in labels.items() if label.places and name not in _STREAM_FILES}
    ids = {name: label.ids for name, label in labels.items() if label.ids and name in _STREAM_FILES}
    differs = _golden_differences(corpus, route, played.name, parts)
    return entry | {key: value for key, value in (("marks", marks), ("ids", ids), ("differs", differs)) if value}


def _golden_differences(corpus: Corpus, route: Route, body_label: str, parts: Mapping[str, Any]) -> list[str]:
    """A line for each difference of the output from the golden that the judge does not accept."""
    direction = _BODY_KIND.search(body_label)
    bodies = [parts.get("golden"), parts.get("produced")]
    if not all(isinstance(body, dict) and _is_small(body) for body in bodies):
        return []
    if body_label == _RECORDED_LABEL:  # a model writes other words each time; only lost and new members matter
        differences = find_differences(parts["golden"], parts["produced"])
        return [
            redact_secrets(str(difference))
            for difference in differences
            if MISSING in (difference.want, difference.got)
        ][:_MAX_DIFFERENCES]
    if direction is None or direction[0] == "error":
        return []
    target_format = route.upstream if direction[0] == "request" else route.client
    back = "source" in parts and parts["source"] is parts["golden"]
    if back or target_format not in formats.names():
        return []
    from toolcall_conformance.judge.bodies import find_golden_differences

    differences = find_golden_differences(corpus, target_format, direction[0], parts["golden"], parts["produced"])
    return [redact_secrets(str(difference)) for difference in differences[:_MAX_DIFFERENCES]]


def _exchange_parts(played: PlayedBodies) -> Iterator[tuple[str, Any]]:
    """The bodies of an exchange by their part; of a stream also its events."""
    streamed = "received.sse" in played.files
    for name, body in (("source", played.source), ("produced", played.produced), ("golden", played.golden)):
        if body is not MISSING and body is not None and not (streamed and name == "produced"):
            yield name, body
    for name, end in _STREAM_FILES.items():
        if end in played.files:
            yield name, parse(played.files[end])
    if "assembled.json" in played.files:
        yield "assembled", played.files["assembled.json"]


def _is_small(body: Any) -> bool:
    """Whether a body may be compared in the time that a report has."""
    try:
        return len(json.dumps(body)) <= _MAX_BODY
    except (ValueError, RecursionError, TypeError):
        return False


@dataclass(slots=True)
class _CallLabels:
    """The letters of the calls of a body: by pointer, and by id."""

    places: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def add(self, pointer: str, call_id: str | None, label: str) -> None:
        self.places[pointer] = label
        if call_id and self.ids.setdefault(call_id, label) != label:
            self.ids[call_id] = f"{self.ids[call_id]}/{label}"


def _label_parts(corpus: Corpus, route: Route, body_label: str, parts: Mapping[str, Any]) -> dict[str, _CallLabels]:
    """Label the calls of all bodies by the call of the source that they correspond to."""
    direction = _BODY_KIND.search(body_label)
    if direction is None or direction[0] == "error":
        return {}
    request = direction[0] == "request"
    source_format, target_format = (route.client, route.upstream) if request else (route.upstream, route.client)
    if not {source_format, target_format} <= set(formats.names()):
        return {}
    # The output of a round trip has the format of its source.
    back = "source" in parts and parts["source"] is parts.get("golden")
    readings = {
        part: _read_part(
            source_format if back or part in ("source", "sent") else target_format, part, direction[0], body
        )
        for part, body in parts.items()
    }
    source = readings.get("source") or readings.get("sent")
    if source is None:
        return {}
    return {part: _label_calls(corpus, source, reading) for part, reading in readings.items()}


def _read_part(format_name: str, part: str, body_kind: str, body: Any) -> Reading:
    """Read a body in its format; of a stream, the reply that its events assemble to."""
    whole = formats.assemble(format_name, body).body if part in _STREAM_FILES else body
    return formats.read(format_name, body_kind, whole)


def _label_calls(corpus: Corpus, source: Reading, reading: Reading) -> _CallLabels:
    pairs = (
        {number: number for number in range(len(source.calls))}
        if reading is source
        else align_calls(corpus, source, reading, {}).pairs
    )
    letters = {mine: _letter(number) for number, mine in pairs.items()}
    labels = _CallLabels()
    for call in reading.calls:
        labels.add(call.id_pointer or call.pointer, call.id, letters.get(call.ordinal, f"+{call.ordinal + 1}"))
    for result in reading.results:
        label = "?" if result.call is None else letters.get(result.call, f"+{result.call + 1}")
        labels.add(result.id_pointer or result.pointer, None if label == "?" else result.id, label)
    return labels


def _letter(number: int) -> str:
    """A, B, … Z, AA, AB, …"""
    above, index = divmod(number, len(string.ascii_uppercase))
    return (_letter(above - 1) if above else "") + string.ascii_uppercase[index]


def _shorten_body(body: Any) -> Any:
    """A body with long texts cut; if it is still too long, the beginning of its JSON text."""
    try:
        cut = _shorten_texts(body)
        text = json.dumps(cut)
    except (RecursionError, TypeError, ValueError):
        return "(nested too deep, or no JSON)"
    return cut if len(text) <= _MAX_BODY else f"{redact_secrets(text)[:_MAX_TEXT]}… ({len(text)} characters)"


def _shorten_texts(value: Any) -> Any:
    if isinstance(value, str):
        if len(value) <= _MAX_TEXT:
            return value
        return f"{redact_secrets(value)[:_MAX_TEXT]}… ({len(value)} characters)"
    if isinstance(value, list):
        return [_shorten_texts(item) for item in value]
    if isinstance(value, dict):
        return {key: _shorten_texts(item) for key, item in value.items()}
    # JSON has no word for what a translator in Python may send.
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)

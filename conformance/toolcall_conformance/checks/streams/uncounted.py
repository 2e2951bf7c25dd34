"""A provider's stream for a request that does not ask for its token counts: the counts are not in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, parse, to_json
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.basics.streaming.event_data import event_data, rewrite_data
from toolcall_conformance.judge.translation.settings.stream_settings import is_uncounted_stream
from toolcall_conformance.library import Corpus


def as_asked(corpus: Corpus, name: str, stream: bytes, sent: Any) -> bytes:
    """The ``stream`` of the format ``name`` as the API sends it for the request that was ``sent``.

    Without counts that were not asked for go the event that brings them alone, and the null before it. Counts in an
    event that says more stay: only compatible servers send such, and they send them unasked.
    """
    if not is_uncounted_stream(corpus, name, sent):
        return stream
    counts = corpus.transports[name]["stream"]["counts"]
    pieces = (piece for piece in cuts.split_events(stream) if not _brings_counts_alone(piece, counts))
    return rewrite_data(b"".join(pieces), lambda data: _without_null(data, counts["key"]))


def _brings_counts_alone(piece: bytes, counts: Mapping[str, str]) -> bool:
    bodies = [_body(data.text) for data in event_data(piece.decode("utf-8", "surrogateescape"))]
    return len(bodies) == 1 and bodies[0].get(counts["alone"]) == [] and bodies[0].get(counts["key"]) is not None


def _without_null(data: str, key: str) -> str:
    body = _body(data)
    if key not in body or body[key] is not None:
        return data
    del body[key]
    return to_json(body)


def _body(data: str) -> dict[str, Any]:
    try:
        body = parse(data)
    except JSONError:
        return {}
    return body if isinstance(body, dict) else {}

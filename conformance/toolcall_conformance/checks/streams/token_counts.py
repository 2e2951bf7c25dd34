"""Drops the token counts from a provider's stream, for a request that does not ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, parse, to_json
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.basics.streaming.event_data import event_data, rewrite_data
from toolcall_conformance.judge.translation.settings.stream_settings import is_uncounted_stream
from toolcall_conformance.library import Corpus


def drop_unasked_counts(corpus: Corpus, format_name: str, stream: bytes, upstream_request: Any) -> bytes:
    """The ``stream`` of the format ``format_name`` as the API sends it in reply to ``upstream_request``.

    Counts that were not asked for are dropped with the event that has them alone, and the null before it. Counts in an
    event with more content stay: only compatible servers send such, and they send them unasked.
    """
    if not is_uncounted_stream(corpus, format_name, upstream_request):
        return stream
    counts = corpus.transports[format_name]["stream"]["counts"]
    pieces = (piece for piece in cuts.split_events(stream) if not _has_counts_alone(piece, counts))
    return rewrite_data(b"".join(pieces), lambda data: _drop_null(data, counts["key"]))


def _has_counts_alone(piece: bytes, counts: Mapping[str, str]) -> bool:
    bodies = [_event_body(data.text) for data in event_data(piece.decode("utf-8", "surrogateescape"))]
    return len(bodies) == 1 and bodies[0].get(counts["alone"]) == [] and bodies[0].get(counts["key"]) is not None


def _drop_null(data: str, key: str) -> str:
    body = _event_body(data)
    if key not in body or body[key] is not None:
        return data
    del body[key]
    return to_json(body)


def _event_body(data: str) -> dict[str, Any]:
    try:
        body = parse(data)
    except JSONError:
        return {}
    return body if isinstance(body, dict) else {}

"""Reads lists of JSON values, a line each or as one list: exchanges in wrappers, or requests and replies in turn.

OpenTelemetry's GenAI events hold messages of their own shape, and no bodies of an API, so they are refused:
https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from toolcall_conformance.formats.recognition import recognise_body
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.captures import litellm
from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, UnreadableCaptureError, body_of

NO_BODY = "a {} with no body of a known API"
_REQUESTS = ("request", "request_body", "requestBody", "req", "reqPayload", "input", "body", "payload")
_REPLIES = ("response", "response_body", "responseBody", "res", "resp", "respPayload", "reply", "output", "result")
_BODIES = ("body", "json", "data", "content", "text", "payload")
_ADDRESSES = ("url", "uri", "path", "endpoint")
_STATUSES = ("status", "status_code", "statusCode", "code")
_TIMES = ("at", "time", "timestamp", "ts", "startTime", "start_time", "created_at", "requestedAt", "startedDateTime")
_MILLISECONDS = 1e11
"""Numbers above count milliseconds since 1970, not seconds."""


def read(corpus: Corpus, values: Sequence[Any], word: str) -> Capture:
    """The exchanges in values; their names are ``word`` and a number: ``line 1``. Raises UnreadableCaptureError."""
    if any(is_telemetry(value) for value in values):
        raise UnreadableCaptureError(
            "it holds OpenTelemetry's GenAI messages, which are no bodies of an API: they hold neither what a client "
            "sent nor what a provider got; log the bodies (a HAR, JSON lines of request and response)"
        )
    skipped: Counter[str] = Counter()
    exchanges = [*_pair_halves([*_each(corpus, values, word, skipped)])]
    logged = any(litellm.is_payload(value) for value in values)
    return Capture("LiteLLM's log" if logged else f"JSON, {word} by {word}", exchanges, skipped)


def _each(corpus: Corpus, values: Sequence[Any], word: str, skipped: Counter[str]) -> Iterator[CapturedExchange]:
    for number, value in enumerate(values, 1):
        name = f"{word} {number}"
        exchange = litellm.exchange(name, value) if litellm.is_payload(value) else _exchange(corpus, name, value)
        if exchange is None and litellm.is_payload(value):
            kind = value["call_type"]
            skipped[f"a payload of LiteLLM's own mixture of formats ({kind}); its debug log has the bodies"] += 1
        elif exchange is None:
            skipped[NO_BODY.format(word)] += 1
        else:
            yield exchange


def _exchange(corpus: Corpus, name: str, value: Any) -> CapturedExchange | None:
    """The exchange in a value, whole or only its request or reply; None for a value without a known body."""
    if not isinstance(value, dict):
        return None
    if kinds := recognise_body(corpus, value):
        direction = kinds[0].direction
        return CapturedExchange(name, request=value) if direction == "request" else CapturedExchange(name, reply=value)
    request_member, reply_member = _member(value, _REQUESTS), _member(value, _REPLIES)
    request, (reply, stream) = _value(request_member), _reply(reply_member)
    request = request if recognise_body(corpus, request, ["request"]) else None
    if request is None and reply is None and stream is None:
        return None
    wrappers = [holder for holder in (value, request_member, reply_member) if isinstance(holder, dict)]
    status = next(
        (
            holder[key]
            for holder in (reply_member, value)
            if isinstance(holder, dict)
            for key in _STATUSES
            if key in holder
        ),
        None,
    )
    return CapturedExchange(
        name,
        request,
        reply,
        stream,
        str(
            next((wrapper[key] for wrapper in wrappers for key in _ADDRESSES if isinstance(wrapper.get(key), str)), "")
        ),
        status if isinstance(status, int) and 100 <= status < 600 else None,
        next((seconds for key in _TIMES if (seconds := _seconds(value.get(key))) is not None), None),
    )


def _pair_halves(halves: Sequence[CapturedExchange]) -> Iterator[CapturedExchange]:
    """The exchanges; a request without a reply gets the reply that follows it."""
    waiting: CapturedExchange | None = None
    for half in halves:
        if half.request is None and waiting is not None:
            at = waiting.time if waiting.time is not None else half.time
            name = f"{waiting.name} and {half.name}"
            yield CapturedExchange(
                name, waiting.request, half.reply, half.stream, waiting.url or half.url, half.status, at
            )
            waiting = None
            continue
        if waiting is not None:
            yield waiting
        waiting = half if half.reply is None and half.stream is None else None
        if waiting is None:
            yield half
    if waiting is not None:
        yield waiting


def _member(value: dict[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if name in value), None)


def _value(wrapped: Any) -> Any:
    """The JSON value in a wrapper: itself, that of a member for bodies, or that of a text in JSON."""
    if isinstance(wrapped, str):
        return body_of(wrapped)
    if isinstance(wrapped, dict):
        for name in _BODIES:
            inner = wrapped.get(name)
            if isinstance(inner, dict) or (isinstance(inner, str) and inner.lstrip()[:1] == "{"):
                return _value(inner)
    return wrapped


def _reply(wrapped: Any) -> tuple[Any, bytes | None]:
    """A reply's JSON value, or its bytes where it is a stream."""
    text = wrapped
    if isinstance(wrapped, dict):
        text = next((wrapped[name] for name in _BODIES if isinstance(wrapped.get(name), str)), None)
    if isinstance(text, str) and text.lstrip().startswith(("data:", "event:", ":")):
        return None, text.encode()
    reply = _value(wrapped)
    return (reply if isinstance(reply, (dict, list)) else None), None


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value / 1000 if value > _MILLISECONDS else float(value)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None


_PREFIX = "gen_ai."
_MAX_LEVELS = 6


def is_telemetry(value: Any, depth: int = 0) -> bool:
    """Whether a value is a record of OpenTelemetry's about a GenAI call, or a list of such."""
    if depth > _MAX_LEVELS:
        return False
    if isinstance(value, dict):
        names = [key for key in value if isinstance(key, str)]
        values = [value.get(key) for key in ("key", "name", "event_name", "eventName", "event.name")]
        if any(name.startswith(_PREFIX) for name in [*names, *(text for text in values if isinstance(text, str))]):
            return True
        inner = (
            "attributes",
            "resourceLogs",
            "scopeLogs",
            "logRecords",
            "resourceSpans",
            "scopeSpans",
            "spans",
            "events",
        )
        return any(is_telemetry(value[key], depth + 1) for key in inner if key in value)
    return isinstance(value, list) and any(is_telemetry(entry, depth + 1) for entry in value[:50])

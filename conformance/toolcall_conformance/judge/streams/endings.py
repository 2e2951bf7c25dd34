"""Judges the ends of streams whose source broke off or failed: the client must learn of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Tolerated
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.judge.context import AnyRoute
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.outcome.stream_ends import compare_stream_ends, compare_text_beginnings
from toolcall_conformance.judge.translation.outcome.upstream_errors import compare_message, record_error_details
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.library import Corpus


def judge_end(
    corpus: Corpus, client: str, sent: Assembled, received: Assembled, output: dict[str, Any], how: str
) -> list[Finding]:
    """Judge the end of a client's stream whose source broke off or failed; ``how`` describes that in words."""
    finish = formats.read(client, "response", received.body).finish if received.end == "whole" else None
    reason = None if finish is None else finish.reason
    return [*compare_stream_ends(corpus, sent, received, how, last_pointer=last_event_pointer(output), reason=reason)]


def compare_broken_reply(
    corpus: Corpus,
    replies: tuple[Assembled, Assembled],
    route: AnyRoute,
    how: str,
    output: dict[str, Any],
    *,
    accepted: list[Tolerated] | None = None,
) -> list[Finding]:
    """Compare the part of a broken reply that was sent, and its error, with what the client received."""
    sent, received = replies
    source_reading = formats.read(route.upstream, "response", sent.body)
    output_reading = formats.read(route.client, "response", received.body)
    stops, last = received.end == "open", last_event_pointer(output)
    return [
        *compare_text_beginnings(corpus, source_reading, output_reading, how, stops=stops, last_pointer=last),
        *_compare_errors(corpus, replies, route, last, accepted),
    ]


def _compare_errors(
    corpus: Corpus,
    replies: tuple[Assembled, Assembled],
    route: AnyRoute,
    last_pointer: str,
    accepted: list[Tolerated] | None,
) -> Iterable[Finding]:
    """Compare the message of the error that a stream ended with, which has no status of its own."""
    before, after = (
        formats.read(name, "error", {"body": reply.error})
        for name, reply in zip((route.upstream, route.client), replies, strict=True)
    )
    sides = Sides(corpus, before, after, accepted=accepted)
    record_error_details(sides, (last_pointer, ""))
    return compare_message(sides, (last_pointer, ""))


def last_event_pointer(stream: dict[str, Any]) -> str:
    """The pointer of a stream's last event; empty, for the whole stream, if it has none."""
    return f"/events/{len(stream['events']) - 1}" if stream.get("events") else ""


def check_open_stream(corpus: Corpus, client: str, output: dict[str, Any], received: Assembled) -> list[Finding]:
    """Check a stream that ends with its broken source; the end itself is no breach.

    The API's own error is added at the end, after which the rules demand nothing more of a reply.
    """
    if received.end != "open":
        return check_body(corpus, client, "stream", output)
    events = output["events"]
    stream = {"events": [*events, corpus.transports[client]["stream"]["error"]]}
    if "broken" in output:
        stream["broken"] = output["broken"]
    added = f"/events/{len(events)}/"
    findings = check_body(corpus, client, "stream", stream)
    # A finding on the list of the events as a whole says what is missing at its end.
    return [
        finding for finding in findings if finding.pointer != "/events" and not f"{finding.pointer}/".startswith(added)
    ]

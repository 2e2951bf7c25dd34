"""Judges the stream that a client received: alone, or against what the upstream sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Finding, Judgement, Tolerated, Words
from toolcall_conformance.basics.jsonvalue import JSONError, equal
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.streaming import read
from toolcall_conformance.judge.bodies import judge_body
from toolcall_conformance.judge.consequences import suppress
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, AnyRoute, Requests
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.endings import (
    check_open_stream,
    compare_broken_reply,
    judge_end,
    last_event_pointer,
)
from toolcall_conformance.judge.streams.excuses import (
    excuse_inherited_breaches,
    excuse_odd_arguments,
    is_stream,
    raw_arguments_of,
)
from toolcall_conformance.judge.streams.locations import (
    event_number,
    event_words,
    inside_call_test,
    locate_in_assembled,
)
from toolcall_conformance.judge.translation.outcome import outcome
from toolcall_conformance.judge.translation.outcome.stream_ends import compare_calls_at_limit
from toolcall_conformance.library import Corpus


def judge_stream(
    corpus: Corpus,
    source: Any,
    output: bytes | dict[str, Any],
    route: AnyRoute,
    *,
    requests: Requests = UNKNOWN_REQUESTS,
    vendor: bool = False,
    declared: Collection[str] = (),
    captured: bool = False,
    tolerated: bool = False,
    how: str = "",
    rename_for_client: Callable[[Any], Any] = lambda reply: reply,
) -> Judgement:
    """Judge a client's stream, alone or against what the upstream sent; see ``Judge.stream``.

    Where the source broke off or failed, the client must learn of it. Findings point into the stream
    (``/events/3/data/index``; ``subject`` counts the event from 1), or, if ``body`` is :data:`ASSEMBLED_REPLY`, into
    the assembled reply. ``rename_for_client`` gives a whole reply of the upstream's the client's tool names.
    """
    source = _unary_body_or_stream(source)
    sent = _assemble_source(route.upstream, source)
    if sent is not None and sent.end == "whole":
        sent = replace(sent, body=rename_for_client(sent.body))
    pair = _StreamPair(
        corpus,
        parse_stream(source),
        parse_stream(output),
        route,
        sent,
        _assemble_output(route.client, output, sent),
        [] if tolerated else None,
    )
    wrong = _report_other_format(pair)
    if wrong is not None:
        return Judgement((wrong,))
    stream_findings, received = _own_breaches(pair), pair.received
    costs = _check_failed_usage(pair) if pair.may_fail and received.end == "failed" else None
    if sent is not None and sent.end != "whole":
        findings = (*stream_findings, *(costs or ()), *_judge_broken(pair, stream_findings, how))
        return Judgement(findings, tolerated=tuple(pair.accepted or ()))
    if costs is not None:
        as_error = Tolerated("finish-next-best", last_event_pointer(pair.output), "", MISSING, received.error)
        return Judgement((*stream_findings, *costs), tolerated=(as_error,) if tolerated else ())
    if sent is None:
        return Judgement(_judge_alone(pair, stream_findings) if received.end == "whole" else tuple(stream_findings))
    if received.body is None:
        return Judgement((*stream_findings, _report_missing_reply(pair)))
    reply_judgement = judge_body(
        corpus,
        sent.body,
        received.body,
        route,
        "response",
        requests=requests,
        vendor=vendor or not is_stream(pair.source),  # one format says it in other words streamed than unary
        declared=declared,
        captured=captured,
        tolerated=tolerated,
        raw_arguments=raw_arguments_of(received),
        source_raw_arguments=raw_arguments_of(sent),
        streamed=True,
    )
    cut = list(_report_cut_calls(pair, sent))
    others = suppress(corpus, reply_judgement.findings, cut)
    return replace(reply_judgement, findings=(*_join_findings(pair, stream_findings, others), *cut))


@dataclass(frozen=True)
class _StreamPair:
    """The source (the upstream's stream, unary reply, or None) and the client's stream, both parsed and assembled."""

    corpus: Corpus
    source: Any
    output: dict[str, Any]
    route: AnyRoute
    sent: Assembled | None
    received: Assembled
    accepted: list[Tolerated] | None = None

    @cached_property
    def may_fail(self) -> bool:
        """Whether the client may get an error instead of the reply."""
        if self.sent is None:
            return False
        return outcome.may_become_error(self.corpus, formats.read(self.route.upstream, "response", self.sent.body))


def _join_findings(
    pair: _StreamPair, stream_findings: list[Finding], findings: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The findings on a stream and on its assembled reply, each fault once."""
    corpus, client, received = pair.corpus, pair.route.client, pair.received
    stream_findings = suppress(corpus, stream_findings, findings, is_inside=inside_call_test(corpus, client, received))
    findings = suppress(
        corpus,
        findings,
        findings,
        conditions=["stream-broken"] if any(breach.is_must for breach in stream_findings) else [],
    )
    reported = {breach.rule for breach in stream_findings}  # some rules apply to an event and to the whole reply alike
    rest = [breach for breach in findings if breach.rule not in reported]
    return (*stream_findings, *locate_in_assembled(client, pair.output, received, rest))


def _report_cut_calls(pair: _StreamPair, sent: Assembled) -> Iterator[Finding]:
    """The findings for a call that the token limit cut and that the client receives as whole."""
    source_reading = formats.read(pair.route.upstream, "response", sent.body)
    last = last_event_pointer(pair.output)
    for difference in compare_calls_at_limit(pair.corpus, sent, source_reading, pair.received, last_pointer=last):
        yield _add_event_words(pair.output, difference)


def _judge_alone(pair: _StreamPair, stream_findings: list[Finding]) -> tuple[Finding, ...]:
    """The findings on a stream without a known source, and on its reply."""
    client, model = pair.route.client, pair.route.client_model
    findings = check_body(pair.corpus, client, "response", pair.received.body, model=model)
    return _join_findings(pair, stream_findings, findings)


def _judge_broken(pair: _StreamPair, stream_findings: Sequence[Finding], how: str) -> Iterator[Finding]:
    """The findings on a client's stream whose source broke off or failed: on its end, and on the part before."""
    sent, received = pair.sent, pair.received
    assert sent is not None
    how = how or ("failed" if sent.end == "failed" else "breaks off")
    findings = judge_end(pair.corpus, pair.route.client, sent, received, pair.output, how)
    if not any(fault.is_must for fault in (*stream_findings, *findings)):  # of a broken stream one fault is enough
        replies, output = (sent, received), pair.output
        findings += compare_broken_reply(pair.corpus, replies, pair.route, how, output, accepted=pair.accepted)
    return (_add_event_words(pair.output, fault) for fault in findings)


def parse_stream(stream: Any) -> Any:
    """Parse the bytes of a stream; anything else is returned as it is."""
    return read(bytes(stream)) if isinstance(stream, (bytes, bytearray)) else stream


def _unary_body_or_stream(source: Any) -> Any:
    """The source, parsed if it is the bytes of a unary reply: one JSON object, and no event."""
    if not isinstance(source, (bytes, bytearray)) or parse_stream(source)["events"]:
        return source
    try:
        body = parse_json(bytes(source))
    except JSONError:
        return source
    return body if isinstance(body, dict) else source


def assemble_stream(format_name: str, stream: bytes | dict[str, Any]) -> Assembled:
    """The assembled stream. Equal bytes share one result: never change it."""
    if isinstance(stream, (bytes, bytearray)):
        return formats.assemble_bytes(format_name, bytes(stream))
    return formats.assemble(format_name, stream)


def _own_breaches(pair: _StreamPair) -> list[Finding]:
    """The breaches of the client's format; those inherited from the source are notes."""
    corpus, sent, client = pair.corpus, pair.sent, pair.route.client
    if sent is None or sent.end == "whole":
        findings = check_body(corpus, client, "stream", pair.output, assembled=pair.received)
    else:
        findings = check_open_stream(corpus, client, pair.output, pair.received)
    if sent is not None:
        findings = excuse_odd_arguments(corpus, pair.route, findings, sent.body, pair.received)
    inherited = excuse_inherited_breaches(corpus, findings, pair.source, pair.route)
    return [_add_event_words(pair.output, breach) for breach in inherited]


def _report_other_format(pair: _StreamPair) -> Finding | None:
    """The one finding for a stream that was passed through untranslated, or is of another format; else None."""
    corpus, client = pair.corpus, pair.route.client
    handed_on = _report_untranslated(corpus, pair.source, pair.output, pair.route)
    if handed_on is not None or _is_reply_of(corpus, client, pair.received):
        return handed_on
    looks = matching_formats(corpus, pair.output)
    if not looks:
        return None
    message = f"no event belongs to a reply of {client}; they look like {' or '.join(looks)}"
    return make_finding(
        corpus,
        "translation/target-format",
        "",
        message,
        want=Words(client),
        got=Words(" or ".join(looks)),
        source="",
        element="body",
    )


def _check_failed_usage(pair: _StreamPair) -> list[Finding]:
    """The findings on the token counts of a failed reply: the tokens before the failure are billed as usual."""
    client, received = pair.route.client, pair.received
    if received.body is None:
        return []
    findings = check_body(pair.corpus, client, "response", received.body)
    return locate_in_assembled(
        client, pair.output, received, [breach for breach in findings if breach.element == "usage"]
    )


def _report_missing_reply(pair: _StreamPair) -> Finding:
    """The finding for a client's stream without a reply, though the upstream's reply is whole."""
    received = pair.received
    got = "nothing of it" if pair.output["events"] else "an empty stream"
    return make_finding(
        pair.corpus,
        "translation/target-format",
        "",
        f"the upstream's reply is whole, and the client gets {'an error' if received.end == 'failed' else got}",
        want=Words(f"a reply of {pair.route.client}"),
        got=MISSING if received.error is None else received.error,
        source="",
        element="body",
    )


def _report_untranslated(corpus: Corpus, source: Any, output: dict[str, Any], route: AnyRoute) -> Finding | None:
    """The one finding for a client of another format that received the upstream's very events; else None."""
    sent = source.get("events") if isinstance(source, dict) else None
    if not sent or route.client == route.upstream or not equal(sent, output.get("events")):
        return None
    message = "the stream went through unchanged"
    return make_finding(
        corpus,
        "translation/target-format",
        "",
        message,
        want=Words(route.client),
        got=Words(route.upstream),
        source="",
        element="body",
    )


def matching_formats(corpus: Corpus, stream: dict[str, Any]) -> list[str]:
    """The formats in which a stream assembles to a reply or an error."""
    readable = [name for name in corpus.formats if formats.get(name).stream is not None]
    return [name for name in readable if _is_reply_of(corpus, name, formats.assemble(name, stream))]


def _is_reply_of(corpus: Corpus, format_name: str, reply: Assembled) -> bool:
    keys = corpus.format(format_name)["containers"]["response"]
    if reply.body is None:
        return reply.end == "failed"
    # A reply that is assembled from foreign events has its container, too, but it is empty and has no id.
    return any(reply.body.get(key) or (key in reply.body and "id" in reply.body) for key in keys)


def finding_event(finding: Finding) -> int | None:
    """The number of the event, from 1, at which a finding points."""
    return event_number(finding.pointer) if finding.body != ASSEMBLED_REPLY else None


def _assemble_output(client: str, output: bytes | dict[str, Any], sent: Assembled | None) -> Assembled:
    """The client's assembled stream. It may lack the stop reason if the ``sent`` stream has none."""
    received = assemble_stream(client, output)
    return received.as_sent if sent is not None and sent.body_without_stop_reason is not None else received


def _assemble_source(upstream: str, source: Any) -> Assembled | None:
    if source is None:
        return None
    streamed = isinstance(source, (bytes, bytearray)) or is_stream(source)
    return assemble_stream(upstream, source).as_sent if streamed else Assembled(source, "whole")


def _add_event_words(output: dict[str, Any], finding: Finding) -> Finding:
    """The finding, with the number and the name of its event in the subject."""
    number = finding_event(finding)
    if number is None:
        return finding
    where = event_words(output, number)
    return replace(finding, subject=f"{finding.subject}, {where}" if finding.subject else where)

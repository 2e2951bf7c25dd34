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
from toolcall_conformance.judge.given import UNKNOWN, AnyRoute, Requests
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.broken import but_for_its_end, compare_begun, judge_end, last_event
from toolcall_conformance.judge.streams.calls import inside_of_stream
from toolcall_conformance.judge.streams.excuses import but_for_passed_on, is_stream, raw_arguments_of, without_inherited
from toolcall_conformance.judge.streams.parts import event_at, named, put_together
from toolcall_conformance.judge.translation.outcome import outcome
from toolcall_conformance.judge.translation.outcome.stream_ends import compare_calls_at_limit
from toolcall_conformance.library import Corpus


def judge_stream(
    corpus: Corpus,
    source: Any,
    output: bytes | dict[str, Any],
    route: AnyRoute,
    *,
    requests: Requests = UNKNOWN,
    vendor: bool = False,
    declared: Collection[str] = (),
    captured: bool = False,
    tolerated: bool = False,
    how: str = "",
    in_names_of_client: Callable[[Any], Any] = lambda reply: reply,
) -> Judgement:
    """Judge a client's stream, alone or against what the upstream sent; see ``Judge.stream``.

    Where the source broke off or failed, the client must learn of it. Findings point into the stream
    (``/events/3/data/index``; ``subject`` counts the event from 1), or, where ``body`` is :data:`TOGETHER`, into the
    reply that the stream assembles to. ``in_names_of_client`` gives a whole reply of the upstream's the tool names that
    the client knows.
    """
    source = _body_or_stream(source)
    sent = _sent(route.upstream, source)
    if sent is not None and sent.end == "whole":
        sent = replace(sent, body=in_names_of_client(sent.body))
    played = _Played(
        corpus,
        parsed(source),
        parsed(output),
        route,
        sent,
        _received(route.client, output, sent),
        [] if tolerated else None,
    )
    wrong = _other_format(played)
    if wrong is not None:
        return Judgement((wrong,))
    own, received = _own_breaches(played), played.received
    costs = _counts_of_failed(played) if played.may_fail and received.end == "failed" else None
    if sent is not None and sent.end != "whole":
        findings = (*own, *(costs or ()), *_judge_broken(played, own, how))
        return Judgement(findings, tolerated=tuple(played.accepted or ()))
    if costs is not None:
        as_error = Tolerated("finish-next-best", last_event(played.output), "", MISSING, received.error)
        return Judgement((*own, *costs), tolerated=(as_error,) if tolerated else ())
    if sent is None:
        return Judgement(_judge_alone(played, own) if received.end == "whole" else tuple(own))
    if received.body is None:
        return Judgement((*own, _nothing_came(played)))
    whole = judge_body(
        corpus,
        sent.body,
        received.body,
        route,
        "response",
        requests=requests,
        vendor=vendor or not is_stream(played.source),  # one format says it in other words streamed than unary
        declared=declared,
        captured=captured,
        tolerated=tolerated,
        raw_arguments=raw_arguments_of(received),
        source_raw_arguments=raw_arguments_of(sent),
        streamed=True,
    )
    cut = list(_cut_calls(played, sent))
    others = suppress(corpus, whole.findings, cut)
    return replace(whole, findings=(*_together(played, own, others), *cut))


@dataclass(frozen=True)
class _Played:
    """The stream of an upstream, or its unary reply, or None, and the client's; both parsed, and put together."""

    corpus: Corpus
    source: Any
    output: dict[str, Any]
    route: AnyRoute
    sent: Assembled | None
    received: Assembled
    accepted: list[Tolerated] | None = None

    @cached_property
    def may_fail(self) -> bool:
        """Whether an error may stand in the place of the reply."""
        if self.sent is None:
            return False
        return outcome.may_fail(self.corpus, formats.read(self.route.upstream, "response", self.sent.body))


def _together(played: _Played, own: list[Finding], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What is wrong with a stream and with the reply that it assembles to, each fault once."""
    corpus, client, received = played.corpus, played.route.client, played.received
    own = suppress(corpus, own, findings, inner=inside_of_stream(corpus, client, received))
    findings = suppress(
        corpus, findings, findings, holding=["stream-broken"] if any(breach.is_must for breach in own) else []
    )
    reported = {breach.rule for breach in own}  # some rules apply to an event and to the whole reply alike
    rest = [breach for breach in findings if breach.rule not in reported]
    return (*own, *put_together(client, played.output, received, rest))


def _cut_calls(played: _Played, sent: Assembled) -> Iterator[Finding]:
    """The call that the limit of tokens cut, and that the client receives as a whole one."""
    source_reading = formats.read(played.route.upstream, "response", sent.body)
    last = last_event(played.output)
    for difference in compare_calls_at_limit(played.corpus, sent, source_reading, played.received, last=last):
        yield _counted(played.output, difference)


def _judge_alone(played: _Played, own: list[Finding]) -> tuple[Finding, ...]:
    """What is wrong with the reply of a stream of which no source is known."""
    client, model = played.route.client, played.route.client_model
    findings = check_body(played.corpus, client, "response", played.received.body, model=model)
    return _together(played, own, findings)


def _judge_broken(played: _Played, own: Sequence[Finding], how: str) -> Iterator[Finding]:
    """How the client's stream ends after one that broke off or failed, and what it said before."""
    sent, received = played.sent, played.received
    assert sent is not None
    how = how or ("failed" if sent.end == "failed" else "breaks off")
    findings = judge_end(played.corpus, played.route.client, sent, received, played.output, how)
    if not any(fault.is_must for fault in (*own, *findings)):  # of a broken stream one fault is enough
        replies, output = (sent, received), played.output
        findings += compare_begun(played.corpus, replies, played.route, how, output, accepted=played.accepted)
    return (_counted(played.output, fault) for fault in findings)


def parsed(stream: Any) -> Any:
    """A stream as :func:`streaming.parse` has it; anything but bytes as it is."""
    return read(bytes(stream)) if isinstance(stream, (bytes, bytearray)) else stream


def _body_or_stream(source: Any) -> Any:
    """A source as it is; bytes in which no event is, but one JSON object, are a unary reply."""
    if not isinstance(source, (bytes, bytearray)) or parsed(source)["events"]:
        return source
    try:
        body = parse_json(bytes(source))
    except JSONError:
        return source
    return body if isinstance(body, dict) else source


def assembled(name: str, stream: bytes | dict[str, Any]) -> Assembled:
    """The reply that a stream of the format ``name`` assembles to. Equal bytes share one: never change it."""
    if isinstance(stream, (bytes, bytearray)):
        return formats.assemble_bytes(name, bytes(stream))
    return formats.assemble(name, stream)


def _own_breaches(played: _Played) -> list[Finding]:
    """What breaks the rules of the client's format, but for what the source brought along."""
    corpus, sent, client = played.corpus, played.sent, played.route.client
    if sent is None or sent.end == "whole":
        findings = check_body(corpus, client, "stream", played.output, assembled=played.received)
    else:
        findings = but_for_its_end(corpus, client, played.output, played.received)
    if sent is not None:
        findings = but_for_passed_on(corpus, played.route, findings, sent.body, played.received)
    inherited = without_inherited(corpus, findings, played.source, played.route)
    return [_counted(played.output, breach) for breach in inherited]


def _other_format(played: _Played) -> Finding | None:
    """The one finding where the stream went through as it is, or belongs to another format; None else."""
    corpus, client = played.corpus, played.route.client
    handed_on = _handed_on_as_it_is(corpus, played.source, played.output, played.route)
    if handed_on is not None or _belongs(corpus, client, played.received):
        return handed_on
    looks = looking_like(corpus, played.output)
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


def _counts_of_failed(played: _Played) -> list[Finding]:
    """What is wrong with the counts of a reply that failed: what came before the failure costs as much as ever."""
    client, received = played.route.client, played.received
    if received.body is None:
        return []
    findings = check_body(played.corpus, client, "response", received.body)
    return put_together(client, played.output, received, [breach for breach in findings if breach.element == "usage"])


def _nothing_came(played: _Played) -> Finding:
    """The finding for a client's stream without a reply, where the upstream's reply is whole."""
    received = played.received
    got = "nothing of it" if played.output["events"] else "an empty stream"
    return make_finding(
        played.corpus,
        "translation/target-format",
        "",
        f"the upstream's reply is whole, and the client gets {'an error' if received.end == 'failed' else got}",
        want=Words(f"a reply of {played.route.client}"),
        got=MISSING if received.error is None else received.error,
        source="",
        element="body",
    )


def _handed_on_as_it_is(corpus: Corpus, source: Any, output: dict[str, Any], route: AnyRoute) -> Finding | None:
    """The one finding where a client of another format got the very events that the upstream sent."""
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


def looking_like(corpus: Corpus, stream: dict[str, Any]) -> list[str]:
    """The formats of which a stream has the reply, or an error."""
    readable = [name for name in corpus.formats if formats.get(name).stream is not None]
    return [name for name in readable if _belongs(corpus, name, formats.assemble(name, stream))]


def _belongs(corpus: Corpus, name: str, reply: Assembled) -> bool:
    keys = corpus.format(name)["containers"]["response"]
    if reply.body is None:
        return reply.end == "failed"
    # A reply that is assembled from foreign events has its container, too, but it is empty and has no id.
    return any(reply.body.get(key) or (key in reply.body and "id" in reply.body) for key in keys)


def event_of(finding: Finding) -> int | None:
    """The number of the event, from 1, at which a finding points."""
    return event_at(finding.pointer) if finding.body != ASSEMBLED_REPLY else None


def _received(client: str, output: bytes | dict[str, Any], sent: Assembled | None) -> Assembled:
    """What the client received. It may lack the reason of its end where the ``sent`` stream had none."""
    received = assembled(client, output)
    return received.as_sent if sent is not None and sent.body_without_stop_reason is not None else received


def _sent(upstream: str, source: Any) -> Assembled | None:
    if source is None:
        return None
    streamed = isinstance(source, (bytes, bytearray)) or is_stream(source)
    return assembled(upstream, source).as_sent if streamed else Assembled(source, "whole")


def _counted(output: dict[str, Any], finding: Finding) -> Finding:
    """A finding in a stream, with the number and the name of its event."""
    number = event_of(finding)
    if number is None:
        return finding
    where = named(output, number)
    return replace(finding, subject=f"{finding.subject}, {where}" if finding.subject else where)

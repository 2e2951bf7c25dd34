"""Judges the stream that a client received: alone, or against what the upstream sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import MISSING, Finding, Judgement
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.judge import superfluous
from toolcall_conformance.judge.bodies import judge_body
from toolcall_conformance.judge.excuses import passed_on
from toolcall_conformance.judge.given import AnyRoute, Requests
from toolcall_conformance.judge.stream_parts import TOGETHER, event_at, named, put_together
from toolcall_conformance.judge.wrong_format import faulty
from toolcall_conformance.levels import finding, weighed
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import outcome
from toolcall_conformance.translation.aligned import aligned
from toolcall_conformance.translation.pair import Pair, Sides
from toolcall_conformance.translation.stream_ends import compare_beginnings, compare_ends
from toolcall_conformance.translation.upstream_errors import compare_message


def judge_stream(
    corpus: Corpus,
    source: Any,
    output: dict[str, Any],
    route: AnyRoute,
    *,
    request: Any = None,
    tolerated: bool = False,
) -> Judgement:
    """Judge a client's stream, alone or against what the upstream sent; see ``Judge.stream``.

    Where the source broke off or failed, the client must learn of it. Findings point into the stream
    (``/events/3/data/index``; ``subject`` counts the event from 1), or, where ``body`` is :data:`TOGETHER`, into the
    reply that the stream assembles to.
    """
    client = route.client
    received = formats.assembled(client, output)
    handed_on = handed_on_as_it_is(corpus, source, output, route)
    if handed_on is not None:
        return Judgement((handed_on,))
    looks = looking_like(corpus, output)
    if looks and client not in looks:
        said = f"no event belongs to a reply of {client}; they look like {' or '.join(looks)}"
        wrong = finding(
            corpus, "translation/target-format", "", said, want=client, got=looks, source="", element="body"
        )
        return Judgement((wrong,))
    sent = _sent(route.upstream, source)
    if sent is None or sent.end == "whole":
        found = check_body(corpus, client, "stream", output)
    else:
        found = _but_for_its_end(corpus, client, output, received)
    texts = spelt(received)
    if sent is not None:
        found = but_for_passed_on(corpus, route, found, sent.body, received)
    found = _without_inherited(corpus, found, source, route)
    found = [_counted(output, one) for one in found]
    if sent is not None and sent.end != "whole":
        how = "failed" if sent.end == "failed" else "breaks off"
        last = last_event(output)
        ends = [*compare_ends(corpus, sent, received, how, last=last)]
        if not any(one.is_must for one in (*found, *ends)):  # of a broken stream one fault is enough
            ends += compare_begun(corpus, (sent, received), route, how, output)
        return Judgement((*found, *(_counted(output, one) for one in ends)))
    excused = sent is not None and outcome.may_fail(corpus, formats.read(route.upstream, "response", sent.body))
    if received.end == "failed" and excused:
        return Judgement((*found, *costs(corpus, client, output, received)))
    if sent is not None and received.body is None:
        return Judgement((*found, nothing_came(corpus, client, output, received)))
    if received.body is None or (sent is None and received.end != "whole"):
        return Judgement(tuple(found))
    if sent is None:
        together = Judgement(tuple(check_body(corpus, client, "response", received.body, model=route.client_model)))
    else:
        together = judge_body(
            corpus,
            sent.body,
            received.body,
            route,
            "response",
            requests=Requests(request),
            vendor=not _is_stream(source),  # one format says it in other words streamed than unary
            captured=True,
            tolerated=tolerated,
            spelt=texts,
            streamed=True,
        )
    found = superfluous.of_stream(corpus, client, found, together.findings, received)
    behind = but_for_counts(found, together.findings)
    return replace(together, findings=(*found, *put_together(client, output, received, behind)))


def compare_begun(
    corpus: Corpus, replies: tuple[Assembled, Assembled], route: AnyRoute, how: str, output: dict[str, Any]
) -> list[Finding]:
    """What a stream that did not end in order said before, and its error, against what the client got of them."""
    sent, received = replies
    said = formats.read(route.upstream, "response", sent.body)
    told = formats.read(route.client, "response", received.body)
    stops, last = received.end == "open", last_event(output)
    return [
        *compare_beginnings(corpus, said, told, how, stops=stops, last=last),
        *_compare_errors(corpus, replies, route, last),
    ]


def _compare_errors(
    corpus: Corpus, replies: tuple[Assembled, Assembled], route: AnyRoute, last: str
) -> Iterable[Finding]:
    """Compare the message of the error that a stream ended with, which has no status of its own."""
    before, after = (
        formats.read(name, "error", {"body": reply.error})
        for name, reply in zip((route.upstream, route.client), replies, strict=True)
    )
    return compare_message(Sides(corpus, before, after), (last, ""))


def costs(corpus: Corpus, client: str, output: dict[str, Any], received: Assembled) -> Iterable[Finding]:
    """What is wrong with the counts of a reply that failed: what came before the failure costs as much as ever."""
    if received.body is None:
        return ()
    found = check_body(corpus, client, "response", received.body)
    return put_together(client, output, received, [one for one in found if one.element == "usage"])


def nothing_came(corpus: Corpus, client: str, output: dict[str, Any], received: Assembled) -> Finding:
    """The finding for a client's stream without a reply, where the upstream's reply is whole."""
    got = "nothing of it" if output["events"] else "an empty stream"
    return finding(
        corpus,
        "translation/target-format",
        "",
        f"the upstream's reply is whole, and the client gets {'an error' if received.end == 'failed' else got}",
        want=f"a reply of {client}",
        got=MISSING if received.error is None else received.error,
        source="",
        element="body",
    )


def last_event(stream: dict[str, Any]) -> str:
    """The pointer of a stream's last event; the whole stream if it has none."""
    return f"/events/{len(stream['events']) - 1}" if stream.get("events") else ""


def spelt(received: Assembled) -> dict[int, str]:
    """The arguments of the calls of a stream as it spelt them, by the calls' ordinals."""
    return {ordinal: call.text for ordinal, call in enumerate(received.calls)}


def but_for_passed_on(
    corpus: Corpus, route: AnyRoute, found: list[Finding], sent: Any, received: Assembled
) -> list[Finding]:
    """The breaches of a stream; as notes those of arguments that were as odd in the reply that was ``sent``."""
    if sent is None or received.body is None or not faulty(found):
        return found
    return passed_on(corpus, found, spelt(received), _aligned(corpus, route, sent, received.body))


def _without_inherited(corpus: Corpus, found: list[Finding], source: Any, route: AnyRoute) -> list[Finding]:
    """The breaches of the client's stream; as notes those that a stream of the same format brought along."""
    if not found or route.client != route.upstream or not _is_stream(source):
        return found
    return inherited_breaches(corpus, found, check_body(corpus, route.upstream, "stream", source))


def inherited_breaches(
    corpus: Corpus, output_breaches: Iterable[Finding], source_breaches: Iterable[Finding]
) -> list[Finding]:
    """The breaches of a stream; as notes those of rules that its source, of the same format, breaks as well."""
    rules = {breach.rule for breach in source_breaches}
    return [weighed(corpus, breach, ["source-breaks-it"] if breach.rule in rules else []) for breach in output_breaches]


def _aligned(corpus: Corpus, route: AnyRoute, sent: Any, received: Any) -> Pair:
    """The two replies, put together, with their calls aligned."""
    before, after = formats.read(route.upstream, "response", sent), formats.read(route.client, "response", received)
    return aligned(Sides(corpus, before, after))


def handed_on_as_it_is(corpus: Corpus, source: Any, output: dict[str, Any], route: AnyRoute) -> Finding | None:
    """The one finding where a client of another format got the very events that the upstream sent."""
    sent = source.get("events") if isinstance(source, dict) else None
    if not sent or route.client == route.upstream or not equal(sent, output.get("events")):
        return None
    said = "the stream went through unchanged"
    return finding(
        corpus, "translation/target-format", "", said, want=route.client, got=route.upstream, source="", element="body"
    )


def looking_like(corpus: Corpus, stream: dict[str, Any]) -> list[str]:
    """The formats of which a stream has the reply, or an error."""
    readable = [name for name in corpus.formats if formats.get(name).stream is not None]
    return [name for name in readable if _belongs(corpus, name, formats.assembled(name, stream))]


def _belongs(corpus: Corpus, name: str, reply: Assembled) -> bool:
    keys = corpus.format(name)["containers"]["response"]
    if reply.body is None:
        return reply.end == "failed"
    # A reply that is assembled from foreign events has its container, too, but it is empty and has no id.
    return any(reply.body.get(key) or (key in reply.body and "id" in reply.body) for key in keys)


def event_of(finding: Finding) -> int | None:
    """The number of the event, from 1, at which a finding points."""
    return event_at(finding.pointer) if finding.body != TOGETHER else None


def _sent(upstream: str, source: Any) -> Assembled | None:
    if source is None:
        return None
    return formats.assembled(upstream, source) if _is_stream(source) else Assembled(source, "whole")


def _is_stream(source: Any) -> bool:
    """Whether it is what ``parse`` makes of a stream's bytes, and not a unary reply."""
    return isinstance(source, dict) and "events" in source


def _but_for_its_end(corpus: Corpus, client: str, output: dict[str, Any], received: Assembled) -> list[Finding]:
    """The breaches of a stream that ends with its source; that it ends there is no breach.

    The API's own error is added at the end, after which the rules demand nothing more of a reply.
    """
    if received.end != "open":
        return check_body(corpus, client, "stream", output)
    events = output["events"]
    ended = {"events": [*events, corpus.transports[client]["stream"]["error"]]}
    if "broken" in output:
        ended["broken"] = output["broken"]
    added = f"/events/{len(events)}/"
    found = check_body(corpus, client, "stream", ended)
    return [one for one in found if not f"{one.pointer}/".startswith(added)]


def but_for_counts(found: Sequence[Finding], together: Sequence[Finding]) -> list[Finding]:
    """What a reply put together breaks, without the counts that went with the end of a stream that is ``found`` broken.

    A stream whose broken end says no finish says no counts there, either: one fault.
    """
    broken = any(one.is_must for one in found)
    if not broken or all(one.rule != "translation/finish-reason" for one in together):
        return list(together)
    return [one for one in together if one.rule not in outcome.COUNTS_LOST]


def _counted(output: dict[str, Any], finding: Finding) -> Finding:
    """A finding in a stream, with the number and the name of its event."""
    number = event_of(finding)
    if number is None:
        return finding
    where = named(output, number)
    return replace(finding, subject=f"{finding.subject}, {where}" if finding.subject else where)

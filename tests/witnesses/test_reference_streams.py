"""The official SDKs' accumulators make of the reference's streams what our assembler makes of them.

Every stream that the reference writes: each reply of a case as its upstream streams it, toward each client's format.
Compared are the readings: calls with ids, names and arguments, texts, reasoning, state, finish reason.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator

import pytest

from toolcall_conformance import Judge, formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts, parse
from toolcall_conformance.library import Case, Corpus
from toolcall_reference import ReferenceTranslator, Refused
from witnesses.accumulators import ACCUMULATORS
from witnesses.readings import NOT_GIVEN_OUT, NOT_READ, reply_content, unread


def streams(corpus: Corpus, case: Case, client: str, most: int | None = None) -> Iterator[tuple[str, bytes]]:
    """What the reference streams to a client in a case, in its first exchanges: where, and the bytes."""
    asking = corpus.transports[client]["stream"].get("body", {})
    for upstream in case.formats:
        route = Route(client, upstream, case.model(client), case.model(upstream), stream=True)
        exchanges = zip(case.exchanges(client), case.exchanges(upstream), strict=True)
        for exchange, answered in itertools.islice(exchanges, most):
            if answered.stream_path is None:
                continue
            session = ReferenceTranslator().open(route)
            pieces = cuts.split_events(answered.stream_path.read_bytes())
            try:
                session.request({**exchange.request, **asking})
            except Refused:
                assert Judge(corpus).may_refuse(route, exchange.request)
                continue
            try:
                yield f"{case.id} {route} {exchange.number}", b"".join(session.stream(pieces))
            except Refused:
                assert not case.replies(client, upstream) or "stream" in case.scenario.get("may_refuse", ())


def disagreement(client: str, stream: bytes) -> str | None:
    """What the SDK sees that we do not, or the reverse."""
    assembled = formats.assemble(client, parse(stream)).body
    finish = formats.read(client, "response", assembled).finish
    refused = NOT_GIVEN_OUT.get((client, str(finish and finish.raw)))
    try:
        sdk_reply = ACCUMULATORS[client](stream)
    except Exception as error:
        excuse = unread(client, assembled) or (refused is not None and refused in str(error))
        return None if excuse else f"the SDK raises {error!r}"
    if unread(client, assembled):
        return (
            None
            if reply_content(client, assembled) != reply_content(client, sdk_reply)
            else "the SDK reads it: it is not to be excused"
        )
    if refused is not None:
        return f"the SDK gives out a reply that ended with {finish}"
    ours, theirs = reply_content(client, assembled), reply_content(client, sdk_reply)
    return None if ours == theirs else f"we see {ours}, the SDK {theirs}"


@pytest.mark.parametrize("client", formats.names())
def test_the_sdk_sees_what_we_see(request: pytest.FixtureRequest, corpus: Corpus, client: str) -> None:
    cases = [case for case in corpus.cases.values() if client in case.formats]
    whole = request.config.getoption("--all-items")
    if not whole:
        cases = list({case.family: case for case in reversed(cases)}.values())  # the first of each family
    count = 0
    differing = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kinds of item that this SDK does not know yet
        for case in cases:
            for where, stream in streams(corpus, case, client, None if whole else 1):
                count += 1
                problem = disagreement(client, stream)
                read_not = not {case.id, f"{case.id}/{client}"}.isdisjoint(NOT_READ)
                if read_not and client in case.dialects and f" {client}-to-{client} " in where:
                    # A client of the vendor's gets its stream as it stood, and not by this SDK.
                    problem = None if problem is not None else "the SDK reads it: take it off the list"
                if problem is not None:
                    differing.append(f"{where}: {problem}")
    print(f"{count} streams to {client}")
    assert not differing, f"{len(differing)} of {count} streams:\n" + "\n".join(differing[:10])
    assert count > 20


@pytest.mark.parametrize("client", formats.names())
def test_a_fragment_that_is_lost_is_seen(corpus: Corpus, client: str) -> None:
    """The comparison can fail: where the SDK gets one event less than we do."""
    _, stream = next(streams(corpus, corpus.cases["shell/realistic"], client))
    pieces = cuts.split_events(stream)
    whole = reply_content(client, formats.assemble(client, parse(stream)).body)

    def differs(place: int) -> bool:
        try:
            return (
                reply_content(client, ACCUMULATORS[client](b"".join((*pieces[:place], *pieces[place + 1 :])))) != whole
            )
        except Exception:  # what the SDK says of a stream with a hole
            return False

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert any(differs(place) for place in range(1, len(pieces)))

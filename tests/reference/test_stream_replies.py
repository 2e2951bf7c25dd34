"""A reply that streams reads as the same reply does when it comes whole: all goldens, and all recorded streams.

Each goes to each client, and comes from each provider, on one route a day: in three days on all.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
import warnings
from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import SCENARIOS, TRAFFIC, assemble, client_view, events, recorded_streams
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse, sse
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import Refused, Session
from turns import share
from witnesses.accumulators import ACCUMULATORS
from witnesses.readings import unread

CORPUS = load_corpus()
CROSSING = [(client, upstream) for client, upstream in itertools.product(FORMATS, FORMATS) if client != upstream]
T = TypeVar("T")
#: Replies that an SDK's accumulator does not give out, by their finish: what it raises.
NOT_GIVEN_OUT = {
    "length": "the length limit was reached",
    "content_filter": "rejected by the content filter",
    "incomplete": "Didn't receive a `response.completed` event",
}


def route_share(things: Iterable[T], client: str, upstream: str) -> list[T]:
    """The third of the things that goes this way today; another way round the formats has another third."""
    return share(things, 3, FORMATS.index(upstream) - FORMATS.index(client))


def losses(session: Session) -> set[tuple[str, str]]:
    return {(loss.element, loss.note) for loss in session.losses}


def may_refuse(case: Case, client: str, upstream: str) -> bool:
    """Whether a client has no use for such a reply, or may get a refusal."""
    return not case.replies(client, upstream) or "stream" in case.scenario.get("may_refuse", ())


def upstream_request(session: Session, case: Case, client: str, number: int) -> Any:
    """The upstream's request for the client's golden one, or why there is none."""
    try:
        return session.request(copy.deepcopy(case.exchanges(client)[number].request))
    except Refused as reason:
        return str(reason)


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_goldens_stream_as_they_read_whole(client: str, upstream: str) -> None:
    done = 0
    for case in route_share(CORPUS.cases.values(), client, upstream):
        if not {client, upstream} <= set(case.formats):
            continue
        # Two conversations: one whole, one streamed. What they remember shows in their later requests.
        whole, streamed = open_way(client, upstream), open_way(client, upstream)
        for number, exchange in enumerate(case.exchanges(upstream)):
            assert upstream_request(streamed, case, client, number) == upstream_request(whole, case, client, number), (
                case.id
            )
            if exchange.response is None or exchange.stream_path is None:
                continue
            stream = exchange.stream_path.read_bytes()
            try:
                expected = client_view(client, whole.response(copy.deepcopy(exchange.response)))
            except Refused as reason:
                assert may_refuse(case, client, upstream), case.id
                with pytest.raises(Refused, match=re.escape(str(reason))):
                    list(streamed.stream([stream]))
                continue
            output = b"".join(streamed.stream([stream]))
            if exchange.response.get("status") == "failed":  # what has begun to stream can say that it is an error
                assert events(output)[-1]["data"]["error"]["message"] == exchange.response["error"]["message"], case.id
                continue
            assert client_view(client, assemble(client, output)) == expected, case.id
            assert losses(streamed) == losses(whole), case.id
            done += 1
    assert done > 80


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_official_sdks_read_the_goldens_stream(client: str, upstream: str) -> None:
    cases = route_share(sorted(CORPUS.cases)[::7], client, upstream)
    done = 0
    for case in (CORPUS.cases[key] for key in cases):
        if not {client, upstream} <= set(case.formats):
            continue
        for exchange in case.exchanges(upstream):
            if exchange.response is None or exchange.stream_path is None:
                continue
            try:
                stream = b"".join(open_way(client, upstream).stream([exchange.stream_path.read_bytes()]))
            except Refused:
                assert may_refuse(case, client, upstream), case.id
                continue
            if formats.assemble(client, parse(stream)).end == "failed":
                continue  # the clients raise its error
            expected = client_view(client, open_way(client, upstream).response(copy.deepcopy(exchange.response)))
            finish = expected["finish"]
            refused = NOT_GIVEN_OUT.get(finish if isinstance(finish, str) else str(finish[0]))
            if refused is not None:
                with pytest.raises(Exception, match=refused):
                    ACCUMULATORS[client](stream)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if unread(client, assemble(client, stream)) or _lacks_object(client, expected):
                    assert _sees(client, stream) != expected["calls"], case.id
                    continue
                view = client_view(client, ACCUMULATORS[client](stream))
            view.pop("usage", None)  # its types add what is not there
            assert view == {key: value for key, value in expected.items() if key in view}, case.id
            done += 1
    assert done > 6


def _lacks_object(client: str, expected: dict[str, Any]) -> bool:
    """Whether the SDK guesses what arguments were meant, or fails: Anthropic's parses them as they come."""
    return client == "anthropic" and any("_raw_arguments" in arguments for _, _, arguments in expected["calls"])


def _sees(client: str, stream: bytes) -> Any:
    """The calls that an SDK sees; None where it fails."""
    try:
        return client_view(client, ACCUMULATORS[client](stream))["calls"]
    except Exception:
        return None


#: What streams and cannot be told again when the end shows that it should have been said otherwise:
#: blank text behind calls, which stands with the text before them where it is whole.
TOLD_ALREADY = {"avian-kimi-multi_tool_streaming.0.json"}


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_recorded_streams_read_as_their_replies_do(client: str, upstream: str) -> None:
    done = 0
    for path, stream, _ in route_share(recorded_streams(upstream), client, upstream):
        if "error_streaming" in path.name:
            continue  # these fail: see the other tests
        ends_well = stream if stream.endswith(b"\n\n") else stream + b"\n\n"
        expected = client_view(client, open_way(client, upstream).response(assemble(upstream, ends_well)))
        view = client_view(client, assemble(client, b"".join(open_way(client, upstream).stream([stream]))))
        if path.name in TOLD_ALREADY:
            view, expected = _without_blanks(view), _without_blanks(expected)
        assert view == expected, path.name
        done += 1
    assert done > 20


def _without_blanks(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "text": "".join(json.dumps(value["text"]).split())}


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_the_judge_finds_nothing_in_them(client: str, upstream: str) -> None:
    """Nothing but what the provider's stream breaks itself: a model may write arguments that are no JSON."""
    goldens = sorted(SCENARIOS.glob(f"*/*/{upstream}/*-response.sse"))[::5]
    streams = [(path, path.read_bytes()) for path in goldens]
    streams += [(path, stream) for path, stream, _ in recorded_streams(upstream)][::2] if TRAFFIC.is_dir() else []
    assert len(streams) > 50
    for path, stream in route_share(streams, client, upstream):
        try:
            body = sse.parse(b"".join(open_way(client, upstream).stream([stream])))
        except Refused:
            case = path.relative_to(SCENARIOS).parts[:2] if path.is_relative_to(SCENARIOS) else ()
            assert case, path
            assert may_refuse(CORPUS.cases["/".join(case)], client, upstream), path
            continue
        assert _broken_rules(client, body) <= _broken_rules(upstream, sse.parse(stream)), path


def _broken_rules(name: str, stream: Any) -> set[str]:
    """The rules that a stream breaks, by their names, which the formats share."""
    return {finding.rule.partition("/")[2] for finding in check_body(CORPUS, name, "stream", stream)}


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_streams_of_the_same_format_pass_as_they_are(name: str) -> None:
    for path, stream, _ in recorded_streams(name):
        output_events = sse.parse(b"".join(open_way(name, name, client_model="mine").stream([stream])))["events"]
        expected = sse.parse(stream if stream.endswith(b"\n\n") else stream + b"\n\n")["events"]
        assert len(output_events) == len(expected), path.name
        for got, want in zip(output_events, expected, strict=True):
            assert got == _with_model(want, "mine"), path.name


def _with_model(event: Any, model: str) -> Any:
    data = event["data"]
    for holder, key in ((data, "model"), (data, "modelVersion")):
        if isinstance(holder, dict) and isinstance(holder.get(key), str):
            holder[key] = model
    for key in ("message", "response"):
        if isinstance(data, dict) and isinstance(data.get(key), dict) and "model" in data[key]:
            data[key]["model"] = model
    return event

"""The agent loop with streamed replies: where it is played, what is asked, and what a failing stream comes to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, needs, variants
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
ABSENT = CORPUS.cases["ids/empty-and-absent"]
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


class Session:
    """The reference's session; what it is asked is noted, and its streams are counted."""

    def __init__(self, route: Route, translator: Translator) -> None:
        self.route = route
        self.inner = ReferenceTranslator().open(route)
        self.translator = translator
        self.streams = 0
        translator.routes.append(route)

    def request(self, body: dict[str, Any], /) -> Any:
        self.translator.asked.append(body)
        return self.inner.request(body)

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.streams += 1
        return self.inner.stream(chunks)


class Translator:
    def __init__(self, session: type[Session] = Session) -> None:
        self.session = session
        self.asked: list[dict[str, Any]] = []
        self.routes: list[Route] = []

    def open(self, route: Route, /) -> Session:
        return self.session(route, self)


def play_streamed_loop(
    translator: Translator, client: str = "openai_chat", upstream: str = "anthropic", case: Case = ABSENT
) -> ItemResult:
    route = Route(client, upstream, case.model(client), case.model(upstream))
    return CHECKS["agent_loop"](case, route, PythonDriver(translator, "t:T").open, HARNESS, "streamed", None)


@pytest.mark.parametrize("client", FORMATS)
@pytest.mark.parametrize("upstream", FORMATS)
def test_a_session_without_response_plays_it(client: str, upstream: str) -> None:
    translator = Translator()
    result = play_streamed_loop(translator, client, upstream)
    assert (result.verdict, result.findings, result.reason) == (Verdict.PASS, (), "")
    assert len(translator.asked) == 3
    assert [route.stream for route in translator.routes] == [True]
    stream_fields = CORPUS.transports[client]["stream"]["body"]
    assert all(body.items() >= stream_fields.items() for body in translator.asked)
    assert [bodies.name for bodies in result.played] == ["01-request", "02-request", "03-request"]


def test_it_needs_streams_and_no_whole_replies() -> None:
    assert needs("agent_loop", ABSENT, "gemini", "streamed") == {"request", "stream"}
    assert needs("agent_loop", ABSENT, "gemini", "streamed-stored") == {"request", "stream"}
    assert needs("agent_loop", ABSENT, "gemini", "stripping") == {"request", "response"}


def test_where_it_is_played() -> None:
    def has(case: str, client: str, upstream: str, variant: str = "streamed") -> bool:
        return variant in variants(CORPUS, "agent_loop", CORPUS.cases[case], client, upstream)

    assert has("ids/empty-and-absent", "anthropic", "gemini")
    assert not has("shell/two-rounds", "anthropic", "gemini")  # nothing that a stream could lose
    assert has("state/seed", "openai_responses", "gemini", "streamed-stored")
    assert not has("state/seed", "anthropic", "gemini", "streamed-stored")
    dialect = CORPUS.cases["replace/dialect-reasoning-content"]
    (vendor,) = dialect.dialects
    others = [name for name in FORMATS if name != vendor]
    assert all(exchange.stream_path is None for exchange in dialect.exchanges(vendor))
    assert not has(dialect.id, others[0], vendor)
    assert has(dialect.id, vendor, others[0])


def test_every_stream_that_is_gone_on_from_is_there() -> None:
    for case in CORPUS.cases.values():
        for upstream in case.formats:
            if "streamed" in variants(CORPUS, "agent_loop", case, case.formats[0], upstream):
                assert None not in [exchange.stream_path for exchange in case.exchanges(upstream)[:-1]], case.id


class FailsAlways(Session):
    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        del chunks
        raise RuntimeError("no streams today")


class FailsTheSecondTime(Session):
    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.streams += 1
        yield from self.inner.stream(chunks)
        if self.streams == 2:
            raise RuntimeError("the accumulator is closed")


class SaysNothingTheSecondTime(Session):
    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.streams += 1
        yield from super().stream(chunks) if self.streams == 1 else (b": nothing\n\n" for _ in chunks)


class AnErrorTheSecondTime(Session):
    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.streams += 1
        for count, piece in enumerate(self.inner.stream(chunks)):
            if self.streams == 2 and count == 2:
                yield b'data: {"error": {"message": "The queue is full.", "type": "server_error"}}\n\n'
                return
            yield piece


class CannotGoOn(FailsTheSecondTime):
    """Fails in the second exchange even if it is the first that its session sees."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        if len(self.translator.asked[-1]["messages"]) > 1:
            raise RuntimeError("no history today")
        return self.inner.stream(chunks)


@pytest.mark.parametrize("session", [FailsAlways, CannotGoOn])
def test_what_fails_alone_is_left_to_the_check_of_streams(session: type[Session]) -> None:
    result = play_streamed_loop(Translator(session))
    assert (result.verdict, result.findings) == (Verdict.BLOCKED, ())
    assert "stream raised RuntimeError: no " in result.reason
    assert result.traceback


@pytest.mark.parametrize(
    ("session", "rule", "words"),
    [
        (FailsTheSecondTime, "translation/crashed", "stream raised RuntimeError: the accumulator is closed"),
        (SaysNothingTheSecondTime, "translation/bad-output", "stream gave no reply"),
        (AnErrorTheSecondTime, "translation/bad-output", "stream gave an error"),
    ],
)
def test_a_failure_after_another_stream_is_reported_here(session: type[Session], rule: str, words: str) -> None:
    result = play_streamed_loop(Translator(session))
    assert result.verdict is Verdict.FAIL
    assert [(finding.rule, finding.message, finding.body) for finding in result.findings] == [
        (rule, words, "02-response")
    ]


class Own(CannotGoOn):
    """It goes on with nobody else's conversation, so that no other check sees its second stream."""

    history = "own"


def test_a_session_with_a_history_of_its_own_has_no_other_check() -> None:
    result = play_streamed_loop(Translator(Own))
    assert [(finding.rule, finding.body) for finding in result.findings] == [("translation/crashed", "02-response")]


class UnlawfulStreams(Session):
    """Breaks the grammar in a way that its client survives: no event has its name."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        return (
            b"\n".join(line for line in piece.split(b"\n") if line[:6] != b"event:")
            for piece in self.inner.stream(chunks)
        )


def test_the_grammar_is_the_business_of_the_check_of_streams() -> None:
    translator = Translator(UnlawfulStreams)
    assert play_streamed_loop(translator, "anthropic", "openai_chat").findings == ()
    route = Route("anthropic", "openai_chat", ABSENT.model("anthropic"), ABSENT.model("openai_chat"))
    driver = PythonDriver(translator, "t:T")
    assert CHECKS["stream"](ABSENT, route, driver.open, HARNESS, "", None).verdict is Verdict.FAIL


class LosesTheSecondCall(Session):
    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        for piece in self.inner.stream(chunks):
            if b'"index":1' not in piece:
                yield piece


def test_another_number_of_calls_ends_it() -> None:
    result = play_streamed_loop(Translator(LosesTheSecondCall))
    (finding,) = result.findings
    assert (finding.rule, finding.want, finding.got, finding.body) == ("translation/loop-broken", 2, 1, "01-response")


class LosesOnTheWayDown(Session):
    """Streams in which the arguments of each call are empty."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        whole = b"".join(super().stream(chunks))
        yield re.sub(rb'"arguments": ?"(?:[^"\\]|\\.)+"', b'"arguments":""', whole)


class LosesOnTheWayUp(Session):
    """Requests in which the arguments of each call are empty."""

    def request(self, body: dict[str, Any], /) -> Any:
        sent = super().request(body)
        for message in sent["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_use":
                    block["input"] = {}
        return sent


@pytest.mark.parametrize(("session", "is_reply"), [(LosesOnTheWayDown, True), (LosesOnTheWayUp, False)])
def test_what_a_reply_lost_is_not_blamed_on_the_request(session: type[Session], is_reply: bool) -> None:
    findings = [
        finding
        for finding in play_streamed_loop(Translator(session)).findings
        if finding.rule == "translation/arguments"
    ]
    assert {finding.body for finding in findings} == {"02-request", "03-request"}
    message = "the client's own request has it so"
    assert all((message in finding.message) is is_reply for finding in findings)
    assert not is_reply or "on the way down, in 01-response" in findings[0].message

"""What only a session shows: ids of replies that are always the same, and a stream, or its counts, not asked for."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CASE = load_corpus().cases["shell/seed"]


class Changed:
    """The reference, with keys put into or taken out of what it makes."""

    def __init__(self, request: dict[str, Any] | None = None, response: dict[str, Any] | None = None) -> None:
        self.changes = (request or {}, response or {})

    def open(self, route: Route, /) -> Changed:
        self.session = ReferenceTranslator().open(route)
        return self

    def request(self, body: dict[str, Any], /) -> Any:
        return self.session.request(body) | self.changes[0]

    def response(self, body: dict[str, Any], /) -> Any:
        return self.session.response(body) | self.changes[1]

    def stream(self, chunks: Any, /) -> Any:
        return self.session.stream(chunks)


def levels_by_rule(translator: Any, check: str, client: str, upstream: str) -> set[tuple[str, str]]:
    route = Route(client, upstream, CASE.model(client), CASE.model(upstream))
    findings = CHECKS[check](CASE, route, PythonDriver(translator, "changed").open, HARNESS, "", None).findings
    return {(finding.rule, finding.level.name) for finding in findings}


@pytest.mark.parametrize(("client", "key"), [("openai_chat", "id"), ("anthropic", "id"), ("gemini", "responseId")])
def test_replies_with_one_id(client: str, key: str) -> None:
    upstream = "openai_responses"
    assert levels_by_rule(Changed(response={key: "always"}), "response", client, upstream) == {
        ("translation/reply-ids", "SHOULD")
    }
    assert levels_by_rule(Changed(), "response", client, upstream) == set()
    blank = {("gemini/reply-id-blank", "SHOULD")} if client == "gemini" else set()
    assert (
        levels_by_rule(Changed(response={key: ""}), "response", "gemini", upstream) == blank
    )  # not for being the same


def test_a_stream_that_is_not_requested() -> None:
    lost = {("translation/stream-lost", "MUST")}
    assert levels_by_rule(Changed(request={"stream": False}), "stream", "anthropic", "openai_chat") == lost
    assert levels_by_rule(Changed(request={"stream": False}), "stream", "gemini", "anthropic") == set(), (
        "its body cannot say it"
    )
    assert levels_by_rule(Changed(request={"stream": False}), "stream", "openai_chat", "openai_responses") == lost
    assert levels_by_rule(Changed(), "stream", "gemini", "anthropic") == set()
    assert levels_by_rule(Changed(), "stream", "anthropic", "gemini") == set()


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_obfuscation": False}])
@pytest.mark.parametrize("client", ["anthropic", "openai_responses", "gemini"])
def test_counts_that_are_not_requested(client: str, options: Any) -> None:
    """The provider's stream then has none: nothing is lost on the way down, and the request is at fault."""
    unasked = {("translation/usage-not-requested", "MUST")}
    assert levels_by_rule(Changed(request={"stream_options": options}), "stream", client, "openai_chat") == unasked


def test_counts_that_are_requested() -> None:
    options = {"include_usage": True, "include_obfuscation": False}
    for client in ("anthropic", "openai_responses", "gemini"):
        assert levels_by_rule(Changed(request={"stream_options": options}), "stream", client, "openai_chat") == set()
    assert levels_by_rule(Changed(), "stream", "openai_chat", "openai_chat") == set()
    never = Changed(request={"stream_options": None})
    assert ("translation/usage-not-requested", "MUST") in levels_by_rule(never, "stream", "openai_chat", "openai_chat")


class WholeReplies:
    """The reference as a library that asks for a whole reply, always, and makes the stream of it itself."""

    def open(self, route: Route) -> Any:
        return Whole(route)


class Whole:
    def __init__(self, route: Route) -> None:
        self.route = route
        self.inner: Any = ReferenceTranslator().open(route)

    async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
        sent = {key: value for key, value in self.inner.request(body).items() if key != "stream"}
        async with aiohttp.ClientSession() as client:
            reply = await client.post(
                f"{upstream_url}/v1/chat/completions", json=sent, headers={"authorization": "Bearer k"}
            )
            return self.streamed(await reply.json())

    async def streamed(self, reply: Any) -> Any:
        (played,) = (exchange for exchange in CASE.exchanges("openai_chat") if exchange.response == reply)
        for piece in self.inner.stream([played.stream()]):
            yield piece


def test_a_translator_that_makes_the_stream_itself_need_not_request_one() -> None:
    """The client has its stream, though late: another rule says that, and no second one."""
    route = Route("anthropic", "openai_chat", CASE.model("anthropic"), CASE.model("openai_chat"))
    driver = PythonDriver(WholeReplies(), "t:T", transports=lambda: HARNESS.corpus.transports)
    try:
        findings = CHECKS["stream"](CASE, route, driver.open, HARNESS, "", None).findings
    finally:
        driver.close()
    assert {(finding.rule, finding.level.name) for finding in findings} == {("translation/stream-at-once", "SHOULD")}

"""The variant ``stored``: the client names the reply that it goes on from, and sends only what is new."""

from __future__ import annotations

from typing import Any

import pytest

from stored_requests import CASES, CLIENT, route
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, ItemResult, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)


class Session:
    """The reference's session; ``sent`` are the requests that it got."""

    def __init__(self, way: Route) -> None:
        self.inner = ReferenceTranslator().open(way)
        self.sent: list[dict[str, Any]] = []

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.sent.append(body)
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        return self.inner.response(body)


def play(session: type[Session], case_id: str = "state/recorded-shape", upstream: str = CLIENT) -> ItemResult:
    case = CORPUS.cases[case_id]

    class Translator:
        def open(self, way: Route, /) -> Session:
            return session(way)

    driver = PythonDriver(Translator(), "double")
    return CHECKS["agent_loop"](case, route(case, upstream), driver.open, HARNESS, "stored", None)


def musts(result: ItemResult) -> set[str]:
    return {finding.rule for finding in result.findings if finding.level is Level.MUST}


def test_it_is_for_clients_and_cases_that_have_it() -> None:
    stored, plain = CORPUS.cases["state/seed"], CORPUS.cases["shell/seed"]
    assert len(CASES) >= 6
    assert "stored" in variants(CORPUS, "agent_loop", stored, CLIENT, "gemini")
    assert "stored" not in variants(CORPUS, "agent_loop", stored, "gemini", CLIENT)
    assert "stored" not in variants(CORPUS, "agent_loop", plain, CLIENT, "gemini")


def test_the_client_sends_only_what_is_new() -> None:
    sessions: list[Session] = []

    class Watched(Session):
        def __init__(self, way: Route) -> None:
            super().__init__(way)
            sessions.append(self)

    assert play(Watched, "state/developer-item", "anthropic").verdict is Verdict.PASS
    first, second, third = sessions[-1].sent
    assert "previous_response_id" not in first
    assert [item["type"] for item in second["input"]] == [item["type"] for item in third["input"]]
    assert [item["type"] for item in second["input"]] == ["function_call_output"]
    assert second["previous_response_id"] != third["previous_response_id"]
    assert second["tools"] == first["tools"]


class Refused(Exception):  # noqa: N818 - recognised by this very name
    pass


class KeepsNothing(Session):
    """Refuses what goes on from an earlier reply, as a translator may that keeps no conversations."""

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        if "previous_response_id" in body:
            raise Refused("send the whole input")
        return super().request(body)


def test_a_refusal_is_right() -> None:
    for upstream in ("anthropic", CLIENT):
        result = play(KeepsNothing, upstream=upstream)
        assert result.verdict is Verdict.PASS
        assert "send the whole input" in result.reason


class FallsOver(Session):
    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        if "previous_response_id" in body:
            raise KeyError("previous_response_id")
        return super().request(body)


class GivesNoId(Session):
    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        return {key: value for key, value in super().response(body).items() if key != "id"}


class GivesIdsOfItsOwn(Session):
    """The client's reply has another id than the provider's, and nobody turns it back."""

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        return super().response(body) | {"id": "resp_of_the_gateway"}


class SaysEverythingTwice(Session):
    """Looks up the earlier turns, and sends the reply's id along with them."""

    def __init__(self, way: Route) -> None:
        super().__init__(way)
        self.known: list[Any] = []

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.known += body["input"]
        return super().request(body | {"input": [*self.known]})

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.known += body["output"]
        return super().response(body)


class DoesNotStore(Session):
    """Tells the provider to keep nothing, and goes on from its reply all the same."""

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        return super().request(body) | {"store": False}


@pytest.mark.parametrize(
    ("session", "rule"),
    [
        (FallsOver, "translation/crashed"),
        (GivesNoId, "translation/loop-broken"),
        (GivesIdsOfItsOwn, "translation/stored-reply-known"),
        (SaysEverythingTwice, "translation/call-duplicated"),
        (DoesNotStore, "translation/stored-reply-known"),
    ],
)
def test_what_a_provider_with_a_memory_would_refuse(session: type[Session], rule: str) -> None:
    result = play(session)
    assert result.verdict is Verdict.FAIL
    assert rule in musts(result), musts(result)


def test_places_are_those_of_the_request_that_was_sent() -> None:
    class ChangesTheResult(Session):
        def request(self, body: dict[str, Any], /) -> dict[str, Any]:
            output = super().request(body)
            if "previous_response_id" in output:
                output["input"][0]["output"] = "listen 80;"
            return output

    changed = [finding for finding in play(ChangesTheResult).findings if finding.rule == "translation/result-content"]
    assert {finding.pointer for finding in changed} == {"/input/0/output", "/previous_response_id"}


def test_the_provider_may_be_asked_to_remember_for_clients_that_do_not() -> None:
    class Shortens(Session):
        """A client of Chat; upstream only what is new goes."""

        last: str | None = None
        told = 0

        def request(self, body: dict[str, Any], /) -> dict[str, Any]:
            output = super().request(body)
            if self.last is None:
                return output
            place = max(at for at, item in enumerate(output["input"]) if item.get("type") == "function_call")
            return output | {"previous_response_id": self.last, "input": output["input"][place + 1 :]}

        def response(self, body: dict[str, Any], /) -> dict[str, Any]:
            self.last = body["id"]
            return super().response(body)

    case = CORPUS.cases["state/recorded-shape"]

    class Translator:
        def open(self, way: Route, /) -> Session:
            return Shortens(way)

    way = Route("openai_chat", CLIENT, case.model("openai_chat"), case.model(CLIENT))
    result = CHECKS["agent_loop"](case, way, PythonDriver(Translator(), "double").open, HARNESS, "", None)
    assert result.verdict is Verdict.PASS, result.findings

"""A translator that fetches what its input has by an address reaches nothing, and is not judged by that."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Body, Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers import Crashed, Inapplicable, Opened, Outcome, Produced
from toolcall_conformance.drivers.isolated.messages import outcome_of_json, outcome_to_json
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import route_of
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CASE = load_corpus().cases["media/result-image-by-url"]
ROUTE = route_of(CASE, "anthropic", "gemini")
PICTURE = "https://plots.example.net/14/0702.jpg"
ASKED = {"model": "any", "messages": [{"role": "user", "content": f"See {PICTURE}"}]}


def by_urllib(address: str) -> Any:
    return urllib.request.urlopen(address)


def by_name(_address: str) -> Any:
    return socket.gethostbyname("plots.example.net")


def in_bytes(_address: str) -> Any:
    return socket.getaddrinfo(b"Plots.Example.NET.", 443)


async def by_asyncio(_address: str) -> Any:
    return await asyncio.open_connection("plots.example.net", 443)


def fetch_ignoring_errors(address: str) -> Any:
    try:
        return by_urllib(address)
    except OSError:
        return None


FETCHES: list[Callable[[str], Any]] = [by_urllib, by_name, in_bytes, by_asyncio, fetch_ignoring_errors]


class Session:
    """The reference's session, which does something with each address that it is given."""

    def __init__(self, route: Route, fetch: Callable[[str], Any]) -> None:
        self.inner, self.fetch = ReferenceTranslator().open(route), fetch

    async def request(self, body: Body) -> Body:
        if PICTURE in str(body):
            fetched = self.fetch(PICTURE)
            if asyncio.iscoroutine(fetched):
                await fetched
        output: Body = self.inner.request(body)
        return output

    def response(self, body: Body) -> Body:
        output: Body = self.inner.response(body)
        return output


class Fetching:
    """A translator of such sessions."""

    def __init__(self, fetch: Callable[[str], Any]) -> None:
        self.fetch = fetch

    def open(self, route: Route) -> Session:
        return Session(route, self.fetch)


def request_outcome(fetch: Callable[[str], Any], body: Body) -> Outcome:
    opened = PythonDriver(Fetching(fetch), "fetching").open(ROUTE)
    assert isinstance(opened, Opened)
    return opened.session.request(body)


def check_result(fetch: Callable[[str], Any], check: str = "request") -> ItemResult:
    return CHECKS[check](CASE, ROUTE, PythonDriver(Fetching(fetch), "fetching").open, HARNESS, "", None)


@pytest.mark.parametrize("fetch", FETCHES)
def test_an_address_of_the_input_is_not_reached(fetch: Callable[[str], Any]) -> None:
    outcome = request_outcome(fetch, ASKED)
    assert isinstance(outcome, Inapplicable)
    assert PICTURE in outcome.reason
    assert outcome_of_json(outcome_to_json(outcome), "request") == outcome


@pytest.mark.parametrize("check", ["request", "agent_loop"])
def test_what_is_made_of_a_picture_that_is_fetched_is_not_applicable(check: str) -> None:
    result = check_result(by_urllib, check)
    assert (result.verdict, result.findings) == (Verdict.NOT_APPLICABLE, ())
    assert PICTURE in result.reason


def raises(_address: str) -> Any:
    raise OSError("this picture is no picture")


def test_a_crash_that_reaches_for_nothing_is_a_crash() -> None:
    assert isinstance(request_outcome(raises, ASKED), Crashed)
    result = check_result(raises)
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["translation/crashed"]


def test_a_host_that_the_input_does_not_name_is_the_translators_own() -> None:
    def elsewhere(_address: str) -> Any:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", 1), 1)

    nearby = {"model": "any", "messages": [{"role": "user", "content": f"{PICTURE} and http://127.0.0.1:1/"}]}
    assert isinstance(request_outcome(elsewhere, nearby), Produced)


def test_what_was_held_back_is_free_after_the_call() -> None:
    request_outcome(by_name, ASKED)
    with pytest.raises(socket.gaierror) as raised:  # this flag lets nobody look a name up
        socket.getaddrinfo("plots.example.net", 443, flags=socket.AI_NUMERICHOST)
    assert "the run is offline" not in str(raised.value)

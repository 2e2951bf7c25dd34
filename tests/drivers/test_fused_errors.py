"""Libraries that send by themselves: errors of the upstream, several conversations, and what a call leaves."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from drivers.fused_library import leftover_threads
from toolcall_conformance.basics.contract import Route, Unsupported
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers import Opened, Produced, TimedOut, UnsupportedOutcome
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.engine.items.plan import probe
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
ADDRESSES = Addresses(CORPUS.transports)


class Fused:
    """The reference's session as one call; ``fails`` does what a library does about errors of the upstream."""

    def __init__(self, route: Route, fails: str) -> None:
        self.route, self.fails = route, fails
        self.inner: Any = ReferenceTranslator().open(route)

    async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
        way = self.route.upstream, self.route.upstream_model
        sent = self.inner.request(body)
        async with (
            aiohttp.ClientSession() as client,
            client.post(
                upstream_url + ADDRESSES.request_path(*way), json=sent, headers=ADDRESSES.request_headers(way[0], "key")
            ) as reply,
        ):
            reply_body = await reply.json()
            if reply.status == 200:
                return self.inner.response(reply_body)
            if self.fails in ("raises", self.route.upstream, str(reply.status)):
                raise RuntimeError(f"the provider answered {reply.status}")
            answer = self.inner.error(
                reply.status, reply_body, {name.lower(): text for name, text in reply.headers.items()}
            )
            return answer[:2] if self.fails == "without headers" else answer


class Library:
    def __init__(self, fails: str = "") -> None:
        self.fails = fails

    def open(self, route: Route) -> Fused:
        return Fused(route, self.fails)


def library_driver(library: Library) -> PythonDriver:
    return PythonDriver(library, "mine:T", transports=lambda: CORPUS.transports, timeout=5)


def route(case: str, client: str, upstream: str) -> Route:
    corpus_case = CORPUS.cases[case]
    return Route(client, upstream, corpus_case.model(client), corpus_case.model(upstream))


def play_check(driver: PythonDriver, check: str, case: str, way: Route, variant: str = "") -> Any:
    other = CORPUS.cases["shell/seed"] if variant == "interleaved" else None
    try:
        return CHECKS[check](CORPUS.cases[case], way, driver.open, HARNESS, variant, other)
    finally:
        driver.end_item()


def test_an_error_of_the_upstream_is_judged() -> None:
    way = route("errors/upstream-rate-limit", "anthropic", "openai_chat")
    for fails in ("", "without headers"):
        driver = library_driver(Library(fails))
        result = play_check(driver, "response", "errors/upstream-rate-limit", way)
        driver.close()
        assert not result.findings
        (reply,) = result.played
        assert reply.produced["status"] == 429
        assert ("headers" in reply.produced) is (fails == "")
        assert reply.produced["body"]["error"]["type"] == "rate_limit_error"


@pytest.mark.parametrize("variant", ["", "interleaved"])
def test_a_loop_goes_on_after_an_error(variant: str) -> None:
    case = "errors/upstream-rate-limit-after-tool"
    for fails in ("", "raises"):
        driver = library_driver(Library(fails))
        result = play_check(driver, "agent_loop", case, route(case, "gemini", "anthropic"), variant)
        driver.close()
        assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert leftover_threads() == []


def test_a_library_that_raises_upon_errors_has_no_error_to_judge() -> None:
    """Each item finds out by itself: a probe under load, or one of another error, would say something else."""
    driver = library_driver(Library("raises"))
    assert all("error" in done for done in probe(driver, CORPUS).operations.values())
    case = "errors/upstream-rate-limit"
    result = play_check(driver, "response", case, route(case, "anthropic", "openai_chat"))
    driver.close()
    assert (result.verdict, result.findings, result.played) == (Verdict.NOT_APPLICABLE, (), ())
    assert result.reason.startswith("exchange raised RuntimeError: the provider answered 429 when the upstream failed")


def test_the_replies_after_an_error_that_it_raises_are_judged() -> None:
    case = "errors/upstream-rate-limit-after-tool"
    driver = library_driver(Library("raises"))
    result = play_check(driver, "response", case, route(case, "anthropic", "openai_chat"))
    driver.close()
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert [item.name for item in result.played] == ["01-response", "02-response"]
    assert "there is no error body to judge" in result.reason


@pytest.mark.parametrize(("fails", "upstream"), [("gemini", "gemini"), ("429", "openai_chat")])
def test_a_library_that_raises_upon_some_errors_is_judged_by_the_others(fails: str, upstream: str) -> None:
    driver = library_driver(Library(fails))
    cases = ("errors/upstream-server-error", "errors/upstream-rate-limit")
    verdicts = [
        play_check(driver, "response", case, route(case, "openai_responses", name)).verdict
        for name in ("anthropic", upstream)
        for case in cases
    ]
    driver.close()
    raised, success = Verdict.NOT_APPLICABLE, Verdict.PASS
    assert verdicts == ([success, success, raised, raised] if fails == "gemini" else [success, raised, success, raised])


def test_a_library_that_raises_before_it_asks_says_nothing_of_errors() -> None:
    class Broken(Library):
        def open(self, way: Route) -> Any:
            class Session(Fused):
                async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
                    raise KeyError("too early", body, upstream_url)

            return Session(way, "")

    driver = library_driver(Broken())
    support = probe(driver, CORPUS)
    driver.close()
    assert set(support.operations.values()) == {frozenset({"request", "response", "error", "stream"})}


def test_two_conversations_at_once() -> None:
    driver = library_driver(Library())
    way = route("shell/realistic", "anthropic", "gemini")
    result = play_check(driver, "agent_loop", "shell/realistic", way, "interleaved")
    driver.close()
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert len(result.played) > 1


def test_a_route_that_it_does_not_do() -> None:
    class Partly:
        def open(self, way: Route) -> Fused:
            if way.upstream == "gemini":
                raise Unsupported("no gemini")
            return Fused(way, "")

    driver = PythonDriver(Partly(), "mine:T", transports=lambda: CORPUS.transports)
    opened = driver.open(route("shell/seed", "anthropic", "gemini"))
    assert isinstance(opened, UnsupportedOutcome)
    driver.close()


def test_what_it_changes_of_the_process_is_put_back(tmp_path: Path) -> None:
    class Careless(Library):
        def open(self, way: Route) -> Any:
            class Session(Fused):
                async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
                    os.chdir(tmp_path)
                    sys.excepthook = print
                    sys.stdout.close()
                    return await super().exchange(body, upstream_url)

            return Session(way, "")

    before = Path.cwd(), sys.excepthook
    driver = library_driver(Careless())
    assert play_check(driver, "request", "shell/seed", route("shell/seed", "anthropic", "openai_chat")).findings == ()
    driver.close()
    assert (Path.cwd(), sys.excepthook) == before
    assert not sys.stdout.closed


def test_what_comes_too_late_changes_nothing() -> None:
    """An exchange that was given up asks at last, while the next one waits."""

    class Slow:
        first = True

        def open(self, way: Route) -> Any:
            outer = self

            class Session(Fused):
                async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
                    if outer.first:
                        outer.first = False
                        try:
                            await asyncio.sleep(60)
                        except asyncio.CancelledError:
                            return await super().exchange({**body, "late": True}, upstream_url)
                    return await super().exchange(body, upstream_url)

            return Session(way, "")

    way = route("shell/seed", "anthropic", "anthropic")
    driver = PythonDriver(Slow(), "mine:T", transports=lambda: CORPUS.transports, timeout=0.5)
    body = CORPUS.cases["shell/seed"].exchanges("anthropic")[0].request
    opened = driver.open(way)
    assert isinstance(opened, Opened)
    assert opened.session.request(body) == TimedOut(0.5)
    again = opened.session.request(body)
    assert isinstance(again, Produced)
    assert "late" not in again.value
    driver.close()
    assert leftover_threads() == []

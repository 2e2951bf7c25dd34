"""Libraries that translate, send and translate back in one call, through real runs on the miniature corpus."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from toolcall_conformance.basics.contract import Route, Unsupported
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers import Opened, Produced, TimedOut, UnsupportedOutcome, load_driver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.engine.items.plan import probe
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator
from turns import share

# A library as a user would write it; `{...}` are the places where one goes wrong.
LIBRARY = """
import asyncio, json, time, urllib.request, urllib.error
import aiohttp, good
Refused, Unsupported = good.Refused, good.Unsupported
PATHS = {{"alpha": "/alpha", "beta": "/beta/{{model}}:ask"}}
HEADERS = {{
    "alpha": {{"content-type": "application/json", "x-alpha-key": "k"}},
    "beta": {{"content-type": "application/json", "x-beta-key": "Key k", "x-beta-version": "2"}},
}}


def post(url, body, headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=20) as reply:
        return json.load(reply)


class Session:
    {history}

    def __init__(self, route):
        self.route = route

    {word} exchange(self, body, upstream_url):
        odd = "box/two" in body["text"]
        upstream, model = self.route.upstream, self.route.upstream_model
        headers = dict(HEADERS[upstream])
        sent = {{"format": upstream, "text": body["text"]}}
        if odd:
            {before}
        reply = {post}(upstream_url + PATHS[upstream].replace("{{model}}", model), sent, headers)
        made = {{"format": self.route.client, "text": reply["text"]}}
        if odd:
            {after}
        return made


async def post_async(url, body, headers):
    async with aiohttp.ClientSession() as client:
        async with client.post(url, data=json.dumps(body), headers=headers) as reply:
            return await reply.json()


class T:
    def open(self, route):
        return Session(route)
"""
REQUEST, RESPONSE = "toolcall::box/two::request::alpha-to-beta", "toolcall::box/two::response::alpha-to-beta"


def library(
    project: Any, before: str = "pass", after: str = "pass", *, way: str = "def", history: str = "history = None"
) -> str:
    word, post = {
        "def": ("def", "post"),
        "async def": ("async def", "await post_async"),
        # Not as it should be done, and often done.
        "blocking": ("async def", "post"),
    }[way]
    project.write_module("mine", LIBRARY.format(word=word, post=post, before=before, after=after, history=history))
    return "mine:T"


def leftover_threads() -> list[str]:
    """Threads of the run that are still there."""
    end = time.monotonic() + 8  # other tests leave threads that sleep
    while (
        names := [t.name for t in threading.enumerate() if t.name.startswith("toolcall")]
    ) and time.monotonic() < end:
        time.sleep(0.02)
    return names


@pytest.mark.parametrize("way", ["def", "async def", "blocking"])
def test_requests_and_replies_are_judged(project: Any, way: str) -> None:
    project.run("toolcall::", spec=library(project, way=way)).assert_outcomes(passed=24)
    assert leftover_threads() == []


def test_its_faults_are_found(project: Any) -> None:
    spec = library(project, "sent['text'] += '!'", "made['text'] += '?'")
    result = project.run("toolcall::box", "-v", spec=spec)
    result.assert_outcomes(failed=8, passed=8)
    result.stdout.fnmatch_lines(['    got   "box/two request 1!"', '    got   "box/two response 1?"'])


def limit(rule: str) -> str:
    """A time limit that is short only where it is to be exceeded: machines are slow at times."""
    return "--toolcall-timeout=1" if rule == "timed-out" else "--toolcall-timeout=20"


BEFORE = [
    (
        "upstream = 'alpha'",
        "upstream-address",
        (
            "the upstream was asked at POST /alpha, which is the API of alpha; perhaps this translator does the "
            "route alpha-to-alpha; beta is POST /beta/{model}:ask"
        ),
    ),
    (
        "upstream_url += '/v1'",
        "upstream-address",
        "the upstream was asked at POST /v1/beta/beta-1:ask, which is no API of these formats; *",
    ),
    ("headers.pop('x-beta-key')", "upstream-headers", "the request to POST /beta/beta-1:ask has no header x-beta-key"),
    ("model = 'other'", "model-of-route", "the path names the model other, the route beta-1"),
    ("sent = [sent]", "bad-output", "to the upstream the translator returned a list; a body is one JSON object *"),
    ("return {'text': 'made up'}", "bad-output", "exchange answered 200 without asking the upstream: made up"),
    ("return None", "bad-output", "exchange answered 200 without asking the upstream: None"),
    ("return (400, {'error': {'message': 'no'}})", "refused", "request refused this input: answered 400: no"),
    ("return (1, 2, 3, 4)", "bad-output", "exchange returned a tuple other than (status, body) or (status, body, *"),
    ("raise KeyError('oops')", "crashed", "request raised KeyError: 'oops'"),
    ("raise SystemExit(3)", "crashed", "request raised SystemExit: 3"),
    ("raise asyncio.CancelledError('by itself')", "crashed", "request raised CancelledError*"),
    ("raise Refused('not so')", "refused", "request refused this input: not so"),
    ("raise Unsupported('not so')", "refused", "request is not supported for this input (not so), though *"),
    ("time.sleep(2)", "timed-out", "request did not return within 1 s"),
]


@pytest.mark.parametrize(("before", "rule", "sentence"), BEFORE, ids=[row[0] for row in BEFORE])
def test_a_fault_on_the_way_up(project: Any, before: str, rule: str, sentence: str) -> None:
    """In a function or in a coroutine, by turns."""
    for way in share(("def", "async def"), 2, BEFORE.index((before, rule, sentence))):
        spec = library(project, before, way=way)
        result = project.run("-v", REQUEST, "toolcall::crate", limit(rule), "--toolcall-strict", spec=spec)
        result.assert_outcomes(failed=1, passed=8)
        result.stdout.fnmatch_lines([f"  translation/{rule}  *", f"    what  {sentence}"])
        ours = result.stdout.str() + result.stderr.str()
        assert "toolcall_conformance/" not in ours
        assert "INTERNALERROR" not in ours


AFTER = [
    ("raise KeyError('oops')", "crashed", "response raised KeyError: 'oops'"),
    ("raise SystemExit(3)", "crashed", "response raised SystemExit: 3"),
    (
        "return (500, {'message': 'broken'})",
        "crashed",
        "response answered 500 though the upstream answered 200: broken",
    ),
    ("return [made]", "bad-output", "exchange returned a list; a body is one JSON object (a dict)"),
    ("return None", "bad-output", "exchange returned None; return the translated body (is a `return` missing[?])"),
    ("return ('200', made)", "bad-output", "exchange returned a tuple other than (status, body) or *"),
    ("raise Refused('not so')", "refused", "response refused this input: not so"),
    ("time.sleep(2)", "timed-out", "response did not return within 1 s"),
]


@pytest.mark.parametrize(("after", "rule", "sentence"), AFTER, ids=[row[0] for row in AFTER])
def test_a_fault_on_the_way_down(project: Any, after: str, rule: str, sentence: str) -> None:
    """In a function or in a coroutine, by turns."""
    for way in share(("def", "async def"), 2, AFTER.index((after, rule, sentence))):
        spec = library(project, "pass", after, way=way)
        result = project.run("-v", REQUEST, RESPONSE, "toolcall::crate", limit(rule), spec=spec)
        result.assert_outcomes(failed=1, passed=9)
        result.stdout.fnmatch_lines([f"  translation/{rule}  *        MUST", f"    what  {sentence}"])
        assert "toolcall_conformance/" not in result.stdout.str()


def test_its_own_traceback_is_shown(project: Any) -> None:
    for way in ("def", "async def"):
        result = project.run(REQUEST, spec=library(project, "raise KeyError('oops')", way=way))
        result.stdout.fnmatch_lines(["Traceback (most recent call last):", "*mine.py*in exchange", "KeyError: 'oops'"])
        assert "asyncio/" not in result.stdout.str()


def test_a_coroutine_that_waits_for_ever_is_ended(project: Any) -> None:
    text = "await asyncio.sleep(60)"
    result = project.run(
        REQUEST, "toolcall::crate", "--toolcall-timeout=1", spec=library(project, text, way="async def")
    )
    result.assert_outcomes(failed=1, passed=8)
    assert leftover_threads() == []


def test_a_busy_loop_is_ended(project: Any) -> None:
    spec = library(project, "exec('while True: pass')")
    project.run(REQUEST, "toolcall::crate", "--toolcall-timeout=1", spec=spec).assert_outcomes(failed=1, passed=8)
    assert leftover_threads() == []


def test_a_task_of_its_own_may_exit(project: Any) -> None:
    """SystemExit leaves the loop by the side of the task that raised it; the loop goes on."""
    text = "asyncio.ensure_future(asyncio.to_thread(lambda: None)).add_done_callback(lambda _: exit(3))"
    spec = library(project, f"{text}; await asyncio.sleep(0.1)", way="async def")
    project.run("toolcall::", "--toolcall-timeout=5", spec=spec).assert_outcomes(passed=24)


def test_a_library_that_asks_twice_is_answered_twice(project: Any) -> None:
    again = "post(upstream_url + PATHS[upstream].replace('{model}', model), sent, headers)"
    project.run("toolcall::", spec=library(project, again)).assert_outcomes(passed=24)


def test_a_history_of_its_own(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first exchange of a case is played then."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = library(project, history='history = "own"')
    project.run("toolcall::", spec=spec).assert_outcomes(passed=24)
    corpus = load_corpus(project.corpus)
    driver = load_driver(spec, directory=project.path, transports=lambda: corpus.transports)
    opened = driver.open(Route("alpha", "beta", "a", "b"))
    assert isinstance(opened, Opened)
    assert opened.session.own_history
    driver.close()


def test_without_aiohttp_the_error_says_how_to_install_it(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcall_conformance.drivers.library import fused
    from toolcall_conformance.drivers.upstream import MissingLibraryError

    def missing(*_: Any) -> Any:
        raise MissingLibraryError("pip install it")

    monkeypatch.setattr(fused, "ScriptedUpstream", missing)
    result = project.run("toolcall::", spec=library(project))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: pip install it"])


# With errors of the upstream, on the real corpus: the reference as a library.

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

"""Libraries that translate, send and translate back in one call, through real runs on the miniature corpus."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from drivers.fused_library import leftover_threads, library
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import Opened, load_driver
from toolcall_conformance.library import load_corpus
from turns import share

REQUEST, RESPONSE = "toolcall::box/two::request::alpha-to-beta", "toolcall::box/two::response::alpha-to-beta"


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

"""The driver of child processes: what its sessions return, also after their process has ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Opened,
    Produced,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
    load_driver,
)
from toolcall_conformance.drivers.answers import WholeAnswer
from toolcall_conformance.drivers.child.driver import ExecDriver, ExecSession

pytestmark = pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled")

ROUTE = Route("a", "b", "a1", "b1")
# A child whose answer stands in the body of the request; `exit` and `sleep` in it do what they say.
ECHO = """
import json, os, sys, time
print("welcome")
for line in sys.stdin:
    message = json.loads(line)
    told = {"hello": {"protocol": 1, "name": "echo"}, "open": {"operations": ["request", "error", "exchange"]}}
    told = message.get("body") or told.get(message["op"], {})
    if "exit" in told:
        sys.exit(told["exit"])
    if "sleep" in told:
        time.sleep(told["sleep"])
    if "noise" in told:
        print("noise " * 30_000, flush=True)
        told = {"body": {}}
    print(json.dumps({"seq": message["seq"], **told}))
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[ExecDriver]:
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    exec_driver = load_driver(f"exec:{sys.executable} echo.py", directory=tmp_path, timeout=2)
    assert isinstance(exec_driver, ExecDriver)
    yield exec_driver
    exec_driver.close()


@pytest.fixture
def ask(driver: ExecDriver) -> Callable[..., Any]:
    def request(**answer: Any) -> Any:
        return open_session(driver).request(answer)

    return request


def open_session(driver: ExecDriver) -> ExecSession:
    outcome = driver.open(ROUTE)
    assert isinstance(outcome, Opened)
    assert isinstance(outcome.session, ExecSession)
    return outcome.session


def test_name_and_version(driver: ExecDriver) -> None:
    assert (driver.name, driver.version) == ("echo", None)
    assert open_session(driver).operations == {"request", "error", "exchange"}
    assert not open_session(driver).own_history


def test_bodies_and_losses(ask: Any) -> None:
    assert ask(body={"n": 2**63, "x": 1.0}, losses=["a", {"element": "b"}, "a"]) == Produced(
        {"n": 2**63, "x": 1.0}, losses=("a", "b")
    )


def test_what_it_says_instead(ask: Any) -> None:
    assert ask(refused="no") == RefusedOutcome("no")
    assert ask(unsupported="not yet") == UnsupportedOutcome("not yet")
    failed = ask(failed="KeyError: 'x'", traceback="line 7")
    assert isinstance(failed, Crashed)
    assert (failed.sentence, failed.traceback) == ("raised KeyError: 'x'", "line 7")


def test_an_operation_that_the_session_has_not(driver: ExecDriver) -> None:
    assert open_session(driver).response({}) == UnsupportedOutcome("the session has no operation response")


def test_a_body_that_is_no_object(ask: Any) -> None:
    assert ask(body="x") == BadOutput("request returned a string; return the body as a dict, not its JSON text")


def test_half_a_character_that_was_given_comes_back(ask: Any) -> None:
    """The request tells the child what to answer."""
    assert ask(body={"a": "\ud800"}) == Produced({"a": "\ud800"})


def test_errors_have_headers_only_if_the_child_answers_with_some(driver: ExecDriver) -> None:
    def error(**answer: Any) -> Any:
        return open_session(driver).error({"status": 429, "headers": {"retry-after": "1"}, "body": answer})

    assert error(status=503, body={}) == Produced({"status": 503, "body": {}})
    assert error(status=503, body={}, headers={"Retry-After": 7}) == Produced(
        {"status": 503, "headers": {"retry-after": "7"}, "body": {}}
    )


def test_a_session_with_only_exchange_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "fused.py").write_text(
        ECHO.replace('["request", "error", "exchange"]', '["exchange"]'), encoding="utf-8"
    )
    driver = load_driver(f"exec:{sys.executable} fused.py", directory=tmp_path)
    try:
        assert driver.open(ROUTE) == UnsupportedOutcome(
            "its session has only exchange, which exec: cannot play yet; give it request"
        )
    finally:
        driver.close()


def test_an_exchange(driver: ExecDriver) -> None:
    exchange = open_session(driver).exchange
    assert exchange({"body": {"a": 1}}, "http://x") == WholeAnswer(200, None, {"a": 1})
    assert exchange({"body": {}, "status": 429, "headers": {"a": 1}}, "http://x") == WholeAnswer(429, {"a": "1"}, {})
    assert exchange({"refused": "no"}, "http://x") == RefusedOutcome("no")


def test_sessions_of_a_dead_process_are_gone_and_the_next_one_lives(driver: ExecDriver) -> None:
    first, second = open_session(driver), open_session(driver)
    died = first.request({"exit": 4})
    assert isinstance(died, Crashed)
    assert died.sentence == "died with exit code 4"
    for session in (first, second):
        gone = session.request({"body": {}})
        assert isinstance(gone, Crashed)
        assert gone.sentence == "could not be asked: its process died with exit code 4 when it was asked request"
    assert open_session(driver).request({"body": {"a": 1}}) == Produced({"a": 1})
    assert isinstance(second.request({"body": {}}), Crashed)


def test_no_answer_in_time(driver: ExecDriver) -> None:
    session = open_session(driver)
    assert session.request({"sleep": 60}) == TimedOut(2, "The last that the process printed:\nwelcome")
    gone = session.request({"body": {}})
    assert isinstance(gone, Crashed)
    assert gone.sentence == "could not be asked: its process was killed when request took more than 2 s"


def test_bodies_larger_than_a_pipe_with_noise_in_between(ask: Any, driver: ExecDriver) -> None:
    large = {"text": "x" * 5_000_000}
    assert ask(noise=1, body=large) == Produced({})
    assert ask(body=large) == Produced(large)
    assert isinstance(ask(body={"text": "x" * 17_000_000}), ProtocolError)
    assert driver.noise[0] == "welcome"
    assert driver.noise[1].startswith("noise noise")
    assert max(map(len, driver.noise)) < 150


def test_noise_is_bounded(ask: Any, driver: ExecDriver) -> None:
    for _ in range(30):
        assert ask(noise=1) == Produced({})
    assert len(driver.noise) == 20

"""Calls into a translator in this interpreter: outcomes, copies, mutation, async, and the limits."""

from __future__ import annotations

import asyncio
import io
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Opened,
    Outcome,
    Produced,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.driver import PythonDriver

ROUTE = Route("alpha", "beta", "alpha-1", "beta-1")


class Translator:
    """A translator whose ``request`` is the function it is given."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def open(self, _route: Route) -> Translator:
        return self

    def request(self, body: Any) -> Any:
        return self.function(body)


def call(function: Any, body: Any = None, *, timeout: float = 5.0, limit: int = 1000) -> Outcome:
    """What comes of ``request``."""
    driver = PythonDriver(Translator(function), "t:T", timeout=timeout, output_limit=limit)
    opened = driver.open(ROUTE)
    assert isinstance(opened, Opened)
    return opened.session.request({"a": [1, {"b": None}]} if body is None else body)


class Unsupported(Exception):  # noqa: N818 - recognised by its name
    pass


class Refused(Exception):  # noqa: N818 - recognised by its name
    pass


class TooLargeError(Refused):
    pass


def raise_error(error: BaseException) -> Any:
    def function(_body: Any) -> Any:
        raise error

    return function


def test_a_body_comes_back_as_a_copy() -> None:
    source: dict[str, Any] = {"a": [1]}
    outcome = call(lambda body: body, source)
    assert outcome == Produced({"a": [1]}, mutated=False)
    assert isinstance(outcome, Produced)
    assert outcome.value is not source
    assert outcome.value["a"] is not source["a"]


@pytest.mark.parametrize(
    "mutate",
    [
        lambda body: body.update(x=1),
        lambda body: body["a"].append(1),
        lambda body: body["a"][1].update(b=False),
        lambda body: body["a"].__setitem__(0, True),
        lambda body: body.update(me=body),
    ],
)
def test_a_mutated_input_is_noticed_and_the_original_is_unharmed(mutate: Any) -> None:
    body = {"a": [1, {"b": None}]}
    assert call(lambda source: [mutate(source), {"fine": 1}][1], body) == Produced({"fine": 1}, mutated=True)
    assert body == {"a": [1, {"b": None}]}


def test_exceptions_are_distinguished_by_name() -> None:
    assert call(raise_error(Unsupported("no"))) == UnsupportedOutcome("no")
    assert call(raise_error(Refused("why"))) == RefusedOutcome("why")
    assert call(raise_error(TooLargeError("9 MB"))) == RefusedOutcome("9 MB")
    crashed = call(raise_error(NotImplementedError("later")))
    assert isinstance(crashed, Crashed)
    assert crashed.sentence == "raised NotImplementedError: later"


@pytest.mark.parametrize("error", [Unsupported("no"), NotImplementedError("no")])
def test_open_may_say_unsupported_in_two_ways(error: Exception) -> None:
    class T:
        def open(self, _route: Route) -> Any:
            raise error

    assert PythonDriver(T(), "t:T").open(ROUTE) == UnsupportedOutcome("no")


@pytest.mark.parametrize(
    "error", [SystemExit(2), GeneratorExit(), pytest.skip.Exception("x"), asyncio.CancelledError()]
)
def test_whatever_is_raised_is_a_crash(error: BaseException) -> None:
    outcome = call(raise_error(error))
    assert isinstance(outcome, Crashed)
    assert outcome.exception is error


def test_a_keyboard_interrupt_is_the_users() -> None:
    with pytest.raises(KeyboardInterrupt):
        call(raise_error(KeyboardInterrupt()))


def test_the_traceback_holds_the_translators_frames_only() -> None:
    async def function(_body: Any) -> Any:
        await asyncio.sleep(0)
        return raise_error(KeyError("x"))(None)

    outcome = call(function)
    assert isinstance(outcome, Crashed)
    assert "in function" in outcome.traceback
    assert "toolcall_conformance" not in outcome.traceback
    assert "asyncio" not in outcome.traceback
    assert outcome.traceback.endswith("KeyError: 'x'")


def test_a_wrong_signature_has_no_frame_to_show() -> None:
    outcome = call(lambda: None)
    assert isinstance(outcome, Crashed)
    # The lambda is called from this file's Translator.request: one frame, the caller's.
    assert "takes 0 positional arguments but 1 was given" in outcome.traceback


# Each hangs in small steps: a thread that was given up ends at its next one, and is in no later test's way.
async def _slow(_body: Any) -> Any:
    for _ in range(600):
        await asyncio.sleep(0.1)


def _sleeping(_body: Any) -> Any:
    for _ in range(600):
        time.sleep(0.1)


async def _busy(_body: Any) -> Any:
    while True:
        pass


def _in_a_thread_of_its_own(_body: Any) -> Any:
    thread = threading.Thread(target=time.sleep, args=(60,), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)


def _swallowing(_body: Any) -> Any:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            time.sleep(0.1)
        except Exception:
            continue


HANGING = [_sleeping, _slow, _busy, _in_a_thread_of_its_own, _swallowing]


@pytest.mark.timing
@pytest.mark.parametrize("function", HANGING)
def test_a_call_that_never_returns_is_stopped(function: Any) -> None:
    started = time.monotonic()
    assert call(function, timeout=0.2) == TimedOut(0.2)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("function", HANGING)
def test_the_same_where_there_is_no_alarm(function: Any) -> None:
    outcomes: list[Any] = []
    thread = threading.Thread(target=lambda: outcomes.append(call(function, timeout=0.2)))
    thread.start()
    thread.join(5)
    assert outcomes == [TimedOut(0.2)]


def test_a_call_that_was_given_up_puts_nothing_back_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """By then another test may have other streams."""
    goes_on, threads = threading.Event(), list[threading.Thread]()

    def waiting(_body: Any) -> Any:
        threads.append(threading.current_thread())
        goes_on.wait(30)

    async def outer() -> Outcome:
        return call(waiting, {}, timeout=0.05)

    before = sys.stderr
    assert asyncio.run(outer()) == TimedOut(0.05)
    assert sys.stderr is before
    later = io.StringIO()
    monkeypatch.setattr(sys, "stderr", later)
    goes_on.set()
    threads[0].join(5)
    assert not threads[0].is_alive()
    assert sys.stderr is later


def test_a_thread_is_used_inside_a_running_loop() -> None:
    async def outer() -> Outcome:
        async def request(body: Any) -> Any:
            await asyncio.sleep(0)
            return body

        return call(request, {"a": 1})

    assert asyncio.run(outer()) == Produced({"a": 1})


def test_one_loop_serves_all_calls_until_one_hangs() -> None:
    loops = []

    async def request(body: Any) -> Any:
        loops.append(asyncio.get_running_loop())
        if body.get("hang"):
            await asyncio.sleep(60)
        return body

    driver = PythonDriver(Translator(request), "t:T", timeout=0.2)
    opened = driver.open(ROUTE)
    assert isinstance(opened, Opened)
    assert isinstance(opened.session.request({}), Produced)
    assert isinstance(opened.session.request({}), Produced)
    assert opened.session.request({"hang": True}) == TimedOut(0.2)
    assert isinstance(opened.session.request({}), Produced)
    assert loops[0] is loops[1] is loops[2]
    assert loops[3] is not loops[0]


def test_another_time_limit_gets_its_timer_back() -> None:
    rang: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 30)
        call(lambda body: body)
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        assert 25 < left <= 30
        assert signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        signal.raise_signal(signal.SIGALRM)
        assert rang == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Text(str):
    __slots__ = ()


def nested_list(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def shared_list(depth: int) -> Any:
    value: Any = ["x"]
    for _ in range(depth):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    ("value", "sentence", "pointer"),
    [
        ({"a": {"b": (1, 2)}}, "a tuple inside the body; make it a list (at /a/b)", "/a/b"),
        ({"a/b": [float("inf")]}, "Infinity, which JSON does not have (at /a~1b/0)", "/a~1b/0"),
        ({1: 2}, "the key 1, which is not a string (at the top)", ""),
        ({"a": b"x"}, "a bytes inside the body; make it plain JSON (at /a)", "/a"),
        ({"a": object()}, "an object inside the body; make it plain JSON (at /a)", "/a"),
        ({"a": "\ud800"}, "half of a surrogate pair, which UTF-8 cannot encode (at /a)", "/a"),
        ({"a": 10**5000}, "a number of about 5000 digits (at /a)", "/a"),
        ({"a": "x" * 1000}, "a body of more than 1,000 bytes of JSON (at the top)", ""),
        ({"a": shared_list(40)}, "a body of more than 1,000 bytes of JSON (at the top)", ""),
    ],
)
def test_what_is_no_json(value: Any, sentence: str, pointer: str) -> None:
    assert call(lambda _body: value) == BadOutput(f"request returned {sentence}", pointer)


def test_too_deep_is_reported_before_python_gives_up() -> None:
    outcome = call(lambda _body: {"a": nested_list(100_000)}, limit=10**9, timeout=60)
    assert isinstance(outcome, BadOutput)
    assert "nested more than 200 levels deep" in outcome.sentence


def test_a_model_object_gets_advice() -> None:
    class Model:
        def model_dump(self) -> dict[str, Any]:
            return {}

    outcome = call(lambda _body: Model())
    assert isinstance(outcome, BadOutput)
    assert outcome.sentence.startswith("request returned a Model; return plain JSON (a dict): its model_dump(")


def test_subclasses_of_json_types_become_plain() -> None:
    outcome = call(lambda _body: {Text("k"): [Text("v"), True, 2**70, 1.0]})
    assert outcome == Produced({"k": ["v", True, 2**70, 1.0]})
    assert isinstance(outcome, Produced)
    assert [type(key) for key in outcome.value] == [str]


def test_history_may_be_said_by_session_or_translator() -> None:
    for owner in ("session", "translator", None):
        translator = Translator(lambda body: body)
        session = Translator(lambda body: body)
        translator.open = lambda _route, session=session: session  # type: ignore[method-assign, misc]
        if owner:
            ({"session": session, "translator": translator}[owner]).history = "own"  # type: ignore[attr-defined]
        opened = PythonDriver(translator, "t:T").open(ROUTE)
        assert isinstance(opened, Opened)
        assert opened.session.own_history is (owner is not None)
        assert opened.session.operations == {"request"}
        assert isinstance(opened.session.response({}), UnsupportedOutcome)


class Element:
    """An entry of a list of losses, as an object."""

    def __init__(self, element: Any) -> None:
        self.element = element


def endless() -> Iterator[str]:
    while True:
        yield "top-k"


def fail_while_declaring() -> Iterator[str]:
    yield "top-k"
    raise OSError("gone")


@pytest.mark.parametrize(
    ("losses", "names"),
    [
        (
            ["top-k", {"element": "seed", "note": "dropped"}, Element("stop"), Element("stop")],
            ("top-k", "seed", "stop"),
        ),
        ((), ()),
        ([None, 3, {"name": "x"}, Element(7)], ()),
        ("top-k", ()),
        (3.5, ()),
        (None, ()),
        (Element, ()),
        (endless(), ("top-k",)),
        (fail_while_declaring(), ()),
    ],
)
def test_losses_that_a_session_reports(losses: Any, names: tuple[str, ...]) -> None:
    translator = Translator(dict)
    translator.losses = losses  # type: ignore[attr-defined]
    opened = PythonDriver(translator, "t:T").open(ROUTE)
    assert isinstance(opened, Opened)
    assert opened.session.request({}) == Produced({}, losses=names)


def test_a_list_of_losses_that_never_ends_to_be_made_costs_no_result() -> None:
    class Slow(Translator):
        @property
        def losses(self) -> list[str]:
            time.sleep(30)
            return []

    opened = PythonDriver(Slow(dict), "t:T", timeout=0.2).open(ROUTE)
    assert isinstance(opened, Opened)
    assert opened.session.request({}) == Produced({})

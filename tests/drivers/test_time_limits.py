"""The time limit of a call holds whatever the translator does to the alarm; and what it forks runs no suite."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from drivers.test_python_driver import ROUTE, Translator, call
from toolcall_conformance.drivers import Opened, Produced, TimedOut
from toolcall_conformance.drivers.python.driver import PythonDriver


def _late_but_returning(_body: Any) -> Any:
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        try:
            time.sleep(1)
        except BaseException:
            continue
    return {}


def _late_but_raising(body: Any) -> Any:
    _late_but_returning(body)
    raise ValueError("late")


def _blocking_signals(_body: Any) -> Any:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(0.6)
    return {}


def _without_its_timer(_body: Any) -> Any:
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(0.6)
    return {}


@pytest.mark.parametrize("function", [_late_but_returning, _late_but_raising, _blocking_signals, _without_its_timer])
def test_what_comes_too_late_does_not_count(function: Any) -> None:
    assert call(function, timeout=0.2) == TimedOut(0.2)
    assert signal.SIGALRM not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


class _Endless(str):
    __slots__ = ()

    def __str__(self) -> str:
        time.sleep(60)
        return ""


def test_the_reading_of_what_came_is_limited_too() -> None:
    translator = Translator(dict)
    translator.error = lambda status, body, _headers: (status, body, {"x": _Endless("y")})  # type: ignore[attr-defined]
    driver = PythonDriver(translator, "t:T", timeout=0.2)
    opened = driver.open(ROUTE)
    assert isinstance(opened, Opened)
    assert opened.session.error({"status": 500, "headers": {}, "body": {}}) == TimedOut(0.2)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_translators_copy_of_the_process_does_not_go_on_with_the_run() -> None:
    def forking(_body: Any) -> Any:
        child = os.fork()
        return {"ended": os.waitpid(child, 0)[1]} if child else {}

    assert call(forking) == Produced({"ended": 0})

"""A translator that is good except for one deed, which the environment names: ``HOSTILITY="WHERE HOW VALUE"``.

``WHERE`` is a method or an attribute, ``HOW`` what happens there. Methods are hostile once; then the run must go on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hostility.endings import TO_THE_PROCESS
from hostility.values import DEEDS, ERRORS, value
from toolcall_reference import ReferenceTranslator, otel

WHERE, HOW, VALUE = os.environ["HOSTILITY"].split(" ")
HOME = os.environ["HOSTILITY_HOME"]


def hostile_value() -> Any:
    """The value, or what the deed does."""
    if HOW == "raises":
        error = ERRORS[VALUE]()
        raise error
    if HOW == "does":
        return DEEDS[VALUE](None)
    if HOW in TO_THE_PROCESS:
        return TO_THE_PROCESS[HOW][VALUE]()
    return value(VALUE)


def is_attack() -> bool:
    """Whether this is the first time, or one of as many as ``HOSTILITY_TIMES`` says."""
    if HOW in ("ends", "dies") and "PYTEST_CURRENT_TEST" not in os.environ:
        return False  # pytest's own process tries each route; it is not to end
    mark = Path(HOME, "attacked")
    times = len(mark.read_bytes()) if mark.exists() else 0
    if times >= int(os.environ.get("HOSTILITY_TIMES", "1")):
        return False
    mark.write_bytes(b"x" * (times + 1))
    return True


def method(name: str, good: Any) -> Any:
    """A method of a session, hostile if it is the one."""

    def call(*arguments: Any) -> Any:
        if name != WHERE or not is_attack():
            return good(*arguments)
        if HOW == "mutates":
            arguments[0]["messages"] = arguments[0]["a"] = hostile_value()
            return good(*arguments)
        return (
            between(good(*arguments))
            if HOW == "yields"
            else hostile_value_later()
            if HOW == "awaits"
            else hostile_value()
        )

    def error(status: Any, body: Any, headers: Any) -> Any:
        return call(status, body, headers)

    return error if name == "error" else call


def between(pieces: Any) -> Any:
    """The good pieces with the value among them."""
    for number, piece in enumerate(pieces):
        yield hostile_value() if number == 1 else piece


async def hostile_value_later() -> Any:
    return hostile_value()


class Session:
    def __init__(self, route: Any) -> None:
        good = ReferenceTranslator().open(route)
        for name in ("request", "response", "error", "stream", "tool_calls", "tool_results", "mcp_tools", "mcp_result"):
            if WHERE != "exchange" and hasattr(good, name):
                setattr(self, name, method(name, getattr(good, name)))
        if WHERE == "otel":
            self.otel = method(
                "otel", lambda request, response: otel.of_exchange(request, response, route.client).attributes()
            )
        if WHERE == "exchange":
            self.exchange = lambda _body, _url: hostile_value()
        if WHERE in ("losses", "made_up", "history") and HOW == "is":
            setattr(self, WHERE, hostile_value())

    if HOW == "property":
        locals()[WHERE] = property(lambda _self: hostile_value())


class T:
    if WHERE in ("name", "version", "history", "open", "losses") and HOW == "property":
        locals()[WHERE] = property(lambda _self: hostile_value())
    elif WHERE in ("name", "version"):
        locals()[WHERE] = hostile_value()

    def __init__(self) -> None:
        if WHERE == "constructor":
            hostile_value()

    if WHERE != "open" or HOW != "property":

        def open(self, route: Any) -> Any:
            return hostile_value() if WHERE == "open" and is_attack() else Session(route)


if WHERE == "module":
    T = hostile_value()  # type: ignore[misc]

"""Faults in whether and how a translator answers at all, and habits that look like them: what no body shows."""

from __future__ import annotations

import enum
import json
import logging
import threading
from collections import OrderedDict
from typing import Any, ClassVar

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless
from toolcall_conformance.basics.contract import Refused
from toolcall_conformance.drivers.base import Driver
from toolcall_conformance.drivers.python.driver import PythonDriver

CASE = "shell/seed"


def has_results(body: dict[str, Any]) -> bool:
    """Whether a Chat request has results of tools."""
    return any(message["role"] == "tool" for message in body["messages"])


class Answering(DoubledSession):
    """A session whose fault stands in no body."""

    in_no_body: ClassVar[bool] = True


@broken(rule="translation/refused", case=CASE, client=CHAT, upstream=ANTHROPIC)
class RefusesHistories(Answering):
    """Takes a first request, and refuses every one with results."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if has_results(body):
            raise Refused("results of tools are not supported")
        return body


@harmless(case="errors/approval-asked", client=CHAT, upstream=RESPONSES, beside="translation/refused")
class RefusesWhatMayBeRefused(Answering):
    """Refuses the reply of a case that allows it, in words of its own."""

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        if any(item["type"] == "mcp_approval_request" for item in body["output"]):
            raise Refused("nobody is here to approve this")
        return body


@broken(rule="translation/bad-output", case=CASE, client=CHAT, upstream=ANTHROPIC)
class ReturnsTheText(Answering):
    """Returns the JSON text of a request with results, and not the object."""

    def request(self, body: dict[str, Any], /) -> Any:
        output = super().request(body)
        return json.dumps(output) if has_results(body) else output


class _Role(enum.StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/bad-output")
class ReturnsKinsOfPlainJson(Answering):
    """Returns an ordered dict with members of an enum of texts: kin of plain JSON that are written alike."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.route.upstream == ANTHROPIC:  # else the way back of a round trip
            for message in body["messages"]:
                message["role"] = _Role(message["role"])
        return OrderedDict(body)


class Timed(Answering):
    """A session with a limit of time, of which it takes as much at a request with results as ``takes`` says."""

    limit: ClassVar[float]
    takes: ClassVar[float]

    @classmethod
    def driver(cls, translator: Any, name: str) -> Driver:
        return PythonDriver(translator, f"double:{name}", timeout=cls.limit)

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if has_results(body):
            threading.Event().wait(self.takes)
        return body


@broken(rule="translation/timed-out", case=CASE, client=CHAT, upstream=ANTHROPIC)
class TakesTooLong(Timed):
    """Takes more time than there is for a request with results."""

    limit = 0.5
    takes = 1.5


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/timed-out")
class TakesItsTime(Timed):
    """Takes a part of the time that there is for every request with results."""

    limit = 2.0
    takes = 0.25


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/crashed")
class FallsOverAndSaysSo(Answering):
    """Falls over something of its own, logs that with its traceback, and answers; its method is a coroutine."""

    async def request(self, body: dict[str, Any], /) -> Any:
        try:
            float(self.route.upstream_model)
        except ValueError:
            logging.getLogger("gateway").exception("no price is known")
        return super().request(body)


@harmless(
    case="parallel/same-arguments-twice",
    client=ANTHROPIC,
    upstream=GEMINI,
    beside="translation/loop-broken",
)
class NumbersEqualCalls(DoubledSession):
    """Numbers the calls of a reply, of which two are equal but for that."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        calls = [block for block in body.get("content", ()) if block["type"] == "tool_use"]
        for number, call in enumerate(calls):
            call["id"] = f"toolu_{number:024d}"
        return body

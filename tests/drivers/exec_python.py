"""A child that lends any Python translator to the driver: ``exec:python exec_python.py package.module:Name``.

It asks the translator in the way in which the driver for this interpreter does, so that the two can be compared.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import traceback
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterator
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS
from toolcall_conformance.drivers.python.declarations import read_losses
from toolcall_conformance.drivers.python.error_result import takes_headers
from toolcall_conformance.drivers.streams import SourceLost

sessions: dict[str, Any] = {}
questions = map(json.loads, sys.stdin.buffer)


def result(value: Any) -> Any:
    return asyncio.run(_await(value)) if inspect.isawaitable(value) else value


async def _await(value: Any) -> Any:
    return await value


def answer(translator: Any, message: dict[str, Any]) -> dict[str, Any]:
    operation = message["op"]
    if operation == "hello":
        return {"protocol": 1, "name": translator.name, "version": translator.version}
    if operation == "open":
        session = result(translator.open(Route(**message["route"])))
        sessions[message["session"]] = session
        reply: dict[str, Any] = {
            "operations": [name for name in (*OPERATIONS, *FORMAT_OPERATIONS) if hasattr(session, name)]
        }
        made_up = getattr(session, "made_up", None)
        reply |= {"made_up": made_up} if made_up is not None else {}
        return reply | ({"history": "own"} if getattr(session, "history", None) == "own" else {})
    if operation == "close":
        sessions.pop(message["session"], None)
        return {}
    session = sessions[message["session"]]
    if operation == "error":
        method = session.error
        headers = takes_headers(method)
        arguments = (message["status"], message["body"], message["headers"])
        status, body, *rest = result(method(*arguments[: 3 if headers else 2]))
        return {"status": status, "body": body} | ({"headers": dict(rest[0] or {})} if rest else {})
    if operation in FORMAT_OPERATIONS:
        value = result(getattr(session, operation)(*message["arguments"]))
        return {"value": value, "losses": list(read_losses(session))}
    body = result(getattr(session, operation)(message["body"]))
    return {"body": body, "losses": list(read_losses(session))}


class Stream:
    """The upstream's stream for ``for`` and ``async for``; to take the next piece is to answer for the last one."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message
        self.said: list[str] = []

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.message["op"] != "stream-end":
            self.go_on()
        if self.message["op"] == "stream-chunk":
            return b64decode(self.message["chunk"])
        if self.message["end"] == "lost":
            raise SourceLost("the upstream's connection was lost")
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return self.__next__()
        except StopIteration:
            raise StopAsyncIteration from None

    def go_on(self) -> None:
        tell(self.message, {"chunks": self.said})
        self.said = []
        self.message = next(questions, {})
        if not self.message:
            sys.exit()

    def say(self, piece: bytes) -> None:
        self.said.append(b64encode(piece).decode())

    async def draw(self, pieces: Any) -> None:
        if inspect.isawaitable(pieces):
            pieces = await pieces
        if hasattr(pieces, "__aiter__"):
            async for piece in pieces:
                self.say(piece)
        else:
            for piece in pieces:
                self.say(piece)

    def play(self) -> None:
        reply: dict[str, Any] = {}
        try:
            session = sessions[self.message["session"]]
            asyncio.run(self.draw(session.stream(self)))
            while self.message["op"] != "stream-end":
                self.go_on()
            reply["losses"] = list(read_losses(session))
        except Exception as error:
            reply = instead(error)
        tell(self.message, {**reply, "chunks": self.said})


def instead(error: Exception, operation: str = "") -> dict[str, Any]:
    names = {base.__name__ for base in type(error).__mro__}
    if "Unsupported" in names or (operation == "open" and "NotImplementedError" in names):
        return {"unsupported": str(error)}
    if "Refused" in names:
        return {"refused": str(error)}
    return {"failed": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}


def tell(message: dict[str, Any], reply: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps({"seq": message["seq"], **reply}).encode() + b"\n")
    sys.stdout.buffer.flush()


def main(spec: str) -> None:
    sys.path.insert(0, "")  # where pytest was started, as for translators of this interpreter
    module, _, attribute = spec.partition(":")
    translator = getattr(importlib.import_module(module), attribute)()
    for message in questions:
        if message["op"] == "stream-open":
            Stream(message).play()
            continue
        try:
            reply = answer(translator, message)
        except Exception as error:
            reply = instead(error, message["op"])
        tell(message, reply)


if __name__ == "__main__":
    main(sys.argv[1])

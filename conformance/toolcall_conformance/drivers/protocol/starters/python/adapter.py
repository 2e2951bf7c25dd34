"""Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output."""

from __future__ import annotations

import json
import sys
import traceback
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]

# Standard output belongs to the protocol: what else is printed goes to standard error.
answers, sys.stdout = sys.stdout, sys.stderr


class Unsupported(Exception):
    """This route or operation is not done."""


class Refused(Exception):
    """This input is not taken, and here is why."""


# ---------------------------------------------------------------- YOUR TRANSLATOR

NAME, VERSION = "my-translator", "0.1.0"


class Session:
    """One conversation: what it needs to remember between its turns, it keeps here.

    Delete the methods that you do not have: the methods that are there are what you say that you do.
    """

    def __init__(self, route: dict[str, Any]) -> None:
        # route: client, upstream (formats), client_model, upstream_model, stream
        if route["client"] != route["upstream"]:
            raise Unsupported(f"no {route['client']}-to-{route['upstream']} yet")
        self.route = route

    def request(self, body: Body) -> Body:
        """Translate the client's request for the upstream."""
        return body

    def response(self, body: Body) -> Body:
        """Translate the upstream's reply for the client."""
        return body

    def stream(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Translate the upstream's stream for the client; yield all output that is ready before you read on.

        A piece may end anywhere, even inside a character. ``chunks`` raises ConnectionError if the upstream's
        connection is lost.
        """
        yield from chunks

    def error(self, status: int, headers: dict[str, str], body: Body) -> tuple[int, dict[str, str], Body]:
        """Translate the upstream's error for the client."""
        return status, headers, body

    # Within one format (client and upstream are the same) there is more that you may have. Uncomment what you do.

    # def tool_calls(self, reply: Body) -> list[Body]:
    #     """The calls of a reply: ``{"id", "name", "arguments"}`` each, with keys of your own if you like."""
    #     raise Unsupported("no tool calls yet")

    # def tool_results(self, calls: list[Body], results: list[Body]) -> list[Body]:
    #     """What follows that reply in the next request (messages, items or contents), for these calls and results."""
    #     raise Unsupported("no tool results yet")

    # def mcp_tools(self, listed: Body) -> list[Body]:
    #     """The ``tools`` of a request, for what an MCP server answered to ``tools/list``."""
    #     raise Unsupported("no MCP tools yet")

    # def mcp_result(self, call: Body, result: Body) -> list[Body]:
    #     """What follows a reply with this call, for a ``CallToolResult`` of an MCP server."""
    #     raise Unsupported("no MCP results yet")

    # def otel(self, request: Body, reply: Body) -> Body:
    #     """OpenTelemetry: ``input_messages``, ``output_messages``, ``system_instructions``, ``tool_definitions``."""
    #     raise Unsupported("no OpenTelemetry yet")


# ---------------------------------------------------------------- the protocol; no need to change it

BETWEEN = ("request", "response", "error", "stream")
WITHIN = ("tool_calls", "tool_results", "mcp_tools", "mcp_result", "otel")

sessions: dict[str, Any] = {}
questions = map(json.loads, sys.stdin.buffer)


class Stream:
    """The upstream's stream, as ``stream`` reads it. Before it reads the next piece it answers the last one."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message  # the message to answer next
        self.output: list[str] = []  # the output since the last answer

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        if self.message["op"] != "stream-end":
            self.advance()
        if self.message["op"] == "stream-chunk":
            return b64decode(self.message["chunk"])
        if self.message["end"] == "lost":
            raise ConnectionError("the upstream's connection was lost")
        raise StopIteration

    def advance(self) -> None:
        """Answer, and wait for the next piece or the end."""
        send(self.message, {"chunks": self.output})
        self.output = []
        self.message = next(questions, {})
        if not self.message:
            sys.exit()  # the runner has left

    def play(self) -> None:
        result: dict[str, Any] = {}
        try:
            for piece in sessions[self.message["session"]].stream(self):
                self.output.append(b64encode(piece).decode())
            while self.message["op"] != "stream-end":  # the translator stopped reading
                self.advance()
        except Exception as error:
            result = failure(error)
        send(self.message, {**result, "chunks": self.output})


def answer(message: dict[str, Any]) -> dict[str, Any]:
    operation = message["op"]
    if operation == "hello":
        return {"protocol": 1, "name": NAME, "version": VERSION}
    if operation == "open":
        session: Any = Session(message["route"])
        sessions[message["session"]] = session
        return {"operations": [name for name in (*BETWEEN, *WITHIN) if hasattr(session, name)]}
    if operation == "close":
        sessions.pop(message["session"], None)
        return {}
    session = sessions[message["session"]]
    if not hasattr(session, operation):
        raise Unsupported(f"no operation {operation}")
    if operation == "error":
        status, headers, body = session.error(message["status"], message["headers"], message["body"])
        return {"status": status, "headers": headers, "body": body}
    if operation in WITHIN:
        return {"value": getattr(session, operation)(*message["arguments"])}
    return {"body": getattr(session, operation)(message["body"])}


def failure(error: Exception) -> dict[str, Any]:
    if isinstance(error, Unsupported):
        return {"unsupported": str(error)}
    if isinstance(error, Refused):
        return {"refused": str(error)}
    stack = "".join(traceback.format_exception(error))
    return {"failed": f"{type(error).__name__}: {error}", "traceback": stack}


def send(message: dict[str, Any], result: dict[str, Any]) -> None:
    try:
        text = json.dumps({"seq": message["seq"], **result}, allow_nan=False)
    except (TypeError, ValueError) as error:  # the translator returned something that is not JSON
        text = json.dumps({"seq": message["seq"], "failed": f"{type(error).__name__}: {error}"})
    answers.write(text + "\n")
    answers.flush()


def main() -> None:
    for message in questions:
        if message["op"] == "stream-open" and hasattr(sessions.get(message["session"]), "stream"):
            Stream(message).play()
            continue
        try:
            result = answer(message)
        except Exception as error:
            result = failure(error)
        send(message, result)


if __name__ == "__main__":
    main()

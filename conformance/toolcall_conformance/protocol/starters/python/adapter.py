"""Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.

Print to standard error only: standard output belongs to the protocol.
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

Body = dict[str, Any]


class Unsupported(Exception):
    """This route or operation is not done."""


class Refused(Exception):
    """This input is not taken, and here is why."""


# ---------------------------------------------------------------- YOUR TRANSLATOR

NAME, VERSION = "my-translator", "0.1.0"


class Session:
    """One conversation: what it needs to remember between its turns, it keeps here."""

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

    def error(self, status: int, headers: dict[str, str], body: Body) -> tuple[int, dict[str, str], Body]:
        """Translate the upstream's error for the client."""
        return status, headers, body


# ---------------------------------------------------------------- the protocol; no need to change it

sessions: dict[str, Session] = {}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    operation = message["op"]
    if operation == "hello":
        return {"protocol": 1, "name": NAME, "version": VERSION}
    if operation == "open":
        session = sessions[message["session"]] = Session(message["route"])
        return {"operations": [name for name in ("request", "response", "error") if hasattr(session, name)]}
    if operation == "close":
        sessions.pop(message["session"], None)
        return {}
    session = sessions[message["session"]]
    if operation == "request":
        return {"body": session.request(message["body"])}
    if operation == "response":
        return {"body": session.response(message["body"])}
    if operation == "error":
        status, headers, body = session.error(message["status"], message["headers"], message["body"])
        return {"status": status, "headers": headers, "body": body}
    raise Unsupported(f"no operation {operation}")


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        try:
            told = answer(message)
        except Unsupported as error:
            told = {"unsupported": str(error)}
        except Refused as error:
            told = {"refused": str(error)}
        except Exception as error:
            told = {"failed": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        try:
            text = json.dumps({"seq": message["seq"], **told})
        except (TypeError, ValueError) as error:  # the translator returned something that is no JSON
            text = json.dumps({"seq": message["seq"], "failed": f"{type(error).__name__}: {error}"})
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

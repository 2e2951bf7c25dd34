"""A child process that lends the reference over JSON Lines, with a habit: ``python child.py HABIT FOLDER ...``.

The folders are where the packages are. ``noise``: it prints a line before each answer that is none. ``half``: it
answers a request with results in half a line.
"""

from __future__ import annotations

import json
import sys
from typing import Any

sys.path[:0] = sys.argv[2:]

from toolcall_conformance.basics.contract import Route  # noqa: E402 - found by the line above
from toolcall_reference import ReferenceTranslator  # noqa: E402

HABIT = sys.argv[1]


def answer(sessions: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """What the protocol wants to hear."""
    operation = message["op"]
    if operation == "hello":
        return {"protocol": 1, "name": "child", "version": "1"}
    if operation == "open":
        sessions[message["session"]] = ReferenceTranslator().open(Route(**message["route"]))
        return {"operations": ["request", "response"]}
    if operation == "close":
        del sessions[message["session"]]
        return {}
    return {"body": getattr(sessions[message["session"]], operation)(message["body"])}


def main() -> None:
    """Answer every line."""
    sessions: dict[str, Any] = {}
    for line in sys.stdin:
        message = json.loads(line)
        text = json.dumps({"seq": message["seq"], **answer(sessions, message)})
        has_results = any(message.get("role") == "tool" for message in message.get("body", {}).get("messages", ()))
        if HABIT == "noise":
            sys.stdout.write(f"[debug] {message['op']}: {{\n")
        elif has_results:
            text = text[: len(text) // 2]
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


main()

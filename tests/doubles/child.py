"""A child process that lends the reference over JSON Lines, with a habit: ``python child.py HABIT FOLDER ...``.

The folders are where the packages are. ``noise``: it prints a line before each answer that is none. ``half``: it
answers a request with results in half a line.
"""

from __future__ import annotations

import json
import sys
from typing import Any

sys.path[:0] = sys.argv[2:]

from toolcall_conformance.contract import Route  # noqa: E402 - found by the line above
from toolcall_reference import ReferenceTranslator  # noqa: E402

HABIT = sys.argv[1]


def answer(sessions: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """What the protocol wants to hear."""
    operation = told["op"]
    if operation == "hello":
        return {"protocol": 1, "name": "child", "version": "1"}
    if operation == "open":
        sessions[told["session"]] = ReferenceTranslator().open(Route(**told["route"]))
        return {"operations": ["request", "response"]}
    if operation == "close":
        del sessions[told["session"]]
        return {}
    return {"body": getattr(sessions[told["session"]], operation)(told["body"])}


def main() -> None:
    """Answer every line."""
    sessions: dict[str, Any] = {}
    for line in sys.stdin:
        told = json.loads(line)
        said = json.dumps({"seq": told["seq"], **answer(sessions, told)})
        has_results = any(message.get("role") == "tool" for message in told.get("body", {}).get("messages", ()))
        if HABIT == "noise":
            sys.stdout.write(f"[debug] {told['op']}: {{\n")
        elif has_results:
            said = said[: len(said) // 2]
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()


main()

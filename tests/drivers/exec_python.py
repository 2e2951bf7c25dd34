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
from typing import Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.drivers.declared import declared_losses
from toolcall_conformance.drivers.errorout import takes_headers

sessions: dict[str, Any] = {}


def result(value: Any) -> Any:
    return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _awaited(value: Any) -> Any:
    return await value


def answer(translator: Any, message: dict[str, Any]) -> dict[str, Any]:
    operation = message["op"]
    if operation == "hello":
        return {"protocol": 1, "name": translator.name, "version": translator.version}
    if operation == "open":
        session = result(translator.open(Route(**message["route"])))
        sessions[message["session"]] = session
        told: dict[str, Any] = {"operations": [name for name in OPERATIONS if hasattr(session, name)]}
        return told | ({"history": "own"} if getattr(session, "history", None) == "own" else {})
    if operation == "close":
        sessions.pop(message["session"], None)
        return {}
    session = sessions[message["session"]]
    if operation == "error":
        method = session.error
        headers = takes_headers(method)
        given = (message["status"], message["body"], message["headers"])
        status, body, *rest = result(method(*given[: 3 if headers else 2]))
        return {"status": status, "body": body} | ({"headers": dict(rest[0] or {})} if rest else {})
    body = result(getattr(session, operation)(message["body"]))
    return {"body": body, "losses": list(declared_losses(session))}


def main(spec: str) -> None:
    sys.path.insert(0, "")  # where pytest was started, as for translators of this interpreter
    module, _, attribute = spec.partition(":")
    translator = getattr(importlib.import_module(module), attribute)()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        try:
            told = answer(translator, message)
        except Exception as error:
            names = {base.__name__ for base in type(error).__mro__}
            if "Unsupported" in names or (message["op"] == "open" and "NotImplementedError" in names):
                told = {"unsupported": str(error)}
            elif "Refused" in names:
                told = {"refused": str(error)}
            else:
                told = {"failed": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        sys.stdout.buffer.write(json.dumps({"seq": message["seq"], **told}).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])

"""The places of a translator in this interpreter: its methods and attributes, itself, and its module."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from hostility import endings, values
from hostility.place import Place
from toolcall_conformance import Route, load_corpus
from toolcall_conformance.cli import main
from toolcall_conformance.drivers import Opened, load_driver

SPEC = "hostility.hostile_translator:T"
LIMIT = 1.0
LISTED = {"tools": [{"name": "t0", "inputSchema": {"type": "object"}}]}


def prepare(folder: Path, where: str, how: str, value: str) -> None:
    """Say what the translator does, and where it marks what it did."""
    os.environ["HOSTILITY"] = f"{where} {how} {value}"
    os.environ["HOSTILITY_HOME"] = str(folder)
    sys.modules.pop("hostility.hostile_translator", None)


def value_of(how: str) -> Callable[[Random], str]:
    """Draws the name of a value for a way of being hostile."""
    if how == "raises":
        return lambda draw: draw.choice([*values.ERRORS])
    if how == "does":
        return lambda draw: draw.choice([*values.DEEDS])
    if how in endings.TO_THE_PROCESS:
        return lambda draw: draw.choice([*endings.TO_THE_PROCESS[how]])
    return values.draw_value


def _smoke(where: str, how: str) -> Place:
    """Played on every route by the command ``smoke``."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        prepare(folder, where, how, value)
        return main(["smoke", SPEC, "--timeout", str(LIMIT)])

    return Place("translator", f"{where}-{how}", value_of(how), play, seconds=60.0, weight=4)


def _called_operation(where: str, how: str) -> Place:
    """An operation within one format, called through the driver."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        prepare(folder, where, how, value)
        driver = load_driver(SPEC, directory=folder, timeout=LIMIT)
        opened = driver.open(Route("openai_chat", "openai_chat", "gpt", "gpt"))
        if isinstance(opened, Opened):
            case = load_corpus().cases["shell/seed"].exchanges("openai_chat")[0]
            request, reply = (json.loads(path.read_text()) for path in (case.request_path, case.response_path))
            call = {"id": "a", "name": "t0", "arguments": {}}
            arguments: dict[str, tuple[Any, ...]] = {
                "tool_calls": (reply,),
                "tool_results": ([call], []),
                "mcp_tools": (LISTED,),
                "mcp_result": (call, {"content": []}),
                "otel": (request, reply),
            }
            print(type(opened.session.call(where, *arguments[where])).__name__)
        driver.close()
        return 0

    return Place("translator", f"{where}-{how}", value_of(how), play, seconds=30.0, weight=4)


HOWS = ("returns", "raises", "does", "awaits")


def places() -> Iterator[Place]:
    """All places of a translator."""
    for method in ("request", "response", "error", "stream"):
        for how in (*HOWS, "mutates", "property"):
            if (method, how) != ("error", "mutates"):
                yield _smoke(method, how)
    yield _smoke("stream", "yields")
    for how in ("returns", "raises"):
        yield _smoke("exchange", how)
        yield _smoke("constructor", how)
        yield _smoke("module", how)
    for how in ("returns", "raises", "does", "property"):
        yield _smoke("open", how)
    for attribute in ("name", "version", "history", "losses", "made_up"):
        for how in ("is", "property"):
            yield _smoke(attribute, how)
    for operation in ("tool_calls", "tool_results", "mcp_tools", "mcp_result", "otel"):
        for how in HOWS:
            yield _called_operation(operation, how)

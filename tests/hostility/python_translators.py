"""The places of a translator in this interpreter: its methods and attributes, itself, and its module."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import miniature
from hostility import values
from hostility.place import Place
from toolcall_conformance import Route, library, load_corpus
from toolcall_conformance.cli import main
from toolcall_conformance.drivers import Opened, load_driver

SPEC = "hostility.hostile_translator:T"
LIMIT = 1.0
PYTEST = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:xdist")
LISTED = {"tools": [{"name": "t0", "inputSchema": {"type": "object"}}]}


def _prepare(folder: Path, where: str, how: str, value: str) -> None:
    os.environ["HOSTILITY"] = f"{where} {how} {value}"
    os.environ["HOSTILITY_HOME"] = str(folder)
    sys.modules.pop("hostility.hostile_translator", None)


def _value(how: str) -> Callable[[Random], str]:
    if how == "raises":
        return lambda draw: draw.choice([*values.ERRORS])
    if how == "does":
        return lambda draw: draw.choice([*values.DEEDS])
    return values.drawn


def _smoke(where: str, how: str) -> Place:
    """Played on every route by the command ``smoke``."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare(folder, where, how, value)
        return main(["smoke", SPEC, "--timeout", str(LIMIT)])

    return Place("translator", f"{where}-{how}", _value(how), play, seconds=60.0, weight=4)


def _called(where: str, how: str) -> Place:
    """An operation within one format, called through the driver."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare(folder, where, how, value)
        driver = load_driver(SPEC, directory=folder, seconds=LIMIT)
        opened = driver.open(Route("openai_chat", "openai_chat", "gpt", "gpt"))
        if isinstance(opened, Opened):
            case = load_corpus().cases["shell/seed"].exchanges("openai_chat")[0]
            request, reply = (json.loads(path.read_text()) for path in (case.request_path, case.response_path))
            call = {"id": "a", "name": "t0", "arguments": {}}
            given: dict[str, tuple[Any, ...]] = {
                "tool_calls": (reply,),
                "tool_results": ([call], []),
                "mcp_tools": (LISTED,),
                "mcp_result": (call, {"content": []}),
                "otel": (request, reply),
            }
            print(type(opened.session.call(where, *given[where])).__name__)
        driver.close()
        return 0

    return Place("translator", f"{where}-{how}", _value(how), play, seconds=30.0, weight=4)


def _run(where: str, how: str) -> Place:
    """Played by pytest with all reports, over the corpus in miniature."""

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare(folder, where, how, value)
        # The engine tries each route before the first item.
        os.environ["HOSTILITY_TIMES"] = "7"
        miniature.write_corpus(folder / "mini")
        library.default_root = lambda: folder / "mini"
        miniature.install_judge()
        reports = [f"--toolcall-report={name}" for name in ("r.json", "r.html", "r.md")]
        options = [*PYTEST, "--toolcall-translator", f"{__name__}:Small", "--toolcall-timeout", str(LIMIT), *reports]
        code = int(pytest.main([*options, "--toolcall-artifacts=bodies", "toolcall::box"]))
        with contextlib.suppress(FileNotFoundError):
            report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
            assert all(item["verdict"] != "error" for item in report["items"]), "an item without a verdict"
            return code
        assert code == pytest.ExitCode.USAGE_ERROR, "no report"
        return code

    return Place("translator in pytest", f"{where}-{how}", _value(how), play, seconds=40.0, weight=3)


class Small:
    """A translator between the formats of the corpus in miniature."""

    def __init__(self) -> None:
        from hostility import hostile_translator as hostile

        if hostile.WHERE == "constructor":
            hostile.bad()

    def open(self, route: Any) -> Any:
        from hostility import hostile_translator as hostile

        class Session:
            pass

        def good(to: str) -> Callable[[Any], Any]:
            return lambda body: {"format": to, "text": body["text"]}

        made = Session()
        for name, to in (("request", route.upstream), ("response", route.client)):
            setattr(made, name, hostile.method(name, good(to)))
        if hostile.WHERE in ("losses", "made_up", "history"):
            setattr(made, hostile.WHERE, hostile.bad())
        return hostile.bad() if hostile.WHERE == "open" and hostile.once() else made


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
            yield _called(operation, how)
    for where in ("request", "response", "open", "losses", "made_up", "constructor"):
        for how in ("returns", "raises", "does"):
            yield _run(where, how)

"""The places of a bridge to MCP servers: what it returns, and what it is given of a server's tools and results."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from hostility import texts
from hostility.place import Place
from hostility.pytest_runs import ALONE, run_judge
from hostility.python_translators import LIMIT, prepare, value_of
from toolcall_conformance import Route, formats, load_corpus
from toolcall_conformance.drivers import Opened, load_driver
from toolcall_conformance.library import default_root

CASES = ("mcp_results/two-at-once", "mcp_results/structured", "mcp_results/failing-tool", "mcp_results/odd-names")
REFERENCE = "toolcall_reference:ReferenceTranslator"
CALL = {"id": "a", "name": "t0", "arguments": {}}
HOSTILE = "hostility.hostile_translator:T"


def _judged_bridge(where: str, how: str) -> Place:
    """What a bridge returns or does, through the engine to its reports."""

    def play(folder: Path, value: str, draw: Random) -> int:
        prepare(folder, where, how, value)
        case = draw.choice(CASES)
        return run_judge(ALONE, f"--toolcall-translator={HOSTILE}", f"toolcall::{case}::mcp")

    return Place("MCP bridge", f"{where}-{how}", value_of(how), play, seconds=60.0, weight=2)


def _server(part: str) -> Place:
    """What a server says, in a private case: its list of tools or its results have a hostile value somewhere."""

    def play(folder: Path, value: str, draw: Random) -> int:
        case = draw.choice(CASES)
        own = folder / "private" / "scenarios" / "mine" / "case"
        shutil.copytree(default_root() / "scenarios" / case, own)
        scenario = json.loads((own / "scenario.json").read_text())
        scenario["id"] = "mine/case"
        section = scenario["mcp"].pop(part)
        scenario["mcp"][part] = texts.RAW
        hostile = texts.mutate_document(section, value, draw).decode("utf-8", "surrogatepass")
        text = json.dumps(scenario).replace(json.dumps(texts.RAW), hostile)
        (own / "scenario.json").write_bytes(text.encode("utf-8", "surrogatepass"))
        return run_judge(
            ALONE, f"--toolcall-translator={REFERENCE}", "--toolcall-corpus=private", "toolcall::mine/case"
        )

    return Place("MCP server", part, _document, play, seconds=60.0, weight=3)


def _bridge_input(operation: str, good: Callable[[], tuple[Any, ...]]) -> Place:
    """What the driver hands to a bridge: a list of tools or a result with a hostile value somewhere."""

    def play(folder: Path, value: str, draw: Random) -> int:
        driver = load_driver(REFERENCE, directory=folder, timeout=LIMIT)
        name = draw.choice(formats.names())
        opened = driver.open(Route(name, name, "gpt", "gpt"))
        if isinstance(opened, Opened):
            arguments = list(good())
            arguments[-1] = json.loads(texts.mutate_document(arguments[-1], value, draw))
            print(type(opened.session.call(operation, *arguments)).__name__)
        driver.close()
        return 0

    return Place("MCP server", f"{operation}-given", _json, play, seconds=30.0, weight=3)


def _document(draw: Random) -> str:
    return draw.choice([*texts.JSON, *texts.WRITTEN])


def _json(draw: Random) -> str:
    """JSON values: no driver is handed anything else."""
    return draw.choice([*texts.JSON])


def places() -> Iterator[Place]:
    """All places of bridges."""
    for where in ("mcp_tools", "mcp_result"):
        for how in ("returns", "raises", "does", "mutates"):
            yield _judged_bridge(where, how)
    for part in ("tools", "results"):
        yield _server(part)
    scenario = load_corpus().cases[CASES[0]].scenario["mcp"]
    yield _bridge_input("mcp_tools", lambda: (scenario["tools"],))
    yield _bridge_input("mcp_result", lambda: (CALL, next(iter(scenario["results"].values()))))

"""A client's request for a recorded reply, where the recorded request cannot be had in the client's format.

A translator may do one route and not the way back. Then a small request of the corpus stands in, so that the session is
asked before it is answered, as always. It declares the tools of the recorded request, for some translators look up the
tool of a call. Nothing else of the two requests is the same, so the reply is judged without its request.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve, to_json, unescape
from toolcall_conformance.basics.reading import Tool
from toolcall_conformance.library import Corpus


def stand_in(corpus: Corpus, route: Route, recorded: Any) -> dict[str, Any] | None:
    """A request of ``route.client`` with the tools of the ``recorded`` one; None where the corpus has none to make."""
    golden = _smallest(corpus, route.client)
    if golden is None:
        return None
    body: dict[str, Any] = deep_copy(golden)
    if "model" in body:
        body["model"] = route.client_model
    [declared] = formats.read(route.client, "request", body).tools
    tools = formats.read(route.upstream, "request", recorded).tools
    above, _, index = declared.pointer.rpartition("/")
    declarations = [
        _redeclared(body, declared, tool) for tool in tools if tool.kind != "hosted" and tool.name is not None
    ]
    if declarations:
        resolve(body, above)[int(index) : int(index) + 1] = declarations
    return body


def _redeclared(body: Any, declared: Tool, tool: Tool) -> Any:
    """The declaration of ``body`` with another tool's name and description, and any arguments."""
    entry: dict[str, Any] = {"tool": deep_copy(resolve(body, declared.pointer))}
    members = (
        (declared.name_pointer, tool.name),
        (declared.description_pointer, tool.description or tool.name),
        (declared.schema_pointer, {"type": "object", "properties": {}}),
    )
    for pointer, value in members:
        if pointer is not None:
            parent, _, key = pointer.removeprefix(declared.pointer).rpartition("/")
            resolve(entry["tool"], parent)[unescape(key)] = value
    return entry["tool"]


@cache
def _smallest(corpus: Corpus, client: str) -> dict[str, Any] | None:
    """The shortest first request of a format that declares one function and has no history."""
    return min(_plain(corpus, client), key=lambda body: len(to_json(body)), default=None)


def _plain(corpus: Corpus, client: str) -> Iterator[dict[str, Any]]:
    for case in corpus.cases.values():
        if client not in case.formats or client in case.dialects or case.scenario.get("may_refuse"):
            continue
        body = case.exchanges(client)[0].request
        reading = formats.read(client, "request", body)
        tools = reading.tools
        if len(tools) == 1 and tools[0].kind == "function" and tools[0].schema_pointer and not reading.calls:
            yield body

"""The official client: what a server over stdio sends, and what the package reads of bodies. Prints one JSON object.

It runs in the environment of the server: ``python client.py < bodies.json``. The bodies are ``{"tools": [...],
"results": [...]}``, results of ``tools/list`` and of ``tools/call``. It prints ``{"sent": {REVISION: {"tools": {...},
"results": {TOOL: {...}}}}, "read": ...}``; there each body stands as the package's types have it, or is the reason why
they do not take it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import mcp
from mcp.types import CallToolResult, ListToolsResult

SERVER = mcp.StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("server.py"))])
ARGUMENTS = {"text": {"words": "hello"}, "weather": {"place": {"name": "Rome"}}}


def original_json(model: Any) -> Any:
    """A model as the JSON that it was read from."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def ask(session: Any) -> dict[str, Any]:
    """The server's list of tools, and its result for a call of each."""
    listed = original_json(await session.list_tools())
    names = [tool["name"] for tool in listed["tools"]]
    return {
        "tools": listed,
        "results": {name: original_json(await session.call_tool(name, ARGUMENTS.get(name, {}))) for name in names},
    }


async def results_by_revision() -> dict[str, Any]:
    """What the server sends, by the revision of the protocol that was agreed on: the newest, and that before it."""
    if not hasattr(mcp, "Client"):  # version 1
        async with mcp.stdio_client(SERVER) as streams, mcp.ClientSession(*streams) as session:
            agreed = await session.initialize()
            return {str(agreed.protocolVersion): await ask(session)}
    sent = {}
    for mode in ("auto", "legacy"):
        async with mcp.Client(SERVER, mode=mode) as client:
            sent[client.protocol_version] = await ask(client)
    return sent


def read(model: Any, body: Any) -> Any:
    try:
        return original_json(model.model_validate(body))
    except ValueError as error:
        return str(error)


if __name__ == "__main__":
    bodies = json.load(sys.stdin)
    known = {
        "tools": [read(ListToolsResult, tool) for tool in bodies["tools"]],
        "results": [read(CallToolResult, result) for result in bodies["results"]],
    }
    print(json.dumps({"sent": asyncio.run(results_by_revision()), "read": known}))

"""An MCP server over stdio with one tool, `stamp`; it needs nothing but Python.

Messages are those of https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOL = {
    "name": "stamp",
    "description": "Returns the word with its stamp.",
    "inputSchema": {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word to stamp."}},
        "required": ["word"],
    },
}


def stamped(word: str) -> str:
    """What the tool returns; no client can guess it."""
    return f"{word}-{sum(map(ord, word))}"


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a request; None of a method that this server lacks."""
    match method:
        case "initialize":
            info = {"name": "marks", "version": "1"}
            version = params.get("protocolVersion", "2025-06-18")
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            text = stamped(str(params.get("arguments", {}).get("word", "")))
            return {"content": [{"type": "text", "text": text}], "isError": False}
        case "ping":
            return {}
    return None


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        output = result(request["method"], request.get("params") or {})
        error = {"code": -32601, "message": "this server has no such method"}
        reply = {"error": error} if output is None else {"result": output}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()

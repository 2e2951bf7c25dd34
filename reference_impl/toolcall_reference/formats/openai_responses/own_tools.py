"""Tools that OpenAI defines and the client runs, as functions: their declarations, their calls and what comes back.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_object, digest, dump, parse
from toolcall_reference.conversation import results
from toolcall_reference.conversation.intermediate import Body, Media, Text, Tool, UniversalToolCall, UniversalToolResult
from toolcall_reference.conversation.pairing import arguments_object

_TEXT: Body = {"type": "string"}
_TEXTS: Body = {"type": "array", "items": _TEXT}
_NUMBER: Body = {"type": "integer"}


def _schema(properties: Body, *required: str) -> Body:
    return {"type": "object", "properties": properties, "required": list(required)}


#: By the name of the function: what it does, its parameters, and the key of a call's item that they are.
_KNOWN: dict[str, tuple[str, Body, str]] = {
    "local_shell": (
        "Run a command on the user's computer and return its output.",
        _schema(
            {
                "type": {"type": "string", "enum": ["exec"]},
                "command": _TEXTS,
                "env": {"type": "object", "additionalProperties": _TEXT},
                "timeout_ms": _NUMBER,
                "user": _TEXT,
                "working_directory": _TEXT,
            },
            "command",
        ),
        "action",
    ),
    "shell": (
        "Run commands in a shell of the user's and return what each prints and how it ends.",
        _schema({"commands": _TEXTS, "timeout_ms": _NUMBER, "max_output_length": _NUMBER}, "commands"),
        "action",
    ),
    "apply_patch": (
        "Create, update or delete a file by a diff in the V4A format. Types: create_file, update_file, delete_file.",
        _schema({"type": _TEXT, "path": _TEXT, "diff": _TEXT}, "type", "path"),
        "operation",
    ),
    "computer": (
        (
            "Use a computer by its screen, mouse and keyboard. Types: click, double_click, drag, keypress, move, "
            "screenshot, scroll, type, wait."
        ),
        _schema(
            {
                **dict.fromkeys(("type", "button", "text"), _TEXT),
                **dict.fromkeys(("x", "y", "scroll_x", "scroll_y"), _NUMBER),
                "keys": _TEXTS,
                "path": {"type": "array", "items": {"type": "object"}},
            },
            "type",
        ),
        "action",
    ),
    "tool_search": (
        "Find further tools by what they are for. Those that are found can be called from then on.",
        _schema({"query": _TEXT, "limit": _NUMBER}, "query"),
        "arguments",
    ),
}
_DECLARED = {**{name: name for name in _KNOWN}, "computer_use_preview": "computer"}
_PREFIXES = {"local_shell": "lsh", "shell": "sh", "apply_patch": "apc", "computer": "cu", "tool_search": "tsc"}
CALLS = frozenset(f"{name}_call" for name in _KNOWN)
_SEARCHES = ("tool_search", "tool_search_call", "tool_search_output")
OUTPUTS = frozenset({_SEARCHES[2], *(f"{call}_output" for call in CALLS if call not in _SEARCHES)})


def is_hosted(holder: Body) -> bool:
    """Whether OpenAI runs it: a shell whose environment is a container of its own, a search that is not the client's.

    https://github.com/openai/openai-python/blob/main/src/openai/types/responses/tool_search_tool_param.py
    """
    if holder.get("type") in _SEARCHES:
        return holder.get("execution") != "client"
    place = holder.get("environment")
    return isinstance(place, dict) and str(place.get("type")).startswith("container")


def as_function(tool: Body) -> Tool | None:
    """The function that stands for a declaration of such a tool; None for those that OpenAI runs."""
    name = _DECLARED.get(str(tool.get("type")))
    if name is None or is_hosted(tool):
        return None
    description, schema, _ = _KNOWN[name]
    if name == "tool_search":  # it says itself what it does
        description, schema = tool.get("description") or description, tool.get("parameters") or schema
        as_object(schema, "parameters")
    return Tool(name, str(description), schema, own=tool)


def name_of(item: Body) -> str:
    """The name of the function that a call's item calls."""
    return str(item["type"]).removesuffix("_call")


def arguments_of(item: Body) -> str:
    """What a call's item says, as the arguments of that function."""
    action: Any = item.get(_KNOWN[name_of(item)][2])
    if name_of(item) == "computer" and "actions" in item:
        action = {"actions": item["actions"]}
    return dump(as_object(action, "an action"))


def output_of(item: Body) -> Any:
    """What the client returned, as the output of a function: text or parts."""
    output = item.get("tools" if item.get("type") == "tool_search_output" else "output")
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        return [{**output, "type": "input_image"}]
    return output if isinstance(output, str) or output is None else dump(output)


def declared(tools: Iterable[Any]) -> frozenset[str]:
    """The names by which calls name those of the declarations that OpenAI defines and the client runs."""
    functions = (as_function(tool) for tool in tools if isinstance(tool, dict))
    return frozenset(tool.name for tool in functions if tool is not None)


def call_item(call: UniversalToolCall, call_id: str) -> Body:
    """The item of a call of such a tool; its own id is derived from the call's, for the item stands in requests too."""
    arguments = arguments_object(call)
    key = "actions" if call.name == "computer" and "actions" in arguments else _KNOWN[call.name][2]
    if call.name == "local_shell":
        arguments = {"type": "exec", "env": {}, **arguments}
    item: Body = {
        "id": f"{_PREFIXES[call.name]}_{digest('own', call_id, length=50)}",
        "type": f"{call.name}_call",
        "status": "completed",
        key: arguments["actions"] if key == "actions" else arguments,
        "call_id": call_id,
    }
    if call.name == "tool_search":
        item["execution"] = "client"
    return {**item, "pending_safety_checks": []} if call.name == "computer" else item


def result_item(name: str, result: UniversalToolResult, call_id: str) -> Body:
    """What the client of such a tool returns."""
    if name == "tool_search":
        return _loading(result, call_id)
    item: Body = {"type": f"{name}_call_output", "call_id": call_id}
    parts = results.content_parts(result)
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    if name == "computer":
        shot = next((part for part in parts if isinstance(part, Media) and part.data), None)
        if shot is None:
            raise Refused("the result of computer must be a screenshot, given by its bytes")
        return {**item, "output": {"type": "computer_screenshot", "image_url": f"data:{shot.mime};base64,{shot.data}"}}
    if name == "apply_patch":
        return {**item, "status": "failed" if result.is_error else "completed", "output": text}
    if name == "local_shell":
        item["id"] = call_id
    return {**item, "output": _shell_output(text, failed=result.is_error) if name == "shell" else text}


def _loading(result: UniversalToolResult, call_id: str) -> Body:
    """What a search of the client's found: the declarations, where the result is a list of them."""
    text = "\n".join(part.text for part in results.content_parts(result) if isinstance(part, Text))
    item: Body = {"type": "tool_search_output", "execution": "client", "call_id": call_id, "status": "completed"}
    return {**item, "tools": _listed(text) or []}


def _listed(text: str) -> list[Any] | None:
    """The list that a text spells."""
    try:
        tools = parse(text)
    except ValueError:
        return None
    return tools if isinstance(tools, list) else None


def _shell_output(text: str, *, failed: bool) -> list[Any]:
    """What each command printed: the list itself, or any other text as what one command printed."""
    output = _listed(text)
    if output is not None:
        return output
    return [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": int(failed)}}]

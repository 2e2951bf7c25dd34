"""Tools that OpenAI defines and the client runs, as functions: declarations, calls and results.

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


def _object_schema(properties: Body, *required: str) -> Body:
    return {"type": "object", "properties": properties, "required": list(required)}


#: Description, parameters, and the key of a call's item that holds the arguments, by function name.
_FUNCTIONS: dict[str, tuple[str, Body, str]] = {
    "local_shell": (
        "Run a command on the user's computer and return its output.",
        _object_schema(
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
        _object_schema({"commands": _TEXTS, "timeout_ms": _NUMBER, "max_output_length": _NUMBER}, "commands"),
        "action",
    ),
    "apply_patch": (
        "Create, update or delete a file by a diff in the V4A format. Types: create_file, update_file, delete_file.",
        _object_schema({"type": _TEXT, "path": _TEXT, "diff": _TEXT}, "type", "path"),
        "operation",
    ),
    "computer": (
        (
            "Use a computer by its screen, mouse and keyboard. Types: click, double_click, drag, keypress, move, "
            "screenshot, scroll, type, wait."
        ),
        _object_schema(
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
        _object_schema({"query": _TEXT, "limit": _NUMBER}, "query"),
        "arguments",
    ),
}
_FUNCTION_BY_TYPE = {**{name: name for name in _FUNCTIONS}, "computer_use_preview": "computer"}
_ID_PREFIXES = {"local_shell": "lsh", "shell": "sh", "apply_patch": "apc", "computer": "cu", "tool_search": "tsc"}
CALL_TYPES = frozenset(f"{name}_call" for name in _FUNCTIONS)
_SEARCH_TYPES = ("tool_search", "tool_search_call", "tool_search_output")
OUTPUT_TYPES = frozenset({_SEARCH_TYPES[2], *(f"{call}_output" for call in CALL_TYPES if call not in _SEARCH_TYPES)})


def is_hosted(holder: Body) -> bool:
    """Whether OpenAI runs the tool: a shell in OpenAI's container, or a search that is not the client's.

    https://github.com/openai/openai-python/blob/main/src/openai/types/responses/tool_search_tool_param.py
    """
    if holder.get("type") in _SEARCH_TYPES:
        return holder.get("execution") != "client"
    place = holder.get("environment")
    return isinstance(place, dict) and str(place.get("type")).startswith("container")


def as_function(tool: Body) -> Tool | None:
    """The function for a declaration of such a tool; None for a provider-run tool."""
    name = _FUNCTION_BY_TYPE.get(str(tool.get("type")))
    if name is None or is_hosted(tool):
        return None
    description, schema, _ = _FUNCTIONS[name]
    if name == "tool_search":  # its declaration may describe it
        description, schema = tool.get("description") or description, tool.get("parameters") or schema
        as_object(schema, "parameters")
    return Tool(name, str(description), schema, own_declaration=tool)


def function_name(item: Body) -> str:
    """The function name of a call's item."""
    return str(item["type"]).removesuffix("_call")


def function_arguments(item: Body) -> str:
    """The function's argument text from a call's item."""
    action: Any = item.get(_FUNCTIONS[function_name(item)][2])
    if function_name(item) == "computer" and "actions" in item:
        action = {"actions": item["actions"]}
    return dump(as_object(action, "an action"))


def function_output(item: Body) -> Any:
    """The function's output from a result's item: text or parts."""
    output = item.get("tools" if item.get("type") == "tool_search_output" else "output")
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        return [{**output, "type": "input_image"}]
    return output if isinstance(output, str) or output is None else dump(output)


def own_tool_names(tools: Iterable[Any]) -> frozenset[str]:
    """The function names of the declared tools that OpenAI defines and the client runs."""
    functions = (as_function(tool) for tool in tools if isinstance(tool, dict))
    return frozenset(tool.name for tool in functions if tool is not None)


def call_item(call: UniversalToolCall, call_id: str) -> Body:
    """The item of a call of such a tool; its own id is derived from the call's, as the item is in requests, too."""
    arguments = arguments_object(call)
    key = "actions" if call.name == "computer" and "actions" in arguments else _FUNCTIONS[call.name][2]
    if call.name == "local_shell":
        arguments = {"type": "exec", "env": {}, **arguments}
    item: Body = {
        "id": f"{_ID_PREFIXES[call.name]}_{digest('own', call_id, length=50)}",
        "type": f"{call.name}_call",
        "status": "completed",
        key: arguments["actions"] if key == "actions" else arguments,
        "call_id": call_id,
    }
    if call.name == "tool_search":
        item["execution"] = "client"
    return {**item, "pending_safety_checks": []} if call.name == "computer" else item


def result_item(tool_name: str, result: UniversalToolResult, call_id: str) -> Body:
    """The item of such a tool's result."""
    if tool_name == "tool_search":
        return _search_output_item(result, call_id)
    item: Body = {"type": f"{tool_name}_call_output", "call_id": call_id}
    parts = results.content_parts(result)
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    if tool_name == "computer":
        shot = next((part for part in parts if isinstance(part, Media) and part.data), None)
        if shot is None:
            raise Refused("the result of computer must be a screenshot, given by its bytes")
        return {**item, "output": {"type": "computer_screenshot", "image_url": f"data:{shot.mime};base64,{shot.data}"}}
    if tool_name == "apply_patch":
        return {**item, "status": "failed" if result.is_error else "completed", "output": text}
    if tool_name == "local_shell":
        item["id"] = call_id
    return {**item, "output": _shell_output(text, failed=result.is_error) if tool_name == "shell" else text}


def _search_output_item(result: UniversalToolResult, call_id: str) -> Body:
    """The output item of a client-run search: the declarations that it found, if the result is a list."""
    text = "\n".join(part.text for part in results.content_parts(result) if isinstance(part, Text))
    item: Body = {"type": "tool_search_output", "execution": "client", "call_id": call_id, "status": "completed"}
    return {**item, "tools": _parse_list(text) or []}


def _parse_list(text: str) -> list[Any] | None:
    """The JSON list in a text; None if it is not one."""
    try:
        tools = parse(text)
    except ValueError:
        return None
    return tools if isinstance(tools, list) else None


def _shell_output(text: str, *, failed: bool) -> list[Any]:
    """The output of each command: the list in the text, or the text as the output of one command."""
    output = _parse_list(text)
    if output is not None:
        return output
    return [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": int(failed)}}]

"""An ideal client of Responses: how it continues after a reply.

The reply's output items are appended to the input unchanged, then an output item for each call
(https://platform.openai.com/docs/guides/function-calling).
"""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.reading import reverse_among
from toolcall_conformance.formats.known_keys import ByType, drop_unknown_keys, keys
from toolcall_conformance.formats.openai_responses.conversation import OUTPUT_TYPES, item_type

CONTAINER = "input"

# Types of outputs that may hold any text or parts.
_PLAIN_OUTPUTS = frozenset({OUTPUT_TYPES["function_call"], OUTPUT_TYPES["custom_tool_call"]})

_CALLER = keys("type", "caller_id")
_CALL = keys("type", "id", "call_id", "name", "namespace", "async", caller=_CALLER)
_LINK_KEYS = ("type", "url")
_FILE_KEYS = ("type", "file_id", "filename", "index")
_ANNOTATION = ByType(
    {
        "url_citation": keys(*_LINK_KEYS, "title", "start_index", "end_index"),
        "file_citation": keys(*_FILE_KEYS),
        "container_file_citation": keys("type", "container_id", "file_id", "filename", "start_index", "end_index"),
        "file_path": keys("type", "file_id", "index"),
    }
)
_WEB_ACTION = ByType(
    {
        "search": keys("type", "queries", "query", sources=keys(*_LINK_KEYS)),
        "open_page": keys(*_LINK_KEYS),
        "find_in_page": keys(*_LINK_KEYS, "pattern"),
    }
)
_POINT_KEYS = ("type", "x", "y", "keys")
_COMPUTER_ACTION = ByType(
    {
        "click": keys(*_POINT_KEYS, "button"),
        "double_click": keys(*_POINT_KEYS),
        "drag": keys("type", "keys", path=keys("x", "y")),
        "keypress": keys("type", "keys"),
        "move": keys(*_POINT_KEYS),
        "screenshot": keys("type"),
        "scroll": keys(*_POINT_KEYS, "scroll_x", "scroll_y"),
        "type": keys("type", "text"),
        "wait": keys("type"),
    }
)
_DIFF = keys("type", "path", "diff")
_ERROR_WITH_MESSAGE = keys("type", "code", "message")
# Items of tools that the provider defines, whoever runs them.
_HOSTED_STEPS = {
    "web_search_call": keys("type", "id", "status", action=_WEB_ACTION),
    "file_search_call": keys(
        "type", "id", "status", "queries", results=keys("attributes", "file_id", "filename", "score", "text")
    ),
    "code_interpreter_call": keys(
        "type",
        "id",
        "status",
        "code",
        "container_id",
        outputs=ByType({"logs": keys("type", "logs"), "image": keys(*_LINK_KEYS)}),
    ),
    "tool_search_call": keys("type", "id", "call_id", "status", "arguments", "execution"),
    "tool_search_output": keys(
        "type",
        "id",
        "call_id",
        "status",
        "execution",
        tools=ByType(
            {
                "function": keys(
                    "type",
                    "name",
                    "description",
                    "parameters",
                    "strict",
                    "async",
                    "allowed_callers",
                    "defer_loading",
                    "output_schema",
                )
            }
        ),
    ),
    "image_generation_call": keys(
        "type",
        "id",
        "status",
        "result",
        "action",
        "background",
        "error",
        "output_format",
        "quality",
        "revised_prompt",
        "size",
        "svg_usage",
    ),
    "mcp_list_tools": keys(
        "type", "id", "server_label", "error", tools=keys("name", "description", "input_schema", "annotations")
    ),
    "mcp_approval_request": keys("type", "id", "arguments", "name", "server_label"),
    "mcp_call": keys(
        "type",
        "id",
        "status",
        "arguments",
        "name",
        "output",
        "server_label",
        "approval_request_id",
        error=ByType(
            {
                "mcp_protocol_error": _ERROR_WITH_MESSAGE,
                "mcp_tool_execution_error": keys("type", "content"),
                "http_error": _ERROR_WITH_MESSAGE,
            }
        ),
    ),
    "computer_call": keys(
        "type",
        "id",
        "call_id",
        "status",
        action=_COMPUTER_ACTION,
        actions=_COMPUTER_ACTION,
        pending_safety_checks=keys("id", "code", "message"),
    ),
    "local_shell_call": keys(
        "type",
        "id",
        "call_id",
        "status",
        action=keys("type", "command", "env", "timeout_ms", "user", "working_directory"),
    ),
    "shell_call": keys(
        "type",
        "id",
        "call_id",
        "status",
        "environment",
        action=keys("commands", "max_output_length", "timeout_ms"),
        caller=_CALLER,
    ),
    "apply_patch_call": keys(
        "type",
        "id",
        "call_id",
        "status",
        operation=ByType({"create_file": _DIFF, "delete_file": keys("type", "path"), "update_file": _DIFF}),
        caller=_CALLER,
    ),
}
# The keys that the API's types have for the items of a reply's output.
KNOWN_KEYS = ByType(
    _HOSTED_STEPS
    | {
        "message": keys(
            "type",
            "id",
            "role",
            "status",
            "phase",
            content=ByType(
                {
                    "output_text": keys("type", "text", "logprobs", annotations=_ANNOTATION),
                    "refusal": keys("type", "refusal"),
                }
            ),
        ),
        "function_call": _CALL | keys("arguments", "status"),
        "custom_tool_call": _CALL | keys("input"),
        "reasoning": keys(
            "type", "id", "encrypted_content", "status", summary=keys("type", "text"), content=keys("type", "text")
        ),
    }
)


def entries(body: dict[str, Any]) -> list[Any]:
    """Return the items of ``input`` as a new list; a plain string becomes a user message."""
    content: Any = body.get("input")
    if isinstance(content, str):
        return [{"role": "user", "content": content}]
    return list(content) if isinstance(content, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """Return the items of ``output``; ``echo`` keeps keys that the client does not know."""
    output: Any = deep_copy(reply.get("output"))
    if not isinstance(output, list):
        return []
    return output if echo else [drop_unknown_keys(item, KNOWN_KEYS) for item in output]


def relink(result: dict[str, Any], call: dict[str, Any]) -> bool:
    """Make an output item answer another call, in place. Return False if it has no output of the call's type.

    A translator may return a call of another type than the tool that the client declared: the type of the output
    follows the call. The output of a built-in tool can be the output of any function, but not the other way round: a
    function's output is no screenshot and no shell's output.
    """
    kind = item_type(result)
    output_type = OUTPUT_TYPES.get(item_type(call), kind)
    if output_type != kind:
        if output_type not in _PLAIN_OUTPUTS:
            return False
        output = _as_function_output(kind, result.get("output"))
        result.clear()
        result |= {"type": output_type, "output": output}
    elif "id" in result and result["id"] == result.get("call_id"):
        result["id"] = call.get("call_id")  # the older name of call_id in a local_shell_call_output
    result["call_id"] = call.get("call_id")
    return True


def _as_function_output(kind: str, output: Any) -> Any:
    """Return the ``output`` of a built-in tool as the ``output`` of a function."""
    if kind == "computer_call_output" and isinstance(output, dict):
        reference = {key: output[key] for key in ("image_url", "file_id") if output.get(key) is not None}
        return [{"type": "input_image", **reference}]
    if kind == "shell_call_output":
        return json.dumps(output, ensure_ascii=False)
    return "" if output is None else output


def reverse_results(tail: list[Any]) -> None:
    """Reverse the call outputs, in place; ids link them to their calls."""
    reverse_among(tail, lambda item: isinstance(item, dict) and str(item.get("type")).endswith("_call_output"))


def merge_results(tail: list[Any]) -> list[Any]:
    """Return the items unchanged: their order is free."""
    return tail


def add_instruction(body: dict[str, Any], instruction: str) -> None:
    """Add a text to the end of ``instructions``, in place."""
    instructions = body.get("instructions")
    body["instructions"] = f"{instructions}\n\n{instruction}" if instructions else instruction


def set_tool_choice_auto(body: dict[str, Any]) -> None:
    """Set ``tool_choice`` to auto, in place."""
    body["tool_choice"] = "auto"

"""OpenAI's own Responses replies: ids, echoed settings, and streams of numbered events.

https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.pseudorandom import noise, pieces
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import openai
from toolcall_reference.formats.format import Provider
from toolcall_reference.formats.openai_responses.reply_store import put_references

_END_EVENTS = {"completed": "response.completed", "incomplete": "response.incomplete", "failed": "response.failed"}
# The state events of provider-run items, by item type.
_HOSTED_STATES = {
    "web_search_call": ("in_progress", "searching", "completed"),
    "file_search_call": ("in_progress", "searching", "completed"),
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "image_generation_call": ("in_progress", "generating", "completed"),
    "mcp_call": ("in_progress", "completed"),
    "mcp_list_tools": ("in_progress", "completed"),
}
# Replies of newer models count provider-run tools and cache writes; the older models' goldens do not.
_NEWER_MODELS = "gpt-5"
_TOOL_USAGE: Body = {
    "image_gen": {
        "input_tokens": 0,
        "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"image_tokens": 0, "text_tokens": 0},
        "total_tokens": 0,
    },
    "web_search": {"num_requests": 0},
}

# The defaults of OpenAI's own tools in its echo.
_ECHOED_TOOL_DEFAULTS: dict[str, Body] = {
    "file_search": {
        "filters": None,
        "max_num_results": 20,
        "ranking_options": {"ranker": "auto", "score_threshold": 0.0},
    },
    "image_generation": {
        "background": "auto",
        "moderation": "auto",
        "n": 1,
        "output_compression": 100,
        "output_format": "png",
        "quality": "auto",
        "size": "auto",
    },
    "mcp": {"allowed_tools": None, "headers": None, "require_approval": "always", "server_description": None},
    "tool_search": {"description": None, "parameters": None},
    "web_search": {
        "filters": None,
        "search_context_size": "medium",
        "user_location": {"type": "approximate", "city": None, "country": "US", "region": None, "timezone": None},
    },
}


def render_stream(reply: Body, seed: str) -> bytes:
    """The stream of a whole Response."""
    written = []
    for number, event in enumerate(_stream_events(reply, seed)):
        event["sequence_number"] = number
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        written.append(f"event: {event['type']}\ndata: {data}\n\n")
    return "".join(written).encode()


def _stream_events(reply: Body, seed: str) -> Iterator[dict[str, Any]]:
    reply = {key: value for key, value in reply.items() if key != "billing"}  # only whole replies have it
    initial_reply = {**reply, "status": "in_progress", "output": [], "usage": None}
    for key in ("completed_at", "incomplete_details", "error"):
        if key in initial_reply:
            initial_reply[key] = None
    yield {"type": "response.created", "response": initial_reply}
    yield {"type": "response.in_progress", "response": initial_reply}
    for index, item in enumerate(reply["output"]):
        yield {"type": "response.output_item.added", "item": _item_start(item), "output_index": index}
        for event in _item_events(item, f"{seed}/{index}"):
            named = {} if item["type"] == "shell_call" else {"item_id": item.get("id")}  # its events alone name no item
            yield {**event, **named, "output_index": index}
        yield {"type": "response.output_item.done", "item": item, "output_index": index}
    yield {"type": _END_EVENTS[reply["status"]], "response": reply}


def _item_start(item: Body) -> Body:
    """An item at its start, without content."""
    empty: dict[str, Body] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "custom_tool_call": {"input": ""},
        "reasoning": {"summary": []},
        "code_interpreter_call": {"code": "", "outputs": None},
        "file_search_call": {"queries": [], "results": None},
        "image_generation_call": {"result": None},
        "tool_search_call": {"arguments": {}},
        "mcp_call": {"arguments": "", "output": None, "error": None},
        "mcp_list_tools": {"tools": []},
        "shell_call": {"action": {**item.get("action", {}), "commands": []}},
        "apply_patch_call": {"operation": _without_diff(item.get("operation", {}))},
    }
    hidden = {"action"} if item["type"] == "web_search_call" else set()
    initial_item = {key: value for key, value in item.items() if key not in hidden} | empty.get(item["type"], {})
    return {**initial_item, "status": "in_progress"} if item.get("status") is not None else initial_item


def _without_diff(operation: Body) -> Body:
    return {**operation, "diff": ""} if "diff" in operation else operation


def _item_events(item: Body, seed: str) -> Iterator[dict[str, Any]]:
    """The events of an item between its start and its end."""
    kind = item["type"]
    if kind == "message":
        for place, part in enumerate(item["content"]):
            yield from _part_events(part, place, f"{seed}/{place}")
    elif kind == "function_call":
        yield from _text_events("response.function_call_arguments", "arguments", item["arguments"], {}, seed)
    elif kind == "custom_tool_call":
        yield from _text_events("response.custom_tool_call_input", "input", item["input"], {}, seed)
    elif kind == "reasoning":
        for place, part in enumerate(item.get("summary") or ()):
            at = {"summary_index": place}
            yield {"type": "response.reasoning_summary_part.added", "part": {**part, "text": ""}, **at}
            yield from _text_events("response.reasoning_summary_text", "text", part["text"], at, f"{seed}/{place}")
            yield {"type": "response.reasoning_summary_part.done", "part": part, **at}
        for place, part in enumerate(item.get("content") or ()):
            yield from _text_events("response.reasoning_text", "text", part["text"], {"content_index": place}, seed)
    elif kind == "apply_patch_call" and "diff" in item["operation"]:
        yield from _text_events("response.apply_patch_call_operation_diff", "diff", item["operation"]["diff"], {}, seed)
    elif kind == "shell_call":
        for place, command in enumerate(item["action"]["commands"]):
            at = {"command_index": place}
            yield {"type": "response.shell_call_command.added", "command": "", **at}
            yield from _text_events("response.shell_call_command", "command", command, at, f"{seed}/{place}")
    else:
        yield from _hosted_events(item, kind, seed)


def _hosted_events(item: Body, kind: str, seed: str) -> Iterator[dict[str, Any]]:
    """The state events of a provider-run item, with its code in pieces and a partial image."""
    for step in _HOSTED_STATES.get(kind, ()):
        if step == "interpreting":
            yield from _text_events("response.code_interpreter_call_code", "code", item["code"], {}, seed)
        if kind == "mcp_call" and step == "completed":
            yield from _text_events("response.mcp_call_arguments", "arguments", item["arguments"], {}, seed)
            step = "failed" if item.get("error") else step
        yield {"type": f"response.{kind}.{step}"}
        if step == "generating" and item.get("result"):
            image_fields: Body = {"partial_image_index": 0, "partial_image_b64": item["result"]}
            form: Body = {key: item[key] for key in ("size", "quality", "background", "output_format") if key in item}
            yield {"type": f"response.{kind}.partial_image", **image_fields, **form}


def _part_events(part: Body, place: int, seed: str) -> Iterator[dict[str, Any]]:
    """The events of a message's part: text or refusal."""
    at: dict[str, Any] = {"content_index": place}
    key = "refusal" if part["type"] == "refusal" else "text"
    name = "response.refusal" if key == "refusal" else "response.output_text"
    empty = {**part, key: "", **({"annotations": []} if "annotations" in part else {})}
    yield {"type": "response.content_part.added", **at, "part": empty}
    more: Body = {"logprobs": []} if key == "text" else {}
    events = list(_text_events(name, key, part[key], {**at, **more}, seed))
    yield from events[:-1]
    for number, annotation in enumerate(part.get("annotations") or ()):
        annotation_fields = {"annotation_index": number, "annotation": annotation}
        yield {"type": "response.output_text.annotation.added", **at, **annotation_fields}
    yield events[-1]
    yield {"type": "response.content_part.done", **at, "part": part}


def _text_events(event_name: str, key: str, text: str, location: Body, seed: str) -> Iterator[dict[str, Any]]:
    """The events of a text: its pieces, and then the whole."""
    for number, piece in enumerate(pieces(text, seed)):
        yield {"type": f"{event_name}.delta", **location, "delta": piece, "obfuscation": noise(f"{seed}/{number}")}
    yield {"type": f"{event_name}.done", **location, key: text}


def dress_reply(body: Body, seed: str, request: Body) -> Body:
    """Add ``resp_``, ``fc_`` and ``msg_`` ids, and echo tools and settings with every default."""
    body["id"] = "resp_" + digest("resp", seed, length=50)
    for place, item in enumerate(body["output"]):
        prefix = str(item.get("id", "")).split("_")[0]
        if prefix in ("fc", "ctc", "msg"):
            item["id"] = f"{prefix}_{digest('item', seed, place, length=50)}"
    body["tools"] = [_echo_tool(tool) for tool in request.get("tools", [])]
    if body["completed_at"] is not None:
        body["completed_at"] = body["created_at"] + 2
    body["text"] = {**body["text"], "verbosity": body["text"].get("verbosity", "medium")}
    usage, user, metadata = body.pop("usage"), body.pop("user"), body.pop("metadata")
    body["reasoning"] = {
        **body["reasoning"],
        "effort": body["reasoning"].get("effort") or _default_effort(body["model"]),
    }
    if body["model"].startswith(_NEWER_MODELS):
        body["tool_usage"] = copy.deepcopy(_TOOL_USAGE)
        body["reasoning"] = {**body["reasoning"], "mode": "standard"}
        usage["input_tokens_details"]["cache_write_tokens"] = 0
    return {**body, "usage": usage, "user": user, "metadata": metadata}


def _default_effort(model: str) -> str | None:
    """The model's default reasoning effort; None if it does not think."""
    if model.startswith(("gpt-5.1", "gpt-5.2", "gpt-5.4")):
        return "none"
    return "medium" if model.startswith(("gpt-5", "o4", "codex-", "computer-use-")) else None


def _echo_tool(tool: Body) -> Body:
    """A tool as OpenAI echoes it: a function without ``strict`` in strict form, other tools with defaults."""
    if tool.get("type") != "function":
        return {
            **tool,
            **{
                key: value for key, value in _ECHOED_TOOL_DEFAULTS.get(str(tool["type"]), {}).items() if key not in tool
            },
        }
    echo = {"type": "function", "description": tool.get("description"), "name": tool["name"]}
    if tool.get("defer_loading"):
        echo["defer_loading"] = True
    if tool.get("strict") is None:
        return {**echo, "parameters": _close_schema(tool["parameters"]), "strict": True}
    return {**echo, "parameters": tool["parameters"], "strict": tool["strict"]}


def _close_schema(schema: Any) -> Any:
    """A schema in strict form: every object closed, every property required."""
    if isinstance(schema, list):
        return [_close_schema(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed_schema = {key: _close_schema(value) for key, value in schema.items() if key != "properties"}
    if "properties" in schema:
        properties = {name: _close_schema(value) for name, value in schema["properties"].items()}
        closing = {"required": list(properties), "additionalProperties": False}
        closed_schema = {"type": "object", "properties": properties, **closed_schema, **closing}
    return closed_schema


PROVIDER = Provider(
    default_model="gpt-4.1-2025-04-14",
    call_id=openai.call_id,
    dress_reply=dress_reply,
    dress_error=openai.dress_error,
    render_stream=render_stream,
    file_vendor=openai.VENDOR,
    put_references=put_references,
)

"""Writing Responses replies: items with ids of their own, and the request's settings echoed."""

from __future__ import annotations

from typing import Any

from toolcall_reference.intermediate import Body, Hosted, Item, Opaque, Reply, Text, UniversalToolCall, Usage
from toolcall_reference.jsontext import digest
from toolcall_reference.target import Target

from .encode import IDS, NAME, NAMES, encode_call

_ECHOED: dict[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "reasoning": {"effort": None, "summary": None},
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
"""What a response repeats of its request, with the value it shows where the request says nothing."""


def encode_response(reply: Reply, target: Target) -> Body:
    """A complete reply body."""
    target.use_names(NAMES, [], reply.calls)
    ids = target.ids(reply.calls, IDS)
    status, details = "completed", None
    if reply.finish in ("length", "filter"):
        status = "incomplete"
        details = {"reason": "max_output_tokens" if reply.finish == "length" else "content_filter"}
    elif reply.finish == "error":
        status = "failed"
    elif reply.finish in ("pause", "other"):
        target.losses.add("finish", f"{reply.message or reply.finish}; said as completed")
    if reply.stop_sequence is not None:
        target.losses.add(
            "finish-stop_sequence", "Responses does not say which one ended the reply", reply.stop_sequence
        )
    output = _output(reply, ids, target)
    if status == "incomplete" and output and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    error = {"code": "server_error", "message": reply.message or "the model failed"} if status == "failed" else None
    echoed = {key: value if target.asked.get(key) is None else target.asked[key] for key, value in _ECHOED.items()}
    created = reply.created or 0
    return {
        "id": "resp_" + digest("resp", reply.key, length=48),
        "object": "response",
        "created_at": created,
        "status": status,
        "background": False,
        "error": error,
        "incomplete_details": details,
        "instructions": echoed["instructions"],
        "max_output_tokens": echoed["max_output_tokens"],
        "model": target.model,
        "output": output,
        "parallel_tool_calls": echoed["parallel_tool_calls"],
        "previous_response_id": target.asked.get("previous_response_id"),
        "reasoning": echoed["reasoning"],
        "service_tier": echoed["service_tier"],
        "store": echoed["store"],
        "temperature": echoed["temperature"],
        "text": echoed["text"],
        "tool_choice": echoed["tool_choice"],
        "tools": echoed["tools"],
        "top_p": echoed["top_p"],
        "truncation": echoed["truncation"],
        "usage": _usage(reply.usage or Usage()),
        "user": echoed["user"],
        "metadata": echoed["metadata"],
    }


def _output(reply: Reply, ids: dict[str, str], target: Target) -> list[Body]:
    found: list[Body] = []
    previous: Item | None = None
    for item in reply.items:
        place = len(found)
        if isinstance(item, (Text, UniversalToolCall)):
            target.lose_state(item)
        if isinstance(item, Text):
            part = _text(item)
            if isinstance(previous, Text) and not item.refusal and not previous.refusal:
                found[-1]["content"].append(part)  # neighbours are parts of one message
            else:
                found.append(
                    {
                        "id": "msg_" + digest("msg", reply.key, place, length=48),
                        "type": "message",
                        "status": "completed",
                        "content": [part],
                        "role": "assistant",
                    }
                )
        elif isinstance(item, UniversalToolCall):
            call = encode_call(item, ids, target)
            kind = call.pop("type")
            prefix = "ctc_" if kind == "custom_tool_call" else "fc_"
            item_id = prefix + digest("item", reply.key, place, length=48)
            rest: Body = {key: call[key] for key in ("arguments", "input", "call_id", "name") if key in call}
            found.append({"id": item_id, "type": kind, "status": "completed", **rest})
        elif isinstance(item, (Opaque, Hosted)):
            if item.origin == NAME:
                found.append(item.value)
            else:
                element = "signature" if isinstance(item, Opaque) else "tool-hosted"
                target.losses.add(element, f"of {item.origin}; dropped", item.type)
        else:
            target.losses.add("media", "Responses has no media in the assistant's messages; dropped")
        previous = item
    return found


def _text(item: Text) -> Body:
    if item.refusal:
        return {"type": "refusal", "refusal": item.text}
    return {"type": "output_text", "annotations": [], "logprobs": [], "text": item.text}


def _usage(usage: Usage) -> Body:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output if usage.total is None else usage.total,
    }

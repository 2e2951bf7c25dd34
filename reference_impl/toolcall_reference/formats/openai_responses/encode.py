"""Writing Responses requests from the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference import results
from toolcall_reference.ids import IdRule
from toolcall_reference.intermediate import (
    Body,
    Conversation,
    Hosted,
    Media,
    Opaque,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
)
from toolcall_reference.jsontext import RAW_ARGUMENTS_KEY, dump
from toolcall_reference.names import NameRule
from toolcall_reference.target import Target

from .parts import encode_input
from .settings import encode_settings, encode_tool, encode_tools

NAME = "openai_responses"
IDS = IdRule(limit=64)
PLACEHOLDER = "."
"""What the user says where a request must have a message and the source has none."""
NAMES = NameRule(r"[a-zA-Z0-9_-]+", 128)
SPELLINGS = frozenset(
    {
        *("strict", "non-strict", "null", "omitted", "developer-item", "system-item", "text-parts", "typed-messages"),
        *("encrypted", "stateless"),
    }
)


def encode_request(conversation: Conversation, target: Target) -> Body:
    """A complete request body."""
    tools = encode_tools(conversation, target)
    target.use_names(NAMES, tools, conversation.calls)
    ids = target.ids(conversation.calls, IDS)
    body: Body = {"model": target.model}
    system = [text.text for text in conversation.system if text.text.strip()]
    items: list[Body] = []
    role = next((role for role in ("developer", "system") if f"{role}-item" in target.spelling), None)
    if system and role is not None:
        items = [{"role": role, "content": encode_input(list(conversation.system), target)}]
    elif system:
        body["instructions"] = "\n\n".join(system)
    for turn in conversation.turns:
        items += _turn(turn, ids, target)
    if not items and system:
        target.losses.add("system", "there is no conversation beside it; a placeholder stands for the user")
        items = [{"role": "user", "content": PLACEHOLDER}]
    if "typed-messages" in target.spelling:
        items = [item if "type" in item else {"type": "message", **item} for item in items]
    body["input"] = items
    if tools:
        body["tools"] = [encode_tool(tool, target) for tool in tools]
    encode_settings(body, conversation.settings, tools, target)
    if target.stream:
        body["stream"] = True
    return body


def _turn(turn: Turn, ids: dict[str, str], target: Target) -> list[Body]:
    if turn.side == "assistant":
        return _assistant(turn.items, ids, target)
    if turn.side == "system":
        texts = [item for item in turn.items if isinstance(item, Text)]
        return [{"role": "developer", "content": encode_input(texts, target)}] if texts else []
    items: list[Body] = []
    for result in turn.results:
        # Ours, not the source's word: a free-text tool's output has a type of its own.
        kind = "custom_tool_call_output" if result.kind == "custom" else "function_call_output"
        output: Any = encode_input(results.marked_parts(result, bare=target.exact), target)
        items.append({"type": kind, "call_id": ids.get(result.tool_call_id, result.tool_call_id), "output": output})
    rest = [item for item in turn.items if isinstance(item, (Text, Media))]
    if rest:
        items.append({"role": "user", "content": encode_input(rest, target)})
    for item in turn.items:
        if not isinstance(item, (Text, Media, UniversalToolResult)):
            target.losses.add("tool-hosted", "dropped from a user message", type(item).__name__)
    return items


def _assistant(items: list[Any], ids: dict[str, str], target: Target) -> list[Body]:
    found: list[Body] = []
    for item in items:
        if isinstance(item, (Text, UniversalToolCall)):
            target.lose_state(item)
        if isinstance(item, Text):
            if item.refusal:
                found.append({"role": "assistant", "content": [{"type": "refusal", "refusal": item.text}]})
            elif item.text.strip():
                found.append({"role": "assistant", "content": item.text})
        elif isinstance(item, UniversalToolCall):
            found.append(encode_call(item, ids, target))
        elif isinstance(item, (Opaque, Hosted)):
            if item.origin == NAME:
                found.append(item.value)
                continue
            element = "signature" if isinstance(item, Opaque) else "tool-hosted"
            target.losses.add(element, f"of {item.origin}; dropped", item.type)
        elif isinstance(item, Media):
            what = item.mime or item.kind
            target.losses.add("media", "Responses has no media in the assistant's messages; dropped", what)
    return found


def encode_call(call: UniversalToolCall, ids: dict[str, str], target: Target) -> Body:
    """The item of a call, without an item id: the true one is not known here."""
    name = target.names.to(call.name)
    call_id = ids.get(call.id, call.id)
    if call.kind == "custom":
        return {"type": "custom_tool_call", "call_id": call_id, "name": name, "input": call.text or ""}
    if call.readable:
        text = dump(call.arguments) if call.text is None else call.text
    else:
        # A request has to hold JSON; a reply shows the client what the model wrote.
        text = (call.text or "") if target.is_reply else dump({RAW_ARGUMENTS_KEY: call.text})
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}

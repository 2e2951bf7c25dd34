"""Writing Chat Completions bodies from the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import RAW_ARGUMENTS_KEY, digest, dump
from toolcall_reference.conversation import citations, history, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Hosted,
    Item,
    Media,
    Opaque,
    Reply,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
    Usage,
)
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai_chat.api import IDS, LEGACY, NAME, NAMES
from toolcall_reference.formats.openai_chat.deprecated_functions import to_deprecated_request, to_function_calls
from toolcall_reference.formats.openai_chat.parts import can_encode, encode_content
from toolcall_reference.formats.openai_chat.settings import encode_settings, encode_tool, encode_tools

PLACEHOLDER = "."
"""The user's text if the source has no message and a request needs one."""
NOTATIONS = frozenset(
    {
        *("plain", "strict", "non-strict", "developer", "content-parts", "content-absent", "content-empty"),
        *("turns-apart", "functions", "function-calls", "message-nulls"),
        *("extra-content", "result-media", "blank-descriptions", "null-parameters"),
        *("max-tokens", "safety-identifier", "stop-text"),
    }
)

_REASON_BY_FINISH = {
    "end": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter", "stop_sequence": "stop",
    "refusal": "content_filter", "pause": "length", "error": "content_filter", "other": "content_filter",
}  # fmt: skip
_LOSSLESS_FINISHES = frozenset({"end", "tools", "length", "filter", "stop_sequence", "refusal"})
"""Finishes that Chat can express, or whose difference is recorded separately."""


def encode_request(conversation: Conversation, target: Target) -> Body:
    """A complete request body."""
    tools = encode_tools(conversation, target)
    target.use_names(NAMES, tools, conversation.calls)
    ids = target.assign_ids(conversation.calls, IDS)
    messages: list[Body] = []
    system = [text for text in conversation.system if text.text.strip()]
    role = "developer" if "developer" in target.notations else "system"
    if system:
        messages.append({"role": role, "content": encode_content(system, target)})
    turns = history.move_media_to_user(conversation.turns)
    for turn in history.arrange(turns, conversation.results, keeps_neighbours="turns-apart" in target.notations):
        if turn.side == "assistant":
            turn_messages = _encode_assistant(turn, ids, target)
        elif turn.side == "system":
            texts = [item for item in turn.items if isinstance(item, Text)]
            turn_messages = [{"role": role, "content": encode_content(texts, target)}]
        else:
            turn_messages = _encode_user(turn, ids, target)
        messages += (
            turn_messages if turn.name is None else [with_participant(message, turn) for message in turn_messages]
        )
    if not messages:
        messages.append({"role": "user", "content": PLACEHOLDER})
    body: Body = {"model": target.model, "messages": messages}
    if tools:
        body["tools"] = [encode_tool(tool, target) for tool in tools]
    encode_settings(body, conversation.settings, tools, target)
    if target.stream:
        body["stream"] = True
        # Only this API sends token counts in streams on request alone.
        body["stream_options"] = {"include_usage": True}
    if "functions" in target.notations:
        return to_deprecated_request(body)
    if "function-calls" in target.notations:
        body["messages"] = to_function_calls(messages)
    return body


def with_participant(message: Body, turn: Turn) -> Body:
    """The message with its participant's name; a tool's message has none."""
    if turn.name is None or message["role"] == "tool":
        return message
    return {"role": message["role"], "name": turn.name, **message}


def _encode_assistant(turn: Turn, ids: dict[str, str], target: Target) -> list[Body]:
    message = _encode_message(turn.items, ids, target)
    if message["content"] is None and "tool_calls" not in message and "refusal" not in message:
        return []
    return [_apply_notations(message, target) if target.notations else message]


def _encode_message(items: list[Any], ids: dict[str, str], target: Target) -> Body:
    """The message of an assistant's items: joined texts, refusal, calls, and extra keys."""
    content, gap = "", ""  # see history.Joiner
    refusals: list[str] = []
    calls: list[Body] = []
    beside: Body = {}
    for item in items:
        if isinstance(item, Text):
            if item.raw_context:
                target.lose_state(item)
            if item.refusal:
                refusals.append(item.text)
            elif item.text:
                content += gap + item.text if content else item.text
                gap = ""
            continue
        gap = "\n\n"
        if isinstance(item, UniversalToolCall):
            calls.append(_encode_whole_call(item, ids.get(item.id, item.id), target))
        else:
            _add_other_item(beside, item, target)
    message: Body = {"role": "assistant", "content": content or None}
    if refusals:
        message["refusal"] = "\n".join(refusals)
    if beside:
        message |= beside
    if calls:
        message["tool_calls"] = calls
    return message


def _add_other_item(message: Body, item: Item, target: Target) -> None:
    """Add an item that is neither text nor call to a message, or record its loss."""
    if isinstance(item, Opaque) and item.origin == NAME and (target.exact or target.native):
        # Extra keys that a compatible vendor's client sends back.
        message |= item.value if isinstance(item.value, dict) else {item.type: item.value}
    elif isinstance(item, Media) and target.is_reply:
        message.setdefault("images", []).append(encode_image(item))
    else:
        lose_item(item, target)


def is_image(item: Item) -> bool:
    """Whether an item is an image that a reply can hold, as OpenRouter's and others' do."""
    return isinstance(item, Media) and item.kind == "image" and (item.data or item.url) is not None


def encode_image(item: Media) -> Body:
    """The entry of ``images`` for an image by the model (https://openrouter.ai/docs/features/multimodal/image-generation)."""
    return {"type": "image_url", "image_url": {"url": item.url or media.data_url(item)}}


def lose_item(item: Item, target: Target) -> None:
    """Record the loss of an item of an assistant's message that is neither text nor call."""
    if isinstance(item, (Opaque, Hosted)):
        element = "signature" if isinstance(item, Opaque) else "tool-hosted"
        target.losses.add(element, f"of {item.origin}; dropped", item.type)


def _apply_notations(message: Body, target: Target) -> Body:
    """Apply the requested notations to a message: its missing content is null by default."""
    if message["content"] is None and "content-absent" in target.notations:
        del message["content"]
    elif message["content"] is None and "content-empty" in target.notations:
        message["content"] = ""
    if "message-nulls" in target.notations:
        # So the official SDK serializes a reply that is sent back.
        message |= {key: None for key in ("refusal", "audio", "function_call") if key not in message}
    return message


def _encode_whole_call(call: UniversalToolCall, wire_id: str, target: Target) -> Body:
    return encode_call(
        call, wire_id, target, (call.text or "") if call.kind == "custom" else encode_raw_arguments(call)
    )


def encode_call(call: UniversalToolCall, wire_id: str, target: Target, raw_arguments: str = "") -> Body:
    """A call with the argument or input text ``raw_arguments``, which a stream leaves empty at first."""
    name = target.names.target_name(call.name)
    if call.kind == "custom":
        return {"id": wire_id, "type": "custom", "custom": {"name": name, "input": raw_arguments}}
    body: Body = {"id": wire_id, "type": "function", "function": {"name": name, "arguments": raw_arguments}}
    if not call.raw_context:
        return body
    signature = call.raw_context.get("gemini", {}).get("thoughtSignature")
    if signature is None or not (target.is_reply or "extra-content" in target.notations):
        target.lose_state(call)
    else:
        # A client may send it back at this place, where Google's own OpenAI-compatible endpoint has it.
        body["extra_content"] = {"google": {"thought_signature": signature}}
    return body


def encode_raw_arguments(call: UniversalToolCall) -> str:
    """A call's arguments as JSON text: the source's raw text if it had one, valid or not."""
    if call.text is not None:
        return call.text
    assert call.readable, RAW_ARGUMENTS_KEY
    return dump(call.arguments)


def _result_message(result: UniversalToolResult, content: Any, ids: dict[str, str], target: Target) -> Body:
    call_id = result.tool_call_id
    if target.call_forms.get(call_id) == LEGACY:
        return {"role": "function", "name": result.name, "content": content}
    return {"role": "tool", "tool_call_id": ids.get(call_id, call_id), "content": content}


def _encode_user(turn: Turn, ids: dict[str, str], target: Target) -> list[Body]:
    """The messages of a user's turn: results, media moved out of them, and the rest."""
    messages: list[Body] = []
    moved: list[Text | Media] = []
    content: list[Text | Media] = []
    for item in turn.items:
        if isinstance(item, UniversalToolResult):
            messages.append(_encode_result(item, moved, ids, target))
        elif isinstance(item, (Text, Media)):
            content.append(item)
        else:
            target.losses.add("tool-hosted", "dropped from a user message", type(item).__name__)
    if moved:
        messages.append({"role": "user", "content": encode_content(moved, target)})
    if content:
        messages.append({"role": "user", "content": encode_content(content, target)})
    return messages


def _encode_result(result: UniversalToolResult, moved: list[Text | Media], ids: dict[str, str], target: Target) -> Body:
    """The message of a result; media that must follow the whole batch are added to ``moved``."""
    plain = results.plain_text(result, marks=not target.exact)
    if plain is not None:
        return _result_message(result, plain, ids, target)
    parts = results.error_marked_parts(result, bare=target.exact)
    # An address that Chat cannot hold stays in the result as text.
    parts = [
        media.placeholder(part, target.losses, NAME) if isinstance(part, Media) and not can_encode(part) else part
        for part in parts
    ]
    texts = [part for part in parts if isinstance(part, Text)]
    pictures = [part for part in parts if isinstance(part, Media)]
    wire_id = ids.get(result.tool_call_id, result.tool_call_id)
    if pictures and "result-media" in target.notations:
        # As the clients of some vendors write it.
        return {"role": "tool", "tool_call_id": wire_id, "content": encode_content(list(parts), target)}
    if pictures:
        # A tool message holds text only: media go into a user message after the whole batch.
        kinds = ", ".join(picture.mime or picture.kind for picture in pictures)
        texts = texts or [Text(f"[{kinds}: in the next user message]")]
        moved += [results.caption(target.names.target_name(result.name), wire_id, 0), *pictures]
    content: Any = texts[0].text if len(texts) == 1 else [{"type": "text", "text": text.text} for text in texts]
    return _result_message(result, content or "", ids, target)


def encode_response(reply: Reply, target: Target) -> Body:
    """A complete reply body."""
    reply.items = [
        item if is_image(item) else media.replace_media_by_text([item], target.losses, NAME)[0] for item in reply.items
    ]
    target.use_names(NAMES, [], reply.calls)
    message = _encode_message(reply.items, target.assign_ids(reply.calls, IDS), target)
    message = {"role": "assistant", "content": message["content"], "refusal": message.get("refusal"), **message}
    message |= encode_citations(reply)
    finish = encode_finish(reply, target, refused=bool(message["refusal"]))
    if is_legacy(target) and len(reply.calls) == 1:
        # A client of the deprecated functions expects its call here.
        message["function_call"] = message.pop("tool_calls")[0]["function"]
        finish = "function_call" if finish == "tool_calls" else finish
    return {
        **encode_head(reply, target, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": encode_usage(reply.usage or Usage()),
    }


def encode_citations(reply: Reply) -> Body:
    """The annotations of a reply, with ranges in its whole text; empty without citations."""
    bodies: list[Body] = []
    joiner, length = history.TextJoiner(), 0
    for item in reply.items:
        if isinstance(item, Text) and not item.refusal:
            length += len(joiner.join(item.text))
            bodies += citations.to_openai(item, length - len(item.text), len(item.text), "url_citation")
        elif not isinstance(item, Text):
            joiner.mark_gap()
    return {"annotations": bodies} if bodies else {}


def is_legacy(target: Target) -> bool:
    """Whether the client declared its tools as the deprecated ``functions``."""
    return bool(target.client_request.get("functions")) and not target.client_request.get("tools")


def encode_finish(reply: Reply, target: Target, *, refused: bool) -> str:
    """The reply's finish reason; ``refused``: its refusal is in the message."""
    finish = _REASON_BY_FINISH[reply.finish]
    if reply.finish == "refusal" and refused:
        finish = "stop"
    if reply.finish not in _LOSSLESS_FINISHES:
        target.losses.add(f"finish-{reply.finish}", f"{reply.message or reply.finish}; said as {finish}")
    if reply.stop_sequence is not None:
        target.losses.add("finish-stop_sequence", "Chat does not say which one ended the reply", reply.stop_sequence)
    return finish


def encode_head(reply: Reply, target: Target, kind: str) -> Body:
    """The first keys of a reply and of every chunk of a streamed one."""
    return {
        "id": "chatcmpl-" + digest("chatcmpl", reply.key, length=29),
        "object": kind,
        "created": reply.created or 0,
        "model": target.model,
    }


def encode_usage(usage: Usage) -> Body:
    """Encode token counts."""
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output if usage.total is None else usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }

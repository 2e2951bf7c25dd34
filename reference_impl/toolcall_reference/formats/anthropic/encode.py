"""Writing Anthropic bodies from the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.conversation import history, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Citation,
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
from toolcall_reference.conversation.pairing import arguments_object
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.anthropic.api import IDS, NAME, NAMES
from toolcall_reference.formats.anthropic.settings import HOSTED_BY_PURPOSE, encode_settings, encode_tool, encode_tools
from toolcall_reference.formats.anthropic.thinking import encode_thinking
from toolcall_reference.formats.hosted import encode_hosted

PLACEHOLDER = "."
"""The user's text if the source has no message and a request needs one."""
NOTATIONS = frozenset(
    {
        *("cached", "deferred", "custom", "content-blocks", "result-blocks", "system-blocks", "system-messages"),
        *("message-nulls", "output-format", "turns-apart"),
    }
)
DEFAULT_MAX_TOKENS = 4096
"""The required ``max_tokens``, if the source sets no limit."""

_IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_PDF = "application/pdf"
_REASON_BY_FINISH = {
    "end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "refusal", "filter": "refusal",
    "stop_sequence": "stop_sequence", "pause": "pause_turn", "error": "refusal", "other": "refusal",
}  # fmt: skip


def encode_request(conversation: Conversation, target: Target) -> Body:
    """A complete request body."""
    tools = encode_tools(conversation)
    target.use_names(NAMES, tools, conversation.calls)
    settings = conversation.settings
    body: Body = {
        "model": target.model,
        "max_tokens": DEFAULT_MAX_TOKENS
        if settings.max_output_tokens is None
        else target.clamp("max-output-tokens", settings.max_output_tokens, 0),
    }
    system = [text for text in conversation.system if text.text.strip()]
    apart = "turns-apart" in target.notations
    arranged = history.arrange(
        history.move_media_to_user(conversation.turns), conversation.results, keeps_neighbours=apart
    )
    # Only recent models know the role of instructions in the middle.
    turns = history.merge(arranged, keeps_neighbours=apart, demoted="system-messages" not in target.notations)
    turns = [turn for turn in turns if _is_readable(turn.items[0]) or any(map(_is_readable, turn.items))]
    if not turns:
        if system:
            target.losses.add("system", "there is no conversation beside it; a placeholder stands for the user")
        turns = [Turn("user", [Text(PLACEHOLDER)])]
    if system:
        blocks = [_with_cache_mark({"type": "text", "text": text.text}, text) for text in system]
        is_plain_text = len(system) == 1 and not system[0].cached and "system-blocks" not in target.notations
        body["system"] = system[0].text if is_plain_text else blocks
    ids = target.assign_ids(conversation.calls, IDS)
    body["messages"] = [_encode_message(turn, ids, target) for turn in turns]
    declared = [encode_tool(tool, target) for tool in tools]
    if "deferred" in target.notations:
        declared[-1]["defer_loading"] = True
    declared += encode_hosted(conversation.tools, HOSTED_BY_PURPOSE, target, [tool["name"] for tool in declared])
    if declared:
        body["tools"] = declared
        if "cached" in target.notations:
            body["tools"][-1]["cache_control"] = {"type": "ephemeral"}
    drop_excess_cache_marks(body, target)
    encode_settings(body, settings, tools, target)
    if settings.reasoning is not None:
        encode_thinking(body, target, turns, settings.reasoning.token_budget())
    if target.stream:
        body["stream"] = True
    return body


def _is_readable(item: Item) -> bool:
    return not isinstance(item, (Opaque, Hosted)) or item.origin == NAME


def _encode_message(turn: Turn, ids: dict[str, str], target: Target) -> Body:
    """The message of a turn: a string for a single plain text, else an array of blocks."""
    only = turn.items[0] if len(turn.items) == 1 else None
    cited = isinstance(only, Text) and only.citations and target.exact
    if isinstance(only, Text) and not (only.cached or cited) and "content-blocks" not in target.notations:
        if only.raw_context:
            target.lose_state(only)
        return {"role": turn.side, "content": only.text}
    blocks: list[Body] = []
    media_blocks: list[Body] = []
    for item in turn.items:
        if isinstance(item, UniversalToolResult):
            if item.is_error:
                media_blocks += _media_after_result(item, ids, target)
            blocks.append(_encode_result(item, ids, target))
            continue
        if media_blocks:
            blocks, media_blocks = [*blocks, *media_blocks], []
        blocks += encode_block(item, ids, target)
    if turn.side == "assistant" and "message-nulls" in target.notations:
        # So the official SDK serializes a reply that is sent back.
        blocks = [{"citations": None, **block} if block["type"] == "text" else block for block in blocks]
    return {"role": turn.side, "content": blocks + media_blocks if media_blocks else blocks}


def encode_block(item: Item, ids: dict[str, str], target: Target) -> list[Body]:
    """The blocks of one item; ``ids`` are the call ids by universal id."""
    if isinstance(item, Text):
        if item.raw_context:
            target.lose_state(item)
        return [_with_cache_mark(_encode_text(item, target), item)] if item.text.strip() else []
    if isinstance(item, UniversalToolCall):
        if item.raw_context:
            target.lose_state(item)
        name, arguments = target.names.target_name(item.name), arguments_object(item)
        return [{"type": "tool_use", "id": ids[item.id], "name": name, "input": arguments}]
    if isinstance(item, Media):
        return [_encode_media(item, target)]
    if isinstance(item, UniversalToolResult):
        return [_encode_result(item, ids, target)]
    if item.origin == NAME:
        return [item.value]
    target.losses.add(
        "signature" if isinstance(item, Opaque) else "tool-hosted", f"of {item.origin}; dropped", item.type
    )
    return []


def _encode_text(item: Text, target: Target) -> Body:
    """A text with its citations; a request holds only those that Anthropic itself made."""
    block: Body = {"type": "text", "text": item.text}
    if item.citations and (target.is_reply or target.exact):
        block["citations"] = [encode_citation(citation) for citation in item.citations]
    return block


def encode_citation(citation: Citation) -> Body:
    """A citation of a page by a whole block."""
    kind = "web_search_result_location"
    return {
        "type": kind,
        "url": citation.url,
        "title": citation.title,
        "encrypted_index": citation.seal,
        "cited_text": citation.quote,
    }


def _encode_result(result: UniversalToolResult, ids: dict[str, str], target: Target) -> Body:
    content: Any = None if "result-blocks" in target.notations else results.plain_text(result, marks=False)
    if content is None:
        content = _encode_result_content(result, ids, target)
    block: Body = {"type": "tool_result", "tool_use_id": ids[result.tool_call_id], "content": content}
    if result.is_error:
        block["is_error"] = True
    return _with_cache_mark(block, result) if result.cached else block


def _encode_result_content(result: UniversalToolResult, ids: dict[str, str], target: Target) -> str | list[Body]:
    """The content of a result: a string for a single text, else an array of blocks."""
    parts = results.content_parts(result)
    if result.is_error and any(isinstance(part, Media) for part in parts):
        parts = list(results.texts_without_media(parts))
    if parts and any(isinstance(part, Text) and NAME in part.raw_context for part in parts):
        return [
            part.raw_context[NAME] if isinstance(part, Text) and NAME in part.raw_context else block
            for part in parts
            for block in encode_block(part, ids, target)
        ]
    if len(parts) == 1 and isinstance(parts[0], Text) and "result-blocks" not in target.notations:
        return parts[0].text
    return [block for part in parts for block in encode_block(part, ids, target)]


MAX_CACHE_MARKS = 4
"""https://platform.claude.com/docs/en/build-with-claude/prompt-caching"""


def _with_cache_mark(block: Body, item: Text | UniversalToolResult) -> Body:
    """The block, with a cache breakpoint if its item has one."""
    return {**block, "cache_control": {"type": "ephemeral"}} if item.cached else block


def drop_excess_cache_marks(body: Body, target: Target) -> None:
    """Remove the earliest cache breakpoints of the conversation over the API's limit."""
    marked = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if "cache_control" in block
    ]
    system = body.get("system")
    others = [block for block in (system if isinstance(system, list) else []) if "cache_control" in block]
    for block in marked[: max(len(marked) + len(others) - MAX_CACHE_MARKS, 0)]:
        del block["cache_control"]
        target.losses.add("cache-control", f"Anthropic takes {MAX_CACHE_MARKS} marks; the earliest are dropped")


def _media_after_result(result: UniversalToolResult, ids: dict[str, str], target: Target) -> list[Body]:
    """The media of an error result, after a caption: the API takes only text within such a result."""
    media_of = [part for part in result.multimodal_parts if isinstance(part, Media)]
    if not media_of:
        return []
    items: list[Item] = [results.caption(target.names.target_name(result.name), ids[result.tool_call_id], 0), *media_of]
    return [block for part in items for block in encode_block(part, ids, target)]


def _encode_media(item: Media, target: Target) -> Body:
    """The block of an image or document; other media become visible text."""
    kind = "document" if item.kind == "file" and item.mime == _PDF else item.kind
    if kind in ("image", "document"):
        block: Body = {"type": kind}
        if item.url is not None and not item.url.lower().startswith("data:"):
            block["source"] = {"type": "url", "url": item.url}
        elif item.file_id is not None and item.vendor == NAME:
            block["source"] = {"type": "file", "file_id": item.file_id}
        elif item.data is not None and media.registered_mime(item.mime) in (*_IMAGE_TYPES, _PDF):
            block["source"] = {"type": "base64", "media_type": media.registered_mime(item.mime), "data": item.data}
        elif item.data is not None and kind == "document":
            text = media.decoded_text(item)
            if text is not None:
                block["source"] = {"type": "text", "media_type": "text/plain", "data": text}
        if "source" in block:
            if kind == "document" and item.name:
                block["title"] = item.name
            if item.detail not in (None, "auto"):
                target.losses.add("media", "the wish for an image's detail is dropped", item.detail)
            return block
    return {"type": "text", "text": media.placeholder(item, target.losses, NAME).text}


def encode_response(reply: Reply, target: Target) -> Body:
    """A complete reply body."""
    target.use_names(NAMES, [], reply.calls)
    ids = target.assign_ids(reply.calls, IDS)
    content: list[Body] = []
    for item in media.replace_media_by_text(reply.items, target.losses, NAME):
        content += encode_block(item, ids, target)
    return encode_body(reply, target, content, encode_finish(reply, target))


def encode_finish(reply: Reply, target: Target) -> Body:
    """The reply's stop reason and stop sequence."""
    finish = _REASON_BY_FINISH[reply.finish]
    if reply.finish in ("error", "other"):
        target.losses.add(f"finish-{reply.finish}", f"{reply.message or reply.finish}; said as {finish}")
    return {"stop_reason": finish, "stop_sequence": reply.stop_sequence if finish == "stop_sequence" else None}


def encode_body(reply: Reply, target: Target, content: list[Body], finish: Body) -> Body:
    """The message around its content."""
    return {
        "model": target.model,
        "id": "msg_" + digest("msg", reply.key),
        "type": "message",
        "role": "assistant",
        "content": content,
        **finish,
        "usage": encode_usage(reply.usage or Usage()),
    }


def encode_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": max(usage.input - usage.cached - usage.cache_write, 0),
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    }

"""Reading Anthropic bodies into the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copy_json, digest
from toolcall_reference.basics.numbers import as_count
from toolcall_reference.conversation import media, results
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
    UniversalToolResult,
    Usage,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.pairing import Ledger
from toolcall_reference.formats.anthropic.api import NAME
from toolcall_reference.formats.anthropic.settings import decode_settings, decode_tools, lose_cache_control
from toolcall_reference.formats.anthropic.threads import missing_beginning

_FINISH_BY_REASON = {
    "end_turn": "end", "tool_use": "tools", "max_tokens": "length", "model_context_window_exceeded": "length",
    "refusal": "refusal", "stop_sequence": "stop_sequence", "pause_turn": "pause", "compaction": "pause",
}  # fmt: skip


def decode_request(body: Body, losses: Losses) -> Conversation:
    """The conversation of a request body. Raises Refused if its shape is not Anthropic's."""
    conversation = Conversation(system=decode_system(body.get("system"), losses), missing_part=missing_beginning(body))
    ledger = Ledger(NAME)
    turns, before = conversation.turns, ""
    for message in as_list(body.get("messages"), "messages"):
        message = as_object(message, "a message")
        role = message.get("role")
        if role == "system":
            texts = decode_system(message.get("content"), losses)
            if turns:
                turns.append(Turn(role, list(texts)))
                before = role
            else:
                conversation.system += texts
            continue
        side = "assistant" if role == "assistant" else "user"
        if side == "assistant" and before != side:
            ledger.new_batch()
        turns.append(Turn(side, _decode_items(message.get("content"), ledger, losses)))
        before = side
    conversation.tools = decode_tools(body, losses)
    conversation.settings = decode_settings(body, losses)
    conversation.calls, conversation.results = ledger.calls, ledger.results
    return conversation


def decode_system(value: Any, losses: Losses) -> list[Text]:
    """The texts of ``system``, a string or an array of blocks."""
    if isinstance(value, str):
        return [Text(value)] if value.strip() else []
    texts = []
    for block in as_list(value, "system"):
        block = as_object(block, "a system block")
        lose_cache_control(block, losses)
        text = as_text(block.get("text"), "a system block's text")
        if text.strip():
            texts.append(Text(text))
    return texts


def _decode_items(content: Any, ledger: Ledger, losses: Losses) -> list[Item]:
    """Decode a message's content; calls and results are entered in ``ledger``."""
    if isinstance(content, str):
        return [Text(content)] if content.strip() else []
    items: list[Item] = []
    for block in as_list(content, "content"):
        block = as_object(block, "a content block")
        if "cache_control" in block:
            lose_cache_control(block, losses)
        kind = block.get("type")
        if kind == "text":
            text = _decode_text(block, losses)
            if text is not None:
                items.append(text)
        elif kind == "tool_use":
            given_id, name = decode_call_head(block, losses)
            items.append(ledger.enter_call(given_id, name, as_object(block.get("input"), "input")))
        elif kind == "tool_result":
            result = _decode_result(block, ledger, losses)
            ledger.results.append(result)
            items.append(result)
        else:
            items += decode_other_block(block, losses)
    return items


def decode_call_head(block: Body, losses: Losses) -> tuple[str | None, str]:
    """The id and name of the call of a ``tool_use`` block."""
    if "caller" in block and as_object(block["caller"], "caller").get("type") not in (None, "direct"):
        losses.add("caller", "a call made by hosted code is shown as an ordinary call", block.get("id"))
    return as_text(block.get("id"), "id") or None, as_text(block.get("name"), "name")


def decode_other_block(block: Body, losses: Losses) -> list[Item]:
    """Decode a block that is neither a call nor a result."""
    kind = as_text(block.get("type"), "a block's type")
    if kind in ("thinking", "redacted_thinking"):
        return [Opaque(NAME, kind, copy_json(block))]
    if kind in ("text", "image", "document", "search_result"):
        return list(_decode_parts(block, losses))
    return [Hosted(NAME, kind, copy_json(block))]


def _decode_result(block: Body, ledger: Ledger, losses: Losses) -> UniversalToolResult:
    given_id = as_text(block.get("tool_use_id"), "tool_use_id")
    call = ledger.answer_call(given_id or None)
    content, is_error = block.get("content"), block.get("is_error") is True
    call_id, name = (call.id, call.name) if call else (given_id, "")
    if isinstance(content, str):
        return results.from_text(call_id, name, content, is_error=is_error)
    parts: list[Text | Media] = []
    for inner in as_list(content, "a result's content"):
        inner = as_object(inner, "a result's block")
        lose_cache_control(inner, losses)
        parts += _decode_parts(inner, losses)
    return results.from_parts(call_id, name, parts, is_error=is_error)


def decode_citations(entries: Any, losses: Losses) -> list[Citation]:
    """Decode a text's citations; citations of documents without an address are recorded as losses."""
    pages = []
    for entry in entries if isinstance(entries, list) else ():
        url = entry.get("url") or entry.get("source") if isinstance(entry, dict) else None
        if isinstance(url, str) and "://" in url:
            quote, seal = str(entry.get("cited_text") or ""), str(entry.get("encrypted_index") or "")
            pages.append(Citation(url, entry.get("title"), quote=quote, seal=seal))
        else:
            losses.add("citation-of-file", "a place in a document is its provider's own; dropped, the text stays")
    return pages


def _decode_text(block: Body, losses: Losses) -> Text | None:
    """The text of a block; None if it is blank."""
    text = as_text(block.get("text"), "text")
    if not text.strip():
        return None
    text_item = Text(text)
    if "citations" in block:
        text_item.citations = decode_citations(block["citations"], losses)
    return text_item


def _decode_parts(block: Body, losses: Losses) -> list[Text | Media]:
    """Decode a block within a result or message: text, search result, tool reference or media."""
    kind = block.get("type")
    if kind == "text":
        text = _decode_text(block, losses)
        return [] if text is None else [text]
    if kind == "search_result":
        losses.add("search-result", "shown as text", block.get("source"))
        texts = [
            as_text(as_object(part, "a part").get("text"), "text") for part in as_list(block.get("content"), "content")
        ]
        return [Text("\n".join([str(block.get("title") or ""), str(block.get("source") or ""), *texts]))]
    if kind == "tool_reference":
        losses.add("tool-reference", "shown as text", block.get("tool_name"))
        return [Text(f"Tool: {block.get('tool_name')}")]
    if kind in ("image", "document"):
        return _decode_source(kind, block, losses)
    losses.add("content", "an unknown kind of block was dropped", kind)
    return []


def _decode_source(kind: str, block: Body, losses: Losses) -> list[Text | Media]:
    """Decode the source of an image or document block."""
    source = as_object(block.get("source"), "source")
    name = block.get("title") if isinstance(block.get("title"), str) else None
    for key in ("context", "citations"):
        if block.get(key):
            losses.add("document", f"{key} of a document dropped", name)
    how = source.get("type")
    mime = source.get("media_type") if isinstance(source.get("media_type"), str) else None
    if how == "base64":
        return [Media(kind, mime, data=as_text(source.get("data"), "data"), name=name)]
    if how == "url":
        item = media.from_url(kind, as_text(source.get("url"), "url"), name=name)
        if kind == "document" and item.mime is None:
            item.mime = "application/pdf"
        return [item]
    if how == "file":
        return [Media(kind, mime, file_id=as_text(source.get("file_id"), "file_id"), name=name, vendor=NAME)]
    if how == "text":
        data = as_text(source.get("data"), "data")
        return [Media(kind, mime or "text/plain", data=media.text_to_base64(data), name=name)]
    if how == "content":
        inner = source.get("content")
        if isinstance(inner, str):
            return [Text(inner)]
        return [
            part for entry in as_list(inner, "content") for part in _decode_parts(as_object(entry, "a block"), losses)
        ]
    losses.add("media", "an unknown kind of source was dropped", how)
    return []


def decode_response(body: Body, losses: Losses) -> Reply:
    """The reply of a response body."""
    if "content" not in body:
        raise Refused("the body is no message: it has no content")
    reply = decode_head(body)
    ledger = Ledger(NAME, reply.key)
    reply.items = _decode_items(body.get("content"), ledger, losses)
    # The text before a refusal is not a refusal: "no additional refusal message is included",
    # https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals
    decode_finish(reply, body, calls=bool(ledger.calls))
    return reply


def decode_head(body: Body) -> Reply:
    """The reply with id, key and model from the beginning of a message."""
    reply_id = body.get("id")
    key = reply_id if isinstance(reply_id, str) and reply_id else digest(body)
    return Reply(key, [], "other", model=body.get("model"), id=reply_id if isinstance(reply_id, str) else None)


def decode_finish(reply: Reply, body: Body, *, calls: bool) -> None:
    """Set finish and usage of ``reply`` from the end of a message; ``calls``: it has calls."""
    reply.finish = _FINISH_BY_REASON.get(str(body.get("stop_reason")), "end")
    if reply.finish in ("end", "tools"):
        reply.finish = "tools" if calls else "end"
    reply.stop_sequence = body.get("stop_sequence")
    reply.usage = decode_usage(body.get("usage"))


def decode_usage(value: Any) -> Usage | None:
    """Decode token counts; None if there are none."""
    if not isinstance(value, dict):
        return None
    cached = as_count(value.get("cache_read_input_tokens"))
    written = as_count(value.get("cache_creation_input_tokens"))
    details = value.get("output_tokens_details")
    thought = as_count(details.get("thinking_tokens")) if isinstance(details, dict) else 0
    # Anthropic counts cached tokens in addition to input_tokens; the others include them.
    total_input = as_count(value.get("input_tokens")) + cached + written
    return Usage(total_input, as_count(value.get("output_tokens")), cached, written, thought)

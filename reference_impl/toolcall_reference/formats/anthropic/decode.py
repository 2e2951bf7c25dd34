"""Reading Anthropic bodies into the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copied, digest
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
from toolcall_reference.formats.anthropic.settings import count_of, decode_settings, decode_tools, lose_cache_control
from toolcall_reference.formats.anthropic.threads import missing_beginning

_FINISH = {
    "end_turn": "end", "tool_use": "tools", "max_tokens": "length", "model_context_window_exceeded": "length",
    "refusal": "refusal", "stop_sequence": "stop_sequence", "pause_turn": "pause", "compaction": "pause",
}  # fmt: skip


def decode_request(body: Body, losses: Losses) -> Conversation:
    """The conversation of a request body; Refused where its shape is not Anthropic's."""
    conversation = Conversation(system=system_texts(body.get("system"), losses), missing_part=missing_beginning(body))
    ledger = Ledger(NAME)
    turns, before = conversation.turns, ""
    for message in as_list(body.get("messages"), "messages"):
        message = as_object(message, "a message")
        role = message.get("role")
        if role == "system":
            texts = system_texts(message.get("content"), losses)
            if turns:
                turns.append(Turn(role, list(texts)))
                before = role
            else:
                conversation.system += texts
            continue
        side = "assistant" if role == "assistant" else "user"
        if side == "assistant" and before != side:
            ledger.new_batch()
        turns.append(Turn(side, _items(message.get("content"), ledger, losses)))
        before = side
    conversation.tools = decode_tools(body, losses)
    conversation.settings = decode_settings(body, losses)
    conversation.calls, conversation.results = ledger.calls, ledger.results
    return conversation


def system_texts(value: Any, losses: Losses) -> list[Text]:
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


def _items(content: Any, ledger: Ledger, losses: Losses) -> list[Item]:
    if isinstance(content, str):
        return [Text(content)] if content.strip() else []
    items: list[Item] = []
    for block in as_list(content, "content"):
        block = as_object(block, "a content block")
        if "cache_control" in block:
            lose_cache_control(block, losses)
        kind = block.get("type")
        if kind == "text":
            text = _text(block, losses)
            if text is not None:
                items.append(text)
        elif kind == "tool_use":
            given_id, name = call_of(block, losses)
            items.append(ledger.enter_call(given_id, name, as_object(block.get("input"), "input")))
        elif kind == "tool_result":
            result = _result(block, ledger, losses)
            ledger.results.append(result)
            items.append(result)
        else:
            items += other_block(block, losses)
    return items


def call_of(block: Body, losses: Losses) -> tuple[str | None, str]:
    """Id and name of the call that a ``tool_use`` block is."""
    if "caller" in block and as_object(block["caller"], "caller").get("type") not in (None, "direct"):
        losses.add("caller", "a call made by hosted code is shown as an ordinary call", block.get("id"))
    return as_text(block.get("id"), "id") or None, as_text(block.get("name"), "name")


def other_block(block: Body, losses: Losses) -> list[Item]:
    """The items of a block that is neither a call nor a result."""
    kind = as_text(block.get("type"), "a block's type")
    if kind in ("thinking", "redacted_thinking"):
        return [Opaque(NAME, kind, copied(block))]
    if kind in ("text", "image", "document", "search_result"):
        return list(_parts(block, losses))
    return [Hosted(NAME, kind, copied(block))]


def _result(block: Body, ledger: Ledger, losses: Losses) -> UniversalToolResult:
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
        parts += _parts(inner, losses)
    return results.from_parts(call_id, name, parts, is_error=is_error)


def citations_of(entries: Any, losses: Losses) -> list[Citation]:
    """The pages that a text names; places in documents without an address are not carried."""
    pages = []
    for entry in entries if isinstance(entries, list) else ():
        url = entry.get("url") or entry.get("source") if isinstance(entry, dict) else None
        if isinstance(url, str) and "://" in url:
            quote, seal = str(entry.get("cited_text") or ""), str(entry.get("encrypted_index") or "")
            pages.append(Citation(url, entry.get("title"), quote=quote, seal=seal))
        else:
            losses.add("citation-of-file", "a place in a document is its provider's own; dropped, the text stays")
    return pages


def _text(block: Body, losses: Losses) -> Text | None:
    """The text that a block says; None where it says nothing."""
    text = as_text(block.get("text"), "text")
    if not text.strip():
        return None
    text_item = Text(text)
    if "citations" in block:
        text_item.citations = citations_of(block["citations"], losses)
    return text_item


def _parts(block: Body, losses: Losses) -> list[Text | Media]:
    kind = block.get("type")
    if kind == "text":
        text = _text(block, losses)
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
        return _source(kind, block, losses)
    losses.add("content", "an unknown kind of block was dropped", kind)
    return []


def _source(kind: str, block: Body, losses: Losses) -> list[Text | Media]:
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
        return [part for entry in as_list(inner, "content") for part in _parts(as_object(entry, "a block"), losses)]
    losses.add("media", "an unknown kind of source was dropped", how)
    return []


def decode_response(body: Body, losses: Losses) -> Reply:
    """The reply of a response body."""
    if "content" not in body:
        raise Refused("the body is no message: it has no content")
    reply = head(body)
    ledger = Ledger(NAME, reply.key)
    reply.items = _items(body.get("content"), ledger, losses)
    # What was said before a refusal is no refusal: "no additional refusal message is included",
    # https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals
    tail(reply, body, calls=bool(ledger.calls))
    return reply


def head(body: Body) -> Reply:
    """The reply as far as the beginning of a message tells it."""
    reply_id = body.get("id")
    key = reply_id if isinstance(reply_id, str) and reply_id else digest(body)
    return Reply(key, [], "other", model=body.get("model"), id=reply_id if isinstance(reply_id, str) else None)


def tail(reply: Reply, body: Body, *, calls: bool) -> None:
    """What the end of a message tells; ``calls`` says whether there are any."""
    reply.finish = _FINISH.get(str(body.get("stop_reason")), "end")
    if reply.finish in ("end", "tools"):
        reply.finish = "tools" if calls else "end"
    reply.stop_sequence = body.get("stop_sequence")
    reply.usage = decode_usage(body.get("usage"))


def decode_usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    cached = count_of(value.get("cache_read_input_tokens"))
    written = count_of(value.get("cache_creation_input_tokens"))
    details = value.get("output_tokens_details")
    thought = count_of(details.get("thinking_tokens")) if isinstance(details, dict) else 0
    # Anthropic counts tokens from and to the cache beside input_tokens; the others count them within.
    total_input = count_of(value.get("input_tokens")) + cached + written
    return Usage(total_input, count_of(value.get("output_tokens")), cached, written, thought)

"""Reading Chat Completions bodies into the intermediate form."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copy_json, digest
from toolcall_reference.basics.numbers import as_count
from toolcall_reference.conversation import citations, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
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
from toolcall_reference.formats.openai_chat.api import LEGACY, NAME
from toolcall_reference.formats.openai_chat.parts import decode_parts, is_cached
from toolcall_reference.formats.openai_chat.settings import decode_settings, decode_tools
from toolcall_reference.formats.openai_chat.transcripts import repeats_content

_FINISH_BY_REASON = {
    "stop": "end", "length": "length", "tool_calls": "tools", "function_call": "tools", "content_filter": "filter",
    "model_length": "length",  # https://github.com/mistralai/client-python/blob/main/src/mistralai/models/chatcompletionchoice.py
}  # fmt: skip


def decode_request(body: Body, losses: Losses) -> Conversation:
    """The conversation of a request body. Raises Refused if its shape is not Chat's."""
    conversation = Conversation()
    turns, ledger = conversation.turns, Ledger(NAME)
    for message in as_list(body.get("messages"), "messages"):
        message = as_object(message, "a message")
        role = message.get("role")
        if "name" in message and message["name"] and role in ("system", "developer", "user", "assistant"):
            losses.add("name", "a message's author name is dropped", message["name"])
        if role == "assistant":
            ledger.new_batch()
            turns.append(Turn("assistant", _decode_assistant(message, ledger, losses)))
        elif role == "user":
            turns.append(Turn("user", decode_parts(message.get("content"), losses)))
        elif role in ("tool", "function"):
            result = _decode_result(message, role, ledger, losses)
            ledger.results.append(result)
            turns.append(Turn("user", [result]))
        elif role in ("system", "developer"):
            texts = [part for part in decode_parts(message.get("content"), losses) if isinstance(part, Text)]
            if turns:
                turns.append(Turn("system", list(texts)))
            else:
                conversation.system += texts
        else:
            raise Refused(f"a message has the role {role!r}, which Chat Completions does not know")
    conversation.tools = decode_tools(body)
    conversation.settings = decode_settings(body, losses)
    conversation.calls, conversation.results = ledger.calls, ledger.results
    return conversation


def _decode_assistant(message: Body, ledger: Ledger, losses: Losses) -> list[Item]:
    items = decode_parts(message.get("content"), losses)
    if not EXTRA_KEYS.isdisjoint(message):
        items = _add_extras(items, message, losses)
    calls = message.get("tool_calls")
    if calls is not None:
        for call in as_list(calls, "tool_calls"):
            items.append(_decode_call(as_object(call, "a tool call"), ledger))
    legacy = message.get("function_call")
    if legacy is not None:
        items += _decode_function_call(as_object(legacy, "function_call"), ledger, has_calls=bool(calls))
    return items


def _decode_function_call(called: Body, ledger: Ledger, *, has_calls: bool) -> list[Item]:
    """The call of a deprecated function; empty if the message has other calls, or it has no name, as Snowflake's."""
    if not called.get("name") or has_calls:
        return []
    name, arguments = as_text(called.get("name"), "name"), as_text(called.get("arguments"), "arguments")
    call = ledger.enter_call_text(None, name, arguments)
    call.form = LEGACY
    return [call]


EXTRA_KEYS = frozenset({"annotations", "images", "refusal", "reasoning_content", "reasoning", "audio"})
"""The keys of a message in addition to its content and calls."""


def _add_extras(items: list[Item], message: Body, losses: Losses) -> list[Item]:
    """Add the items of a message's extra keys: citations, images, refusal, reasoning, transcript."""
    sources = citations.from_openai(message.get("annotations"), losses, "url_citation")
    spoke = next((item for item in items if isinstance(item, Text)), None)
    if spoke is not None:
        spoke.citations = sources
    written = list(items)
    items += decode_images(message)
    refusal = as_text(message.get("refusal"), "refusal")
    if refusal:
        items.append(Text(refusal, refusal=True))
    for key in ("reasoning_content", "reasoning"):
        if message.get(key):
            items.insert(0, Opaque(NAME, key, copy_json(message[key])))
    transcript = decode_transcript(message, losses)
    if transcript.strip() and not repeats_content(transcript, written):
        items.append(Text(transcript))
    return items


def decode_images(message: Body) -> list[Media]:
    """The model's images, which OpenRouter and others send in addition to the content."""
    images = [as_object(image, "an image") for image in as_list(message.get("images"), "images")]
    urls = [as_text(as_object(image.get("image_url"), "image_url").get("url"), "url") for image in images]
    return [media.from_url("image", url) for url in urls if url]


def decode_transcript(message: Body, losses: Losses) -> str:
    """The transcript of the assistant's audio; the sound itself is recorded as a loss."""
    audio = message.get("audio")
    if not isinstance(audio, dict):
        return ""
    if audio.get("data") or audio.get("id"):
        losses.add("audio", "the sound of the assistant's answer is dropped; its transcript stays")
    return as_text(audio.get("transcript"), "transcript")


def _decode_call(call: Body, ledger: Ledger) -> Item:
    """Decode a call and enter it in ``ledger``."""
    given_id = call.get("id")
    given_id = given_id if isinstance(given_id, str) and given_id else None
    if call.get("type") == "custom":
        custom = as_object(call.get("custom"), "custom")
        return ledger.enter_custom_call(
            given_id, as_text(custom.get("name"), "name"), as_text(custom.get("input"), "input")
        )
    function = as_object(call.get("function"), "function")
    name, arguments = as_text(function.get("name"), "name"), function.get("arguments")
    if isinstance(arguments, dict):  # compatible servers
        item = ledger.enter_call(given_id, name, arguments)
    else:
        item = ledger.enter_call_text(given_id, name, as_text(arguments, "arguments"))
    if "extra_content" in call and call["extra_content"] is not None:
        item.raw_context = decode_state(call)
    return item


def decode_state(call: Body) -> Body:
    """The opaque state of a call from Google's endpoint for this format, by the state's own format."""
    google = as_object(as_object(call.get("extra_content"), "extra_content").get("google"), "google")
    signature = google.get("thought_signature")
    return {"gemini": {"thoughtSignature": signature}} if isinstance(signature, str) else {}


def _decode_result(message: Body, role: str, ledger: Ledger, losses: Losses) -> UniversalToolResult:
    given_id = message.get("tool_call_id")
    given_id = given_id if isinstance(given_id, str) and given_id and role == "tool" else None
    call = ledger.answer_call(given_id, message.get("name"))
    call_id, name, kind = (call.id, call.name, call.kind) if call else (given_id or "", "", "function")
    content = message.get("content")
    if isinstance(content, str):
        result = results.from_text(call_id, name, content, kind=kind)
    else:
        result = results.from_parts(call_id, name, decode_parts(content, losses), kind=kind)
    if is_cached(message):
        result.cached = True
    return result


def decode_response(body: Body, losses: Losses) -> Reply:
    """The reply of a response body: its first choice."""
    choices = as_list(body.get("choices"), "choices")
    if not choices:
        raise Refused("the reply has no choices")
    if len(choices) > 1:
        losses.add("choices", "only the first of several choices is kept", len(choices))
    choice = as_object(choices[0], "a choice")
    reply = decode_head(body)
    ledger = Ledger(NAME, reply.key)
    message = as_object(choice.get("message"), "message")
    reply.items = _decode_assistant(message, ledger, losses)
    lose_logprobs(choice, losses)
    reply.finish = decode_finish(
        choice.get("finish_reason"), calls=bool(ledger.calls), refused=bool(message.get("refusal"))
    )
    reply.usage = decode_usage(body.get("usage"))
    return reply


def decode_head(body: Body) -> Reply:
    """The reply with id, key, model and time from a body or chunk, without its choices."""
    reply_id = body.get("id")
    created = body.get("created")
    return Reply(
        reply_id if isinstance(reply_id, str) and reply_id else digest(body),
        [],
        "end",
        model=body.get("model"),
        id=reply_id if isinstance(reply_id, str) else None,
        created=created if isinstance(created, int) else None,
    )


def lose_logprobs(choice: Body, losses: Losses) -> None:
    """Record the loss of a choice's log probabilities."""
    if choice.get("logprobs"):
        losses.add("logprobs", "dropped")


def decode_finish(reason: Any, *, calls: bool, refused: bool) -> str:
    """The reply's finish. A forced function ends with "stop", as do the calls of many compatible servers."""
    finish = _FINISH_BY_REASON.get(str(reason), "other")
    if finish in ("end", "tools", "other"):
        finish = "tools" if calls else "end"
    return "refusal" if finish == "end" and refused else finish


def decode_usage(value: Any) -> Usage | None:
    """Decode token counts; None if there are none."""
    if not isinstance(value, dict):
        return None
    prompt = value.get("prompt_tokens_details")
    completion = value.get("completion_tokens_details")
    return Usage(
        as_count(value.get("prompt_tokens")),
        as_count(value.get("completion_tokens")),
        as_count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else 0,
        as_count(prompt.get("cache_write_tokens")) if isinstance(prompt, dict) else 0,
        as_count(completion.get("reasoning_tokens")) if isinstance(completion, dict) else 0,
        as_count(value.get("total_tokens")) or None,
    )

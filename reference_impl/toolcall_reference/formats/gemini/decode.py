"""Reading Gemini bodies into the intermediate form."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, copy_json, digest
from toolcall_reference.basics.numbers import as_count
from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation import citations, media, results
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
from toolcall_reference.formats.gemini.api import ENTRIES, NAME
from toolcall_reference.formats.gemini.protojson import to_camel_case, with_camel_keys
from toolcall_reference.formats.gemini.results import decode_response_object
from toolcall_reference.formats.gemini.settings import decode_settings, decode_tools

_FINISH_BY_REASON = {
    "STOP": "end", "MAX_TOKENS": "length", "SAFETY": "filter", "RECITATION": "filter", "BLOCKLIST": "filter",
    "PROHIBITED_CONTENT": "filter", "SPII": "filter", "IMAGE_SAFETY": "filter", "LANGUAGE": "filter",
    "MALFORMED_FUNCTION_CALL": "error", "UNEXPECTED_TOOL_CALL": "error", "TOO_MANY_TOOL_CALLS": "error",
    "MISSING_THOUGHT_SIGNATURE": "error", "MALFORMED_RESPONSE": "error", "MODEL_ARMOR": "filter",
    "IMAGE_PROHIBITED_CONTENT": "filter", "IMAGE_RECITATION": "filter", "JAILBREAK": "filter",
    "OTHER": "other", "NO_IMAGE": "other", "IMAGE_OTHER": "other", "ESCALATION": "other",
    "PUP_LIMITED_DISABLED": "other", "CONTINUATION": "other",
}  # fmt: skip
_REASON_BY_NUMBER = {1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION", 5: "OTHER"}


def decode_request(body: Body, losses: Losses) -> Conversation:
    """The conversation of a request body. Raises Refused if its shape is not Gemini's."""
    contents = body.get(ENTRIES)
    body = to_camel_case({key: value for key, value in body.items() if key != ENTRIES})
    conversation = Conversation(
        missing_part=None if contents else Refused("contents are not specified: nobody says anything")
    )
    instruction = body.get("systemInstruction")
    parts = [{"text": instruction}] if isinstance(instruction, str) else content_parts(instruction)
    conversation.system = [
        Text(part["text"]) for part in parts if isinstance(part.get("text"), str) and part["text"].strip()
    ]
    ledger = Ledger(NAME)
    before = ""
    for content in [contents] if isinstance(contents, dict) else as_list(contents, "contents"):
        content = as_object(content, "a content")
        side = "assistant" if content.get("role") == "model" else "user"
        if side == "assistant" and before != side:
            ledger.new_batch()
        conversation.turns.append(Turn(side, _decode_items(content_parts(content), ledger, losses)))
        before = side
    conversation.tools = decode_tools(body, losses)
    conversation.settings = decode_settings(body, losses)
    conversation.calls, conversation.results = ledger.calls, ledger.results
    if body.get("cachedContent"):
        raise Refused("the request refers to cached content, which only Gemini has")
    return conversation


def content_parts(content: Any) -> list[Body]:
    """The parts of a content, which may also be one part without an array."""
    parts = as_object(content, "a content").get("parts")
    if isinstance(parts, dict):
        parts = [parts]
    return [with_camel_keys(as_object(part, "a part")) for part in as_list(parts, "parts")]


def _decode_items(parts: list[Body], ledger: Ledger, losses: Losses) -> list[Item]:
    """Decode the parts of a content; calls and results are entered in ``ledger``."""
    items: list[Item] = []
    for part in parts:
        if _TEXT_PART_KEYS.issuperset(part) and isinstance(part.get("text"), str):
            items += _decode_text(part)
        elif isinstance(part.get("functionCall"), dict):
            items.append(_decode_call(part, ledger))
        elif isinstance(part.get("functionResponse"), dict):
            result = _decode_result(with_camel_keys(part["functionResponse"]), ledger, losses)
            ledger.results.append(result)
            items.append(result)
        else:
            items += decode_other_part(part, losses)
    return items


_STEP_KEYS = ("toolCall", "toolResponse", "executableCode", "codeExecutionResult")
"""The keys of parts of steps that Gemini ran itself."""
_STEP_KEY_SET = frozenset(_STEP_KEYS)


_TEXT_PART_KEYS = frozenset({"text", "thoughtSignature"})
"""The keys of a plain text part."""


def _decode_text(part: Body) -> list[Item]:
    """The text of a part, with its state; empty if it has neither."""
    text: str = part["text"]
    if "thoughtSignature" not in part:
        return [Text(text)] if text else []
    state = decode_state(part)
    return [Text(text, False, state)] if text or state else []


def decode_other_part(part: Body, losses: Losses) -> list[Item]:
    """Decode a part that is neither a call nor a result."""
    if part.get("thought") is True:
        return [Opaque(NAME, "thought", copy_json(to_camel_case(part)))]
    for key in () if _STEP_KEY_SET.isdisjoint(part) else _STEP_KEYS:
        if part.get(key) is not None:
            return [Hosted(NAME, key, copy_json(to_camel_case(part)))]
    if isinstance(part.get("text"), str):
        return _decode_text(part)
    items: list[Item] = []
    if isinstance(part.get("inlineData"), dict) or isinstance(part.get("fileData"), dict):
        items.append(_decode_media(part))
    elif part.keys() - {"thoughtSignature"}:
        losses.add("content", "an unknown kind of part was dropped", ", ".join(sorted(part)))
    return items


def _decode_call(part: Body, ledger: Ledger) -> Item:
    call = part["functionCall"]
    given_id, name = decode_call_head(call)
    item = ledger.enter_call(given_id, name, as_object(call.get("args"), "args"))
    if "thoughtSignature" in part:
        item.raw_context = decode_state(part)
    return item


def decode_call_head(call: Body) -> tuple[str | None, str]:
    """The id and name of a call."""
    given_id = call.get("id")
    return given_id if isinstance(given_id, str) and given_id else None, as_text(call.get("name"), "a function's name")


def decode_state(part: Body) -> Body:
    """The signature of a part as opaque state; empty if there is none."""
    signature = part.get("thoughtSignature")
    return {NAME: {"thoughtSignature": signature}} if isinstance(signature, str) else {}


def _decode_result(answer: Body, ledger: Ledger, losses: Losses) -> UniversalToolResult:
    """Decode a function response; without a known id it answers the next call of that name."""
    given_id = answer.get("id")
    given_id = given_id if isinstance(given_id, str) and given_id else None
    name = as_text(answer.get("name"), "a function's name")
    call = ledger.answer_call(given_id, name)
    if call is None and given_id is not None:
        call = ledger.answer_call(None, name)
    content, failed = decode_response_object(as_object(answer.get("response"), "response"))
    pictures: list[Media] = []
    if "parts" in answer:
        pictures = [_decode_media(part) for part in content_parts(answer) if "inlineData" in part or "fileData" in part]
    for key in ("willContinue", "scheduling"):
        if answer.get(key):
            losses.add("result", f"{key} is Gemini's alone; dropped", name)
    call_id, name = (call.id, call.name) if call else (given_id or "", name)
    if not pictures:
        return results.from_text(call_id, name, content, is_error=failed)
    texts = [] if not content or answer.get("response") in (None, {}) else [Text(content)]
    return results.from_parts(call_id, name, [*texts, *pictures], is_error=failed)


def _decode_media(part: Body) -> Media:
    inline = with_camel_keys(as_object(part.get("inlineData"), "inlineData"))
    if inline:
        mime = inline.get("mimeType") if isinstance(inline.get("mimeType"), str) else None
        data = as_text(inline.get("data"), "data")
        # Gemini takes both base64 alphabets; the others only the standard one, padded.
        data = data.replace("-", "+").replace("_", "/")
        data += "=" * (-len(data) % 4)
        return Media(media.media_kind(mime), mime, data=data, name=inline.get("displayName"))
    file = with_camel_keys(as_object(part.get("fileData"), "fileData"))
    uri = as_text(file.get("fileUri"), "fileUri")
    if uri.lower().startswith("data:"):
        return media.from_url("file", uri, name=file.get("displayName"))
    mime = file.get("mimeType") if isinstance(file.get("mimeType"), str) else media.guess_mime(uri)
    if uri.startswith(("https://generativelanguage.googleapis.com/", "gs://")):
        return Media(media.media_kind(mime), mime, file_id=uri, name=file.get("displayName"), vendor=NAME)
    return Media(media.media_kind(mime), mime, url=uri, name=file.get("displayName"))


def decode_response(body: Body, losses: Losses) -> Reply:
    """The reply of a response body: its first candidate, or the refusal of a blocked prompt."""
    body = to_camel_case(body)
    candidates = as_list(body.get("candidates"), "candidates")
    reply = decode_head(body)
    reply.usage = decode_usage(body.get("usageMetadata"))
    if not candidates:
        feedback = as_object(body.get("promptFeedback"), "promptFeedback")
        if not feedback and "usageMetadata" not in body:
            raise Refused("the reply has neither candidates nor promptFeedback")
        decode_blocked_prompt(reply, feedback, losses)
        return reply
    if len(candidates) > 1:
        lose_candidates(losses, len(candidates))
    candidate = as_object(candidates[0], "a candidate")
    ledger = Ledger(NAME, reply.key)
    reply.items = _decode_items(content_parts(candidate.get("content")), ledger, losses)
    decode_finish(reply, candidate, calls=bool(ledger.calls))
    if reply.finish == "error" and ledger.calls:
        for call in ledger.calls:
            lose_call(call.name, candidate, losses)
        reply.items = [item for item in reply.items if item not in ledger.calls]
    _attach_citations(reply.items, content_parts(candidate.get("content")), candidate)
    lose_citations(candidate, losses)
    return reply


def _attach_citations(items: list[Item], parts: list[Body], candidate: Body) -> None:
    """Add citations to the texts of a reply; ranges are counted in bytes of the text's part."""
    spoken = [part.get("text") for part in parts]
    for segment, citation in decode_grounding(candidate):
        at = segment.get("partIndex") or 0
        spoken_text = spoken[at] if isinstance(at, int) and 0 <= at < len(spoken) else None
        text = next((item for item in items if isinstance(item, Text) and item.text == spoken_text), None)
        if text is not None:
            first, last = segment.get("startIndex") or 0, segment.get("endIndex")
            citation.start, citation.end = citations.character_range(TextOffsets(text.text), first, last)
            text.citations = [*text.citations, citation]


def decode_grounding(candidate: Body) -> Iterator[tuple[Body, Citation]]:
    """The cited segments of a candidate's text, each with a citation."""
    grounding = as_object(candidate.get("groundingMetadata"), "groundingMetadata")
    chunks = as_list(grounding.get("groundingChunks"), "groundingChunks")
    return citations.from_grounding(as_list(grounding.get("groundingSupports"), "groundingSupports"), chunks)


def decode_head(body: Body) -> Reply:
    """The reply with id, key, model and time from a body or chunk, without its candidates."""
    reply_id = body.get("responseId")
    return Reply(
        reply_id if isinstance(reply_id, str) and reply_id else digest(body),
        [],
        "filter",
        model=body.get("modelVersion"),
        id=reply_id if isinstance(reply_id, str) else None,
        created=_decode_time(body.get("createTime")),
    )


def decode_finish(reply: Reply, candidate: Body, *, calls: bool) -> None:
    """Set the finish of ``reply`` from a candidate; ``calls``: it has calls."""
    raw = candidate.get("finishReason")
    raw = _REASON_BY_NUMBER.get(raw, "OTHER") if isinstance(raw, int) else raw
    reply.finish = _FINISH_BY_REASON.get(str(raw), "end")
    if reply.finish == "end" and calls:
        reply.finish = "tools"
    if reply.finish in ("error", "other"):
        reply.message = str(candidate.get("finishMessage") or raw)


def decode_blocked_prompt(reply: Reply, feedback: Body, losses: Losses) -> None:
    """Set the message of a reply whose prompt was blocked, and record the loss of ``feedback``."""
    reply.message = str(feedback.get("blockReason") or "no candidates")
    losses.add("finish", "why the prompt was blocked", reply.message)


def lose_candidates(losses: Losses, count: int) -> None:
    """Record the loss of all candidates but the first."""
    losses.add("choices", "only the first of several candidates is kept", count)


def lose_call(tool_name: str, candidate: Body, losses: Losses) -> None:
    """Record the loss of a call that its provider reports as unusable, so that no client runs it."""
    losses.add("call", f"not passed on after {candidate.get('finishReason')}", tool_name)


def lose_citations(candidate: Body, losses: Losses) -> None:
    """Record the loss of sources that citations cannot hold."""
    for key in ("citationMetadata", "urlContextMetadata"):
        if candidate.get(key):
            losses.add("citation-of-file", f"{key} dropped; the text stays")
    if candidate.get("groundingMetadata"):
        losses.add("grounding", "the searches and what is to be shown beside the answer are dropped; its pages stay")


def decode_usage(value: Any) -> Usage | None:
    """Decode token counts; None if there are none."""
    if not isinstance(value, dict):
        return None
    thought = as_count(value.get("thoughtsTokenCount"))
    return Usage(
        as_count(value.get("promptTokenCount")) + as_count(value.get("toolUsePromptTokenCount")),
        as_count(value.get("candidatesTokenCount")) + thought,
        as_count(value.get("cachedContentTokenCount")),
        0,
        thought,
        as_count(value.get("totalTokenCount")) or None,
    )


def _decode_time(value: Any) -> int | None:
    try:
        return int(datetime.fromisoformat(value).timestamp()) if isinstance(value, str) else None
    except ValueError:
        return None

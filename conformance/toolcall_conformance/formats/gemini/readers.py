"""The readers of bodies: generateContent requests, replies and error replies.

https://ai.google.dev/api/generate-content#request-body,
https://ai.google.dev/api/generate-content#generatecontentresponse, and for errors
https://ai.google.dev/gemini-api/docs/generate-content/api-errors.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.reading import Citation, Finish, Node, Reading, Text
from toolcall_conformance.basics.reading.failure import read_failure
from toolcall_conformance.basics.reading.model import Wait
from toolcall_conformance.formats.gemini.conversation import read_content, read_system
from toolcall_conformance.formats.gemini.pairing import pair_results
from toolcall_conformance.formats.gemini.parts import Counts
from toolcall_conformance.formats.gemini.proto_json import FINISH_REASONS, entries, enum_name, parse_number, root
from toolcall_conformance.formats.gemini.settings import read_settings
from toolcall_conformance.formats.gemini.tools import read_tools


def read_request(body: Any) -> Reading:
    """Read a request body. Never raises, whatever JSON it gets."""
    reading = Reading("gemini", "request")
    counts = Counts(residue=reading.residue)
    node = root(body)
    read_system(node.child("systemInstruction"), reading, counts)
    for content in entries(node.child("contents")):
        read_content(content, reading, counts)
    pair_results(reading.turns)
    read_tools(node.child("tools"), reading)
    read_settings(node, reading)
    node.close(reading.residue)
    return reading


#: Neutral reasons; all others are "other". Gemini has none for calls: STOP after a call is "tools".
_NEUTRAL_REASONS = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "JAILBREAK"),
        ),
        "filter",
    ),
    **dict.fromkeys(
        (
            *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
            *("MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"),
        ),
        "error",
    ),
    # Reasons that no other API has.
    **dict.fromkeys(
        ("OTHER", "LANGUAGE", "NO_IMAGE", "IMAGE_OTHER", "ESCALATION", "PUP_LIMITED_DISABLED", "CONTINUATION"), "other"
    ),
}


def read_response(body: Any) -> Reading:
    """Read a reply: its first candidate only. Never raises."""
    reading = Reading("gemini", "response")
    counts = Counts(residue=reading.residue)
    node = root(body)
    candidates = list(entries(node.child("candidates")))
    if candidates:
        _read_candidate(candidates[0], reading, counts)
    feedback = node.child("promptFeedback")
    blocked = feedback.child("blockReason")
    if reading.finish is None and blocked.value is not None:
        reading.finish = Finish("filter", blocked.value, blocked.pointer)
    error = node.child("error")
    if reading.finish is None and error.is_object:
        reading.finish = Finish("error", error.get("status"), error.pointer)
    if reading.finish is None and not candidates and node.is_object:
        # Without candidates and reason: "there was something wrong with the prompt".
        reading.finish = Finish("filter", None, node.pointer)
    _read_usage(node.child("usageMetadata"), reading)
    node.ignore("modelVersion", "responseId", "createTime", "modelStatus", "automaticFunctionCallingHistory")
    node.close(reading.residue)
    return reading


def _read_candidate(node: Node, reading: Reading, counts: Counts) -> None:
    """Read the content, the grounding and the finish reason of a candidate."""
    content = node.child("content")
    if content.is_object:
        # Whatever its role: a reply is the model's.
        read_content(content, reading, counts, side="assistant")
        read_grounding(node.child("groundingMetadata"), content.child("parts"), reading)
    raw = node.child("finishReason")
    if raw.value is not None:
        word = enum_name(raw.value, FINISH_REASONS) or ""
        reason = _NEUTRAL_REASONS.get(word, "other")
        reason = "tools" if reason == "end" and reading.calls else reason
        reading.finish = Finish(reason, raw.value, raw.pointer, is_known=word in _NEUTRAL_REASONS)
    node.ignore("index", "finishMessage", "safetyRatings", "citationMetadata", "tokenCount", "groundingMetadata")
    node.ignore("groundingAttributions", "avgLogprobs", "logprobsResult", "urlContextMetadata", "continuationToken")
    node.close(reading.residue)


def _read_usage(node: Node, reading: Reading) -> None:
    """Read the token counts. Input includes cached tokens, output includes thoughts: together they are the total."""
    counted = {
        key: parse_number(node.get(key))
        for key in (
            *("promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"),
            *("cachedContentTokenCount", "totalTokenCount"),
        )
    }
    sums = {
        "input": ("promptTokenCount", "toolUsePromptTokenCount"),
        "output": ("candidatesTokenCount", "thoughtsTokenCount"),
        "total": ("totalTokenCount",),
        "cached": ("cachedContentTokenCount",),
        "reasoning": ("thoughtsTokenCount",),
    }
    for name, keys in sums.items():
        present = [int(value) for value in (counted[key] for key in keys) if value is not None]
        if present:
            reading.usage[name] = sum(present)


def read_grounding(node: Node, parts: Node, reading: Reading) -> None:
    """Add citations to the texts of a reply. Segments are counted in bytes of the text's part.

    https://ai.google.dev/api/generate-content#GroundingMetadata
    """
    pages = [chunk.child("web") for chunk in entries(node.child("groundingChunks"))]
    places = [part.child("text").pointer for part in entries(parts)]
    spoken = {item.pointer: item for turn in reading.turns for item in turn.items if isinstance(item, Text)}
    citations: dict[str, list[Citation]] = {}
    for support in entries(node.child("groundingSupports")):
        segment = support.child("segment")
        at = segment.get("partIndex") or 0
        pointer = places[at] if isinstance(at, int) and 0 <= at < len(places) else ""
        text = spoken.get(pointer) or next(iter(spoken.values()), None)
        for entry in support.child("groundingChunkIndices").each():
            index = entry.value
            page = pages[index] if isinstance(index, int) and 0 <= index < len(pages) else None
            url = page.text("uri") if page is not None else None
            if text is not None and page is not None and url:
                words = _segment_text(segment, text.text)
                title, quote = page.text("title"), segment.text("text")
                citations.setdefault(text.pointer, []).append(Citation(url, title, words, support.pointer, quote))
    for turn in reading.turns:
        turn.items = [
            replace(item, citations=tuple(citations[item.pointer]))
            if isinstance(item, Text) and item.pointer in citations
            else item
            for item in turn.items
        ]


def _segment_text(segment: Node, text: str) -> str | None:
    """Return the text of a segment; empty if its bytes are outside the text."""
    start, end = segment.get("startIndex") or 0, segment.get("endIndex")
    if not isinstance(start, int) or not isinstance(end, int):
        return segment.text("text")
    raw = text.encode("utf-8", "surrogatepass")
    return raw[start:end].decode("utf-8", "ignore") if 0 <= start < end <= len(raw) else ""


#: A protobuf Duration in JSON: https://protobuf.dev/programming-guides/json/.
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")


def read_error(reply: Any) -> Reading:
    """Read an error reply, ``{"status", "headers", "body"}``. Never raises.

    Of its details two matter: RetryInfo has the delay, and an ErrorInfo tells a wrong API key from a wrong request,
    both of which have the status 400.
    """
    error = Node(reply).child("body").child("error")
    details = error.child("details")
    kind, wait = None, Wait(pointer=details.pointer)
    for detail in details.each():
        name = str(detail.get("@type")).rpartition("/")[2]
        if name == "google.rpc.ErrorInfo" and detail.get("reason") == "API_KEY_INVALID":
            kind = "unauthorized"
        delay = detail.child("retryDelay")
        if name == "google.rpc.RetryInfo" and wait.seconds is None:
            match = _DURATION.fullmatch(delay.value) if isinstance(delay.value, str) else None
            wait = Wait(None if match is None else float(match[1]), delay.pointer, delay.value)
    return read_failure("gemini", reply, error, kind=kind, body_wait=wait)

"""Reads a generateContent reply: https://ai.google.dev/api/generate-content#generatecontentresponse."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Finish, Node, Reading
from toolcall_conformance.formats.gemini.conversation import read_content
from toolcall_conformance.formats.gemini.grounding import read_grounding
from toolcall_conformance.formats.gemini.parts import Counts
from toolcall_conformance.formats.gemini.spelling import FINISH_REASONS, entries, enum, number, root

#: Neutral reasons; what is not here is "other". Gemini has none for calls: with them STOP is "tools".
REASONS = {
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
    # The API's own words for an end that is not a whole answer, and that no other API has a word for.
    **dict.fromkeys(
        ("OTHER", "LANGUAGE", "NO_IMAGE", "IMAGE_OTHER", "ESCALATION", "PUP_LIMITED_DISABLED", "CONTINUATION"), "other"
    ),
}


def read_response(body: Any) -> Reading:
    """The reading of a reply: of its first candidate, for Gemini's tools have no more. Never raises."""
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
        # None came, and nothing says why: "there was something wrong with the prompt".
        reading.finish = Finish("filter", None, node.pointer)
    _read_usage(node.child("usageMetadata"), reading)
    node.ignore("modelVersion", "responseId", "createTime", "modelStatus", "automaticFunctionCallingHistory")
    node.close(reading.residue)
    return reading


def _read_candidate(node: Node, reading: Reading, counts: Counts) -> None:
    content = node.child("content")
    if content.is_object:
        # Whatever the role says: a reply is what the model says.
        read_content(content, reading, counts, side="assistant")
        read_grounding(node.child("groundingMetadata"), content.child("parts"), reading)
    raw = node.child("finishReason")
    if raw.value is not None:
        word = enum(raw.value, FINISH_REASONS) or ""
        reason = REASONS.get(word, "other")
        reason = "tools" if reason == "end" and reading.calls else reason
        reading.finish = Finish(reason, raw.value, raw.pointer, known=word in REASONS)
    node.ignore("index", "finishMessage", "safetyRatings", "citationMetadata", "tokenCount", "groundingMetadata")
    node.ignore("groundingAttributions", "avgLogprobs", "logprobsResult", "urlContextMetadata", "continuationToken")
    node.close(reading.residue)


def _read_usage(node: Node, reading: Reading) -> None:
    """Token counts. Input has the cached tokens in it, output the thoughts: so that input and output make the total."""
    counted = {
        key: number(node.get(key))
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

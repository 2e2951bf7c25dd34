"""Types of the members of Gemini's replies: we refuse what the official client raises at, and take what it takes."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

SHAPE, SIGNATURE, MEDIA = "gemini/shape", "gemini/signature-base64", "gemini/media-base64"


def reply_with(part: Any = None, usage: Any = None, grounding: Any = None) -> dict[str, Any]:
    """A whole reply with one thing in it."""
    candidate = {"content": {"role": "model", "parts": [part or {"text": "Hi."}]}, "finishReason": "STOP", "index": 0}
    body: dict[str, Any] = {"candidates": [candidate | ({} if grounding is None else {"groundingMetadata": grounding})]}
    return body if usage is None else body | {"usageMetadata": usage}


def reply_with_signature(text: str) -> dict[str, Any]:
    return reply_with({"text": "Hi.", "thoughtSignature": text})


def image(data: str) -> dict[str, Any]:
    return reply_with({"inlineData": {"mimeType": "image/png", "data": data}})


BROKEN = {
    "half a byte": (reply_with_signature("Q"), SIGNATURE),
    "bits behind the last byte": (reply_with_signature("QR=="), SIGNATURE),
    "white space": (reply_with_signature("QQ ="), SIGNATURE),
    "a line's end": (image("QQ==\n"), MEDIA),
    "bits behind the last byte of an image": (image("QUJ="), MEDIA),
    "code that is a number": (reply_with({"executableCode": {"code": 1, "language": "PYTHON"}}), SHAPE),
    "output that is a list": (reply_with({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": ["1"]}}), SHAPE),
    "arguments that are a list": (reply_with({"toolCall": {"id": "a", "args": []}}), SHAPE),
    "a response that is a text": (reply_with({"toolResponse": {"id": "a", "response": "x"}}), SHAPE),
    "details that are an object": (reply_with(usage={"promptTokensDetails": {}}), SHAPE),
    "details with a word for a count": (
        reply_with(usage={"promptTokensDetails": [{"modality": "TEXT", "tokenCount": "many"}]}),
        SHAPE,
    ),
    "a query that is no text": (reply_with(grounding={"webSearchQueries": [1]}), SHAPE),
    "a chunk's address that is no text": (reply_with(grounding={"groundingChunks": [{"web": {"uri": 1}}]}), SHAPE),
    "a segment's place that is no number": (
        reply_with(grounding={"groundingSupports": [{"segment": {"startIndex": "first"}}]}),
        SHAPE,
    ),
}
HARMLESS = {
    "no padding": reply_with_signature("QQ"),
    "padding": reply_with_signature("QUI="),
    "the alphabet of addresses": reply_with_signature("-_-_"),
    "nothing": reply_with_signature(""),
    "an image": image("QUI="),
    "members that are null": reply_with({"executableCode": {"code": "1", "language": None}}),
    "an outcome that nobody knows yet": reply_with({"codeExecutionResult": {"outcome": "OUTCOME_LATE", "output": ""}}),
    "a server's call": reply_with({"toolCall": {"id": "a", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": 1}}}),
    "details": reply_with(
        usage={"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 3}, {"modality": "AUDIO"}]}
    ),
    "sources": reply_with(
        grounding={
            "webSearchQueries": ["a"],
            "groundingChunks": [{"web": {"uri": "https://example.com", "title": None}}, {"maps": {}}],
            "groundingSupports": [{"segment": {"endIndex": 3, "text": "abc"}, "groundingChunkIndices": [0]}],
        }
    ),
}


def parse_with_client(body: Any) -> None:
    types = pytest.importorskip("google.genai.types")
    types.GenerateContentResponse.model_validate(body)


def musts(corpus: Corpus, body: Any) -> set[str]:
    return {finding.rule for finding in check_body(corpus, "gemini", "response", body) if finding.level is Level.MUST}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_client_raises_at_is_a_fault(name: str, corpus: Corpus) -> None:
    body, rule = BROKEN[name]
    with pytest.raises(ValueError, match="validation error"):
        parse_with_client(body)
    assert musts(corpus, body) == {rule}


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.filterwarnings("ignore:OUTCOME_LATE is not a valid Outcome")
def test_what_the_client_takes_passes(name: str, corpus: Corpus) -> None:
    parse_with_client(HARMLESS[name])
    assert musts(corpus, HARMLESS[name]) == set()

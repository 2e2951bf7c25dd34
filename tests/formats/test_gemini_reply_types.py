"""Types of the members of Gemini's replies: we refuse what the official client raises at, and take what it takes."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

SHAPE, SIGNATURE, MEDIA = "gemini/shape", "gemini/signature-base64", "gemini/media-base64"


def of(part: Any = None, usage: Any = None, grounding: Any = None) -> dict[str, Any]:
    """A whole reply with one thing in it."""
    candidate = {"content": {"role": "model", "parts": [part or {"text": "Hi."}]}, "finishReason": "STOP", "index": 0}
    body: dict[str, Any] = {"candidates": [candidate | ({} if grounding is None else {"groundingMetadata": grounding})]}
    return body if usage is None else body | {"usageMetadata": usage}


def signed(text: str) -> dict[str, Any]:
    return of({"text": "Hi.", "thoughtSignature": text})


def image(data: str) -> dict[str, Any]:
    return of({"inlineData": {"mimeType": "image/png", "data": data}})


BROKEN = {
    "half a byte": (signed("Q"), SIGNATURE),
    "bits behind the last byte": (signed("QR=="), SIGNATURE),
    "white space": (signed("QQ ="), SIGNATURE),
    "a line's end": (image("QQ==\n"), MEDIA),
    "bits behind the last byte of an image": (image("QUJ="), MEDIA),
    "code that is a number": (of({"executableCode": {"code": 1, "language": "PYTHON"}}), SHAPE),
    "output that is a list": (of({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": ["1"]}}), SHAPE),
    "arguments that are a list": (of({"toolCall": {"id": "a", "args": []}}), SHAPE),
    "a response that is a text": (of({"toolResponse": {"id": "a", "response": "x"}}), SHAPE),
    "details that are an object": (of(usage={"promptTokensDetails": {}}), SHAPE),
    "details with a word for a count": (
        of(usage={"promptTokensDetails": [{"modality": "TEXT", "tokenCount": "many"}]}),
        SHAPE,
    ),
    "a query that is no text": (of(grounding={"webSearchQueries": [1]}), SHAPE),
    "a chunk's address that is no text": (of(grounding={"groundingChunks": [{"web": {"uri": 1}}]}), SHAPE),
    "a segment's place that is no number": (
        of(grounding={"groundingSupports": [{"segment": {"startIndex": "first"}}]}),
        SHAPE,
    ),
}
HARMLESS = {
    "no padding": signed("QQ"),
    "padding": signed("QUI="),
    "the alphabet of addresses": signed("-_-_"),
    "nothing": signed(""),
    "an image": image("QUI="),
    "members that are null": of({"executableCode": {"code": "1", "language": None}}),
    "an outcome that nobody knows yet": of({"codeExecutionResult": {"outcome": "OUTCOME_LATE", "output": ""}}),
    "a server's call": of({"toolCall": {"id": "a", "toolType": "GOOGLE_SEARCH_WEB", "args": {"q": 1}}}),
    "details": of(usage={"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 3}, {"modality": "AUDIO"}]}),
    "sources": of(
        grounding={
            "webSearchQueries": ["a"],
            "groundingChunks": [{"web": {"uri": "https://example.com", "title": None}}, {"maps": {}}],
            "groundingSupports": [{"segment": {"endIndex": 3, "text": "abc"}, "groundingChunkIndices": [0]}],
        }
    ),
}


def read_by_the_client(body: Any) -> None:
    types = pytest.importorskip("google.genai.types")
    types.GenerateContentResponse.model_validate(body)


def musts(corpus: Corpus, body: Any) -> set[str]:
    return {finding.rule for finding in check_body(corpus, "gemini", "response", body) if finding.level is Level.MUST}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_client_raises_at_is_a_fault(name: str, corpus: Corpus) -> None:
    body, rule = BROKEN[name]
    with pytest.raises(ValueError, match="validation error"):
        read_by_the_client(body)
    assert musts(corpus, body) == {rule}


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.filterwarnings("ignore:OUTCOME_LATE is not a valid Outcome")
def test_what_the_client_takes_passes(name: str, corpus: Corpus) -> None:
    read_by_the_client(HARMLESS[name])
    assert musts(corpus, HARMLESS[name]) == set()

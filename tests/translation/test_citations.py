"""Sources of an answer: read alike in every format, and compared by page and words."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge.translation.texts.citations import citations
from toolcall_conformance.library import load_corpus

CASES = [case for case in load_corpus().cases.values() if "cited-answer" in case.scenario["features"]]


@pytest.mark.parametrize("name", load_corpus().formats)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_format_names_the_pages_at_their_words(case: Any, name: str) -> None:
    turns = [turn for turn in case.scenario["conversation"] if turn["role"] == "assistant"]
    for exchange, turn in zip(case.exchanges(name), turns, strict=True):
        expected = [
            (citation["url"], citation["title"], entry["text"])
            for entry in turn["content"]
            for citation in _citations(entry)
        ]
        for direction, body in (("response", exchange.response), ("stream", parse(exchange.stream_path.read_bytes()))):
            actual = citations(formats.read(name, direction, body))
            assert [(citation.url, citation.title, citation.words) for citation in actual] == expected


def _citations(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return list(entry.get("citations", []))


@pytest.mark.parametrize(
    ("start", "end", "words"), [(0, 5, "Wyk a"), (0, 0, None), (7, 99, ""), (5, 2, ""), ("0", 3, None)]
)
def test_a_place_that_the_text_does_not_have_has_no_words(start: Any, end: Any, words: str | None) -> None:
    page = {"url": "https://example.org/wyk", "title": "Wyk", "start_index": start, "end_index": end}
    part = {"type": "output_text", "text": "Wyk auf Föhr", "annotations": [{"type": "url_citation", **page}]}
    message = {"type": "message", "role": "assistant", "content": [part]}
    (citation,) = citations(formats.read("openai_responses", "response", {"output": [message]}))
    assert citation.words == words


@pytest.mark.parametrize(
    ("segment", "words"),
    [
        ({"startIndex": 8, "endIndex": 13}, "Föhr"),
        ({"endIndex": 3}, "Wyk"),
        ({"partIndex": 7, "endIndex": 3}, "Wyk"),
        ({"text": "Wyk"}, "Wyk"),
        ({"startIndex": 8, "endIndex": 99}, ""),
    ],
)
def test_google_counts_bytes(segment: dict[str, Any], words: str) -> None:
    chunks: list[Any] = [{"web": {"uri": "https://example.org/wyk", "title": "Wyk"}}, {"retrievedContext": {}}]
    supports = [{"segment": segment, "groundingChunkIndices": [0, 1, 5, "x"]}]
    grounding = {"groundingChunks": chunks, "groundingSupports": supports}
    candidate = {"content": {"parts": [{"text": "Wyk auf Föhr"}]}, "groundingMetadata": grounding}
    (citation,) = citations(formats.read("gemini", "response", {"candidates": [candidate]}))
    assert citation.words == words

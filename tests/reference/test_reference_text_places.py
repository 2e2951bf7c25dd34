"""Places in a text that is not held: they are those in the text."""

from __future__ import annotations

import pytest

from reference.reference_bodies import open_way
from reference.stream_bodies import events, frame_events
from toolcall_reference.basics.text_offsets import TextOffsets

TEXT = "Ærø: 3 €, «ok» 👍🏽 日本語, and\ud800 so on"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_places_are_those_of_the_text(size: int) -> None:
    transcript = TextOffsets(keeps_text=False)
    for start in range(0, len(TEXT), size):
        transcript.add(TEXT[start : start + size])
    ends = [len(TEXT[:place].encode("utf-8", "surrogatepass")) for place in range(len(TEXT) + 1)]
    assert len(transcript) == len(TEXT)
    assert [transcript.bytes_before(place) for place in range(len(TEXT) + 1)] == ends
    for byte in range(ends[-1] + 1):  # inside of a character it has not ended
        assert transcript.characters_before(byte) == sum(end <= byte for end in ends[1:])
    assert transcript.text_between(0, 3) == ""
    assert TextOffsets(TEXT).text_between(1, 4) == TEXT[1:4]


@pytest.mark.parametrize("tools", [[], [{"google_search": {}}]])
def test_the_words_of_a_source_are_reported_where_sources_were_requested(tools: list[object]) -> None:
    session = open_way("gemini", "openai_chat", stream=True)
    session.request({"contents": [{"parts": [{"text": "Which island?"}], "role": "user"}], "tools": tools})
    page = {"start_index": 0, "end_index": 3, "title": "Isles", "url": "https://isles.example/aero"}
    deltas = [{"content": "Ærø is."}, {"annotations": [{"type": "url_citation", "url_citation": page}]}]
    bodies = [{"id": "c", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    last = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    written = b"".join(session.stream([frame_events("openai_chat", [*bodies, last, "[DONE]"])]))
    [support] = events(written)[-1]["data"]["candidates"][0]["groundingMetadata"]["groundingSupports"]
    assert support["segment"] == {"endIndex": 5} | ({"text": "Ærø"} if tools else {})

"""Sources of an answer in streams: they come in events of their own, or with the last one."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, GEMINI, RESPONSES, Event, broken, warning

CITED = "citations/web-search"
BESIDE = "citations/then-call"


@warning(
    "translation/citation-lost",
    client=(CHAT, RESPONSES, GEMINI),
    upstream=ANTHROPIC,
    case=CITED,
    thread="https://github.com/theopenco/llmgateway/pull/2992",
)
def sources_not_streamed(events: Iterator[Event]) -> Iterator[Event]:
    """The sources are always empty in streams."""
    for event in events:
        data = event["data"]
        if not isinstance(data, dict):
            yield event
        elif data.get("type") == "response.output_text.annotation.added":
            continue
        elif not any(choice["delta"].pop("annotations", None) for choice in data.get("choices", [])):
            _emptied(data)
            yield event


def _emptied(data: Event) -> None:
    """Take the sources out of what an event says whole."""
    for candidate in data.get("candidates", []):
        candidate.pop("groundingMetadata", None)
    items = [data.get("item", {}), *data.get("response", {}).get("output", [])]
    for part in [data.get("part", {}), *(part for item in items for part in item.get("content", []))]:
        if "annotations" in part:
            part["annotations"] = []


@warning(
    "translation/citation-lost",
    client=(CHAT, RESPONSES),
    upstream=GEMINI,
    case=BESIDE,
    layer="source",
    thread="https://github.com/openai/openai-agents-python/pull/4252",
)
def sources_behind_a_call_unread(events: Iterator[Event]) -> Iterator[Event]:
    """Behind a call nothing of the text is read any more, and the sources come with the last record."""
    called = False
    for event in events:
        for candidate in event["data"].get("candidates", []):
            parts = candidate.get("content", {}).get("parts", [])
            called = called or any("functionCall" in part for part in parts)
            if called:
                candidate.pop("groundingMetadata", None)
        yield event


@broken("anthropic/stream-delta-kind", client=ANTHROPIC, upstream=CHAT, case=CITED)
def sources_behind_their_block(events: Iterator[Event]) -> Iterator[Event]:
    """A source comes as a block of another kind is open."""
    for event in events:
        delta = event["data"].get("delta", {})
        if delta.get("type") == "citations_delta":
            index = event["data"]["index"] + 1
            thinking = {"type": "thinking", "thinking": "", "signature": ""}
            yield {"event": "content_block_stop", "data": {"type": "content_block_stop", "index": index - 1}}
            start = {"type": "content_block_start", "index": index, "content_block": thinking}
            yield {"event": "content_block_start", "data": start}
            yield {"event": "content_block_delta", "data": {**event["data"], "index": index}}
            yield {"event": "content_block_stop", "data": {"type": "content_block_stop", "index": index}}
            for rest in events:
                if rest["data"]["type"] in ("message_delta", "message_stop"):
                    yield rest
            return
        yield event

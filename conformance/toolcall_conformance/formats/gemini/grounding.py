"""The sources of a reply: https://ai.google.dev/api/generate-content#GroundingMetadata."""

from __future__ import annotations

from dataclasses import replace

from toolcall_conformance.basics.reading import Citation, Node, Reading, Text
from toolcall_conformance.formats.gemini.spelling import entries


def read_grounding(node: Node, parts: Node, reading: Reading) -> None:
    """Give each text of the reply the pages that it rests on. Places are counted in bytes of the text's part."""
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
                words = _words(segment, text.text)
                title, quote = page.text("title"), segment.text("text")
                citations.setdefault(text.pointer, []).append(Citation(url, title, words, support.pointer, quote))
    for turn in reading.turns:
        turn.items = [
            replace(item, citations=tuple(citations[item.pointer]))
            if isinstance(item, Text) and item.pointer in citations
            else item
            for item in turn.items
        ]


def _words(segment: Node, text: str) -> str | None:
    """The words of a segment; empty where its place is none of the text's."""
    start, end = segment.get("startIndex") or 0, segment.get("endIndex")
    if not isinstance(start, int) or not isinstance(end, int):
        return segment.text("text")
    raw = text.encode("utf-8", "surrogatepass")
    return raw[start:end].decode("utf-8", "ignore") if 0 <= start < end <= len(raw) else ""

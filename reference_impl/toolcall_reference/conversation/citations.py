"""Citations: the pages that a text rests on, and the characters that cite them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation.intermediate import Body, Citation, Item, Text
from toolcall_reference.conversation.losses import Losses


def from_openai(annotations: Any, losses: Losses, key: str = "") -> list[Citation]:
    """Citations from OpenAI's annotations; ``key`` is the member that describes the page, unless they are flat."""
    citations = []
    for annotation in annotations if isinstance(annotations, list) else ():
        page = annotation.get(key) if key and isinstance(annotation, dict) else annotation
        if not isinstance(page, dict) or annotation.get("type") != "url_citation" or not _has_address(page):
            losses.add("citation-of-file", "a place in a file is its provider's own; dropped, the text stays")
            continue
        start, end = page.get("start_index"), page.get("end_index")
        placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end
        citations.append(Citation(page["url"], page.get("title"), start if placed else None, end if placed else None))
    return citations


def _has_address(page: Body) -> bool:
    return isinstance(page.get("url"), str) and bool(page["url"])


def to_openai(text: Text, offset: int, length: int, key: str = "") -> Iterator[Body]:
    """OpenAI's annotations of a text of ``length`` characters that follows ``offset`` others."""
    for citation in text.citations:
        start, end = (0, length) if citation.start is None or citation.end is None else (citation.start, citation.end)
        page = {
            "start_index": offset + start,
            "end_index": offset + end,
            "title": citation.title or "",
            "url": citation.url,
        }
        yield {"type": "url_citation", **({key: page} if key else page)}


def character_range(text: TextOffsets, start: object, end: object) -> tuple[int | None, int | None]:
    """Convert a byte range of ``text`` to characters; (None, None) if it is not a range in it."""
    whole = text.bytes_before(len(text))
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= whole:
        return None, None
    return text.characters_before(start), text.characters_before(end)


def cited_range(text: TextOffsets, citation: Citation) -> tuple[int, int]:
    """The range of characters that a citation covers: the whole text if it has none."""
    return (0, len(text)) if citation.start is None or citation.end is None else (citation.start, citation.end)


def merge_texts(texts: Sequence[Text]) -> Text:
    """Join neighbouring texts into one, their citations at the same words."""
    merged_text, citations = Text(""), []
    for text in texts:
        citations += [shift_citation(citation, len(merged_text.text), len(text.text)) for citation in text.citations]
        merged_text.text += text.text
        merged_text.raw_context = merged_text.raw_context or text.raw_context
    merged_text.citations = citations
    return merged_text


def merge_cited_neighbours(items: list[Item]) -> list[Item]:
    """Merge neighbouring texts of which one has citations."""
    merged_items: list[Item] = []
    for item in items:
        last = merged_items[-1] if merged_items else None
        if isinstance(item, Text) and isinstance(last, Text) and (item.citations or last.citations):
            merged_items[-1] = merge_texts([last, item])
        else:
            merged_items.append(item)
    return merged_items


def shift_citation(citation: Citation, offset: int, length: int) -> Citation:
    """The citation, shifted by ``offset`` characters; without a range it covers the text's ``length``."""
    start, end = (0, length) if citation.start is None or citation.end is None else (citation.start, citation.end)
    return Citation(citation.url, citation.title, offset + start, offset + end, citation.quote, citation.seal)


def from_grounding(supports: Iterable[Any], chunks: Sequence[Any]) -> Iterator[tuple[Body, Citation]]:
    """Each segment of Gemini's grounding with a citation of its page, which has no range yet."""
    for support in supports:
        segment = support.get("segment") if isinstance(support, dict) else None
        indices = support.get("groundingChunkIndices") if isinstance(segment, dict) else None
        for index in indices if isinstance(indices, list) else ():
            chunk = chunks[index] if isinstance(index, int) and 0 <= index < len(chunks) else None
            page = chunk.get("web") if isinstance(chunk, dict) else None
            if (
                isinstance(page, dict)
                and isinstance(page.get("uri"), str)
                and page["uri"]
                and isinstance(segment, dict)
            ):
                yield segment, Citation(page["uri"], page.get("title"))

"""The citations of a text: the pages that its annotations name, each with the words that cite it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.reading.model import Citation, Text
from toolcall_conformance.basics.reading.node import Node


def cited_words(text: str, start: Any, end: Any) -> str | None:
    """The words between two places, counted in characters; None if no place is given, empty if the text lacks it."""
    if not isinstance(start, int) or not isinstance(end, int) or (start, end) == (0, 0):
        return None
    return text[start:end] if 0 <= start < end <= len(text) else ""


def url_citations(annotations: Node, text: str | None, key: str = "") -> Iterator[Citation]:
    """Citations from a list of OpenAI's annotations; ``key`` is the member that describes each, if it is not flat."""
    for annotation in annotations.each():
        page = annotation.child(key) if key else annotation
        url = page.text("url")
        if annotation.text("type") == "url_citation" and url:
            words = None if text is None else cited_words(text, page.get("start_index"), page.get("end_index"))
            yield Citation(url, page.text("title"), words, annotation.pointer)


def add_citations(items: Sequence[Any], citations: Sequence[Citation], pointer: str) -> list[Any]:
    """The items, with the citations added to the text at ``pointer``, else to the first text."""
    texts = [item for item in items if isinstance(item, Text)]
    chosen = next((text for text in texts if text.pointer == pointer), texts[0] if texts else None)
    if chosen is None or not citations:
        return list(items)
    cited = replace(chosen, citations=tuple(citations))
    return [cited if item is chosen else item for item in items]

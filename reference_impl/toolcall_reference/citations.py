"""Sources of an answer: which pages a text rests on, and at which of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .intermediate import Body, Citation, Item, Text
from .losses import Losses
from .spoken import Spoken


def from_openai(annotations: Any, losses: Losses, key: str = "") -> list[Citation]:
    """The pages of OpenAI's annotations; ``key`` is the member that describes each, if they are not flat."""
    found = []
    for annotation in annotations if isinstance(annotations, list) else ():
        page = annotation.get(key) if key and isinstance(annotation, dict) else annotation
        if not isinstance(page, dict) or annotation.get("type") != "url_citation" or not _address(page):
            losses.add("citation-of-file", "a place in a file is its provider's own; dropped, the text stays")
            continue
        start, end = page.get("start_index"), page.get("end_index")
        placed = isinstance(start, int) and isinstance(end, int) and 0 <= start < end
        found.append(Citation(page["url"], page.get("title"), start if placed else None, end if placed else None))
    return found


def _address(page: Body) -> bool:
    return isinstance(page.get("url"), str) and bool(page["url"])


def to_openai(text: Text, offset: int, length: int, key: str = "") -> Iterator[Body]:
    """OpenAI's annotations of a text of ``length`` characters that stands behind ``offset`` others."""
    for one in text.citations:
        start, end = (0, length) if one.start is None or one.end is None else (one.start, one.end)
        page = {"start_index": offset + start, "end_index": offset + end, "title": one.title or "", "url": one.url}
        yield {"type": "url_citation", **({key: page} if key else page)}


def from_bytes(text: Spoken, start: object, end: object) -> tuple[int | None, int | None]:
    """A place counted in bytes as one counted in characters; nothing where there is none."""
    whole = text.bytes_before(len(text))
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= whole:
        return None, None
    return text.characters_before(start), text.characters_before(end)


def place_in(text: Spoken, one: Citation) -> tuple[int, int]:
    """The characters of a text that a citation is about: all of them, where it has no place."""
    return (0, len(text)) if one.start is None or one.end is None else (one.start, one.end)


def merged(texts: Sequence[Text]) -> Text:
    """Neighbouring texts as one, their citations at the same words."""
    found, told = Text(""), []
    for text in texts:
        told += [placed(one, len(found.text), len(text.text)) for one in text.citations]
        found.text += text.text
        found.raw_context = found.raw_context or text.raw_context
    found.citations = told
    return found


def joined(items: list[Item]) -> list[Item]:
    """Items in which neighbouring texts, of which one has sources, are one text."""
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Text) and isinstance(last, Text) and (item.citations or last.citations):
            found[-1] = merged([last, item])
        else:
            found.append(item)
    return found


def placed(one: Citation, offset: int, length: int) -> Citation:
    """The same citation of a text that ``offset`` characters stand before."""
    start, end = (0, length) if one.start is None or one.end is None else (one.start, one.end)
    return Citation(one.url, one.title, offset + start, offset + end, one.quote, one.seal)


def of_pages(supports: Iterable[Any], chunks: Sequence[Any]) -> Iterator[tuple[Body, Citation]]:
    """Each segment of Gemini's grounding with a page that it rests on, still without a place."""
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

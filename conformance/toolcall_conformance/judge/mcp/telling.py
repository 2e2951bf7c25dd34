"""In how many ways a bridge may tell a result of the Model Context Protocol, all of which say the same.

Where a result is text alone, the laws of all results hold. A resource is told by its address or its text, with any few
words of its own around it; structured content stands beside its text, in its place, or not at all
(https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Media, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.mcp.in_order import Room, TextForms, says_in_order
from toolcall_conformance.judge.mcp.reading import ContentEntry, Part, ToolResult, of_value
from toolcall_conformance.judge.mcp.spelled import is_spelled_out
from toolcall_conformance.judge.translation.media.media_losses import can_be_in_result
from toolcall_conformance.judge.translation.results.failures import strings_in, texts_after_prefix
from toolcall_conformance.judge.translation.results.payload import (
    compare_payload,
    document_text,
    parse_text,
    read_content,
)
from toolcall_conformance.judge.translation.results.placeholders import ReferencedMedia, without_placeholders
from toolcall_conformance.library import Corpus

_JSON_BEGINS = re.compile(r"^[ \t]*([\[{])", re.MULTILINE)
_DECODER = json.JSONDecoder()


def parts_told(
    corpus: Corpus, name: str, tool_result: ToolResult, produced: Result, media: Sequence[Media] = ()
) -> tuple[Part, ...]:
    """The parts that a produced result must have: those of ``tool_result``, in the way in which it tells them.

    Where it tells them in none of the ways, the plainest. ``media`` are those behind the results, some of which may
    be resources of this one.
    """
    mine = [part for part in tool_result.parts if isinstance(part, Media)]
    theirs = tuple(part for part in produced.parts if not isinstance(part, Media))
    all_media = [*media, *(part for part in produced.parts if isinstance(part, Media))]
    if _is_plain(corpus, tool_result, produced):
        return tool_result.parts
    if is_spelled_out(corpus, tool_result, theirs):
        return (*theirs, *(item for item in mine if can_be_in_result(corpus, name, item)))
    if any(
        _tells(corpus, tool_result, replace(produced, parts=form), all_media)
        for form in _without_structure(tool_result, theirs)
    ):
        return (*_without_remarks(corpus, theirs, mine), *mine)
    return tool_result.parts


def _is_plain(corpus: Corpus, tool_result: ToolResult, produced: Result) -> bool:
    """Whether a result tells its parts as any result does; so remarks about media stay remarks."""
    want = read_content(corpus, replace(produced, parts=tool_result.parts))
    return compare_payload(want, read_content(corpus, produced)) is None


def _without_remarks(corpus: Corpus, parts: tuple[Part, ...], media: list[Media]) -> Iterator[Part]:
    """The parts without what they say of media that stand elsewhere or nowhere: that is asked of the media."""
    descriptions = ReferencedMedia(media)
    for part in parts:
        if isinstance(part, Text):
            yield from (replace(part, text=text) for text in without_placeholders(corpus, [part.text], descriptions))
        else:
            yield part


def _tells(corpus: Corpus, tool_result: ToolResult, produced: Result, media: Sequence[Media]) -> bool:
    if tool_result.structured is not MISSING and _is_structure(corpus, tool_result, produced):
        return True
    if any(block.uri is not None or block.for_the_user for block in tool_result.blocks):
        return _tells_in_words(corpus, tool_result.blocks, produced, media)
    return _is_plain(corpus, tool_result, produced)


def _is_structure(corpus: Corpus, tool_result: ToolResult, produced: Result) -> bool:
    """Whether a result is the structured content and nothing else."""
    want = read_content(corpus, replace(produced, parts=(of_value(tool_result.structured),)))
    return compare_payload(want, read_content(corpus, produced)) is None


def _without_structure(tool_result: ToolResult, parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """The parts as they are, and without the structured content that one of them is, has in it, or ends with."""
    yield parts
    if tool_result.structured is MISSING:
        return
    for place, part in enumerate(parts):
        for left in _left(part, tool_result.structured):
            yield (*parts[:place], *left, *parts[place + 1 :])


def _left(part: Part, structured: Any) -> Iterator[tuple[Part, ...]]:
    """What is left of a part without the structured content; nothing where it does not have it."""
    if isinstance(part, Text):
        for text in _cut(part.text, structured):
            yield (replace(part, text=text),) if text.strip() else ()
    elif isinstance(part, Value) and isinstance(part.value, dict):
        for key, value in part.value.items():
            rest = {name: entry for name, entry in part.value.items() if name != key}
            if equal(value, structured):
                yield (Value(rest, part.pointer),)
            for text in _cut(value, structured) if isinstance(value, str) else ():
                yield (Value({**rest, key: text}, part.pointer),)


def _cut(text: str, structured: Any) -> Iterator[str]:
    """A text without the JSON of a value, wherever a line of it begins with that."""
    for match in _JSON_BEGINS.finditer(text):
        try:
            value, end = _DECODER.raw_decode(text, match.start(1))
        except (ValueError, RecursionError):
            continue
        if equal(value, structured):
            yield f"{text[: match.start(1)]}{text[end:]}".strip()


def _tells_in_words(corpus: Corpus, blocks: Sequence[ContentEntry], produced: Result, media: Sequence[Media]) -> bool:
    """Whether the texts of a result tell its blocks in their order, each resource with a few words around it."""
    steps = [step for block in blocks for step in _steps(corpus, block, media)]
    return any(says_in_order(_squeezed(text), steps) for text in _wordings(corpus, produced))


def _wordings(corpus: Corpus, produced: Result) -> Iterator[str]:
    """The whole text of a result: as it stands, by its strings alone, and without a word before it that it failed."""
    texts = [part.text for part in produced.parts if isinstance(part, Text)]
    values = [part.value for part in produced.parts if isinstance(part, Value)]
    parsed = [parse_text(text) for text in texts]
    forms = [
        "\n".join([*texts, *(json.dumps(value, ensure_ascii=False) for value in values)]),
        "\n".join(string for value in [*texts, *values] for string in _leaves(value)),
        "\n".join(string for entry in parsed if entry is not None for string in _leaves(entry[0])),
    ]
    for form in forms:
        yield form
        yield from texts_after_prefix(corpus, form)


def _leaves(value: object) -> list[str]:
    return [value] if isinstance(value, str) else strings_in(value)


def _steps(corpus: Corpus, block: ContentEntry, media: Sequence[Media]) -> tuple[TextForms | Room, ...]:
    """What a squeezed text says of a block."""
    room = corpus.alignment.parameters["resource_room"] + 2 * len(block.words)
    if isinstance(block.part, Media):
        return (Room(room),)  # a remark that it stands elsewhere; whether it does is asked of media
    if block.uri is None:
        return (TextForms((_squeezed(block.part.text),), optional=block.for_the_user),)
    if _is_shown(corpus, block, media):
        return (Room(room),)
    text = block.uri if block.link else block.part.text
    return (TextForms(tuple(map(_squeezed, _spellings(text))), room, optional=block.for_the_user),)


def _is_shown(corpus: Corpus, block: ContentEntry, media: Sequence[Media]) -> bool:
    """Whether a resource is told as a document: by its address, or with its text as bytes.

    Most addresses of resources are names within the server, which no provider can load
    (https://modelcontextprotocol.io/specification/2025-11-25/server/resources#common-uri-schemes).
    """
    if block.link:
        loaded = any(corpus.alignment.patterns["web_address"].matches(str(block.uri)))
        return loaded and any(item.url == block.uri for item in media)
    return isinstance(block.part, Text) and any(document_text(corpus, item) == block.part.text for item in media)


def _spellings(text: str) -> Iterator[str]:
    """A text as it is, and inside JSON."""
    yield text
    for ascii_only in (False, True):
        yield json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _squeezed(text: str) -> str:
    return " ".join(text.split())

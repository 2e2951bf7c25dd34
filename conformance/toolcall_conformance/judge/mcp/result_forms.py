"""The equivalent forms in which a bridge may convey a result of the Model Context Protocol.

For a result of text alone the rules of all results hold. A resource is conveyed by its URI or its text, with a few
words of the bridge's own around it; structured content is next to its text, in its place, or left out
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
from toolcall_conformance.judge.mcp.json_notation import is_json_notation
from toolcall_conformance.judge.mcp.ordered_text import Room, TextForms, says_in_order
from toolcall_conformance.judge.mcp.reading import ContentEntry, Part, ToolResult, value_part
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


def expected_parts(
    corpus: Corpus, format_name: str, tool_result: ToolResult, produced: Result, media: Sequence[Media] = ()
) -> tuple[Part, ...]:
    """The parts that a produced result must have: those of ``tool_result``, in the form that it has chosen.

    If it conveys them in none of the forms, the plainest. ``media`` are those after the results, some of which may
    be resources of this one.
    """
    mine = [part for part in tool_result.parts if isinstance(part, Media)]
    theirs = tuple(part for part in produced.parts if not isinstance(part, Media))
    all_media = [*media, *(part for part in produced.parts if isinstance(part, Media))]
    if _is_plain(corpus, tool_result, produced):
        return tool_result.parts
    if is_json_notation(corpus, tool_result, theirs):
        return (*theirs, *(item for item in mine if can_be_in_result(corpus, format_name, item)))
    if any(
        _conveys(corpus, tool_result, replace(produced, parts=form), all_media)
        for form in _drop_structure(tool_result, theirs)
    ):
        return (*_drop_remarks(corpus, theirs, mine), *mine)
    return tool_result.parts


def _is_plain(corpus: Corpus, tool_result: ToolResult, produced: Result) -> bool:
    """Whether a result has its parts in the usual form of results, where remarks about media are remarks."""
    want = read_content(corpus, replace(produced, parts=tool_result.parts))
    return compare_payload(want, read_content(corpus, produced)) is None


def _drop_remarks(corpus: Corpus, parts: tuple[Part, ...], media: list[Media]) -> Iterator[Part]:
    """The parts without their remarks on media that are elsewhere or missing: those are judged as media."""
    descriptions = ReferencedMedia(media)
    for part in parts:
        if isinstance(part, Text):
            yield from (replace(part, text=text) for text in without_placeholders(corpus, [part.text], descriptions))
        else:
            yield part


def _conveys(corpus: Corpus, tool_result: ToolResult, produced: Result, media: Sequence[Media]) -> bool:
    if tool_result.structured is not MISSING and _is_structure(corpus, tool_result, produced):
        return True
    if any(block.uri is not None or block.for_the_user for block in tool_result.blocks):
        return _conveys_in_words(corpus, tool_result.blocks, produced, media)
    return _is_plain(corpus, tool_result, produced)


def _is_structure(corpus: Corpus, tool_result: ToolResult, produced: Result) -> bool:
    """Whether a result is the structured content and nothing else."""
    want = read_content(corpus, replace(produced, parts=(value_part(tool_result.structured),)))
    return compare_payload(want, read_content(corpus, produced)) is None


def _drop_structure(tool_result: ToolResult, parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """The parts unchanged, and without the structured content that one of them is or contains."""
    yield parts
    if tool_result.structured is MISSING:
        return
    for place, part in enumerate(parts):
        for left in _part_without_structure(part, tool_result.structured):
            yield (*parts[:place], *left, *parts[place + 1 :])


def _part_without_structure(part: Part, structured: Any) -> Iterator[tuple[Part, ...]]:
    """The forms of a part without the structured content; none if it does not have it."""
    if isinstance(part, Text):
        for text in _cut_json(part.text, structured):
            yield (replace(part, text=text),) if text.strip() else ()
    elif isinstance(part, Value) and isinstance(part.value, dict):
        for key, value in part.value.items():
            rest = {name: entry for name, entry in part.value.items() if name != key}
            if equal(value, structured):
                yield (Value(rest, part.pointer),)
            for text in _cut_json(value, structured) if isinstance(value, str) else ():
                yield (Value({**rest, key: text}, part.pointer),)


def _cut_json(text: str, structured: Any) -> Iterator[str]:
    """The text without the JSON of a value, for each line that begins with it."""
    for match in _JSON_BEGINS.finditer(text):
        try:
            value, end = _DECODER.raw_decode(text, match.start(1))
        except (ValueError, RecursionError):
            continue
        if equal(value, structured):
            yield f"{text[: match.start(1)]}{text[end:]}".strip()


def _conveys_in_words(corpus: Corpus, blocks: Sequence[ContentEntry], produced: Result, media: Sequence[Media]) -> bool:
    """Whether the texts of a result have its blocks in their order, each resource with a few words around it."""
    steps = [step for block in blocks for step in _block_steps(corpus, block, media)]
    return any(says_in_order(_squeeze(text), steps) for text in _wordings(corpus, produced))


def _wordings(corpus: Corpus, produced: Result) -> Iterator[str]:
    """The whole text of a result: as written, by its strings alone, and without a prefix that says it failed."""
    texts = [part.text for part in produced.parts if isinstance(part, Text)]
    values = [part.value for part in produced.parts if isinstance(part, Value)]
    parsed = [parse_text(text) for text in texts]
    forms = [
        "\n".join([*texts, *(json.dumps(value, ensure_ascii=False) for value in values)]),
        "\n".join(string for value in [*texts, *values] for string in _strings(value)),
        "\n".join(string for entry in parsed if entry is not None for string in _strings(entry[0])),
    ]
    for form in forms:
        yield form
        yield from texts_after_prefix(corpus, form)


def _strings(value: object) -> list[str]:
    return [value] if isinstance(value, str) else strings_in(value)


def _block_steps(corpus: Corpus, block: ContentEntry, media: Sequence[Media]) -> tuple[TextForms | Room, ...]:
    """The steps of a squeezed text that conveys a block."""
    room = corpus.alignment.parameters["resource_room"] + 2 * len(block.words)
    if isinstance(block.part, Media):
        return (Room(room),)  # a remark that it is elsewhere; whether it is, the comparison of media judges
    if block.uri is None:
        return (TextForms((_squeeze(block.part.text),), optional=block.for_the_user),)
    if _is_media(corpus, block, media):
        return (Room(room),)
    text = block.uri if block.is_link else block.part.text
    return (TextForms(tuple(map(_squeeze, _notations(text))), room, optional=block.for_the_user),)


def _is_media(corpus: Corpus, block: ContentEntry, media: Sequence[Media]) -> bool:
    """Whether a resource is conveyed as a document: by its URI, or with its text as bytes.

    Most addresses of resources are names within the server, which no provider can load
    (https://modelcontextprotocol.io/specification/2025-11-25/server/resources#common-uri-schemes).
    """
    if block.is_link:
        loaded = any(corpus.alignment.patterns["web_address"].matches(str(block.uri)))
        return loaded and any(item.url == block.uri for item in media)
    return isinstance(block.part, Text) and any(document_text(corpus, item) == block.part.text for item in media)


def _notations(text: str) -> Iterator[str]:
    """A text as it is, and inside JSON."""
    yield text
    for ascii_only in (False, True):
        yield json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _squeeze(text: str) -> str:
    return " ".join(text.split())

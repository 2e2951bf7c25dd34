"""A result of the Model Context Protocol written as JSON: the server's blocks with the labels of a client's types.

Google's SDK gives Gemini the whole CallToolResult so (https://googleapis.github.io/python-genai/), others single
blocks. The model reads the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Media, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.mcp.reading import ContentEntry, Part, ToolResult
from toolcall_conformance.judge.translation.results.payload import parse_text
from toolcall_conformance.library import Corpus


def is_json_notation(corpus: Corpus, tool_result: ToolResult, parts: Sequence[Part]) -> bool:
    """Whether the strings in the parts are those of the server's blocks, in their order, and labels.

    Media may be among them, or elsewhere.
    """
    values = [_part_value(tool_result, part) for part in parts if isinstance(part, Text | Value)]
    if not any(isinstance(value, dict | list) for value in values):
        return False
    block_texts = [
        _block_text(block)
        for block in tool_result.blocks
        if not block.for_the_user and not isinstance(block.part, Media)
    ]
    member_texts, place = set(_strings_in(tool_result.body)), 0
    for string in _strings_in(values):
        if place < len(block_texts) and string == block_texts[place]:
            place += 1
        elif string not in member_texts and not _is_label(corpus, string):
            return False
    return place == len(block_texts) and (
        bool(block_texts) or tool_result.structured is MISSING or _holds(values, tool_result.structured)
    )


def _is_label(corpus: Corpus, string: str) -> bool:
    """Whether a string is a label, not a text: a type, an id, the name of a field."""
    return len(string) <= corpus.alignment.parameters["label_characters"] and not any(map(str.isspace, string))


def _block_text(block: ContentEntry) -> str | None:
    """The string of a block: the URI of a link, else the text; None for media."""
    if isinstance(block.part, Media):
        return None
    return block.uri if block.is_link else block.part.text


def _part_value(tool_result: ToolResult, part: Text | Value) -> object:
    """The JSON value of a part. A text that a block has, or that is no JSON, stays a text."""
    if isinstance(part, Value):
        return part.value
    parsed = parse_text(part.text)
    return (
        part.text
        if parsed is None or any(part.text == _block_text(block) for block in tool_result.blocks)
        else parsed[0]
    )


def _strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _strings_in(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _strings_in(entry)


def _holds(value: object, expected: object) -> bool:
    """Whether a JSON value equals another one, or has it inside."""
    if equal(value, expected):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_holds(entry, expected) for entry in inner)

"""Reads the results of ``tools/list`` and ``tools/call`` (https://modelcontextprotocol.io/specification/2025-11-25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join, to_json
from toolcall_conformance.basics.reading import Media, Reading, Text, Tool
from toolcall_conformance.basics.reading.model import Value

Part = Text | Media | Value


@dataclass(frozen=True, slots=True)
class ContentEntry:
    """One entry of a result's content, with the ``part`` that it is by itself.

    ``uri`` is that of a resource; ``is_link``: the resource itself stays with the server. A block that is
    ``for_the_user`` need not reach the model. ``words`` are those that a text may have about the block in addition.
    """

    part: Text | Media
    uri: str | None = None
    is_link: bool = False
    for_the_user: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A CallToolResult, and the ``body`` that it is read from.

    ``structured`` is MISSING where it has none; ``error`` says whether the tool failed.
    """

    blocks: tuple[ContentEntry, ...]
    structured: Any
    error: bool
    body: Any

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its content as the parts of a result; its structured content if it has no other."""
        parts: tuple[Part, ...] = tuple(block.part for block in self.blocks if not block.for_the_user)
        content = [part for part in parts if not isinstance(part, Text) or part.text.strip()]
        if content or self.structured is MISSING:
            return parts
        return (value_part(self.structured),)


def value_part(value: Any) -> Part:
    """A JSON value as a part: an object as it is, anything else as its JSON text."""
    return Value(value, "/structuredContent") if isinstance(value, dict) else Text(to_json(value), "/structuredContent")


def read_tools(list_tools_result: Any) -> Reading:
    """The tools of a ListToolsResult as those that a request declares. The protocol knows no strict tools."""
    return Reading("", "request", tools=list(_read_declarations(list_tools_result)), body=list_tools_result)


def _read_declarations(list_tools_result: Any) -> Iterator[Tool]:
    for place, entry in enumerate(map(_object, _list(_object(list_tools_result).get("tools")))):
        at = join("", "tools", place)
        pointers = {key: f"{at}/{key}" for key in ("name", "description", "inputSchema") if key in entry}
        yield Tool(
            _text(entry, "name") if "name" in entry else None,
            _text(entry, "description") if "description" in entry else None,
            entry.get("inputSchema"),
            at,
            strict=False,
            name_pointer=pointers.get("name"),
            description_pointer=pointers.get("description"),
            schema_pointer=pointers.get("inputSchema"),
        )


def read_result(result: Any) -> ToolResult:
    """A CallToolResult; blocks of types that the protocol does not have are left out."""
    document = _object(result)
    blocks = (
        _read_block(_object(entry), join("", "content", place))
        for place, entry in enumerate(_list(document.get("content")))
    )
    structured = document.get("structuredContent")
    return ToolResult(
        tuple(block for block in blocks if block is not None),
        MISSING if structured is None else structured,
        document.get("isError") is True,
        result,
    )


def _read_block(entry: dict[str, Any], pointer: str) -> ContentEntry | None:
    kind, hidden = entry.get("type"), _object(entry.get("annotations")).get("audience") == ["user"]
    if kind == "text":
        return ContentEntry(Text(_text(entry, "text"), f"{pointer}/text"), for_the_user=hidden)
    if kind in ("image", "audio"):
        media = Media(str(kind), _text(entry, "mimeType"), pointer, data=_text(entry, "data"))
        return ContentEntry(media, for_the_user=hidden)
    if kind == "resource_link":
        uri = _text(entry, "uri")
        named = f"{_text(entry, 'title') or _text(entry, 'name')}: {uri}"
        return ContentEntry(Text(named, pointer), uri, True, hidden, " ".join(_words_within(entry)))
    return _read_resource(_object(entry.get("resource")), pointer, hidden) if kind == "resource" else None


def _read_resource(resource: dict[str, Any], pointer: str, hidden: bool) -> ContentEntry:
    uri = _text(resource, "uri")
    if "blob" in resource:
        mime = _text(resource, "mimeType") or None
        return ContentEntry(
            Media(_media_kind(mime), mime, f"{pointer}/resource", data=_text(resource, "blob")), uri, False, hidden
        )
    words = " ".join(_words_within({key: value for key, value in resource.items() if key != "text"}))
    return ContentEntry(Text(_text(resource, "text"), f"{pointer}/resource/text"), uri, False, hidden, words)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(holder: dict[str, Any], key: str) -> str:
    text = holder.get(key)
    return text if isinstance(text, str) else ""


def _media_kind(mime: str | None) -> str:
    family = (mime or "").partition("/")[0]
    return family if family in ("image", "audio", "video") else "document"


def _words_within(value: Any) -> Iterator[str]:
    """Every key and value inside a JSON value, as text."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield str(key)
            yield from _words_within(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _words_within(entry)
    else:
        yield str(value)

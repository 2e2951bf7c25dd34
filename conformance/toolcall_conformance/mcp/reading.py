"""Reads the results of ``tools/list`` and ``tools/call`` (https://modelcontextprotocol.io/specification/2025-11-25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import join, written
from toolcall_conformance.reading import Media, Reading, Text, Tool
from toolcall_conformance.reading.model import Value

Part = Text | Media | Value


@dataclass(frozen=True, slots=True)
class Block:
    """One entry of a result's content: the ``part`` that it is by itself.

    ``uri`` is that of a resource, ``link`` whether the resource itself stays with the server. Nobody need tell the
    model of a block that is ``for_the_user``. ``words`` are what a text may say of the block beside what it must.
    """

    part: Text | Media
    uri: str | None = None
    link: bool = False
    for_the_user: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A CallToolResult, and the ``body`` that it is read from.

    ``structured`` is MISSING where it has none; ``error`` says whether the tool failed.
    """

    blocks: tuple[Block, ...]
    structured: Any
    error: bool
    body: Any

    @property
    def parts(self) -> tuple[Part, ...]:
        """All that it says, as the parts of a result; its structured content where it says nothing else."""
        parts: tuple[Part, ...] = tuple(block.part for block in self.blocks if not block.for_the_user)
        said = [part for part in parts if not isinstance(part, Text) or part.text.strip()]
        if said or self.structured is MISSING:
            return parts
        return (of_value(self.structured),)


def of_value(value: Any) -> Part:
    """A JSON value as a part: an object as it is, anything else as its text."""
    return Value(value, "/structuredContent") if isinstance(value, dict) else Text(written(value), "/structuredContent")


def read_tools(listed: Any) -> Reading:
    """The tools of a ListToolsResult as those that a request declares. The protocol knows no strict tools."""
    tools = []
    for place, entry in enumerate(listed.get("tools", []) if isinstance(listed, dict) else []):
        at = join("", "tools", place)
        pointers = {key: f"{at}/{key}" for key in ("name", "description", "inputSchema") if key in entry}
        tools.append(
            Tool(
                entry.get("name"),
                entry.get("description"),
                entry.get("inputSchema"),
                at,
                strict=False,
                name_pointer=pointers.get("name"),
                description_pointer=pointers.get("description"),
                schema_pointer=pointers.get("inputSchema"),
            )
        )
    return Reading("", "request", tools=tools, body=listed)


def read_result(result: Any) -> ToolResult:
    """A CallToolResult; blocks of types that the protocol does not have are left out."""
    content = result.get("content") if isinstance(result, dict) else None
    blocks = (_block(entry, join("", "content", place)) for place, entry in enumerate(content or []))
    structured = result.get("structuredContent") if isinstance(result, dict) else None
    return ToolResult(
        tuple(block for block in blocks if block is not None),
        MISSING if structured is None else structured,
        isinstance(result, dict) and result.get("isError") is True,
        result,
    )


def _block(entry: Any, pointer: str) -> Block | None:
    kind, audience = entry.get("type"), (entry.get("annotations") or {}).get("audience")
    hidden = audience == ["user"]
    if kind == "text":
        return Block(Text(entry["text"], f"{pointer}/text"), for_the_user=hidden)
    if kind in ("image", "audio"):
        return Block(Media(kind, entry["mimeType"], pointer, data=entry["data"]), for_the_user=hidden)
    if kind == "resource_link":
        named = f"{entry.get('title') or entry['name']}: {entry['uri']}"
        return Block(Text(named, pointer), entry["uri"], True, hidden, " ".join(_words(entry)))
    if kind == "resource":
        held = entry["resource"]
        words = " ".join(_words({key: value for key, value in held.items() if key not in ("text", "blob")}))
        if "text" in held:
            return Block(Text(held["text"], f"{pointer}/resource/text"), held["uri"], False, hidden, words)
        mime = held.get("mimeType")
        return Block(Media(_kind(mime), mime, f"{pointer}/resource", data=held["blob"]), held["uri"], False, hidden)
    return None


def _kind(mime: str | None) -> str:
    family = (mime or "").partition("/")[0]
    return family if family in ("image", "audio", "video") else "document"


def _words(value: Any) -> Iterator[str]:
    """Every key and value inside a JSON value, as text."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield str(key)
            yield from _words(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _words(entry)
    else:
        yield str(value)

"""Reads content blocks of requests and replies into neutral items."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.reading import (
    Call,
    Citation,
    Hosted,
    Media,
    Node,
    Opaque,
    Reasoning,
    Residue,
    Result,
    Text,
    Unknown,
    Unreadable,
    Value,
)
from toolcall_conformance.basics.reading.citations import add_citations
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.formats.anthropic.pairing import AnthropicPairing

#: Types of the provider's own steps, but for those that end in ``_tool_result``.
HOSTED_TYPES = frozenset(
    {
        *("server_tool_use", "mcp_tool_use", "mcp_tool_listing", "container_upload"),
        *("compaction", "fallback", "tool_addition", "tool_removal"),
    }
)

#: Keys of any block that do not matter to the conversation.
IGNORED_KEYS = ("type", "cache_control", "citations", "caller", "toolset_name", "transformations")


def is_hosted(kind: str) -> bool:
    """Whether a block of this type is a step of the provider's own tools."""
    return kind in HOSTED_TYPES or (kind.endswith("_tool_result") and kind != "tool_result")


def waiting_calls(blocks: Sequence[Any]) -> list[Any]:
    """Return the ``tool_use`` blocks of a reply that the client still has to answer.

    Anthropic's code execution calls tools, too: such a call names the code in ``caller``. A reply that continues after
    such calls repeats them and has the result of their code: they were answered before.
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling
    """
    objects = [block for block in blocks if isinstance(block, dict)]
    answered_ids = {
        _text_member(block, "tool_use_id") for block in objects if is_hosted(_text_member(block, "type"))
    } - {""}
    return [
        block for block in objects if _text_member(block, "type") == "tool_use" and _code_id(block) not in answered_ids
    ]


def _code_id(call: dict[str, Any]) -> str:
    """Return the id of the code execution that made a call; empty for a call of the model itself."""
    caller = call.get("caller")
    return _text_member(caller, "tool_id") if isinstance(caller, dict) else ""


def _text_member(holder: dict[str, Any], key: str) -> str:
    """Return a member that is a string; empty if it is none."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def text_items(node: Node) -> list[Item]:
    """Return the text at a node; empty if it is blank or no string."""
    return [Text(node.value, node.pointer)] if isinstance(node.value, str) and node.value.strip() else []


def read_block(block: Node, pairing: AnthropicPairing, residue: list[Residue]) -> list[Item]:
    """Return the items of one block; empty for a blank text."""
    kind = block.text("type")
    if kind is None:
        return [Unknown(_type_text(block), block.pointer)]
    if is_hosted(kind):
        return [_read_hosted(kind, block)]
    items: list[Item]
    if kind == "tool_use":
        items = [_read_call(block, pairing)]
    elif kind == "tool_result":
        items = [_read_result(block, pairing, residue)]
    elif kind == "thinking":
        thought, signature = block.child("thinking"), block.child("signature")
        items = [Reasoning(text.text, text.pointer) for text in _text_only(text_items(thought))] + _opaque_items(
            signature
        )
    elif kind == "redacted_thinking":
        items = _opaque_items(block.child("data"))
    elif kind in ("text", "image", "document", "search_result"):
        items = list(_read_content_block(kind, block, residue))
        items = add_citations(items, list(_read_citations(block)), "") if kind == "text" else items
    else:
        return [Unknown(kind, block.pointer)]
    block.ignore(*IGNORED_KEYS)
    block.close(residue)
    return items


def _read_call(block: Node, pairing: AnthropicPairing) -> Call:
    name, identity, arguments = block.child("name"), block.child("id"), block.child("input")
    return pairing.add_call(
        name=name.value if isinstance(name.value, str) else None,
        arguments=_read_arguments(arguments.value),
        id=identity.value if isinstance(identity.value, str) and identity.value else None,
        pointer=block.pointer,
        name_pointer=name.pointer if "name" in block else None,
        arguments_pointer=arguments.pointer if "input" in block else None,
        id_pointer=identity.pointer if "id" in block else None,
    )


def _read_arguments(value: Any) -> Any:
    """Return ``input`` if it is an object, an empty one if it is absent; anything else is unreadable."""
    if value is None:
        return {}
    return value if isinstance(value, dict) else Unreadable(value)


def _read_result(block: Node, pairing: AnthropicPairing, residue: list[Residue]) -> Result:
    """Read a tool_result: its content as texts, media and values."""
    identity, content = block.child("tool_use_id"), block.child("content")
    parts: list[Any] = []
    if isinstance(content.value, str):
        parts.extend(text_items(content))
    elif isinstance(content.value, dict):
        parts.append(Value(content.value, content.pointer))
    for part in content.each():
        kind = part.text("type")
        if kind in ("text", "image", "document", "search_result"):
            parts.extend(_read_content_block(kind, part, residue))
            part.ignore(*IGNORED_KEYS)
            part.close(residue)
        elif kind == "tool_reference" and part.text("tool_name"):
            name = part.text("tool_name") or ""
            parts.append(Text(name, part.pointer, labels=(name,)))
        else:
            parts.append(Value(part.value, part.pointer))
    return pairing.pair_result(
        id=identity.value if isinstance(identity.value, str) and identity.value else None,
        parts=tuple(parts),
        error=block.flag("is_error"),
        pointer=block.pointer,
        content_pointer=content.pointer if "content" in block else None,
        id_pointer=identity.pointer if "tool_use_id" in block else None,
    )


def _read_content_block(kind: str, block: Node, residue: list[Residue]) -> Iterator[Text | Media]:
    """Yield the texts and media of a text, image, document or search_result block."""
    if kind == "text":
        yield from _text_only(text_items(block.child("text")))
    elif kind == "search_result":
        named = (block.text("title"), block.text("source"))
        labels = tuple(label.strip() for label in named if label and label.strip())
        for part in block.child("content").each():
            yield from (replace(text, labels=labels) for text in _text_only(text_items(part.child("text"))))
            part.ignore(*IGNORED_KEYS)
            part.close(residue)
    else:
        block.ignore("title", "context")
        yield from _read_media(kind, block, residue)


def _read_citations(block: Node) -> Iterator[Citation]:
    """Yield the pages that a text cites; citations without an address are the provider's own matter."""
    text = block.text("text")
    for citation in block.child("citations").each():
        source = citation.text("source")  # of a result of the client's own search: any text
        url = citation.text("url") or (source if source and "://" in source else None)
        if url:
            yield Citation(url, citation.text("title"), text, citation.pointer)


def _read_media(kind: str, block: Node, residue: list[Residue]) -> Iterator[Text | Media]:
    """Yield the media of an image or document block, by the ``type`` of its source."""
    source = block.child("source")
    source_type = source.text("type")
    mime = source.text("media_type")
    if source_type == "content":
        content = source.child("content")
        yield from _text_only(text_items(content))
        for part in content.each():
            inner = part.text("type")
            if inner in ("text", "image"):
                yield from _read_content_block(inner, part, residue)
                part.ignore(*IGNORED_KEYS)
                part.close(residue)
    elif source_type == "text":
        # Plain text counts as the bytes that it is, so that it equals the same file sent as base64.
        data = source.text("data") or ""
        encoded = base64.b64encode(data.encode("utf-8", "surrogatepass")).decode("ascii")
        yield Media(kind, mime or "text/plain", block.pointer, data=encoded)
    elif source_type == "url":
        yield Media(kind, mime, block.pointer, url=source.text("url"))
    elif source_type == "file":
        yield Media(kind, mime, block.pointer, file_id=source.text("file_id"))
    else:
        yield Media(kind, mime, block.pointer, data=source.text("data"))
    source.close(residue)


def _read_hosted(kind: str, block: Node) -> Hosted:
    return Hosted(kind, block.text("name"), block.text("id") or block.text("tool_use_id"), block.value, block.pointer)


def _opaque_items(node: Node) -> list[Item]:
    return [Opaque(node.value, node.pointer, "anthropic")] if isinstance(node.value, str) and node.value else []


def _text_only(items: Iterable[Item]) -> Iterator[Text]:
    return (item for item in items if isinstance(item, Text))


def _type_text(block: Node) -> str:
    value = block.get("type")
    return value if isinstance(value, str) else ""

"""Reads the parts of a message's ``content`` and of a tool's ``output``."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.reading import Media, Node, Reasoning, Residue, Text, Unknown
from toolcall_conformance.basics.reading.citations import add_citations, url_citations
from toolcall_conformance.basics.reading.model import Item

#: Types of parts with visible text. ``text`` is Chat's type: the schema reports it, but its text is read.
TEXT_PART_TYPES = frozenset({"input_text", "output_text", "summary_text", "text"})

_MEDIA_KINDS = {"image": "image", "audio": "audio", "video": "video"}


def read_content(node: Node, residue: list[Residue]) -> Iterator[Item]:
    """Yield the items of a string or of a list of parts; none for null, blank text or an absent value."""
    if isinstance(node.value, str):
        if node.value.strip():
            yield Text(node.value, node.pointer)
    elif isinstance(node.value, list):
        for part in node.each():
            yield from _read_part(part, residue)
    elif node.is_object:
        yield from _read_part(node, residue)
    elif node.value is not None:
        yield Unknown(type(node.value).__name__, node.pointer)


def _read_part(node: Node, residue: list[Residue]) -> Iterator[Item]:
    kind = node.text("type") or ""
    if kind in TEXT_PART_TYPES:
        node.ignore("logprobs", "prompt_cache_breakpoint")
        citations = list(url_citations(node.child("annotations"), node.text("text")))
        yield from add_citations(list(_read_text(node.child("text"))), citations, "")
    elif kind == "refusal":
        yield from _read_text(node.child("refusal"))
    elif kind == "reasoning_text":
        text = node.child("text")
        if isinstance(text.value, str) and text.value.strip():
            yield Reasoning(text.value, text.pointer)
    elif kind in ("input_image", "computer_screenshot"):
        yield _read_image(node)
    elif kind == "input_file":
        yield _read_file(node)
    elif kind == "input_audio":
        yield _read_audio(node)
    else:
        yield Unknown(kind, node.pointer)
        return
    node.close(residue)


def _read_text(node: Node) -> Iterator[Item]:
    if not isinstance(node.value, str):
        yield Unknown(type(node.value).__name__, node.pointer)
    elif node.value.strip():
        yield Text(node.value, node.pointer)


def _read_image(node: Node) -> Item:
    node.ignore("detail", "prompt_cache_breakpoint")
    url = node.child("image_url")
    # Chat wraps the URL in an object: the schema reports it, but the image is read.
    address = url.text("url") if url.is_object else node.text("image_url")
    return _media_from_address("image", address, node.text("file_id"), node.pointer)


def _read_file(node: Node) -> Item:
    node.ignore("detail", "filename", "prompt_cache_breakpoint")
    data = node.text("file_data")
    if data is not None and not data.startswith("data:"):
        return Media("document", None, node.pointer, data=data)
    return _media_from_address("document", data or node.text("file_url"), node.text("file_id"), node.pointer)


def _read_audio(node: Node) -> Item:
    inner = node.child("input_audio")
    form = inner.text("format")
    return Media("audio", f"audio/{form}" if form else None, node.pointer, data=inner.text("data"))


def _media_from_address(kind: str, address: str | None, file_id: str | None, pointer: str) -> Media:
    """Return the media at a URL or in a data URL; the file id counts only without an address."""
    if address is None:
        return Media(kind, None, pointer, file_id=file_id)
    if not address.startswith("data:"):
        return Media(kind, None, pointer, url=address)
    head, _, data = address[len("data:") :].partition(",")
    mime = head.split(";")[0] or None
    if mime is not None:
        kind = _MEDIA_KINDS.get(mime.split("/")[0], kind)
    return Media(kind, mime, pointer, data=data)

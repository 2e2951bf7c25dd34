"""Reads a message's ``content`` into neutral items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcall_conformance.basics.reading import Media, Node, Reasoning, Residue, Text, Unknown

Part = Text | Media | Reasoning | Unknown

_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*);base64,(.*)", re.DOTALL)

_AUDIO_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def read_content(content: Node, residue: list[Residue]) -> Iterator[Part]:
    """Yield the items of a message's content, which is a string, a list of parts, null or absent."""
    if isinstance(content.value, str):
        if content.value.strip():
            yield Text(content.value, content.pointer)
    elif isinstance(content.value, list):
        for part in content.each():
            yield from _read_part(part, residue)
    elif content.value is not None:
        yield Unknown(type(content.value).__name__, content.pointer)


def read_generated_images(images: Node, residue: list[Residue]) -> Iterator[Part]:
    """Yield the images that a model generated, which OpenRouter and others send outside the content, as image parts.

    https://openrouter.ai/docs/features/multimodal/image-generation
    """
    for image in images.each():
        image.ignore("index")
        yield from _read_part(image, residue)


def _read_part(part: Node, residue: list[Residue]) -> Iterator[Part]:
    if isinstance(part.value, str):
        if part.value.strip():
            yield Text(part.value, part.pointer)
        return
    kind = part.text("type") or ""
    if kind in ("text", "refusal"):
        text = part.child(kind)
        if not isinstance(text.value, str):
            yield Unknown(kind, part.pointer)
        elif text.value.strip():
            yield Text(text.value, text.pointer)
    elif kind == "thinking":
        yield from _read_thinking(part.child("thinking"))
    elif kind == "image_url":
        yield _read_image(part, residue)
    elif kind == "input_audio":
        yield _read_audio(part, residue)
    elif kind == "file":
        yield _read_file(part, residue)
    else:
        # The whole part is unknown, so its keys are no residue.
        yield Unknown(kind, part.pointer)
        return
    part.ignore("prompt_cache_breakpoint")
    part.close(residue)


def _read_thinking(thinking: Node) -> Iterator[Part]:
    """Yield the texts of Mistral's thinking part: a string or a list of text parts."""
    pieces = [thinking] if isinstance(thinking.value, str) else [entry.child("text") for entry in thinking.each()]
    for piece in pieces:
        if isinstance(piece.value, str) and piece.value.strip():
            yield Reasoning(piece.value, piece.pointer)


def _read_image(part: Node, residue: list[Residue]) -> Media:
    image = part.child("image_url")
    # The object is the official form; some clients send a bare string.
    url = image.value if isinstance(image.value, str) else image.text("url")
    image.ignore("detail")
    image.close(residue)
    return _media_from_url("image", url, part.pointer)


def _read_audio(part: Node, residue: list[Residue]) -> Media:
    audio = part.child("input_audio")
    data, coding = audio.text("data"), audio.text("format") or ""
    audio.close(residue)
    return Media("audio", _AUDIO_TYPES.get(coding, f"audio/{coding}" if coding else None), part.pointer, data=data)


def _read_file(part: Node, residue: list[Residue]) -> Media:
    file = part.child("file")
    data, file_id, name = file.text("file_data"), file.text("file_id"), file.text("filename") or ""
    file.close(residue)
    guessed = "application/pdf" if name.lower().endswith(".pdf") else None
    if data is None:
        return Media("document" if guessed else "file", guessed, part.pointer, file_id=file_id)
    match = _DATA_URL.fullmatch(data)
    if match is None:
        return Media("document", guessed, part.pointer, data=data)
    return Media("document", match[1] or guessed, part.pointer, data=match[3])


def _media_from_url(kind: str, url: str | None, pointer: str) -> Media:
    match = _DATA_URL.fullmatch(url) if url is not None else None
    if match is None:
        return Media(kind, None, pointer, url=url)
    return Media(kind, match[1] or None, pointer, data=match[3])

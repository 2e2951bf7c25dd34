"""Content parts of Chat messages: text, images, audio, files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation import media
from toolcall_reference.conversation.intermediate import Body, Media, Text
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai import VENDOR
from toolcall_reference.formats.openai_chat.api import NAME

_PDF = "application/pdf"
_MIME_BY_AUDIO_FORMAT = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_AUDIO_FORMAT_BY_MIME = {"audio/wav": "wav", "audio/mpeg": "mp3"}


def decode_parts(content: Any, losses: Losses) -> list[Any]:
    """The texts and media of a message's content, which is a string, an array of parts, or null."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Text | Media] = []
    for part in as_list(content, "content"):
        part = as_object(part, "a content part")
        kind = part.get("type")
        if kind == "text":
            text = as_text(part.get("text"), "text")
            if text:
                parts.append(Text(text, cached=is_cached(part)))
        elif kind == "refusal":
            parts.append(Text(as_text(part.get("refusal"), "refusal"), refusal=True))
        elif kind == "image_url":
            image = part.get("image_url")
            image = {"url": image} if isinstance(image, str) else as_object(image, "image_url")
            parts.append(media.from_url("image", as_text(image.get("url"), "url"), detail=image.get("detail")))
        elif kind == "input_audio":
            audio = as_object(part.get("input_audio"), "input_audio")
            audio_format = str(audio.get("format"))
            parts.append(
                Media(
                    "audio",
                    _MIME_BY_AUDIO_FORMAT.get(audio_format, f"audio/{audio_format}"),
                    data=as_text(audio.get("data"), "data"),
                )
            )
        elif kind == "thinking":  # Mistral's
            losses.add("reasoning", "what the model thought is not shown")
        elif kind == "file":
            parts.append(_decode_file(as_object(part.get("file"), "file")))
        else:
            losses.add("content", "an unknown kind of part was dropped", kind)
    return parts


def is_cached(holder: Body) -> bool:
    """Whether a cache breakpoint follows: the API's own mark, or Anthropic's, which gateways accept."""
    return bool(holder.get("prompt_cache_breakpoint") or holder.get("cache_control"))


def _decode_file(file: Body) -> Media:
    name = file.get("filename") if isinstance(file.get("filename"), str) else None
    if isinstance(file.get("file_data"), str):
        item = media.from_url("file", file["file_data"], name=name)
        if item.url is not None:  # raw base64 in place of a data: URL
            mime = media.guess_mime(name) or "application/pdf"
            return Media(media.media_kind(mime), mime, data=item.url, name=name)
        return item
    return Media(
        "file", media.guess_mime(name), file_id=as_text(file.get("file_id"), "file_id"), name=name, vendor=VENDOR
    )


def encode_content(parts: Sequence[Text | Media], target: Target) -> str | list[Body]:
    """The content of a user message: a string for a single text, else an array of parts."""
    if len(parts) == 1 and isinstance(parts[0], Text) and "content-parts" not in target.notations:
        return parts[0].text
    return [encode_part(part, target.losses) for part in parts]


def encode_part(part: Text | Media, losses: Losses) -> Body:
    """One part of a user message; media without a part in Chat become visible text."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    url = media.picture_url(part) if part.kind == "image" else None
    if url is not None:
        image: Body = {"url": url}
        if part.detail is not None:
            image["detail"] = part.detail
        return {"type": "image_url", "image_url": image}
    if (
        part.kind == "audio"
        and part.data is not None
        and (form := _AUDIO_FORMAT_BY_MIME.get(media.registered_mime(part.mime) or ""))
    ):
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": form}}
    if part.data is not None and part.mime == _PDF:  # the API takes the bytes of no other file
        return {"type": "file", "file": {"filename": part.name or "document.pdf", "file_data": media.data_url(part)}}
    if part.file_id is not None and part.vendor == VENDOR:
        return {"type": "file", "file": {"file_id": part.file_id}}
    return {"type": "text", "text": media.placeholder(part, losses, NAME).text}


def can_encode(part: Media) -> bool:
    """Whether Chat has a part for media: by bytes, by an image's address, or by the id of an OpenAI file."""
    if part.kind in ("document", "file") and part.data is not None:
        return part.mime == _PDF
    return (
        part.data is not None or (part.kind == "image" and media.picture_url(part) is not None) or part.vendor == VENDOR
    )

"""Content parts of Responses items: ``input_*`` from the user and from tools, ``output_*`` from the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcall_reference.basics.jsontext import as_list, as_object, as_text
from toolcall_reference.conversation import citations, media
from toolcall_reference.conversation.intermediate import Body, Media, Text
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai import VENDOR
from toolcall_reference.formats.openai_responses.api import NAME


def decode_parts(content: Any, losses: Losses) -> list[Any]:
    """The texts and media of a message's content or a tool's output: a string, an array of parts, or null."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Text | Media] = []
    for part in as_list(content, "content"):
        part = as_object(part, "a content part")
        kind = part.get("type")
        if kind in ("input_text", "output_text", "text"):
            text = as_text(part.get("text"), "text")
            if text:
                cited = citations.from_openai(part.get("annotations"), losses) if "annotations" in part else ()
                parts.append(Text(text, cached=bool(part.get("prompt_cache_breakpoint")), citations=cited))
        elif kind == "refusal":
            parts.append(Text(as_text(part.get("refusal"), "refusal"), refusal=True))
        elif kind == "input_image":
            parts.append(_decode_image(part))
        elif kind == "input_file":
            parts.append(_decode_file(part))
        else:
            losses.add("content", "an unknown kind of part was dropped", kind)
    return parts


def _decode_image(part: Body) -> Media:
    detail = part.get("detail") if isinstance(part.get("detail"), str) else None
    if isinstance(part.get("image_url"), str):
        return media.from_url("image", part["image_url"], detail=detail)
    return Media("image", file_id=as_text(part.get("file_id"), "file_id"), detail=detail, vendor=VENDOR)


def _decode_file(part: Body) -> Media:
    name = part.get("filename") if isinstance(part.get("filename"), str) else None
    if isinstance(part.get("file_url"), str):
        item = media.from_url("file", part["file_url"], name=name)
        return item if item.mime else Media("document", "application/pdf", url=item.url, name=name)
    if isinstance(part.get("file_data"), str):
        item = media.from_url("file", part["file_data"], name=name)
        if item.url is None:
            return item
        mime = media.guess_mime(name) or "application/pdf"  # raw base64 in place of a data: URL
        return Media(media.media_kind(mime), mime, data=item.url, name=name)
    return Media(
        "file", media.guess_mime(name), file_id=as_text(part.get("file_id"), "file_id"), name=name, vendor=VENDOR
    )


def encode_content(parts: Sequence[Text | Media], target: Target) -> str | list[Body]:
    """The content of a user message or the output of a tool: a string for a single text, else an array."""
    if len(parts) == 1 and isinstance(parts[0], Text) and "text-parts" not in target.notations:
        return parts[0].text
    return [encode_part(part, target.losses) for part in parts]


def encode_part(part: Text | Media, losses: Losses) -> Body:
    """One ``input_*`` part; media without a part in Responses become visible text."""
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.kind == "image":
        # The SDK's type of a user's image requires a detail; auto is the default.
        detail = {"detail": part.detail or "auto"}
        url = media.picture_url(part)
        if url is not None and (part.data is not None or not url.lower().startswith("data:")):
            return {"type": "input_image", "image_url": url, **detail}
        if part.file_id is not None and part.vendor == VENDOR:
            return {"type": "input_image", "file_id": part.file_id, **detail}
    elif part.kind in ("document", "file"):
        if part.data is not None:
            name = part.name or ("document.pdf" if part.mime == "application/pdf" else "document")
            return {"type": "input_file", "filename": name, "file_data": media.data_url(part)}
        if part.url is not None:
            return {"type": "input_file", "file_url": part.url}
        if part.file_id is not None and part.vendor == VENDOR:
            return {"type": "input_file", "file_id": part.file_id}
    return {"type": "input_text", "text": media.placeholder(part, losses, NAME).text}

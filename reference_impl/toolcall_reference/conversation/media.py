"""Media: data URLs, MIME types, and the visible placeholder for formats that cannot hold them."""

from __future__ import annotations

import base64
import mimetypes
import re

from toolcall_reference.basics.mimes import media_kind as media_kind  # noqa: PLC0414 - exported with the rest
from toolcall_reference.basics.mimes import registered_mime as registered_mime  # noqa: PLC0414
from toolcall_reference.conversation.intermediate import Item, Media, Text
from toolcall_reference.conversation.losses import Losses

_URL_SCHEMES = ("http://", "https://", "data:")
_DATA_URL = re.compile(r"(?i:data):(?P<mime>[^;,]*)(?:;[^;,=]+=[^;,]*)*;base64,(?P<data>.*)", re.DOTALL)


def guess_mime(file_name: str | None) -> str | None:
    """The MIME type that a file name or URL suggests."""
    return mimetypes.guess_type((file_name or "").split("?")[0].split("#")[0])[0]


def from_url(kind: str, url: str, **members: str | None) -> Media:
    """Media by a URL; a ``data:`` URL becomes its bytes."""
    match = _DATA_URL.fullmatch(url)
    if match:
        mime = match["mime"].lower() or None
        kind = kind if media_kind(mime) == "file" and kind != "file" else media_kind(mime)
        return Media(kind, mime, data=match["data"], **members)
    mime = guess_mime(url)
    return Media(kind if kind != "file" else media_kind(mime), mime, url=url, **members)


def data_url(media: Media) -> str:
    """The ``data:`` URL of media that has its bytes."""
    mime = (registered_mime(media.mime) or "").partition(";")[0].strip()
    return f"data:{mime or 'application/octet-stream'};base64,{media.data}"


def picture_url(media: Media) -> str | None:
    """The URL of an image as OpenAI's formats take it: on the web or ``data:``; None for any other.

    https://platform.openai.com/docs/guides/images-vision
    """
    url = data_url(media) if media.data is not None else media.url
    return url if url is not None and url.lower().startswith(_URL_SCHEMES) else None


def text_to_base64(text: str) -> str:
    """The base64 data of a plain text document."""
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")


def decoded_text(media: Media) -> str | None:
    """The text of ``text/*`` media with data; None for anything else."""
    if media.data is None or not (media.mime or "").startswith("text/"):
        return None
    try:
        return base64.b64decode(media.data, validate=True).decode("utf-8")
    except ValueError:
        return None


def placeholder(media: Media, losses: Losses, target: str) -> Text:
    """A visible text instead of media that the format ``target`` cannot hold. Records the loss."""
    noun = media.mime or media.kind
    losses.add("media", f"{target} cannot carry it; replaced by text", noun)
    where = media.url or media.file_id or media.name
    if where:
        return Text(f"[{noun}: {where}]")
    size = len(media.data or "") * 3 // 4
    return Text(f"[{noun}, {size} bytes, not shown]")


def replace_media_by_text(items: list[Item], losses: Losses, target: str) -> list[Item]:
    """Replace the media of a reply by visible texts, for the format ``target`` that cannot hold them there."""
    return [placeholder(item, losses, target) if isinstance(item, Media) else item for item in items]

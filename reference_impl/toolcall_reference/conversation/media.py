"""Media: data URLs, MIME types, and the visible placeholder where a format has no place for them."""

from __future__ import annotations

import base64
import mimetypes
import re

from toolcall_reference.basics.mimes import kind_of as kind_of  # noqa: PLC0414 - for those who use it with the rest
from toolcall_reference.basics.mimes import usual as usual  # noqa: PLC0414
from toolcall_reference.conversation.intermediate import Item, Media, Text
from toolcall_reference.conversation.losses import Losses

_FETCHED = ("http://", "https://", "data:")
_DATA_URL = re.compile(r"(?i:data):(?P<mime>[^;,]*)(?:;[^;,=]+=[^;,]*)*;base64,(?P<data>.*)", re.DOTALL)


def guess(name: str | None) -> str | None:
    """The MIME type that a file name or URL suggests."""
    return mimetypes.guess_type((name or "").split("?")[0].split("#")[0])[0]


def from_url(kind: str, url: str, **more: str | None) -> Media:
    """Media by a URL; a ``data:`` URL becomes its bytes."""
    match = _DATA_URL.fullmatch(url)
    if match:
        mime = match["mime"].lower() or None
        kind = kind if kind_of(mime) == "file" and kind != "file" else kind_of(mime)
        return Media(kind, mime, data=match["data"], **more)
    mime = guess(url)
    return Media(kind if kind != "file" else kind_of(mime), mime, url=url, **more)


def data_url(media: Media) -> str:
    """The ``data:`` URL of media that has its bytes."""
    mime = (usual(media.mime) or "").partition(";")[0].strip()
    return f"data:{mime or 'application/octet-stream'};base64,{media.data}"


def picture_url(media: Media) -> str | None:
    """The address of a picture as OpenAI's formats take it: on the web, or a ``data:`` URL. None for any other.

    https://platform.openai.com/docs/guides/images-vision
    """
    url = data_url(media) if media.data is not None else media.url
    return url if url is not None and url.lower().startswith(_FETCHED) else None


def of_text(text: str) -> str:
    """The bytes of a plain text document, as base64."""
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")


def text_of(media: Media) -> str | None:
    """The text of a ``text/*`` medium that has its bytes; None where it is anything else."""
    if media.data is None or not (media.mime or "").startswith("text/"):
        return None
    try:
        return base64.b64decode(media.data, validate=True).decode("utf-8")
    except ValueError:
        return None


def placeholder(media: Media, losses: Losses, target: str) -> Text:
    """Visible text in place of media that ``target`` cannot carry; the loss is noted."""
    what = media.mime or media.kind
    losses.add("media", f"{target} cannot carry it; replaced by text", what)
    where = media.url or media.file_id or media.name
    if where:
        return Text(f"[{what}: {where}]")
    size = len(media.data or "") * 3 // 4
    return Text(f"[{what}, {size} bytes, not shown]")


def in_words(items: list[Item], losses: Losses, target: str) -> list[Item]:
    """The items of a reply with a visible text in place of media, which ``target`` has no place for there."""
    return [placeholder(item, losses, target) if isinstance(item, Media) else item for item in items]

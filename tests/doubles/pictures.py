"""Handles on the media of a request: what they are, whose they are, and where they are."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from doubles import wire
from doubles.catalogue import ANTHROPIC, CHAT, GEMINI
from doubles.draft import Draft, need


@dataclass(slots=True)
class Piece(wire.Handle):
    """Media at ``entry`` in the list ``holder``; ``result`` is the result that has them, if any."""

    result: wire.Result | None = None

    @property
    def _of_data(self) -> tuple[dict[str, Any], str]:
        """The object that has the bytes, and their key."""
        entry = self.entry
        if self.format == ANTHROPIC:
            return entry["source"], "data"
        if self.format == GEMINI:
            return entry["inlineData"], "data"
        if "image_url" in entry:
            return (entry["image_url"], "url") if self.format == CHAT else (entry, "image_url")
        inner = entry.get("file") or entry.get("input_audio") or entry
        return inner, "file_data" if "file_data" in inner else "data"

    @property
    def raw(self) -> str:
        """The bytes as the body spells them: base64, or a data URL."""
        inner, key = self._of_data
        return str(inner[key])

    @raw.setter
    def raw(self, value: str) -> None:
        inner, key = self._of_data
        inner[key] = value

    @property
    def data(self) -> str:
        """The bytes in base64."""
        return self.raw.rpartition(",")[2]

    @data.setter
    def data(self, value: str) -> None:
        head, mark, _ = self.raw.rpartition(",")
        self.raw = head + mark + value

    @property
    def mime(self) -> str:
        """The type that the body declares."""
        inner, _ = self._of_data
        if self.format == ANTHROPIC:
            return str(inner["media_type"])
        if self.format == GEMINI:
            return str(inner["mimeType"])
        return f"audio/{inner['format']}" if "format" in inner else self.raw.partition(";")[0].removeprefix("data:")

    @mime.setter
    def mime(self, value: str) -> None:
        inner, key = self._of_data
        if self.format == ANTHROPIC:
            inner["media_type"] = value
        elif self.format == GEMINI:
            inner["mimeType"] = value
        else:
            inner[key] = f"data:{value};base64,{self.data}"

    @property
    def is_picture(self) -> bool:
        return self.mime.startswith("image/")


def client_pictures(draft: Draft) -> list[Piece]:
    """The pictures that the client gives; to lose what the model drew before weighs less."""
    entries = [*draft.source.get("messages", ()), *draft.source.get("contents", ())]
    drawn = json.dumps([entry for entry in entries if entry.get("role") in ("assistant", "model")])
    return list(need([piece for piece in pictures(draft) if piece.data not in drawn]))


def pieces(draft: Draft) -> list[Piece]:
    """All media with their bytes, in order."""
    media_pieces: list[Piece] = []
    content: Any
    for message in draft.messages:
        content = message.get("parts" if draft.format == GEMINI else "content")
        media_pieces += [Piece(draft.format, content, entry, message) for entry in _media(content)]
    for result in draft.results:
        content = result.inner.get("parts") if draft.format == GEMINI else result.content
        media_pieces += [Piece(draft.format, content, entry, result.message, result) for entry in _media(content)]
    media_pieces = [piece for piece in media_pieces if not is_by_address(piece.entry)]
    order = {id(entry): place for place, entry in enumerate(_walk(draft.messages))}
    return sorted(media_pieces, key=lambda piece: order[id(piece.entry)])


def is_by_address(entry: Any) -> bool:
    """Whether media are not in the body, but at an address or with their provider."""
    source = entry.get("source")
    if isinstance(source, dict):
        return source.get("type") in ("url", "file")
    image = entry.get("image_url")
    image = image.get("url") if isinstance(image, dict) else image
    inner = entry.get("file") if isinstance(entry.get("file"), dict) else entry
    return (isinstance(image, str) and not image.startswith("data:")) or not {
        "file_id",
        "file_url",
        "fileData",
    }.isdisjoint(inner)


def pictures(draft: Draft) -> list[Piece]:
    """The pictures among them; there is nothing to change where there are none."""
    return list(need([piece for piece in pieces(draft) if piece.is_picture]))


def result_media(draft: Draft) -> list[Piece]:
    """Those in a result; Skip where there are none."""
    return list(need([piece for piece in pieces(draft) if piece.result is not None]))


def tool_media(draft: Draft) -> list[Piece]:
    """Media in results, and those after them under a caption; there is nothing to change where there are none."""
    captions = [caption.text for caption in draft.captions]
    return list(need([piece for piece in pieces(draft) if piece.result is not None or _before(piece) in captions]))


def user_media(draft: Draft) -> list[Piece]:
    """The user's media: in no result, in no message of results, and under no caption."""
    answering = [id(result.message) for result in draft.results if result.message is not None]
    captions = [caption.text for caption in draft.all_captions]
    return [
        piece
        for piece in pieces(draft)
        if piece.message is not None and piece.message.get("role") == "user"
        if piece.result is None and id(piece.message) not in answering and _before(piece) not in captions
    ]


def _before(piece: Piece) -> str | None:
    at = piece.place
    while at and _is_media(piece.holder[at - 1]):
        at -= 1
    entry = piece.holder[at - 1] if at else {}
    return entry.get("text") if isinstance(entry, dict) else None


def text_part(draft: Draft, text: str) -> dict[str, Any]:
    """A text as a part of a message or result that holds parts."""
    kind = {"openai_responses": "input_text"}.get(draft.format, "text")
    return {"text": text} if draft.format == GEMINI else {"type": kind, "text": text}


def url_alphabet(data: str) -> str:
    """Base64 in the alphabet for URLs, without padding."""
    return base64.urlsafe_b64encode(base64.b64decode(data)).decode().rstrip("=")


def _media(content: Any) -> list[dict[str, Any]]:
    """The media of a list of parts; of a text or of nothing, none."""
    return [entry for entry in content if _is_media(entry)] if isinstance(content, list) else []


def _is_media(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    kinds = ("image", "document", "image_url", "input_image", "input_file", "file", "input_audio")
    if "inlineData" in entry:
        return True
    has_bytes = not isinstance(entry.get("source"), dict) or "media_type" in entry["source"]
    return entry.get("type") in kinds and has_bytes


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for entry in value.values():
            yield from _walk(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _walk(entry)

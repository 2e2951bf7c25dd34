"""MIME types: registered names and kinds of media."""

from __future__ import annotations

_KIND_BY_TOP_LEVEL = {"image": "image", "audio": "audio", "video": "video"}

_REGISTERED_BY_ALIAS = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-m4a": "audio/mp4",
}
"""Registered type by alias; not every API takes aliases (https://github.com/NousResearch/hermes-agent/issues/55432)."""


def registered_mime(mime: str | None) -> str | None:
    """The registered name of a MIME type; an image type also loses its parameters."""
    name = (mime or "").partition(";")[0].strip().lower()
    return _REGISTERED_BY_ALIAS.get(name) or (name if name.startswith("image/") else mime)


def media_kind(mime: str | None) -> str:
    """The kind of media of a MIME type: image, audio, video, document (PDF and text), or file."""
    head = (mime or "").split("/")[0]
    if head in _KIND_BY_TOP_LEVEL:
        return _KIND_BY_TOP_LEVEL[head]
    return "document" if head == "text" or mime == "application/pdf" else "file"

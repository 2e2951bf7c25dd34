"""What kind of media a MIME type is."""

from __future__ import annotations

_KINDS = {"image": "image", "audio": "audio", "video": "video"}

_USUAL = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-m4a": "audio/mp4",
}
"""Other names of a type, which not every API takes (https://github.com/NousResearch/hermes-agent/issues/55432)."""


def usual(mime: str | None) -> str | None:
    """A MIME type by its registered name; that of a picture without parameters."""
    name = (mime or "").partition(";")[0].strip().lower()
    return _USUAL.get(name) or (name if name.startswith("image/") else mime)


def kind_of(mime: str | None) -> str:
    """The kind of a MIME type: image, audio, video, document (PDF and text), or file."""
    head = (mime or "").split("/")[0]
    if head in _KINDS:
        return _KINDS[head]
    return "document" if head == "text" or mime == "application/pdf" else "file"

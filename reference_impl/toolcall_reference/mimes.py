"""What kind of media a MIME type is."""

from __future__ import annotations

_KINDS = {"image": "image", "audio": "audio", "video": "video"}


def kind_of(mime: str | None) -> str:
    """The kind of a MIME type: image, audio, video, document (PDF and text), or file."""
    head = (mime or "").split("/")[0]
    if head in _KINDS:
        return _KINDS[head]
    return "document" if head == "text" or mime == "application/pdf" else "file"

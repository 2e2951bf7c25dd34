"""What identifies a piece of media, however it is spelt."""

from __future__ import annotations

from toolcall_conformance.reading import Media


def media_bytes(media: Media) -> str:
    """What identifies a piece of media: its bytes (base64 alphabet and padding aside), else its reference."""
    if media.data is not None:
        return base64_spelling(media.data)
    return media.url or media.file_id or ""


def base64_spelling(text: str) -> str:
    """Base64 in one spelling: the standard alphabet, without padding and white space."""
    return "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")

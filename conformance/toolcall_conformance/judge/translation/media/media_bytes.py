"""What identifies a piece of media, however it is spelt."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from toolcall_conformance.basics.reading import Media

T = TypeVar("T")


def media_bytes(media: Media) -> str:
    """What identifies a piece of media: its bytes (base64 alphabet and padding aside), else its reference."""
    if media.data is not None:
        return base64_spelling(media.data)
    return media.url or media.file_id or ""


def base64_spelling(text: str) -> str:
    """Base64 in one spelling: the standard alphabet, without padding and white space."""
    return "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")


def standard_base64(text: str) -> str:
    """Base64 as most readers want it: the standard alphabet, padded. What is no base64 stays as it is.

    Proto JSON, and so Gemini, takes the other alphabet as well, and leaves out the padding.
    https://protobuf.dev/programming-guides/json/
    """
    base64_text = base64_spelling(text)
    padded = base64_text + "=" * (-len(base64_text) % 4)
    try:
        b64decode(padded, validate=True)
    except ValueError:
        return text
    return padded


def short_base64(text: str) -> str:
    """The end of base64, to be shown: there the padding is."""
    return f"…{text[-12:]}"


def in_pairs(source: Iterable[T], output: Iterable[T], key: Callable[[T], str]) -> Iterator[tuple[T, T]]:
    """What has the same key on both sides; where one side has fewer of them, its last one goes with the rest."""
    outputs_by_key: dict[str, list[T]] = {}
    for output_item in output:
        outputs_by_key.setdefault(key(output_item), []).append(output_item)
    sources_by_key: dict[str, list[T]] = {}
    for source_item in source:
        sources_by_key.setdefault(key(source_item), []).append(source_item)
    for mark, ones in sources_by_key.items():
        twos = outputs_by_key.get(mark, [])
        for at in range(max(len(ones), len(twos)) if twos else 0):
            yield ones[min(at, len(ones) - 1)], twos[min(at, len(twos) - 1)]

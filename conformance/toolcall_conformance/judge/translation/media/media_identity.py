"""The identity of a piece of media, whatever its base64 notation."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from toolcall_conformance.basics.reading import Media

T = TypeVar("T")


def media_identity(media: Media) -> str:
    """Return what identifies a piece of media: its bytes as base64 in one notation, else its reference."""
    if media.data is not None:
        return normal_base64(media.data)
    return media.url or media.file_id or ""


def normal_base64(text: str) -> str:
    """Return base64 in one notation: the standard alphabet, without padding and white space."""
    return "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")


def standard_base64(text: str) -> str:
    """Return base64 as most readers want it: the standard alphabet, padded. Other texts are unchanged.

    Proto JSON, and so Gemini, accepts the other alphabet as well, and no padding.
    https://protobuf.dev/programming-guides/json/
    """
    base64_text = normal_base64(text)
    padded = base64_text + "=" * (-len(base64_text) % 4)
    try:
        b64decode(padded, validate=True)
    except ValueError:
        return text
    return padded


def base64_end(text: str) -> str:
    """Return the end of base64, where the padding is, to be shown."""
    return f"…{text[-12:]}"


def pair_by_key(source: Iterable[T], output: Iterable[T], key: Callable[[T], str]) -> Iterator[tuple[T, T]]:
    """Yield pairs of one key; where one side has fewer, its last one is paired with all the rest."""
    outputs_by_key: dict[str, list[T]] = {}
    for output_item in output:
        outputs_by_key.setdefault(key(output_item), []).append(output_item)
    sources_by_key: dict[str, list[T]] = {}
    for source_item in source:
        sources_by_key.setdefault(key(source_item), []).append(source_item)
    for mark, sources in sources_by_key.items():
        outputs = outputs_by_key.get(mark, [])
        for at in range(max(len(sources), len(outputs)) if outputs else 0):
            yield sources[min(at, len(sources) - 1)], outputs[min(at, len(outputs) - 1)]

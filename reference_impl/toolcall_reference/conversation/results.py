"""Tool results: conversion of text, object, media and error mark to what each format can hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from toolcall_reference.basics.jsontext import dump
from toolcall_reference.conversation.intermediate import Media, Text, UniversalToolResult

ERROR_PREFIX = "Error: "
_ERROR_REPORT = re.compile(
    r"""\s*(?:\{\s*"(?:error|is_error|isError)"|\W*\w{0,40}(?:error|exception|failed|failure)\b)""", re.IGNORECASE
)


def from_parts(
    call_id: str, tool_name: str, parts: Sequence[Text | Media], *, is_error: bool = False, kind: str = "function"
) -> UniversalToolResult:
    """A result with the ordered parts of its content."""
    if len(parts) == 1 and isinstance(parts[0], Text) and not parts[0].raw_context:
        return from_text(call_id, tool_name, parts[0].text, is_error=is_error, kind=kind, cached=parts[0].cached)
    texts = [part.text for part in parts if isinstance(part, Text)]
    cached = any(isinstance(part, Text) and part.cached for part in parts)
    parts = [replace(part, cached=False) if isinstance(part, Text) else part for part in parts]
    return UniversalToolResult(call_id, tool_name, "\n".join(texts), is_error, list(parts), kind, cached)


def from_text(
    call_id: str, tool_name: str, text: str, *, is_error: bool = False, kind: str = "function", cached: bool = False
) -> UniversalToolResult:
    """A result that is only text."""
    return UniversalToolResult(call_id, tool_name, text, is_error, [], kind, cached)


def as_text(result: UniversalToolResult) -> str:
    """The whole result as text; objects as JSON."""
    return dump(result.result) if isinstance(result.result, dict) else result.result


def plain_text(result: UniversalToolResult, *, marks: bool) -> str | None:
    """The result as text if it has no parts; None otherwise. ``marks``: an error gets a prefix."""
    if result.multimodal_parts:
        return None
    plain_text = result.result if isinstance(result.result, str) else dump(result.result)
    return mark_error(plain_text, True) if marks and result.is_error else plain_text


def content_parts(result: UniversalToolResult) -> list[Text | Media]:
    """The result as ordered texts and media, at most one blank text where it is empty."""
    return list(result.multimodal_parts) or [Text(as_text(result))]


def caption(tool_name: str, call_id: str | None, number: int) -> Text:
    """A caption for media that were moved out of their result; ``number`` counts the turn's results from 1."""
    return Text(f"From the result of {tool_name} ({call_id}):" if call_id else f"From result {number}, {tool_name}:")


def texts_without_media(parts: Sequence[Text | Media]) -> list[Text]:
    """The texts of a result whose media are moved; if there are none, one that mentions the media."""
    texts = [part for part in parts if isinstance(part, Text)]
    if texts and any(text.text.strip() for text in texts):
        return texts
    kinds = ", ".join(part.mime or part.kind for part in parts if isinstance(part, Media))
    return [Text(f"[{kinds}: behind the results]")]


def reports_error(content: str) -> bool:
    """Whether the text itself reports an error at its beginning, so that no prefix is needed."""
    return _ERROR_REPORT.match(content) is not None


def mark_error(content: str, is_error: bool) -> str:
    """Text for a format without an error mark: an error gets a prefix unless the text reports it itself."""
    return ERROR_PREFIX + content if is_error and not reports_error(content) else content


def error_marked_parts(result: UniversalToolResult, *, bare: bool = False) -> list[Text | Media]:
    """Parts for a format without an error mark: the first text gets the prefix, unless ``bare``."""
    result_parts = content_parts(result)
    if bare or not result.is_error:
        return result_parts
    for place, part in enumerate(result_parts):
        if isinstance(part, Text):
            return [*result_parts[:place], Text(mark_error(part.text, True)), *result_parts[place + 1 :]]
    return [Text(ERROR_PREFIX.strip()), *result_parts]

"""Reads HAR, which browsers, proxies and mitmproxy export: http://www.softwareishard.com/blog/har-12-spec/."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from datetime import datetime
from typing import Any

from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, UnreadableCaptureError, body_of

_STREAM = "text/event-stream"


def is_har(value: Any) -> bool:
    """Whether a JSON value is a HAR."""
    return isinstance(value, dict) and isinstance(value.get("log"), dict) and "entries" in value["log"]


def read(value: Any) -> Capture:
    """The exchanges of a HAR whose requests have a JSON body. Raises UnreadableCaptureError."""
    entries = value["log"]["entries"]
    if not isinstance(entries, list):
        raise UnreadableCaptureError("its log.entries is no list; export the HAR again")
    exchanges, skipped = [], Counter[str]()
    for number, entry in enumerate(entries, 1):
        exchange = _exchange(f"entry {number}", entry) if isinstance(entry, dict) else None
        if exchange is None:
            skipped["an entry without a JSON body"] += 1
        else:
            exchanges.append(exchange)
    return Capture("a HAR", exchanges, skipped)


def _exchange(name: str, entry: dict[str, Any]) -> CapturedExchange | None:
    request_entry, response_entry = entry.get("request"), entry.get("response")
    if not isinstance(request_entry, dict) or not isinstance(response_entry, dict):
        return None
    posted, content = request_entry.get("postData"), response_entry.get("content")
    request = body_of(str(posted.get("text", ""))) if isinstance(posted, dict) else None
    if not isinstance(request, dict):
        return None
    content = content if isinstance(content, dict) else {}
    kind = str(content.get("mimeType", ""))
    data = _data(content, misread=kind.startswith(_STREAM) and "charset" not in kind)
    streamed = kind.startswith(_STREAM) or data.lstrip()[:5] in (b"data:", b"event")
    status = response_entry.get("status")
    return CapturedExchange(
        name,
        request,
        None if streamed else body_of(data.decode("utf-8", "replace")),
        data if streamed and data else None,
        str(request_entry.get("url", "")),
        status if isinstance(status, int) and status > 0 else None,
        _seconds(entry.get("startedDateTime")),
    )


def _data(content: dict[str, Any], *, misread: bool) -> bytes:
    """The bytes of a content; ``misread``: its text may have been read as Latin-1."""
    text = str(content.get("text") or "")
    if content.get("encoding") != "base64":
        return (_repaired_text(text) if misread else text).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return b""


def _repaired_text(text: str) -> str:
    """The text of an event stream, which is UTF-8 by its standard; mitmproxy reads it as Latin-1 without a charset."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _seconds(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None

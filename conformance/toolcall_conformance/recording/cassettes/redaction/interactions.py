"""Redact the interactions of a cassette: keep headers by allowlist, redact secrets in URLs and bodies.

JSON stays valid JSON and streams stay streams; a body without secrets does not change by a byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from toolcall_conformance.basics.streaming.event_data import event_data, is_data_line, replace_data
from toolcall_conformance.recording.cassettes.redaction.encodings import rewrite_data
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor
from toolcall_conformance.recording.cassettes.redaction.split_secrets import redact_streams

_LINES = re.compile("(\r\n|\n|\r)")
_FIELDS = ("", "event", "id", "retry")
_DISPOSITION = re.compile(r"""(?i)content-disposition:[^\r\n]*?;\s*name="?([^";\r\n]*)""")


def scrub(interaction: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Scrub an interaction in vcrpy's layout; its bodies are text or bytes."""
    request, response = interaction["request"], interaction["response"]
    status = response["status"]
    return {
        "request": {
            "method": request["method"],
            "uri": uri(request["uri"], redactor),
            "headers": headers(request["headers"], redactor),
            "body": body(request["body"], _type(request["headers"]), redactor),
        },
        "response": {
            "status": {"code": status["code"], "message": redactor.text(status["message"] or "")},
            "headers": headers(response["headers"], redactor),
            "body": {"string": body(response["body"]["string"], _type(response["headers"]), redactor)},
        },
    }


def headers(raw_headers: Mapping[str, Any], redactor: Redactor) -> dict[str, list[str]]:
    """The headers to keep, their names in lower case."""
    redacted_headers: dict[str, list[str]] = {}
    for name, values in raw_headers.items():
        key = str(name).lower()
        if key in redactor.filters.headers:
            header_values = values if isinstance(values, list) else [values]
            redacted_headers.setdefault(key, []).extend(
                redactor.named_value(key, str(value)) for value in header_values
            )
    return dict(sorted(redacted_headers.items()))


def uri(url: str, redactor: Redactor) -> str:
    """Redact a URL and drop its user and password; its query is redacted like a form."""
    parts = urlsplit(url)
    host = redactor.text(parts.netloc.rpartition("@")[2])
    query = redactor.query(parts.query) if parts.query else ""
    return urlunsplit((parts.scheme, host, redactor.text(parts.path), query, redactor.text(parts.fragment)))


def body(content: str | bytes | None, content_type: str, redactor: Redactor) -> str | bytes | None:
    """Redact a body of any type; text stays text, binary data stays bytes."""
    if not content:
        return content
    if isinstance(content, str):
        return _text(content, content_type, redactor)
    if content.startswith(b"\x1f\x8b"):
        return rewrite_data(content, lambda text: _text(text, content_type, redactor), redactor.text)
    try:
        return _text(content.decode("utf-8"), content_type, redactor)
    except UnicodeDecodeError:
        return _text(content.decode("latin-1"), content_type, redactor).encode("latin-1", "replace")


def _text(text: str, content_type: str, redactor: Redactor) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    boundary = re.search(r'boundary="?([^";,]+)', content_type)
    if kind.startswith("multipart/") and boundary:
        return _multipart(text, boundary[1].strip(), redactor)
    if kind == "application/x-www-form-urlencoded":
        return redactor.query(text)
    if kind == "text/event-stream" or re.match(r"\s*(?:data|event|id|retry)?:", text):
        return _stream(text, redactor)
    return redactor.text(text)


def _stream(text: str, redactor: Redactor) -> str:
    """Redact a stream: each event's data, all else line by line, then the secrets that are spread over its events."""
    text = replace_data(text, [(data, redactor.text(data.text)) for data in event_data(text)])
    lines = [line if is_data_line(line) else _other_line(line, redactor) for line in _LINES.split(text)]
    return redact_streams("".join(lines), redactor)


def _other_line(line: str, redactor: Redactor) -> str:
    """Redact a line of a stream that is no data: a comment, another field, or the end of a line."""
    name, colon, value = line.partition(":")
    if name not in _FIELDS:
        return redactor.text(line)
    blank = " " if value.startswith(" ") else ""
    return f"{name}{colon}{blank}{redactor.text(value.removeprefix(' '))}"


def _multipart(text: str, boundary: str, redactor: Redactor) -> str:
    parts = []
    for part in text.split(f"--{boundary}"):
        head, gap, content = part.partition("\r\n\r\n")
        if not gap:
            parts.append(redactor.text(part))
            continue
        named = _DISPOSITION.search(head)
        end = "\r\n" if content.endswith("\r\n") else ""
        value = content.removesuffix("\r\n")
        redacted_text = redactor.named_value(named[1], value, query=True) if named else redactor.text(value)
        parts.append(redactor.text(head) + gap + redacted_text + end)
    return f"--{redactor.text(boundary)}".join(parts)


def _type(raw_headers: Mapping[str, Any]) -> str:
    for name, value in raw_headers.items():
        if str(name).lower() == "content-type":
            return str(value[0] if isinstance(value, list) else value)
    return ""

"""Server-sent events as the HTML standard reads them: https://html.spec.whatwg.org/multipage/server-sent-events.html

A stream is a JSON object, ``{"events": [{"event": "message_start", "data": {…}}, {"data": "[DONE]"}], "rest": ""}``:
``event`` is there if the stream names it. ``data`` is the parsed JSON, or the text if it is not JSON. ``rest`` is what
follows the last blank line, which a client does not read as an event. ``aside`` is the first line that begins neither
with ``data: `` nor with ``event: ``: a comment, another field, a field without the space, or what follows a byte order
mark, with the mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError
from toolcall_conformance.basics.jsonvalue import parse as parse_json

_LINE_END = re.compile("\r\n|\n|\r")  # no other character ends a line: U+2028 is text


def parse(stream: bytes) -> dict[str, Any]:
    """Parse a stream. Bytes that are not UTF-8 become U+FFFD, as the standard says; ``broken`` reports the first."""
    whole_text = stream.decode("utf-8", "replace")
    lines = _LINE_END.split(whole_text)
    aside = next((line for line in lines if line and not _is_usual_line(line)), None)
    lines[0] = lines[0].removeprefix("\ufeff")
    events: list[dict[str, Any]] = []
    rest = ""
    for block, whole in _blocks(lines):
        event = parse_event(block)
        if not whole:
            rest = "\n".join(block)
        elif event is not None:
            events.append(event)
    document: dict[str, Any] = {"events": events}
    if rest:
        document["rest"] = rest
    if aside is not None:
        document["aside"] = aside
    try:
        stream.decode("utf-8")
    except UnicodeDecodeError as error:
        document["broken"] = f"byte {error.start} is no UTF-8"
    return document


def dump(events: list[dict[str, Any]]) -> bytes:
    """Write events as a stream: a line for the name if there is one, a line of data, a blank line.

    Half a surrogate pair is escaped, as JSON can and UTF-8 cannot.
    """
    written = []
    for event in events:
        data = event["data"] if isinstance(event["data"], str) else json.dumps(event["data"], ensure_ascii=False)
        name = f"event: {event['event']}\n" if "event" in event else ""
        written.append(f"{name}data: {data}\n\n")
    return "".join(written).encode("utf-8", "backslashreplace")


def _is_usual_line(line: str) -> bool:
    """Whether a line is one that APIs write: a name or data, with a space after the colon."""
    return line.startswith("data: ") or (line.startswith("event: ") and len(line) > len("event: "))


def _blocks(all_lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Yield the lines of each block, and whether a blank line ends it; the last block may have none."""
    *lines, last = all_lines
    block: list[str] = []
    for line in lines:
        if line:
            block.append(line)
        elif block:
            yield block, True
            block = []
    if last:
        block.append(last)
    if block:
        yield block, False


def parse_event(lines: list[str]) -> dict[str, Any] | None:
    """Parse a block as a client does; None for one without data, which clients ignore."""
    name, data = "", []
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
    if not data:
        return None
    named: dict[str, Any] = {"event": name} if name else {}
    text = "\n".join(data)
    try:
        return named | {"data": parse_json(text)}
    except JSONError:
        return named | {"data": text}
